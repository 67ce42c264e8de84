/*---
id      = "chinit_task"
title   = "Channel initiator tasks"
grain   = "one row per lpar, qmgr, channel initiator interval, task type and task index"
needs   = ["chinit_task_time", "chinit_interval"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "The start is that of the 115.231 record itself; startup and suspect flags are those of the statistics interval that ends with it."

[columns]
lpar = {}
qmgr = {}
qsg = {}
mq_version = {}
source_id = {}
record_id = {}
interval_start_utc = {}
interval_end_utc = {}
interval_start_local = {}
interval_seconds = {}
interval_us = {}
startup_interval = {}
suspect_first = {}
task_type = { unit = "text", kind = "key", doc = "dispatcher, adapter, ssl or dns." }
task_index = { unit = "id", kind = "key", doc = "Position of the task, from 0; does not change while the channel initiator runs." }
task_tcb = { unit = "id", kind = "internal", doc = "Address of the task control block (TCB) of the task, used as its number." }
task_requests = { unit = "count", kind = "counter", doc = "Requests processed by the task in the interval." }
task_request_cpu_us = { unit = "us", kind = "counter", doc = "CPU time used by the task in the interval." }
task_request_et_us = { unit = "us", kind = "counter", doc = "Sum of elapsed times of the task's requests in the interval." }
task_idle_us = { unit = "us", kind = "counter", doc = "Total wait time of the task in the interval." }
task_channels = { unit = "count", kind = "gauge", doc = "Channels assigned to this dispatcher." }
ssl_longest_at_local = { unit = "ts_local", kind = "clock", doc = "Local time of the longest SSL/TLS request of the interval." }
ssl_longest_us = { unit = "us", kind = "high", doc = "Duration of the longest SSL/TLS request." }
dns_longest_at_local = { unit = "ts_local", kind = "clock", doc = "Local time of the longest DNS request of the interval." }
dns_longest_us = { unit = "us", kind = "high", doc = "Duration of the longest DNS request." }
task_busy_pct = { unit = "percent", doc = "Elapsed time of requests as a share of the interval." }
task_busy_pct_mp1b = { unit = "percent", doc = "Elapsed time of requests as a share of elapsed plus idle time." }
task_cpu_pct = { unit = "percent", doc = "CPU time as a share of the interval." }
task_cpu_pct_mp1b = { unit = "percent", doc = "CPU time as a share of elapsed plus idle time." }
average_request_cpu_us = { unit = "us", doc = "CPU time per request." }
average_request_et_us = { unit = "us", doc = "Elapsed time per request." }
average_request_wait_us = { unit = "us", doc = "Elapsed minus CPU time per request, at least 0." }
request_wait_pct = { unit = "percent", doc = "Elapsed minus CPU time as a share of the elapsed time, at least 0." }
requests_per_s = { unit = "per_s", doc = "Requests per second." }
task_unused = { unit = "flag", doc = "The task had no request." }
task_in_use = { unit = "flag", doc = "The task was busy for more than 0.1 % of the interval: idle tasks still show some requests." }
unaccounted_us = { unit = "us", doc = "Interval minus elapsed and idle time." }
---*/
SELECT
  q.lpar, q.qmgr, i.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_seconds, q.interval_us,
  i.startup_interval, i.suspect_first,
  q.task_type, q.task_index, q.task_tcb, q.task_requests, q.task_request_cpu_us, q.task_request_et_us,
  q.task_idle_us, q.task_channels, q.ssl_longest_at_local, q.ssl_longest_us, q.dns_longest_at_local,
  q.dns_longest_us, q.task_busy_pct, q.task_busy_pct_mp1b, q.task_cpu_pct, q.task_cpu_pct_mp1b,
  q.average_request_cpu_us, q.average_request_et_us, q.average_request_wait_us, q.request_wait_pct,
  q.requests_per_s, q.task_unused, q.task_in_use, q.unaccounted_us
FROM chinit_task_time AS q
LEFT JOIN chinit_interval AS i ON i.record_id = q.record_id
