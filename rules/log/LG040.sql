/*---
id          = "LG040"
name        = "active-log-read-in-normal-running"
title       = "The queue manager read active logs"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log.log_reads_active"]
prints      = ["log.log_reads_buffer"]
judge       = "any interval"
worst       = "highest"
culprits    = ["backout time"]
measure     = "read[s] from active logs"
when        = "observed > active_reads_max"
guards      = ["G2"]
silenced_by = ["LG015", "LG016"]
look        = ["DISPLAY CONN(*) TYPE(CONN) APPLTAG UOWSTATE UOWSTDA UOWSTTI URID", "mqstat report --report log/reads --qmgr {qmgr}"]

[threshold.active_reads_max]
value = 100
unit  = "count"
kind  = "judgement"
why   = "the backout of a short unit of work finds its data in the log buffers; the queue managers of the real dumps read active logs not once"

[source]
cite = "MP16, 'How to minimize recovery time' and 'Phase 4, undo any changes for tasks that were in flight or in backout (backward recovery)'"

[advice]
summary = "{log_reads_active} log read[s] came from active logs (limit {active_reads_max}), {log_reads_buffer} from log buffers: a backout or a recovery needed data that the buffers no longer held."
remedy  = "Find the application that backs out, and why; shorten its units of work. The recovery of a page set or structure also reads the log. Reads compete with writes for the log data sets."
report  = "log/reads"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'log reads'               AS subject,
  log_reads_active          AS observed,
  log_reads_active, log_reads_buffer
FROM log
