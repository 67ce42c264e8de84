/*---
id          = "CV002"
name        = "statistics-intervals-missing"
title       = "Gap between consecutive statistics intervals"
severity    = "warning"
grain       = ["lpar", "qmgr"]
needs       = ["interval.interval_seconds"]
prints      = ["interval.gap_intervals", "interval.gap_seconds", "interval.median_interval_seconds", "interval.previous_end_utc"]
judge       = "any interval"
worst       = "highest"
measure     = "longest gap (usual interval = 1)"
guards      = []                          # a gap before a start of the queue manager is down time, not lost data
silenced_by = []
mq_since    = "base"
default_on  = true

[threshold.gap_factor]
value = 0.5
unit  = "ratio"
why   = "half an interval is more than timer drift and less than the shortest loss of one interval"

[source]
cite = "house rule: hours without data cannot be declared healthy"
kind = "judgement"

[advice]
summary = "No statistics for {gap_seconds:.0f} s, {observed:.1f} times the usual interval of {median_interval_seconds:.0f} s (limit {gap_factor})."
remedy  = "Look for SMF data that was lost or not dumped, a selection in IFASMFDP or IFASMFDL, or a STOP TRACE(STAT); nothing can be said about this time."
report  = "overview/gaps"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'statistics intervals'    AS subject,
  gap_intervals             AS observed,
  gap_seconds, median_interval_seconds,
  gap_intervals > $gap_factor AS breach
FROM interval
WHERE NOT startup_interval
ORDER BY lpar, qmgr, interval_start_utc
