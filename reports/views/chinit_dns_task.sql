/*---
id      = "chinit_dns_task"
title   = "The DNS task and its interval before"
grain   = "one row per lpar, qmgr, channel initiator interval and DNS task; nulls where the record has none"
needs   = ["decoded.qcct", "chinit_task"]
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
WITH dns AS (
  SELECT * FROM chinit_task WHERE task_type = 'dns'
)
SELECT
  q.lpar, q.qmgr, q.record_id, q.interval_start_utc, q.interval_us / 1e6 AS interval_seconds, t.startup_interval, t.suspect_first,
  t.task_index, t.task_requests, t.task_busy_pct, t.average_request_cpu_us, t.average_request_et_us, t.dns_longest_us, t.dns_longest_at_utc,
  coalesce(t.dns_longest_us = lag(t.dns_longest_us) OVER task AND t.dns_longest_at_utc = lag(t.dns_longest_at_utc) OVER task, false)
    AS dns_longest_repeated
FROM decoded.qcct AS q
LEFT JOIN dns AS t ON t.record_id = q.record_id
WINDOW task AS (PARTITION BY q.lpar, q.qmgr, t.task_index ORDER BY q.interval_start_utc)
