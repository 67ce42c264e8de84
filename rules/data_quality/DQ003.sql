/*---
id          = "DQ003"
name        = "transfer-damaged-input"
title       = "The file was transferred or packed in a way that destroys it"
severity    = "critical"
weight      = "collection"
grain       = ["source_id"]
over        = "input"
needs       = ["quality_source.records_read"]
prints      = ["quality_source.diagnosis", "quality_source.source_name", "quality_source.source_bytes", "quality_source.tiny_spots", "quality_source.damaged_pct"]
judge       = "whole period"
worst       = "highest"
breach_when = "diagnosed or empty or damaged or (spots and many)"
look        = ["mqstat report --report overview/data_quality"]

[threshold.tiny_spots_min]
value = 2
unit  = "count"
kind  = "judgement"
why   = "the line ends of a text transfer follow every record; a single one may be chance"

[threshold.tiny_spots_share_min]
value = 0.25
unit  = "ratio"
kind  = "judgement"
why   = "fewer are damage of another kind, which DQ001 reports"

[threshold.damaged_pct_min]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "if half of the bytes are not records, anything that looks like a record is chance"

[clause.diagnosed]
when    = "diagnosed is true"
measure = "sign of a wrong transfer"
text    = "signs of a wrong transfer"
clear   = "no sign of a wrong transfer"

[clause.empty]
when    = "records_read = 0"
measure = "SMF record[s] in it"

[clause.damaged]
when    = "damaged_pct >= damaged_pct_min"
measure = "damaged share of the bytes"

[clause.spots]
when    = "observed >= tiny_spots_min"
measure = "damaged span[s] of one or two bytes"

[clause.many]
when          = "observed >= spots_for_records"
measure       = "damaged span[s] of one or two bytes"
compared_with = "{limit} for this number of records"

[source]
cite = "z/OS transfers need BINARY and SITE RDW; signs of wrong transfers"
kind = "guidance"

[advice]
summary = "Input {source_name} ({source_bytes} byte[s]) was changed on the way: {signs}."
remedy  = "Transfer it again in binary with the record descriptor words (FTP: BIN and QUOTE SITE RDW; zowe: --record), and unpack tersed files on z/OS first; mqstat doctor shows the cause and the exact commands."
report  = "overview/data_quality"
---*/
SELECT
  source_id,
  'input ' || source_name                 AS subject,
  tiny_spots                              AS observed,
  source_name, source_bytes, records_read, damaged_pct,
  diagnosis IS NOT NULL                   AS diagnosed,
  $tiny_spots_share_min * records_read    AS spots_for_records,
  CASE
    WHEN records_read = 0 THEN 'it has no SMF record'
    WHEN diagnosis IS NOT NULL THEN rtrim(diagnosis, '.')
    WHEN damaged_pct >= $damaged_pct_min THEN printf('%.0f %% of its bytes are not records', damaged_pct)
    ELSE 'there are one or two extra bytes in ' || tiny_spots || ' places between the ' || records_read || ' records, like the line ends of a text transfer'
  END                                     AS signs,
  0                                       AS evidence_offset
FROM quality_source
