/*---
id          = "CV016"
name        = "basic-statistics-missing-in-part"
title       = "A class of basic statistics is missing in a part of the period"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr", "record_class"]
needs       = ["class_hole.missing_slots"]
prints      = ["class_hole.hole_start_local", "class_hole.hole_end_local", "class_hole.slots", "class_hole.slots_with_basic"]
judge       = "whole period"
worst       = "highest"
measure     = "intervals without the class"
when        = "observed >= slots_min"
look        = ["DISPLAY TRACE(STAT)", "D SMF"]

[threshold.slots_min]
value = 2
unit  = "count"
kind  = "judgement"
why   = "one record that is lost is counted by CV014"

[source]
cite = "IBM documentation, MQSC reference, START TRACE on z/OS: 115.1, 115.2 and 115.215 are one trace class"

[advice]
summary = "No {record_class} in {observed:,.0f} of {slots:,.0f} interval[s] between {hole_start_local} and {hole_end_local}, although other records of the same trace class were written: the rules that need it judge only the rest."
remedy  = "START TRACE does not bring it back. Look for a selection of subtypes or record types in IFASMFDP, IFASMFDL or SMFPRMxx, or for lost SMF data."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr, record_class,
  'records ' || record_class    AS subject,
  sum(slots_with_basic)::BIGINT AS observed,
  any_value(slots)              AS slots,
  min(hole_start_local)         AS hole_start_local,
  max(hole_end_local)           AS hole_end_local
FROM class_hole
WHERE record_class IN ('115.1', '115.2', '115.215')
GROUP BY lpar, qmgr, record_class
