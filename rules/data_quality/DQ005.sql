/*---
id          = "DQ005"
name        = "duplicate-records"
title       = "The same records are in the input more than once"
severity    = "warning"
grain       = ["source_id"]
needs       = ["quality_duplicate.duplicate_records"]
prints      = ["quality_duplicate.source_name", "quality_duplicate.duplicate_bytes", "quality_duplicate.duplicate_record_id", "quality_duplicate.first_duplicate_local", "quality_duplicate.last_duplicate_local"]
judge       = "whole period"
worst       = "highest"
measure     = "repeated record[s]"
when        = "observed > 0"
unit        = "count"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[source]
cite = "house rule: totals of doubled records are doubled"
kind = "judgement"

[advice]
summary = "{observed} records of input {source_name} ({duplicate_bytes} bytes, written {first_duplicate_local} to {last_duplicate_local}) are in the data before already. Do not trust the figures: totals are too high, and findings may be missing or wrong."
remedy  = "Overlapping dumps, or one dump copied behind another: read each record once."
report  = "overview/gaps"
---*/
SELECT
  source_id,
  'input ' || source_name                 AS subject,
  duplicate_records                       AS observed,
  source_name, duplicate_bytes, first_duplicate_local, last_duplicate_local,
  duplicate_record_id                     AS record_id,
  duplicate_records > 0                   AS breach
FROM quality_duplicate
ORDER BY source_id
