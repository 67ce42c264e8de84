/*---
id          = "CV018"
name        = "channel-initiator-statistics-end"
title       = "The statistics of the channel initiator end while channels are active"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr", "record_class"]
silenced_by = ["CV017"]                   # the trace was not started again
needs       = ["class_hole.missing_slots"]
prints      = ["class_hole.active_channels_last", "class_hole.slots", "class_hole.hole_start_local", "class_hole.is_at_end"]
judge       = "whole period"
worst       = "highest"
breach_when = "active and ended"
look        = ["DISPLAY CHINIT", "DISPLAY TRACE(STAT)"]

[threshold.slots_min]
value = 2
unit  = "count"
kind  = "judgement"
why   = "one record that is lost is no end"

[clause.active]
when    = "observed > 0"
measure = "active channel[s] in the last record"

[clause.ended]
when    = "missing_slots >= slots_min"
measure = "interval[s] without 115.231 at the end of the data"

[source]
cite = "Our own rule: a channel initiator that stops in order counts no active channels in its last record"
kind = "judgement"

[advice]
summary = "No 115.231 from {hole_start_local} to the end of the data, {missing_slots:,.0f} interval[s]; the last record has {observed:,.0f} active channel[s]."
remedy  = "Either the channel initiator ended, or its trace: check the job log of that time. If it runs, its statistics need trace class 4."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr, record_class,
  'records ' || record_class     AS subject,
  CASE WHEN is_at_end THEN coalesce(active_channels_last, 0) ELSE 0 END AS observed,
  missing_slots, hole_start_local
FROM class_hole
WHERE record_class = '115.231' AND slots > 0
QUALIFY row_number() OVER (PARTITION BY lpar, qmgr ORDER BY is_at_end DESC, hole_start_utc) = 1
