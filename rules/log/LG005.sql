/*---
id           = "LG005"
name         = "log-write-spikes"
title        = "The longest log write of the interval exceeds the site limit too often"
severity     = "info"
weight       = "delay"
grain        = ["lpar", "qmgr", "log_copy"]
needs        = ["log_copy.longest_write_us"]
prints       = ["log_copy.longest_write_at_utc", "log_copy.longest_write_log", "log_copy.copy_intervals"]
judge        = "share >= 20 %"
worst        = "highest"
victims      = ["log waits"]
measure     = "longest log write"
when        = "observed > longest_us_max"
min_activity = "copy_intervals >= $min_intervals"
caused_by    = ["LG004", "LG029"]
look        = ["DISPLAY LOG"]

[threshold.longest_us_max]
value = 2000
unit  = "us"
kind  = "guidance"
why   = "the limit of IBM's consultants; in their example 12 % of the intervals exceed it, and they recommend watching it"

[threshold.min_intervals]
value = 24
unit  = "count"
kind  = "judgement"
why   = "single spikes are normal, only frequent ones matter"

[source]
cite = "IBM Washington Systems Center, worked example of the longest log I/O"

[advice]
summary = "The longest write to log copy {log_copy} took {observed:.0f} µs (limit {longest_us_max} µs), on {longest_write_log} at {longest_write_at_utc}; such spikes are frequent here."
remedy  = "Compare that second with archive reads, page set I/O and the logs of other subsystems on the same volumes or control unit. For large messages, writes of many pages normally take longer."
report  = "log/longest_io"
---*/
SELECT
  lpar, qmgr, log_copy, interval_start_utc, interval_seconds, record_id,
  'log copy ' || log_copy   AS subject,
  longest_write_us          AS observed,
  longest_write_at_utc, longest_write_log, copy_intervals
FROM log_copy
