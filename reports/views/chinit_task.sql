/*---
id      = "chinit_task"
title   = "Channel initiator tasks"
grain   = "one row per lpar, qmgr, channel initiator interval, task type and task index"
needs   = ["chinit_task_time", "chinit_interval"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "The start is that of the 115.231 record itself; startup and suspect flags are those of the statistics interval that ends with it."

[columns]
task_requests = { label = "requests", screen = 1 }
task_request_cpu_us = { label = "CPU µs" }
task_idle_us = { label = "idle µs" }
---*/
SELECT
  q.lpar, q.qmgr, i.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.task_type, q.task_index, q.task_tcb, q.task_requests, q.task_request_cpu_us, q.task_request_et_us,
  q.task_idle_us, q.task_channels, q.ssl_longest_at_local, q.ssl_longest_us, q.dns_longest_at_local,
  q.dns_longest_us, q.task_busy_pct, q.task_busy_pct_mp1b, q.task_cpu_pct, q.task_cpu_pct_mp1b,
  q.average_request_cpu_us, q.average_request_et_us, q.average_request_wait_us, q.request_wait_pct,
  q.requests_per_s, q.task_unused, q.task_in_use, q.unaccounted_us
FROM chinit_task_time AS q
LEFT JOIN chinit_interval AS i ON i.record_id = q.record_id
