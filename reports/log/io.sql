/*---
id       = "log/io"
title    = "Log write I/O by copy and size"
question = "How long do log writes take per copy, for one page and for several pages?"
needs    = ["log", "log_io"]
rules    = ["LG004", "LG007", "LG008", "LG009", "LG029"]
grain    = ["lpar", "qmgr", "interval_start_utc", "log_copy", "io_type"]
dd       = ["LOG"]
wsc      = [2]
drill_down = ["log/longest_io"]
note     = "Type 1: writes of one control interval; type 2: of several. After I/O is request time minus I/O time. With zHyperLink, the longest request may be shorter than the longest I/O."

[columns]
io_count = { label = "I/Os", screen = 1 }
io_cis = { label = "CIs" }
io_longest_us = { label = "longest µs", screen = 1 }
io_longest_at_utc = { label = "longest at", screen = 1 }
io_longest_log = { label = "log", screen = 2 }
request_longest_us = { label = "longest request µs" }
request_longest_at_utc = { label = "request at" }
request_longest_log = { label = "request log" }
io_share_of_interval_pct = { unit = "percent", label = "of interval %", screen = 3, doc = "Share of the interval in which such I/Os were active.", over = "mean" }
---*/
SELECT
  q.lpar, q.qmgr, q.qsg, q.interval_start_utc, q.interval_seconds, q.interval_end_utc, q.log_copy, q.io_type, q.io_count, q.io_cis,
  q.average_io_us, q.average_after_io_us, q.pages_per_io, q.io_per_s, q.io_mib_per_s,
  q.io_longest_us, q.io_longest_at_utc, q.io_longest_log, q.request_longest_us, q.request_longest_at_utc, q.request_longest_log,
  q.copy_ratio,
  CASE WHEN q.log_copy = 1 AND q.io_type = 1 THEN i.io_standard_deviation_us END AS io_standard_deviation_us,
  pct(q.io_total_us, q.interval_us) AS io_share_of_interval_pct
FROM log_io AS q
LEFT JOIN log AS i ON i.record_id = q.record_id
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc, log_copy, io_type
