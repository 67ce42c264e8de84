/*---
id          = "DQ006"
name        = "overlapping-intervals"
title       = "Statistics intervals of one queue manager overlap"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["interval_cut.interval_seconds"]
prints      = ["interval_cut.overlap_seconds", "interval_cut.interval_start_local"]
judge       = "any interval"
worst       = "highest"
measure     = "longest overlap"
when        = "observed > overlap_seconds_max"
look        = ["mqstat report --report overview/gaps --qmgr {qmgr}"]

[threshold.overlap_seconds_max]
value = 1
unit  = "s"
kind  = "judgement"
why   = "in every known record, an interval starts within a millisecond of the end of the previous one"

[source]
cite = "Our own rule: two intervals of one queue manager cannot run at the same time"

[advice]
summary = "The interval that began at {interval_start_local} started {observed:.0f} s before the end of the previous one (limit {overlap_seconds_max} s)."
remedy  = "Either two queue managers have the same name on systems of the same name, a clock was set back, or files were mixed: separate them. Do not rely on rates and totals of this time."
report  = "overview/gaps"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'statistics intervals'    AS subject,
  coalesce(overlap_seconds, 0) AS observed,
  interval_start_local
FROM interval_cut
