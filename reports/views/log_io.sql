/*---
id      = "log_io"
title   = "Log I/O by copy and type"
grain   = "one row per lpar, qmgr, interval, log copy and I/O type; copies and types without I/O have no row"
needs   = ["decoded.qjst_log_io", "interval_cut", "queue_sharing_group"]
classes = ["115.1"]

[columns]
log_copy = { label = "copy", screen = 1 }
io_type = { label = "type", screen = 1 }
average_io_us = { unit = "us", doc = "Average I/O time of one write.", ratio = { numerator = "io_total_us", denominator = "io_count" }, label = "avg I/O µs", screen = 1 }
average_after_io_us = { unit = "us", doc = "Average time between the end of the I/O and the end of the request.", ratio = { numerator = "request_total_us - io_total_us", denominator = "io_count" }, label = "after I/O µs", screen = 1 }
pages_per_io = { unit = "pages", doc = "Control intervals per write.", ratio = { numerator = "io_cis", denominator = "io_count" }, label = "pages/I/O", screen = 1 }
io_per_s = { unit = "per_s", doc = "Writes per second.", over_time = "mean", across = "add", label = "I/Os/s", screen = 2 }
io_mib_per_s = { unit = "mib_per_s", doc = "Log data written per second.", over_time = "mean", across = "add", label = "MiB/s", format = ".2f", screen = 2 }
copy_ratio = { unit = "ratio", doc = "Average I/O time of copy 2 divided by that of copy 1, same interval and type.", over = "max", label = "copy 2/1", format = ".2f", screen = 2 }
---*/
WITH ordered AS (
  -- A macro over a window cannot be stored in DuckDB 1.4.
  SELECT
    *, lag(io_longest_at_utc) OVER file AS previous_io_utc, lag(io_longest_us) OVER file AS previous_io_us,
    lag(request_longest_at_utc) OVER file AS previous_request_utc, lag(request_longest_us) OVER file AS previous_request_us
  FROM decoded.qjst_log_io
  WINDOW file AS (PARTITION BY lpar, qmgr, log_copy, io_type ORDER BY interval_start_utc, record_id)
),
averaged AS (
  SELECT
    * REPLACE (
      believed(io_longest_us, io_total_us, CASE WHEN previous_io_utc = io_longest_at_utc THEN previous_io_us END) AS io_longest_us,
      believed(request_longest_us, request_total_us, CASE WHEN previous_request_utc = request_longest_at_utc THEN previous_request_us END)
        AS request_longest_us
    ),
    io_total_us / nullif(io_count, 0) AS average_io_us
  FROM ordered
),
ratio AS (
  SELECT
    record_id, section, io_type,
    max(average_io_us) FILTER (log_copy = 2) / nullif(max(average_io_us) FILTER (log_copy = 1), 0) AS copy_ratio
  FROM averaged
  GROUP BY record_id, section, io_type
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.log_copy, q.io_type,
  q.io_count, q.io_cis, q.io_total_us, q.request_total_us, q.io_longest_us, q.io_longest_at_utc,
  q.io_longest_log, q.request_longest_us, q.request_longest_at_utc, q.request_longest_log,
  q.average_io_us,
  (q.request_total_us - q.io_total_us) / q.io_count              AS average_after_io_us,
  q.io_cis / q.io_count                                          AS pages_per_io,
  per_s(q.io_count, q.interval_us / 1e6)                         AS io_per_s,
  per_s(pages_mib(q.io_cis), q.interval_us / 1e6)                AS io_mib_per_s,
  r.copy_ratio
FROM averaged AS q
LEFT JOIN ratio AS r ON r.record_id = q.record_id AND r.section = q.section AND r.io_type = q.io_type
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
WHERE q.io_count > 0
