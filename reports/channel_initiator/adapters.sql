/*---
id         = "channel_initiator/adapters"
title      = "Adapter tasks"
question   = "How busy is each adapter, is one unused, and do requests wait?"
needs      = ["chinit_task"]
rules      = ["CH001", "CH002"]
grain      = ["lpar", "qmgr", "interval_start_utc", "task_index"]
left_out   = "task_index IS NULL"
unmarked   = "A row is one adapter in one interval; its rules judge all adapters of an interval together."
dd         = ["ADAP", "ADAPCSV"]
drill_down = ["channel_initiator/adapter_wait", "channel_initiator/task_balance"]
mq_since   = "8.0.0"
note       = "The last row of each interval, without a task number, is the sum of its adapters."

[columns]
interval_seconds = { screen = 3 }
cpu_used_s = { unit = "s", label = "CPU s", format = ".6f", screen = 2, over = "add", doc = "CPU time in seconds." }
---*/
-- The tasks of an interval, and their sum without a task number.
WITH line AS (
  SELECT
    record_id, lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, interval_us, task_index,
    count(*)                          AS tasks,
    sum(task_requests)::BIGINT        AS task_requests,
    sum(task_request_cpu_us)::BIGINT  AS task_request_cpu_us,
    sum(task_request_et_us)::BIGINT   AS task_request_et_us,
    sum(task_idle_us)::BIGINT         AS task_idle_us,
    bool_and(task_unused)             AS task_unused
  FROM chinit_task
  WHERE task_type = 'adapter'
  GROUP BY GROUPING SETS (
    (record_id, lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, interval_us, task_index),
    (record_id, lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, interval_us))
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.interval_start_utc, q.interval_seconds, q.interval_end_utc, q.task_index, q.task_requests,
  pct(q.task_request_et_us, q.tasks * q.interval_us)                          AS task_busy_pct,
  pct(q.task_request_et_us, q.task_request_et_us + q.task_idle_us)            AS task_busy_pct_mp1b,
  q.task_request_cpu_us,
  pct(q.task_request_cpu_us, q.tasks * q.interval_us)                         AS task_cpu_pct,
  pct(q.task_request_cpu_us, q.task_request_et_us + q.task_idle_us)           AS task_cpu_pct_mp1b,
  q.task_request_cpu_us / nullif(q.task_requests, 0)                          AS average_request_cpu_us,
  q.task_request_et_us / nullif(q.task_requests, 0)                           AS average_request_et_us,
  CASE WHEN q.task_request_et_us - q.task_request_cpu_us IS NOT NULL
    THEN greatest(0, q.task_request_et_us - q.task_request_cpu_us) / nullif(q.task_requests, 0) END AS average_request_wait_us,
  CASE WHEN q.task_request_et_us - q.task_request_cpu_us IS NOT NULL
    THEN pct(greatest(0, q.task_request_et_us - q.task_request_cpu_us), q.task_request_et_us) END AS request_wait_pct,
  q.task_idle_us, q.task_unused,
  q.task_request_cpu_us / 1e6                                                 AS cpu_used_s
FROM line AS q
ORDER BY lpar, qmgr, interval_start_utc, task_index NULLS LAST
