/*---
id      = "chinit_dns_task"
title   = "The DNS task and its interval before"
grain   = "one row per lpar, qmgr, channel initiator interval and DNS task"
needs   = ["chinit_task"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "Helper of the rules about name look-ups: 9.4.0 without APAR PH69352 never clears the longest request, so that one look-up stands in every later interval."

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
dns_longest_us = { unit = "us", kind = "high", doc = "Duration of the longest DNS request." }
dns_longest_at_utc = { unit = "ts_utc", kind = "clock", doc = "When the longest DNS request of the interval happened." }
dns_longest_repeated = { unit = "flag", doc = "Longest request and its time are those of the interval before: the same look-up again." }
---*/
SELECT
  lpar, qmgr, record_id, interval_start_utc, interval_seconds, startup_interval, suspect_first,
  task_index, task_requests, task_busy_pct, average_request_cpu_us, average_request_et_us, dns_longest_us, dns_longest_at_utc,
  coalesce(dns_longest_us = lag(dns_longest_us) OVER task AND dns_longest_at_utc = lag(dns_longest_at_utc) OVER task, false)
    AS dns_longest_repeated
FROM chinit_task
WHERE task_type = 'dns'
WINDOW task AS (PARTITION BY lpar, qmgr, task_index ORDER BY interval_start_utc)
