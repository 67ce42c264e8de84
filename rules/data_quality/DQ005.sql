/*---
id          = "DQ005"
name        = "duplicate-records"
title       = "The same records are in the input more than once"
severity    = "info"
weight      = "collection"
grain       = ["source_id"]
over        = "input"
needs       = ["quality_duplicate.duplicate_records"]
prints      = ["quality_duplicate.source_name", "quality_duplicate.duplicate_bytes", "quality_duplicate.duplicate_record_id", "quality_duplicate.first_duplicate_local", "quality_duplicate.last_duplicate_local"]
judge       = "whole period"
worst       = "highest"
measure     = "repeated record[s]"
when        = "observed > 0"
unit        = "count"
look        = ["mqstat report --report overview/gaps"]

[source]
cite = "Our own rule: a dump that was given twice may have been given instead of another one"
kind = "judgement"

[advice]
summary = "{observed} record[s] of input {source_name} repeat[|s] earlier records of the data ({duplicate_bytes} byte[s], written {first_duplicate_local} to {last_duplicate_local}); each record is counted once."
remedy  = "Dumps overlap, or one dump was copied twice. Figures are not affected; check that the repeated dump was not sent instead of another one."
report  = "overview/gaps"
---*/
SELECT
  source_id,
  'input ' || source_name                 AS subject,
  duplicate_records                       AS observed,
  source_name, duplicate_bytes, first_duplicate_local, last_duplicate_local,
  duplicate_record_id                     AS record_id
FROM quality_duplicate
