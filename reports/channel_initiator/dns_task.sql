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
interval_seconds = { screen = 3 }
task_index = { null = "" }
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
