/*---
id      = "chinit_ssl_task"
title   = "TLS tasks only"
grain   = "one row per lpar, qmgr, channel initiator interval and TLS task"
needs   = ["decoded.qct_ssl", "chinit_interval", "chinit_continuation"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "Helper of the rules about TLS tasks, so that they do not read the many adapters."

[columns]
task_index = { unit = "id", kind = "key", doc = "Position of the task, from 0; does not change while the channel initiator runs." }
task_busy_pct = { unit = "percent", doc = "Elapsed time of requests as a share of the interval.", over = "mean" }
tasks_all_busy = { unit = "count", doc = "TLS tasks, if each was at least 20 % busy; null if one was idle most of the time, so that more tasks do not help.", over = "max" }
average_request_cpu_us = { unit = "us", doc = "CPU time per request.", ratio = { numerator = "average_request_cpu_us * task_requests", denominator = "task_requests" } }
average_request_et_us = { unit = "us", doc = "Elapsed time per request.", ratio = { numerator = "average_request_et_us * task_requests", denominator = "task_requests" } }
---*/
SELECT
  q.lpar, q.qmgr, coalesce(p.first_record_id, q.record_id) AS record_id, q.interval_start_utc, q.interval_us / 1e6 AS interval_seconds, i.fragment, i.startup_interval, i.suspect_first,
  q.section + coalesce(p.ssl_tasks_before, 0) AS task_index, q.task_requests,
  pct(q.task_request_et_us, q.interval_us)                AS task_busy_pct,
  CASE WHEN min(pct(q.task_request_et_us, q.interval_us)) OVER (PARTITION BY q.record_id) >= 20 THEN count(*) OVER (PARTITION BY q.record_id) END AS tasks_all_busy,
  q.task_request_cpu_us / nullif(q.task_requests, 0)      AS average_request_cpu_us,
  q.task_request_et_us / nullif(q.task_requests, 0)       AS average_request_et_us
FROM decoded.qct_ssl AS q
LEFT JOIN chinit_continuation AS p ON p.record_id = q.record_id
LEFT JOIN chinit_interval AS i ON i.record_id = coalesce(p.first_record_id, q.record_id)
