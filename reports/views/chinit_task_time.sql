/*---
id      = "chinit_task_time"
title   = "Channel initiator tasks without their statistics interval"
grain   = "one row per lpar, qmgr, channel initiator interval, task type and task index"
needs   = ["decoded.qct_dsp", "decoded.qct_adp", "decoded.qct_ssl", "decoded.qct_dns", "chinit_continuation"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "Helper of views chinit_task and channel_initiator: sums over tasks do not need interval flags."

[columns]
task_type = { unit = "text", kind = "key", doc = "dispatcher, adapter, ssl or dns.", label = "task type", screen = 1 }
task_index = { unit = "id", kind = "key", doc = "Position of the task, from 0; does not change while the channel initiator runs.", label = "task", null = "Summ", screen = 1 }
task_tcb = { kind = "internal" }
task_busy_pct = { unit = "percent", doc = "Elapsed time of requests as a share of the interval.", over = "mean", label = "busy %", screen = 1 }
task_busy_pct_mp1b = { unit = "percent", doc = "Elapsed time of requests as a share of elapsed plus idle time.", ratio = { numerator = "task_request_et_us", denominator = "task_request_et_us + task_idle_us", scale = 100 }, label = "busy % (MP1B)" }
task_cpu_pct = { unit = "percent", doc = "CPU time as a share of the interval.", over = "mean", label = "CPU %", screen = 2 }
task_cpu_pct_mp1b = { unit = "percent", doc = "CPU time as a share of elapsed plus idle time.", ratio = { numerator = "task_request_cpu_us", denominator = "task_request_et_us + task_idle_us", scale = 100 }, label = "CPU % (MP1B)" }
average_request_cpu_us = { unit = "us", doc = "CPU time per request.", ratio = { numerator = "task_request_cpu_us", denominator = "task_requests" }, label = "avg CPU µs", screen = 1 }
average_request_et_us = { unit = "us", doc = "Elapsed time per request.", ratio = { numerator = "task_request_et_us", denominator = "task_requests" }, label = "avg elapsed µs", screen = 1 }
average_request_wait_us = { unit = "us", doc = "Elapsed minus CPU time per request, at least 0.", ratio = { numerator = "greatest(0, task_request_et_us - task_request_cpu_us)", denominator = "task_requests" }, label = "avg wait µs", screen = 2 }
request_wait_pct = { unit = "percent", doc = "Elapsed minus CPU time as a share of the elapsed time, at least 0.", ratio = { numerator = "greatest(0, task_request_et_us - task_request_cpu_us)", denominator = "task_request_et_us", scale = 100 }, label = "wait %", screen = 3 }
requests_per_s = { unit = "per_s", doc = "Requests per second.", over_time = "mean", across = "add" }
task_unused = { unit = "flag", doc = "The task had no request.", label = "unused", screen = 2 }
task_in_use = { unit = "flag", doc = "The task was busy for more than 0.1 % of the interval: idle tasks still show some requests.", label = "in use", screen = 2 }
unaccounted_us = { unit = "us", doc = "Interval minus elapsed and idle time.", over = "add" }
---*/
WITH q AS (
  SELECT
    'dispatcher' AS task_type, record_id, source_id, lpar, qmgr, mq_version, interval_start_utc, interval_end_utc, interval_start_local, interval_us, section,
    task_tcb, task_requests, task_request_cpu_us, task_request_et_us, task_idle_us,
    task_channels, NULL::TIMESTAMP AS ssl_longest_at_local, NULL::BIGINT AS ssl_longest_us,
    NULL::TIMESTAMP AS dns_longest_at_local, NULL::BIGINT AS dns_longest_us
  FROM decoded.qct_dsp
  UNION ALL
  SELECT
    'adapter' AS task_type, record_id, source_id, lpar, qmgr, mq_version, interval_start_utc, interval_end_utc, interval_start_local, interval_us, section,
    task_tcb, task_requests, task_request_cpu_us, task_request_et_us, task_idle_us,
    NULL, NULL, NULL, NULL, NULL
  FROM decoded.qct_adp
  UNION ALL
  SELECT
    'ssl' AS task_type, record_id, source_id, lpar, qmgr, mq_version, interval_start_utc, interval_end_utc, interval_start_local, interval_us, section,
    task_tcb, task_requests, task_request_cpu_us, task_request_et_us, task_idle_us,
    NULL, ssl_longest_at_local, believed(ssl_longest_us, task_request_et_us, NULL), NULL, NULL
  FROM decoded.qct_ssl
  UNION ALL
  SELECT
    'dns' AS task_type, record_id, source_id, lpar, qmgr, mq_version, interval_start_utc, interval_end_utc, interval_start_local, interval_us, section,
    task_tcb, task_requests, task_request_cpu_us, task_request_et_us, task_idle_us,
    NULL, NULL, NULL, dns_longest_at_local, believed(dns_longest_us, task_request_et_us, NULL)
  FROM decoded.qct_dns
  WHERE section_length = 48
)
SELECT
  q.lpar, q.qmgr, q.mq_version, q.source_id,
  coalesce(p.first_record_id, q.record_id) AS record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  q.task_type, q.section + CASE WHEN p.record_id IS NULL THEN 0 WHEN q.task_type = 'dispatcher' THEN p.dispatchers_before
    WHEN q.task_type = 'adapter' THEN p.adapters_before WHEN q.task_type = 'ssl' THEN p.ssl_tasks_before ELSE p.dns_tasks_before END AS task_index,
  q.task_tcb, q.task_requests, q.task_request_cpu_us, q.task_request_et_us, q.task_idle_us, q.task_channels,
  q.ssl_longest_at_local, q.ssl_longest_us, q.dns_longest_at_local, q.dns_longest_us,
  pct(q.task_request_et_us, q.interval_us)                       AS task_busy_pct,
  pct(q.task_request_et_us, q.task_request_et_us + q.task_idle_us)               AS task_busy_pct_mp1b,
  pct(q.task_request_cpu_us, q.interval_us)                      AS task_cpu_pct,
  pct(q.task_request_cpu_us, q.task_request_et_us + q.task_idle_us) AS task_cpu_pct_mp1b,
  q.task_request_cpu_us / nullif(q.task_requests, 0)             AS average_request_cpu_us,
  q.task_request_et_us / nullif(q.task_requests, 0)              AS average_request_et_us,
  -- CPU between requests is counted too, so it can exceed the elapsed time.
  CASE WHEN q.task_request_et_us IS NOT NULL AND q.task_request_cpu_us IS NOT NULL
    THEN greatest(0, q.task_request_et_us - q.task_request_cpu_us) / nullif(q.task_requests, 0) END AS average_request_wait_us,
  CASE WHEN q.task_request_et_us IS NOT NULL AND q.task_request_cpu_us IS NOT NULL
    THEN pct(greatest(0, q.task_request_et_us - q.task_request_cpu_us), q.task_request_et_us) END AS request_wait_pct,
  per_s(q.task_requests, q.interval_us / 1e6)                    AS requests_per_s,
  q.task_requests = 0                                            AS task_unused,
  q.task_request_et_us > 0.001 * q.interval_us                   AS task_in_use,
  q.interval_us - q.task_request_et_us - q.task_idle_us          AS unaccounted_us
FROM q
LEFT JOIN chinit_continuation AS p ON p.record_id = q.record_id
