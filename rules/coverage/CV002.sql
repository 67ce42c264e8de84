/*---
id          = "CV002"
name        = "statistics-intervals-missing"
title       = "Gap between consecutive statistics intervals"
severity    = "warning"                   # info if a short interval after the gap suggests a start
weight      = "collection"
grain       = ["lpar", "qmgr"]
over        = "all"
needs       = ["interval_cut.interval_seconds"]
prints      = ["interval_cut.gap_intervals", "interval_cut.gap_seconds", "interval_cut.median_interval_seconds", "interval_cut.restart_seen", "interval_cut.gap_confirmed", "interval_lost.gap_cause", "interval_lost.lost_intervals", "queue_manager_move.away_seconds"]
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
summary = "No statistics for {gap_seconds:.0f} s, {observed:.1f} times the usual interval of {median_interval_seconds:.0f} s (limit {gap_factor}){cause_text}."
remedy  = "Look for SMF data that was lost or not dumped, a selection in IFASMFDP or IFASMFDL, or a STOP TRACE(STAT). This time cannot be assessed."
report  = "overview/gaps"
---*/
SELECT
  i.lpar, i.qmgr, i.interval_start_utc, i.interval_seconds, i.record_id,
  'statistics intervals'    AS subject,
  -- While the queue manager ran on another LPAR, its data is there.
  CASE WHEN m.at_once = false THEN m.away_seconds / i.median_interval_seconds ELSE i.gap_intervals END AS observed,
  CASE WHEN m.at_once = false THEN m.away_seconds ELSE i.gap_seconds END AS gap_seconds,
  i.median_interval_seconds,
  CASE l.gap_cause
    WHEN 'lost' THEN format(': the records of {} interval{} were lost, as their numbers are missing', l.lost_intervals, CASE WHEN l.lost_intervals = 1 THEN '' ELSE 's' END)
    WHEN 'damaged' THEN ': its records are damaged'
    WHEN 'never written' THEN ': none was written in it, as the numbers of the records go on'
    ELSE ''
  END                       AS cause_text,
  CASE WHEN i.restart_seen THEN 'info' END AS severity
FROM interval_cut AS i
LEFT JOIN interval_lost AS l ON l.lpar = i.lpar AND l.qmgr = i.qmgr AND l.interval_start_utc = i.interval_start_utc
LEFT JOIN queue_manager_move AS m ON m.lpar = i.lpar AND m.qmgr = i.qmgr AND m.interval_start_utc = i.interval_start_utc
WHERE NOT i.startup_interval AND i.gap_confirmed IS NOT FALSE
