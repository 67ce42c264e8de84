/*---
id          = "DQ006"
name        = "overlapping-intervals"
title       = "Statistics intervals of one queue manager overlap"
severity    = "warning"
grain       = ["lpar", "qmgr"]
needs       = ["interval_cut.interval_seconds"]
prints      = ["interval_cut.overlap_seconds", "interval_cut.interval_start_local"]
judge       = "any interval"
worst       = "highest"
measure     = "longest overlap"
when        = "observed > overlap_seconds_max"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[threshold.overlap_seconds_max]
value = 1
unit  = "s"
why   = "intervals follow each other within a millisecond in every known record"

[source]
cite = "house rule: two intervals cannot run at one time"
kind = "judgement"

[advice]
summary = "The interval that began at {interval_start_local} local time began {observed:.0f} s before the one before had ended (limit {overlap_seconds_max} s)."
remedy  = "Two queue managers of one name on systems of one name, a clock that was set back, or mixed files: separate them. Rates and totals of this time are not to be trusted."
report  = "overview/gaps"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'statistics intervals'    AS subject,
  coalesce(overlap_seconds, 0) AS observed,
  interval_start_local,
  coalesce(overlap_seconds, 0) > $overlap_seconds_max AS breach
FROM interval_cut
ORDER BY lpar, qmgr, interval_start_utc
