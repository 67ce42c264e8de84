/*---
id          = "LG001"
name        = "log-buffer-waits"
title       = "Tasks waited because no log buffer was free"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log.log_buffer_waits"]
prints      = ["log.cis_created", "log.log_buffer_write_calls"]
judge       = "any interval"
worst       = "highest"
key_figure  = "log_buffer_waits"
culprits    = ["log bytes"]
victims     = ["log waits"]
measure     = "wait[s] for a log buffer"
when        = "observed > log_buffer_waits_max"
guards      = ["G2"]                      # a restart resolves in-flight work; the count is compared, never the percentage
caused_by   = ["LG002", "LG004", "LG006"]
look        = ["DISPLAY LOG"]
do          = ["OUTBUFF in CSQ6LOGP: raise it, up to 4000 (KB), until the count stays 0."]
raises      = ["OUTBUFF"]
plans       = ["log_buffers"]

[threshold.log_buffer_waits_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "each one is an application that waited until a log write finished; even 6779 waits print as 0 % of the writes, so the count is judged"

[source]
cite = "MP16, 'Detailed example of when data is written to log data sets' and 'Performance implications of very large messages'; IBM documentation, log manager data records"

[advice]
summary = "Tasks waited {log_buffer_waits} time[s] for a log buffer (limit {log_buffer_waits_max}) while {cis_created} log control interval[s] [were|was] created."
remedy  = "If OUTBUFF is at its maximum, check the log I/O. For very large messages, use BATCHSZ(1) on their channels and a separate page set and pool."
report  = "log/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'log buffers'             AS subject,
  log_buffer_waits          AS observed,
  log_buffer_waits, cis_created
FROM log
