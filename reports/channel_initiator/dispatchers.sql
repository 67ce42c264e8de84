/*---
id         = "channel_initiator/dispatchers"
title      = "Dispatcher tasks"
question   = "How busy is each dispatcher, and how are the channels distributed?"
needs      = ["chinit_task", "channel_initiator"]
rules      = ["CH005", "CH007", "CH011"]
grain      = ["lpar", "qmgr", "interval_start_utc", "task_index"]
left_out   = "task_index IS NULL"
dd         = ["DISP", "DISPCSV"]
drill_down = ["channel_initiator/task_balance"]
mq_since   = "8.0.0"
note       = "The last row of each interval, without a task number, is the sum of its dispatchers. A channel stays on the dispatcher it started on."

[columns]
interval_seconds = { screen = 3 }
task_channels = { label = "channels", screen = 1 }
cpu_used_s = { unit = "s", label = "CPU s", format = ".6f", screen = 2, over = "add", doc = "CPU time in seconds." }
compression_reading = { unit = "text", label = "likely cause", screen = 2, doc = "What CPU time of 50 µs or more per request may indicate." }
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
    bool_and(task_unused)             AS task_unused,
    sum(task_channels)::BIGINT        AS task_channels
  FROM chinit_task
  WHERE task_type = 'dispatcher'
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
  q.task_idle_us, q.task_unused, q.task_channels,
  q.task_request_cpu_us / 1e6                                                 AS cpu_used_s,
  c.channels_in_summary, c.expected_first_group,
  CASE WHEN q.task_request_cpu_us / nullif(q.task_requests, 0) >= 50 THEN 'software compression or heavy work' END AS compression_reading
FROM line AS q
LEFT JOIN channel_initiator AS c ON c.record_id = q.record_id
ORDER BY lpar, qmgr, interval_start_utc, task_index NULLS LAST
