/*---
id          = "LG015"
name        = "archive-log-read-in-normal-running"
title       = "The queue manager read archive logs"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log.log_reads_archive"]
prints      = ["log.archive_read_allocations", "log.log_reads_active", "log.log_reads_buffer"]
judge       = "any interval"
worst       = "highest"
key_figure  = "log_reads_archive"
culprits    = ["backout time"]
measure     = "read[s] from archive logs"
when        = "observed > archive_reads_max"
guards      = ["G2"]
silenced_by = ["LG016"]
look        = ["DISPLAY LOG", "DISPLAY CONN(*) TYPE(CONN) APPLTAG UOWSTATE UOWSTDA UOWSTTI URID"]

[threshold.archive_reads_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "with log shunting, only media or structure recovery and very old units of work need archives"
cite  = "MP16, 'How to minimize recovery time'"

[source]
cite = "MP16, 'How to minimize recovery time' and 'Will striped logs affect the time taken to restart after a failure?'"

[advice]
summary = "{log_reads_archive} log read[s] came from archives (limit {archive_reads_max}; archives opened: {archive_read_allocations}); {log_reads_active} read[s] came from active logs and {log_reads_buffer} from buffers."
remedy  = "Look for an old unit of work and message CSQJ160I. Check whether a page set or structure was recovered at that time."
report  = "log/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'log reads'               AS subject,
  log_reads_archive         AS observed,
  log_reads_archive, archive_read_allocations, log_reads_active, log_reads_buffer
FROM log
