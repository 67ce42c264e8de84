/*---
id          = "LG006"
name        = "log-write-stall"
title       = "A single log write took very long"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "log_copy"]
needs       = ["log_copy.longest_stall_us"]
prints      = ["log_copy.longest_write_us", "log_copy.longest_wait_us", "log_copy.longest_stall_at_utc", "log_copy.longest_stall_log"]
judge       = "any interval"
worst       = "highest"
victims     = ["log waits"]
measure     = "longest log write or wait for it"
when        = "observed > stall_us"
look        = ["DISPLAY LOG"]

[threshold.stall_us]
value = 1000000
unit  = "us"
kind  = "judgement"
why   = "all persistent work of the queue manager waits that long, and users notice a second"

[source]
cite = "IBM Washington Systems Center, longest log I/O; meaning of QJSTIOMAXIO and QJSTIOMAXSUS"

[advice]
summary = "A write to log copy {log_copy} took {observed:.0f} µs (limit {stall_us} µs): I/O {longest_write_us} µs, wait of the log writer {longest_wait_us} µs, on {longest_stall_log} at {longest_stall_at_utc}. All persistent work waited."
remedy  = "Check the system log of that second for a HyperSwap, a reserve, control unit recovery, a dump, or a log data set on a shared volume. A planned HyperSwap or recovery test explains it."
report  = "log/longest_io"
---*/
SELECT
  lpar, qmgr, log_copy, interval_start_utc, interval_seconds, record_id,
  'log copy ' || log_copy   AS subject,
  longest_stall_us          AS observed,
  longest_write_us, longest_wait_us, longest_stall_at_utc, longest_stall_log
FROM log_copy
