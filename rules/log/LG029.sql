/*---
id          = "LG029"
name        = "log-writes-of-several-pages-slow"
title       = "Log writes of several pages take long on average"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "log_copy"]
mark_by     = ["io_type"]
needs       = ["log_io.average_io_us"]
prints      = ["log_io.io_count", "log_io.pages_per_io", "log_io.io_longest_us"]
judge       = "3 consecutive"
worst       = "highest"
victims     = ["log waits"]
measure     = "average log write of several pages"
when        = "observed > average_us_max"
min_activity = "io_count >= $min_writes"
silenced_by = ["LG004"]
look        = ["DISPLAY LOG", "D IOS,HYPERWRITE"]

[threshold.average_us_max]
value = 5000
unit  = "us"
kind  = "judgement"
why   = "IBM measured 766 to 1,218 µs for writes of 103 pages, and a write has at most 128; four times that is not due to its size"

[threshold.min_writes]
value = 100
unit  = "count"
kind  = "judgement"
why   = "an average over fewer writes is not reliable"

[source]
cite = "MP16, 'Whether the I/O subsystem is constrained' and 'zHyperLink and striped active logs'"

[advice]
summary = "Writes of several pages to log copy {log_copy}, {pages_per_io:.0f} on average, took {observed:.0f} µs on average (limit {average_us_max} µs) over {io_count} write[s], the longest {io_longest_us} µs. Commits of large messages and of many messages together wait for them."
remedy  = "Check what else uses the control unit of the logs: archive data sets, page sets, other logs. Check the RMF cache report (disk fast write bypass above 1 %) and the bandwidth of the links, also of mirrored volumes, zHPF and zHyperWrite. If synchronous mirroring explains the time, set the limit in the site file."
report  = "log/io"
---*/
SELECT
  lpar, qmgr, log_copy, interval_start_utc, interval_seconds, record_id,
  'log copy ' || log_copy   AS subject,
  average_io_us             AS observed,
  io_type, io_count, pages_per_io, io_longest_us
FROM log_io
WHERE io_type = 2
