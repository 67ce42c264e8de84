/*---
id          = "DQ016"
name        = "value-not-representable"
title       = "Values that are too big or impossible are left empty"
severity    = "info"
weight      = "collection"
grain       = ["source_id"]
over        = "input"
needs       = ["source.source_name"]
prints      = ["lost_value.structure", "lost_value.column_name", "lost_value.lost_reason", "lost_value.values_lost"]
judge       = "whole period"
worst       = "highest"
measure     = "value[s] left empty"
when        = "observed > values_lost_max"
look        = ["mqstat report --report overview/data_quality"]

[threshold.values_lost_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "missing figures must be visible"

[source]
cite = "Our own rule: nothing is lost silently"

[advice]
summary = "{observed:.0f} value[s] of {column_name} in structure {structure} of input {source_name} [are|is] empty (limit {values_lost_max}): {meaning}."
remedy  = "Look at the records with mqstat raw. A single value indicates damage; the same field in every record indicates a layout that mqstat does not know: report the field."
report  = "overview/data_quality"
---*/
SELECT
  s.source_id, s.source_name,
  coalesce('field ' || l.structure || '.' || l.column_name, 'numbers and times') AS subject,
  coalesce(l.values_lost, 0)              AS observed,
  l.structure, l.column_name,
  CASE l.lost_reason
    WHEN 'too big' THEN 'the numbers in the records are far beyond what MQ can count in an interval'
    ELSE 'the times in the records are later than the record itself, or contradict the time of writing by more than a day'
  END                                     AS meaning
FROM source AS s
LEFT JOIN lost_value AS l ON l.source_id = s.source_id
