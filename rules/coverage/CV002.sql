/*---
id          = "CV002"
name        = "statistics-intervals-missing"
title       = "Gap between consecutive statistics intervals"
severity    = "warning"                   # info if a short interval after the gap suggests a start
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["interval_cut.interval_seconds"]
prints      = ["interval_cut.gap_intervals", "interval_cut.gap_seconds", "interval_cut.median_interval_seconds", "interval_cut.restart_seen"]
judge       = "any interval"
worst       = "highest"
measure     = "longest gap as a multiple of the usual interval"
when        = "observed > gap_factor"
text        = "longest gap {value} x the usual interval"
# no guards: a gap before a start of the queue manager is down time, not lost data
look        = ["DISPLAY TRACE(STAT)", "D SMF"]

[threshold.gap_factor]
value = 0.5
unit  = "ratio"
kind  = "judgement"
why   = "half an interval is more than timer drift and less than one lost interval"

[source]
cite = "Our own rule: hours without data cannot be reported as healthy"

[advice]
summary = "No statistics for {gap_seconds:.0f} s, {observed:.1f} times the usual interval of {median_interval_seconds:.0f} s (limit {gap_factor})."
remedy  = "Look for SMF data that was lost or not dumped, a selection in IFASMFDP or IFASMFDL, or a STOP TRACE(STAT). This time cannot be assessed."
report  = "overview/gaps"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'statistics intervals'    AS subject,
  gap_intervals             AS observed,
  gap_seconds, median_interval_seconds,
  CASE WHEN restart_seen THEN 'info' END AS severity
FROM interval_cut
WHERE NOT startup_interval
