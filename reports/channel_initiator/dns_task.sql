/*---
id         = "channel_initiator/dns_task"
title      = "DNS task"
question   = "Are name lookups slow?"
needs      = ["chinit_task"]
rules      = ["CH010"]
grain      = ["lpar", "qmgr", "interval_start_utc", "task_index"]
dd         = ["DNS", "DNSCSV"]
mq_since   = "8.0.0"
note       = "9.4.0 without APAR PH69352 does not clear the longest request: it is repeated in the following intervals."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
qsg = {}
interval_start_utc = { screen = 1 }
interval_seconds = { screen = 3 }
interval_end_utc = {}
task_index = { label = "task", screen = 1 }
task_requests = { label = "requests", screen = 1 }
task_busy_pct = { label = "busy %", screen = 1 }
task_busy_pct_mp1b = { label = "busy % (MP1B)" }
task_request_cpu_us = { label = "CPU µs" }
task_cpu_pct = { label = "CPU %", screen = 2 }
task_cpu_pct_mp1b = { label = "CPU % (MP1B)" }
average_request_cpu_us = { label = "avg CPU µs", screen = 1 }
average_request_et_us = { label = "avg elapsed µs", screen = 1 }
average_request_wait_us = { label = "avg wait µs", screen = 2 }
request_wait_pct = { label = "wait %", screen = 3 }
task_idle_us = { label = "idle µs" }
task_unused = { label = "unused", screen = 2 }
dns_longest_us = { label = "longest µs", screen = 1 }
dns_longest_at_local = { label = "longest at", screen = 2 }
cpu_used_s = { unit = "s", label = "CPU s", format = ".6f", screen = 2, over = "add", doc = "CPU time in seconds." }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, task_index, task_requests,
  task_busy_pct, task_busy_pct_mp1b, task_request_cpu_us, task_cpu_pct, task_cpu_pct_mp1b,
  average_request_cpu_us, average_request_et_us, average_request_wait_us, request_wait_pct, task_idle_us, task_unused,
  dns_longest_us, dns_longest_at_local,
  task_request_cpu_us / 1e6 AS cpu_used_s
FROM chinit_task
WHERE task_type = 'dns'
ORDER BY lpar, qmgr, interval_start_utc, task_index
