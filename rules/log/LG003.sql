/*---
id          = "LG003"
like        = "LG002"
name        = "logger-task-busy"
title       = "The log writer is busy most of the time"
severity    = "warning"
judge       = "share >= 10 %"
weighted_by = "interval_seconds"
weighted_min = 14400
silenced_by = ["LG002"]

[threshold.busy_pct]
value = 80.0
why   = "no document gives a number; above 80 %, one slower disk or the next peak uses up the rest"

[source]
cite = "MP16, 'Why does my log performance matter?'; V92, 'Reduced I/O time'"

[advice]
summary = "The logger task was {observed:.1f} % busy (limit {busy_pct} %), {logger_io_busy_pct:.1f} % in log I/O and {logger_spin_pct:.1f} % in synchronous zHyperLink writes, at {copy1_mib_per_s:.1f} MiB/s per copy: little capacity is left for the next peak."
remedy  = "Plan for faster log writes (zHPF, zHyperWrite for mirrored logs, zHyperLink), more messages per commit, or more queue managers. For a short nightly bulk load this may be intentional."
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'logger task'             AS subject,
  logger_task_busy_pct      AS observed,
  logger_io_busy_pct, logger_spin_pct, copy1_mib_per_s
FROM log
