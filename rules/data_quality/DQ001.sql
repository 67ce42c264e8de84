/*---
id          = "DQ001"
name        = "damaged-records"
title       = "Records or segments could not be decoded"
severity    = "warning"
weight      = "collection"
grain       = ["source_id"]
over        = "input"
needs       = ["source.source_name"]
prints      = ["damage.damage_offset", "damage.damage_bytes", "damage.spans", "damage.damage_reason", "source.source_bytes"]
judge       = "whole period"
worst       = "highest"
measure     = "damaged span[s]"
when        = "observed > 0"
unit        = "count"
look        = ["mqstat report --report overview/data_quality"]

[source]
cite = "Our own rule: damage is reported and skipped"
kind = "judgement"

[advice]
summary = "Input {source_name} is damaged: {damaged_bytes} of {source_bytes} byte[s] cannot be decoded, number of damaged spans: {damage_count}, the first at offset {first_offset} ({first_reason}). Data that cannot be decoded cannot be judged."
remedy  = "Repeat the dump, or transfer it again in binary with its record descriptor words (FTP: SITE RDW). If a file was split on purpose, a damaged first record is expected."
report  = "overview/data_quality"
---*/
WITH spot AS (
  SELECT
    source_id,
    sum(spans)::BIGINT                    AS damage_count,
    sum(damage_bytes)::BIGINT             AS damaged_bytes,
    min(damage_offset)                    AS first_offset,
    arg_min(damage_reason, damage_offset) AS first_reason,
    arg_min(record_id, damage_offset)     AS first_record_id
  FROM damage
  GROUP BY source_id
)
SELECT
  s.source_id,
  'input ' || s.source_name               AS subject,
  coalesce(d.damage_count, 0)             AS observed,
  s.source_name, s.source_bytes,
  coalesce(d.damage_count, 0)             AS damage_count,
  coalesce(d.damaged_bytes, 0)            AS damaged_bytes,
  d.first_offset, d.first_reason, d.first_record_id AS record_id,
  d.first_offset                          AS evidence_offset
FROM source AS s
LEFT JOIN spot AS d ON d.source_id = s.source_id
