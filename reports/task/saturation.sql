/*---
id       = "task/saturation"
title    = "Single-threaded servers near capacity"
question = "Is one task the bottleneck: busy inside MQ all the time?"
unseen   = true
needs    = ["task_saturation", "queue_use"]
rules    = ["TA007"]
unmarked = "A row is an accounting interval; TA007 judges the task and needs at least 1,000 gets."
grain    = ["record_id"]
drill_down = ["task/time_breakdown"]
note     = "Accounting intervals of at least 10 seconds in which the task got messages and spent more than half of the time in MQ calls. The wait of MQGET for a message is outside these times."

[columns]
lpar = { screen = 2 }
application = { label = "" }
connection_type_name = { label = "type", screen = 2 }
task_correlator = { label = "correlator", screen = 3 }
task_puts = { screen = 2 }
mq_et_us = { screen = 3 }
queues_served = { unit = "count", label = "queues", screen = 1, doc = "Queues that the task got messages from.", over = "max" }
other_getters = { unit = "count", label = "other getters", screen = 1, doc = "Other tasks that got messages from these queues in accounting intervals that ended in the same hour.", over = "max" }
depth_high = { label = "depth high", screen = 1 }
record_id = { screen = 3 }
---*/
WITH
busy AS (
  SELECT *
  FROM task_saturation
  WHERE mq_busy_pct > 50
),
got AS (
  SELECT
    lpar, qmgr, task_record_id, task_correlator, base_name, date_trunc('hour', interval_end_utc - INTERVAL 1 SECOND) AS hour, max(depth_high) AS depth_high
  FROM queue_use
  WHERE coalesce(valid_destructive_gets, valid_gets) > 0
  GROUP BY lpar, qmgr, task_record_id, task_correlator, base_name, hour
),
served AS (
  SELECT b.record_id, g.lpar, g.qmgr, g.task_correlator, g.base_name, g.hour, g.depth_high
  FROM got AS g
  JOIN busy AS b ON b.record_id = g.task_record_id
),
getter AS (
  SELECT lpar, qmgr, base_name, hour, list(DISTINCT task_correlator) AS getters
  FROM got
  WHERE (lpar, qmgr, base_name, hour) IN (SELECT lpar, qmgr, base_name, hour FROM served)
  GROUP BY lpar, qmgr, base_name, hour
),
queue AS (
  SELECT
    s.record_id,
    count(DISTINCT s.base_name)      AS queues_served,
    max(s.depth_high)                AS depth_high,
    len(list_filter(list_distinct(flatten(list(g.getters))), lambda c: c <> any_value(s.task_correlator))) AS other_getters
  FROM served AS s
  LEFT JOIN getter AS g ON g.lpar = s.lpar AND g.qmgr = s.qmgr AND g.base_name = s.base_name AND g.hour IS NOT DISTINCT FROM s.hour
  GROUP BY s.record_id
)
SELECT
  b.lpar, b.qmgr, b.application, b.connection_type_name, b.task_correlator, b.task_interval_start_utc, b.task_interval_s, b.commits, b.task_puts,
  b.task_gets, b.mq_et_us, b.mq_busy_pct, b.get_wait_us, b.mq_busy_without_get_wait_pct, b.commit_average_et_us, b.max_transactions_per_s,
  b.achieved_transactions_per_s, b.share_of_capacity_pct, q.queues_served, q.other_getters, q.depth_high, b.record_id
FROM busy AS b
LEFT JOIN queue AS q ON q.record_id = b.record_id
ORDER BY mq_busy_pct DESC, lpar, qmgr, task_correlator, task_interval_start_utc, record_id
