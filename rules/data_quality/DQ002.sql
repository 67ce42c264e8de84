/*---
id          = "DQ002"
name        = "input-truncated"
title       = "The file ends inside a record or without its trailer"
severity    = "warning"                   # info if only the trailer is missing
weight      = "collection"
grain       = ["source_id"]
over        = "input"
needs       = ["quality_source.ends_in_record"]
prints      = ["quality_source.source_name", "quality_source.source_bytes", "quality_source.end_offset", "quality_source.trailer_missing", "quality_source.dump_headers", "quality_source.dump_trailers", "quality_source.end_record_id"]
judge       = "whole period"
worst       = "highest"
breach_when = "cut or trailer"
unit        = "bytes"
look        = ["mqstat report --report overview/data_quality"]

[clause.cut]
when    = "observed > 0"
measure = "bytes of an incomplete record"
text    = "incomplete last record of {value}"
clear   = "ends with a complete record"

[clause.trailer]
when    = "trailers_missing > 0"
measure = "dump trailer[s] missing"

[source]
cite = "Our own rule: missing data cannot be judged"
kind = "judgement"

[advice]
summary = "Input {source_name} ({source_bytes} byte[s]) is incomplete: {what_is_missing}."
remedy  = "{what_to_do}."
report  = "overview/data_quality"
---*/
SELECT
  source_id,
  'input ' || source_name                 AS subject,
  CASE WHEN ends_in_record THEN source_bytes - end_offset ELSE 0 END AS observed,
  source_name, source_bytes,
  CASE WHEN ends_in_record THEN 'it ends inside the record that begins at offset ' || end_offset
    ELSE format('it has fewer dump trailers (SMF type 3, {:,}) than dump headers (SMF type 2, {:,})', dump_trailers, dump_headers) END AS what_is_missing,
  CASE WHEN ends_in_record
    THEN 'Transfer it again, and check for a lack of space or a lost connection: the end of the period is missing'
    ELSE 'Check that the dump job ended without errors. Tools that select records may drop the trailer; then nothing is missing'
  END                                     AS what_to_do,
  CASE WHEN trailer_missing THEN dump_headers - dump_trailers ELSE 0 END AS trailers_missing,
  end_record_id                           AS record_id,
  end_offset                              AS evidence_offset,
  CASE WHEN NOT ends_in_record THEN 'info' END AS severity
FROM quality_source
