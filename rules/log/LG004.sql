/*---
id           = "LG004"
name         = "log-writes-slow"
title        = "One-page log writes take long on average"
severity     = "warning"
weight       = "delay"
grain        = ["lpar", "qmgr", "log_copy"]
mark_by     = ["io_type"]
needs        = ["log_io.average_io_us"]
prints       = ["log_io.io_count", "log_io.io_longest_us"]
judge        = "share >= 10 %"
weighted_by = "io_count"
weighted_min = 10000
worst        = "highest"
victims      = ["log waits"]
measure     = "average one-page log write"
when        = "observed > average_us_max"
min_activity = "io_count >= $min_writes"
look        = ["DISPLAY LOG", "D IOS,HYPERWRITE"]

[threshold.average_us_max]
value = 1000
unit  = "us"
kind  = "judgement"
why   = "IBM measured 28 to 200 µs for one page; at 1,000 µs, a commit with two log writes waits 2 ms"

[threshold.min_writes]
value = 100
unit  = "count"
kind  = "judgement"
why   = "an average over fewer writes is not reliable"

[source]
cite = "MP16, 'Single page I/O response times' and 'Log data set pre-format'; V92, 'Reduced I/O time'"

[advice]
summary = "One-page writes to log copy {log_copy} took {observed:.0f} µs on average (limit {average_us_max} µs) over {io_count} write[s], the longest {io_longest_us} µs; every commit of persistent work waits for them."
remedy  = "Check the RMF cache report (disk fast write bypass above 1 %), and keep logs on other volumes than archives and page sets. zHPF, zHyperWrite for mirrored logs, zHyperLink and a shorter distance make writes faster. If synchronous mirroring explains the time, set the limit in the site file. New log data sets are slower until they are formatted: format them before use with CSQ4LFMT, or the first use loses up to half of the data rate."
report  = "log/io"
---*/
SELECT
  lpar, qmgr, log_copy, interval_start_utc, interval_seconds, record_id,
  'log copy ' || log_copy   AS subject,
  average_io_us             AS observed,
  io_type, io_count, io_longest_us
FROM log_io
WHERE io_type = 1
