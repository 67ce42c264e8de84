/*---
id          = "DQ002"
name        = "input-truncated"
title       = "The file ends inside a record or without its trailer"
severity    = "warning"                   # info where only the trailer is missing
grain       = ["source_id"]
needs       = ["quality_source.ends_in_record"]
prints      = ["quality_source.source_name", "quality_source.source_bytes", "quality_source.end_offset", "quality_source.trailer_missing", "quality_source.dump_headers", "quality_source.dump_trailers", "quality_source.end_record_id"]
judge       = "whole period"
worst       = "highest"
breach_when = "cut or trailer"
unit        = "bytes"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[clause.cut]
when    = "observed > 0"
measure = "bytes of an unfinished record"
text    = "unfinished last record of {value}"
clear   = "ends with a whole record"

[clause.trailer]
when    = "trailers_missing > 0"
measure = "dump trailer[s] missing"
unit    = "count"

[source]
cite = "house rule: what is missing at the end cannot be judged"
kind = "judgement"

[advice]
summary = "Input {source_name} of {source_bytes} bytes is not complete: {what_is_missing}."
remedy  = "{what_to_do}."
report  = "overview/data_quality"
---*/
SELECT
  source_id,
  'input ' || source_name                 AS subject,
  CASE WHEN ends_in_record THEN source_bytes - end_offset ELSE 0 END AS observed,
  source_name, source_bytes,
  CASE WHEN ends_in_record THEN 'it ends inside the record that begins at offset ' || end_offset
    ELSE 'of ' || dump_headers || ' dumps in it ' || dump_trailers || ' have a trailer (SMF type 3)' END AS what_is_missing,
  CASE WHEN ends_in_record
    THEN 'Transfer it again, and look for space and a connection that broke: the end of the period is missing'
    ELSE 'See that the dump job ended well; tools that select records may drop the trailer, and then nothing is missing'
  END                                     AS what_to_do,
  CASE WHEN trailer_missing THEN dump_headers - dump_trailers ELSE 0 END AS trailers_missing,
  end_record_id                           AS record_id,
  end_offset                              AS evidence_offset,
  ends_in_record OR coalesce(trailer_missing, false) AS breach,
  CASE WHEN NOT ends_in_record THEN 'info' END AS severity
FROM quality_source
ORDER BY source_id
