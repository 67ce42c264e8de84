/*---
id      = "chinit_dispatcher"
title   = "Dispatcher tasks alone"
grain   = "one row per lpar, qmgr, channel initiator interval and dispatcher"
needs   = ["chinit_task"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "Helper of the rules about dispatchers, which need not read the many adapters."

[columns]
lpar = {}
qmgr = {}
record_id = {}
interval_start_utc = {}
interval_seconds = {}
startup_interval = {}
suspect_first = {}
task_index = { unit = "id", kind = "key", doc = "Position of the task, from 0; stable while the channel initiator runs." }
task_requests = { unit = "count", kind = "counter", doc = "Requests processed by the task in the interval." }
task_busy_pct = { unit = "percent", doc = "Elapsed time of requests as a share of the interval." }
average_request_cpu_us = { unit = "us", doc = "CPU time per request." }
average_request_et_us = { unit = "us", doc = "Elapsed time per request." }
task_channels = { unit = "count", kind = "gauge", doc = "Channels assigned to this dispatcher." }
---*/
SELECT
  lpar, qmgr, record_id, interval_start_utc, interval_seconds, startup_interval, suspect_first,
  task_index, task_requests, task_busy_pct, average_request_cpu_us, average_request_et_us, task_channels
FROM chinit_task
WHERE task_type = 'dispatcher'
