/*---
id      = "temporary_queue"
title   = "Temporary dynamic queues of the tasks whose accounting interval ends in a statistics interval"
grain   = "one row per lpar, qmgr and interval in which tasks with temporary dynamic queues end"
needs   = ["queue_use", "decoded.wtas", "interval_cut"]
classes = ["116.1"]
note    = "Helper of report data_manager/object_churn. Accounting intervals end at the same time as statistics intervals, plus or minus a second; tasks that end in a gap belong to no interval."

[columns]
temporary_queues_seen = { unit = "count", doc = "Temporary dynamic queues that tasks with class 3 accounting used.", over_time = "max", across = "add", label = "queues seen", screen = 1 }
temporary_opens = { unit = "count", doc = "MQOPENs of these queues.", over = "add" }
model_queues = { unit = "text", doc = "Model queues that they were opened with.", label = "model queues", screen = 2 }
temporary_open_et_us = { unit = "us", doc = "Mean elapsed time of their MQOPEN.", ratio = { numerator = "temporary_open_et_us * temporary_opens", denominator = "temporary_opens" }, label = "open µs", screen = 1 }
temporary_open_suspend_us = { unit = "us", doc = "Mean time suspended in their MQOPEN.", ratio = { numerator = "temporary_open_suspend_us * temporary_opens", denominator = "temporary_opens" }, label = "suspended µs", screen = 2 }
---*/
WITH used AS (
  SELECT t.lpar, t.qmgr, t.task_interval_end_utc, u.base_name, u.open_name, u.opens, u.open_et_us, u.open_suspend_us
  FROM queue_use AS u
  JOIN decoded.wtas AS t ON t.record_id = u.task_record_id
  WHERE u.is_temporary_dynamic AND t.task_interval_end_utc IS NOT NULL
)
SELECT
  i.lpar, i.qmgr, i.interval_start_utc,
  count(DISTINCT u.base_name)                                        AS temporary_queues_seen,
  sum(u.opens)::BIGINT                                               AS temporary_opens,
  string_agg(DISTINCT u.open_name, ', ' ORDER BY u.open_name)         AS model_queues,
  sum(u.open_et_us) / nullif(sum(u.opens), 0)                        AS temporary_open_et_us,
  sum(u.open_suspend_us) / nullif(sum(u.opens), 0)                   AS temporary_open_suspend_us
FROM used AS u
ASOF JOIN interval_cut AS i
  ON i.lpar = u.lpar AND i.qmgr = u.qmgr AND i.interval_end_utc >= u.task_interval_end_utc - INTERVAL 1 SECOND
WHERE u.task_interval_end_utc > i.interval_start_utc
GROUP BY i.lpar, i.qmgr, i.interval_start_utc
