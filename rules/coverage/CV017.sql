/*---
id          = "CV017"
name        = "class-not-collected-after-a-start"
title       = "A record class was not collected any more after a start or a new level"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr", "record_class"]
needs       = ["class_hole.missing_slots"]
prints      = ["class_hole.begun_before", "class_hole.slots", "class_hole.hole_start_local", "record_class.class_holds", "record_class.attribute", "record_class.trace", "record_class.trace_class"]
judge       = "whole period"
worst       = "highest"
measure     = "intervals without the class after a start"
when        = "observed >= slots_min"
look        = ["DISPLAY TRACE({trace})"]
do          = ["START TRACE({trace}) CLASS({trace_class})"]

[threshold.slots_min]
value = 2
unit  = "count"
kind  = "judgement"
why   = "the first two full intervals after a start must have the class"

[source]
cite = "IBM documentation, CSQ6SYSP: SMFSTAT and SMFACCT (their * starts classes 1 to 3); APAR PH67349 (STATQ becomes OFF at migration)"

[advice]
summary = "No {record_class} ({class_holds}) in {observed:,.0f} interval[s] from {hole_start_local} on, after a start or a new level; before it was collected."
remedy  = "A trace that was started by command ends with the queue manager. {permanent}<<. Check {attribute}, too>>."
report  = "overview/coverage"
---*/
SELECT
  h.lpar, h.qmgr, h.record_class,
  'records ' || h.record_class AS subject,
  CASE WHEN h.begun_before THEN h.missing_slots WHEN h.slots > 0 THEN 0 END AS observed,
  CASE WHEN c.trace_class IN ('4', '5')
    THEN 'Put the command into CSQINP2: SMFSTAT(*) and SMFACCT(*) start classes 1 to 3 only'
    ELSE 'Make it permanent with SMFSTAT or SMFACCT in CSQ6SYSP, or put the command into CSQINP2'
  END                          AS permanent,
  h.hole_start_local, c.class_holds, c.attribute, c.trace, c.trace_class
FROM class_hole AS h
JOIN record_class AS c ON c.record_class = h.record_class
WHERE h.record_class NOT IN ('115.1', '115.2', '115.215')
QUALIFY row_number() OVER (PARTITION BY h.lpar, h.qmgr, h.record_class ORDER BY h.begun_before DESC, h.missing_slots DESC, h.hole_start_utc) = 1
