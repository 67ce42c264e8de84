/*---
id          = "DQ003"
name        = "transfer-damaged-input"
title       = "The file was transferred or packed in a way that destroys it"
severity    = "critical"
grain       = ["source_id"]
needs       = ["quality_source.records_read"]
prints      = ["quality_source.diagnosis", "quality_source.source_name", "quality_source.source_bytes", "quality_source.tiny_spots"]
judge       = "whole period"
worst       = "highest"
measure     = "damaged spots between records"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[threshold.tiny_spots_min]
value = 2
unit  = "count"
why   = "line ends of a text transfer stand behind every record, chance leaves one"

[threshold.tiny_spots_share_min]
value = 0.25
unit  = "ratio"
why   = "fewer are damage of another kind, which DQ001 shows"

[source]
cite = "z/OS transfers need BINARY and SITE RDW; signs of the wrong ones"
kind = "guidance"

[advice]
summary = "Input {source_name} of {source_bytes} bytes: {records_read} records were recognised, with {tiny_spots} spots of one or two foreign bytes between them. {finding}"
remedy  = "Transfer it again in binary with the record descriptor words (FTP: BIN and QUOTE SITE RDW; zowe: --record), unpack tersed files on z/OS first; mqstat doctor names what it sees and the exact commands."
report  = "overview/data_quality"
---*/
SELECT
  source_id,
  'input ' || source_name                 AS subject,
  tiny_spots                              AS observed,
  source_name, source_bytes, records_read, tiny_spots,
  coalesce('It says of itself: ' || diagnosis, '') AS finding,
  0                                       AS evidence_offset,
  diagnosis IS NOT NULL OR records_read = 0
    OR (tiny_spots >= $tiny_spots_min AND tiny_spots >= $tiny_spots_share_min * records_read) AS breach
FROM quality_source
ORDER BY source_id
