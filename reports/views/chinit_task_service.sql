/*---
id       = "chinit_task_service"
title    = "Time in service of adapters and TLS tasks"
grain    = "one row per lpar, qmgr, five minutes or more, task type and task index"
needs    = ["chinit_task_time", "chinit_interval", "chinit_channel_use", "interval_step", "log_io", "log"]
classes  = ["115.231"]
mq_since = "8.0.0"
note     = "Helper of the rules about waits outside the queue manager. Intervals shorter than five minutes are merged, startup intervals ignored. A task is compared with its own median, over the rows with at least 100 requests; the log and the persistent share with theirs over the same rows of all tasks."

[columns]
task_requests = { doc = "Requests of these intervals.", over = "add" }
request_us = { unit = "us", doc = "Elapsed time per request.", over = "none", why = "It is compared with a median." }
usual_request_us = { unit = "us", doc = "Median of request_us over the rows of the task with at least 100 requests.", over = "none", why = "A median of medians is not a median." }
request_times_longer = { unit = "ratio", doc = "request_us divided by usual_request_us.", over = "max" }
request_longer_us = { unit = "us", doc = "request_us minus usual_request_us.", over = "max" }
request_cpu_us = { unit = "us", doc = "CPU time per request.", over = "none", why = "It is compared with a median." }
cpu_times_more = { unit = "ratio", doc = "request_cpu_us divided by its median.", over = "max" }
slots_compared = { unit = "count", doc = "Rows of the task with at least 100 requests.", over = "max" }
log_write_us = { unit = "us", doc = "Average time of a log write, both copies; null without writes.", over = "none", why = "It is compared with a median." }
log_times_longer = { unit = "ratio", doc = "log_write_us divided by its median; null without log writes.", over = "max" }
persistent_as_usual = { unit = "flag", doc = "The persistent share of the messages of channels (116.10) is at most 10 percentage points above its median; without 116.10, log data per adapter request is at most 1.5 times its median." }
waits_outside = { unit = "flag", doc = "A longer request waited outside the queue manager: always of a TLS task; of an adapter if log writes take at most 1.5 times their median and the persistent share is as usual." }
log_as_much_longer = { unit = "flag", doc = "Log writes took at least half as many times longer as the requests of the adapter: then the log is the cause." }
---*/
WITH
written AS (
  SELECT lpar, qmgr, interval_start_utc, sum(io_total_us) AS io_us, sum(io_count) AS ios
  FROM log_io
  GROUP BY lpar, qmgr, interval_start_utc
),
used AS (
  SELECT
    t.lpar, t.qmgr, t.record_id, t.task_type, t.task_index, t.interval_start_utc, t.interval_seconds, t.task_requests, t.task_request_et_us, t.task_request_cpu_us,
    i.cut_start_utc, coalesce(s.run || '.' || s.part, 'record ' || t.record_id) AS slot
  FROM chinit_task_time AS t
  JOIN chinit_interval AS i ON i.record_id = t.record_id
  LEFT JOIN interval_step AS s ON s.lpar = i.lpar AND s.qmgr = i.qmgr AND s.interval_start_utc = i.cut_start_utc
  WHERE t.task_type IN ('adapter', 'ssl') AND NOT coalesce(i.startup_interval OR i.suspect_first, false)
),
-- What happened in the same statistics intervals, once for all tasks.
same_slot AS (
  SELECT
    u.lpar, u.qmgr, u.slot,
    sum(w.io_us) / nullif(sum(w.ios), 0)                               AS log_write_us,
    pct(sum(v.persistent_channel_messages), sum(v.channel_messages))   AS persistent_pct,
    sum(l.log_mib_created) / nullif(sum(u.requests), 0)                AS log_mib_per_request
  FROM (SELECT lpar, qmgr, slot, record_id, cut_start_utc, sum(task_requests) FILTER (task_type = 'adapter') AS requests FROM used GROUP BY ALL) AS u
  LEFT JOIN written AS w ON w.lpar = u.lpar AND w.qmgr = u.qmgr AND w.interval_start_utc = u.cut_start_utc
  LEFT JOIN log AS l ON l.lpar = u.lpar AND l.qmgr = u.qmgr AND l.interval_start_utc = u.cut_start_utc
  LEFT JOIN chinit_channel_use AS v ON v.record_id = u.record_id
  GROUP BY u.lpar, u.qmgr, u.slot
),
-- Medians by GROUP BY and join: as windows they take several times as long.
medians AS (
  SELECT
    lpar, qmgr, median(log_write_us) AS usual_log_write_us, median(persistent_pct) AS usual_persistent_pct, median(log_mib_per_request) AS usual_log_mib
  FROM same_slot
  GROUP BY lpar, qmgr
),
compared AS (
  SELECT
    s.*,
    s.log_write_us / nullif(m.usual_log_write_us, 0)                   AS log_times_longer,
    coalesce(s.persistent_pct <= m.usual_persistent_pct + 10, s.log_mib_per_request <= 1.5::DOUBLE * m.usual_log_mib, true) AS persistent_as_usual
  FROM same_slot AS s
  JOIN medians AS m ON m.lpar = s.lpar AND m.qmgr = s.qmgr
),
averaged AS (
  SELECT
    lpar, qmgr, task_type, task_index, slot, min(interval_start_utc) AS interval_start_utc, sum(interval_seconds) AS interval_seconds,
    max(record_id) AS record_id, sum(task_requests)::BIGINT AS task_requests,
    CASE WHEN sum(task_requests) >= 100 THEN sum(task_request_et_us) / sum(task_requests) END  AS request_us,
    CASE WHEN sum(task_requests) >= 100 THEN sum(task_request_cpu_us) / sum(task_requests) END AS request_cpu_us
  FROM used
  GROUP BY lpar, qmgr, task_type, task_index, slot
  HAVING sum(interval_seconds) >= 285
),
own AS (
  SELECT
    lpar, qmgr, task_type, task_index, median(request_us) AS usual_request_us, median(request_cpu_us) AS usual_cpu_us, count(request_us) AS slots_compared
  FROM averaged
  GROUP BY lpar, qmgr, task_type, task_index
),
usual AS (
  SELECT a.*, o.usual_request_us, o.usual_cpu_us, o.slots_compared
  FROM averaged AS a
  JOIN own AS o ON o.lpar = a.lpar AND o.qmgr = a.qmgr AND o.task_type = a.task_type AND o.task_index = a.task_index
)
SELECT
  u.lpar, u.qmgr, u.task_type, u.task_index, u.interval_start_utc, u.interval_seconds, u.record_id, u.task_requests,
  u.request_us, u.usual_request_us,
  u.request_us / nullif(u.usual_request_us, 0)               AS request_times_longer,
  u.request_us - u.usual_request_us                          AS request_longer_us,
  u.request_cpu_us,
  u.request_cpu_us / nullif(u.usual_cpu_us, 0)               AS cpu_times_more,
  u.slots_compared,
  100 * u.task_requests * u.request_us / nullif(1e6 * u.interval_seconds, 0) AS task_busy_pct,
  c.log_write_us, c.log_times_longer, c.persistent_as_usual,
  u.task_type = 'ssl' OR coalesce(c.log_times_longer, 0) <= 1.5 AND c.persistent_as_usual AS waits_outside,
  u.task_type = 'adapter' AND coalesce(c.log_times_longer >= greatest(1.5, 0.5 * u.request_us / nullif(u.usual_request_us, 0)), false) AS log_as_much_longer
FROM usual AS u
JOIN compared AS c ON c.lpar = u.lpar AND c.qmgr = u.qmgr AND c.slot = u.slot
