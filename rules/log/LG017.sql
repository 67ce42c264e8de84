/*---
id           = "LG017"
name         = "archive-reads-delayed"
title        = "Log reads waited because all read units were in use"
severity     = "warning"
weight       = "delay"
grain        = ["lpar", "qmgr"]
needs        = ["log.tape_contention_delays"]
prints       = ["log.reads_delayed_pct", "log.log_reads_delayed", "log.log_reads"]
judge        = "any interval"
worst        = "highest"
culprits     = ["backout time"]
measure     = "log reads delayed by contention"
when        = "observed > reads_delayed_pct_max"
min_activity = "log_reads >= $min_reads"
look        = ["DISPLAY LOG"]
do          = ["Raise MAXRTU (1 to 99) with SET LOG, and in CSQ6LOGP to keep it; the records do not show its value, DISPLAY LOG does."]
raises       = ["MAXRTU"]

[threshold.reads_delayed_pct_max]
value = 1.0
unit  = "percent"
kind  = "documented"
why   = "IBM advises more read units above 1 % of the reads"

[threshold.min_reads]
value = 100
unit  = "count"
kind  = "judgement"
why   = "a share of fewer reads is not reliable"

[source]
cite = "IBM documentation, 'Log manager data records' (symptom 2, QJSTTVC)"

[advice]
summary = "{tape_contention_delays} of {log_reads} log read[s], {observed:.1f} % (limit {reads_delayed_pct_max} %), were delayed because MAXRTU archives were already open; {log_reads_delayed} waited for an unavailable resource. Recoveries and backouts take longer."
remedy  = "Let the queue manager open more archives at once, if there are tape units for them."
report  = "log/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'log reads'               AS subject,
  reads_delayed_pct         AS observed,
  tape_contention_delays, log_reads_delayed, log_reads
FROM log
