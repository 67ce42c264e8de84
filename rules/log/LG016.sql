/*---
id           = "LG016"
name         = "archive-share-of-log-reads-large"
title        = "Many log reads came from archives"
severity     = "warning"
weight       = "delay"
grain        = ["lpar", "qmgr"]
needs        = ["log.log_reads"]
prints       = ["log.archive_read_pct", "log.log_reads_archive", "log.log_reads_active", "log.log_reads_buffer"]
judge        = "any interval"
worst        = "highest"
culprits     = ["backout time"]
measure     = "log reads from archives"
when        = "observed > archive_read_pct_max"
guards       = ["G2"]
min_activity = "log_reads >= $min_reads"
look        = ["DISPLAY LOG", "DISPLAY CONN(*) TYPE(CONN) APPLTAG UOWSTATE UOWSTDA UOWSTTI URID"]

[threshold.archive_read_pct_max]
value = 33.0
unit  = "percent"
kind  = "guidance"
why   = "IBM's documentation gives no number ('larger than normal'); monitors ship with one third"
cite  = "shipped default of a monitor"

[threshold.min_reads]
value = 100
unit  = "count"
kind  = "judgement"
why   = "a share of fewer reads is not reliable"

[source]
cite = "IBM documentation, log manager data records; shipped default of a monitor"

[advice]
summary = "{observed:.1f} % of the {log_reads} log read[s] came from archives (limit {archive_read_pct_max} %): backouts or recoveries need data that is no longer in the active logs."
remedy  = "Shorten units of work, and enlarge the active logs so that they hold a day. A planned recovery explains it."
report  = "log/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'log reads'               AS subject,
  archive_read_pct          AS observed,
  log_reads, log_reads_archive
FROM log
