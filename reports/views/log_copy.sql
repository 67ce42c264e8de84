/*---
id      = "log_copy"
title   = "Log copies, I/O of all types together"
grain   = "one row per lpar, qmgr, interval and log copy that was written"
needs   = ["log_io"]
classes = ["115.1"]
note    = "Helper of rules that look at a log copy as a whole."

[columns]
longest_write_us = { unit = "us", kind = "high", doc = "Longest I/O of the copy." }
longest_write_at_utc = { unit = "ts_utc", kind = "clock", doc = "Time of the longest I/O (GMT)." }
longest_write_log = { unit = "text", kind = "text", doc = "Log data set of the longest I/O." }
longest_wait_us = { unit = "us", kind = "high", doc = "Longest suspend of the log writer for the copy." }
longest_stall_us = { unit = "us", kind = "high", doc = "The longer of longest I/O and longest suspend." }
longest_stall_at_utc = { unit = "ts_utc", kind = "clock", doc = "Time of the longest stall (GMT)." }
longest_stall_log = { unit = "text", kind = "text", doc = "Log data set of the longest stall." }
copy_intervals = { unit = "count", doc = "Intervals of the period in which the copy was written.", over = "add" }
---*/
WITH
stalled AS (
  SELECT
    *,
    greatest(io_longest_us, request_longest_us) AS stall_us,
    CASE WHEN request_longest_us > coalesce(io_longest_us, -1) THEN request_longest_at_utc ELSE io_longest_at_utc END AS stall_at_utc,
    CASE WHEN request_longest_us > coalesce(io_longest_us, -1) THEN request_longest_log ELSE io_longest_log END AS stall_log
  FROM log_io
),
copied AS (
  SELECT
    record_id, log_copy,
    any_value(lpar) AS lpar, any_value(qmgr) AS qmgr, any_value(qsg) AS qsg, any_value(mq_version) AS mq_version,
    any_value(source_id) AS source_id, any_value(interval_start_utc) AS interval_start_utc, any_value(interval_end_utc) AS interval_end_utc,
    any_value(interval_start_local) AS interval_start_local, any_value(interval_seconds) AS interval_seconds,
    any_value(fragment) AS fragment, any_value(startup_interval) AS startup_interval, any_value(suspect_first) AS suspect_first,
    sum(io_count)::BIGINT                  AS io_count,
    sum(io_cis)::BIGINT                    AS io_cis,
    max(io_longest_us)                     AS longest_write_us,
    arg_max(io_longest_at_utc, io_longest_us * 4 - io_type) AS longest_write_at_utc,
    arg_max(io_longest_log, io_longest_us * 4 - io_type) AS longest_write_log,
    max(request_longest_us)                AS longest_wait_us,
    max(stall_us)                          AS longest_stall_us,
    arg_max(stall_at_utc, stall_us * 4 - io_type) AS longest_stall_at_utc,
    arg_max(stall_log, stall_us * 4 - io_type) AS longest_stall_log
  FROM stalled
  GROUP BY record_id, log_copy
),
counted AS (
  SELECT lpar, qmgr, log_copy, count(DISTINCT interval_start_utc) AS copy_intervals
  FROM copied
  GROUP BY lpar, qmgr, log_copy
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.mq_version, q.source_id, q.record_id, q.interval_start_utc, q.interval_end_utc, q.interval_start_local,
  q.interval_seconds, q.fragment, q.startup_interval, q.suspect_first, q.log_copy, q.io_count, q.io_cis,
  q.longest_write_us, q.longest_write_at_utc, q.longest_write_log, q.longest_wait_us,
  q.longest_stall_us, q.longest_stall_at_utc, q.longest_stall_log, n.copy_intervals
FROM copied AS q
LEFT JOIN counted AS n ON n.lpar = q.lpar AND n.qmgr = q.qmgr AND n.log_copy = q.log_copy
