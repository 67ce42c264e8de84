/*---
id      = "chinit_dns_task"
title   = "The DNS task compared with its previous interval"
grain   = "one row per lpar, qmgr, channel initiator interval and DNS task; nulls if the record has no such task"
needs   = ["decoded.qcct", "decoded.qct_dns", "chinit_interval", "chinit_continuation"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "Helper of the rules about name lookups: 9.4.0 without APAR PH69352 never clears the longest request, so the same lookup is repeated in every later interval."

[columns]
task_index = { unit = "id", kind = "key", doc = "Position of the task, from 0; does not change while the channel initiator runs." }
task_busy_pct = { unit = "percent", doc = "Elapsed time of requests as a share of the interval.", over = "mean" }
average_request_cpu_us = { unit = "us", doc = "CPU time per request.", ratio = { numerator = "average_request_cpu_us * task_requests", denominator = "task_requests" } }
average_request_et_us = { unit = "us", doc = "Elapsed time per request.", ratio = { numerator = "average_request_et_us * task_requests", denominator = "task_requests" } }
dns_longest_repeated = { unit = "flag", doc = "The longest request and its time are the same as in the previous interval: it is the same lookup." }
---*/
WITH task_of AS (
  SELECT
    t.* REPLACE (believed(t.dns_longest_us, t.task_request_et_us, NULL) AS dns_longest_us),
    coalesce(p.first_record_id, t.record_id) AS first_record_id
  FROM decoded.qct_dns AS t
  LEFT JOIN chinit_continuation AS p ON p.record_id = t.record_id
  -- As in view chinit_task_time: sections of other lengths are not the DNS task.
  WHERE t.section_length = 48
)
SELECT
  q.lpar, q.qmgr, q.record_id, q.interval_start_utc, q.interval_us / 1e6 AS interval_seconds, i.fragment, i.startup_interval, i.suspect_first,
  t.section AS task_index, t.task_requests,
  pct(t.task_request_et_us, t.interval_us)                AS task_busy_pct,
  t.task_request_cpu_us / nullif(t.task_requests, 0)      AS average_request_cpu_us,
  t.task_request_et_us / nullif(t.task_requests, 0)       AS average_request_et_us,
  t.dns_longest_us, t.dns_longest_at_local,
  coalesce(t.dns_longest_us = lag(t.dns_longest_us) OVER task AND t.dns_longest_at_local = lag(t.dns_longest_at_local) OVER task, false)
    AS dns_longest_repeated
FROM decoded.qcct AS q
ANTI JOIN chinit_continuation AS p ON p.record_id = q.record_id
LEFT JOIN task_of AS t ON t.first_record_id = q.record_id
LEFT JOIN chinit_interval AS i ON i.record_id = q.record_id
WINDOW task AS (PARTITION BY q.lpar, q.qmgr, t.section ORDER BY q.interval_start_utc)
