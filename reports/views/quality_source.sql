/*---
id      = "quality_source"
title   = "State of each input"
grain   = "one row per input"
needs   = ["source", "damage", "other_record"]

[columns]
records_read = { unit = "count", doc = "Records of all types that were recognised, including damaged ones.", over = "add" }
damaged_spots = { unit = "count", doc = "Number of damaged spans.", over = "add" }
damaged_bytes = { unit = "bytes", doc = "Bytes in damaged spans.", over = "add" }
damaged_pct = { unit = "percent", doc = "Share of the bytes in damaged spans.", ratio = { numerator = "damaged_bytes", denominator = "source_bytes", scale = 100 } }
tiny_spots = { unit = "count", doc = "Damaged spans of one or two bytes, like line ends between records.", over = "add" }
ends_in_record = { unit = "flag", doc = "The input ends inside a record or after a segment that is not the last one." }
end_offset = { unit = "bytes", doc = "Offset of the incomplete record at the end.", over = "max" }
end_record_id = { unit = "id", kind = "key", doc = "Record id of the incomplete record at the end; null if it could not be identified." }
dump_headers = { unit = "count", doc = "Records of type 2, with which a dump begins.", over = "add" }
dump_trailers = { unit = "count", doc = "Records of type 3, with which a dump ends.", over = "add" }
trailer_missing = { unit = "flag", doc = "There are fewer trailers than headers; null if there is no header." }
---*/
WITH
spot AS (
  SELECT
    d.source_id,
    sum(d.spans)::BIGINT                       AS damaged_spots,
    sum(d.damage_bytes)::BIGINT                AS damaged_bytes,
    coalesce(sum(d.spans) FILTER (d.damage_bytes <= 2 * d.spans), 0)::BIGINT AS tiny_spots,
    max(d.damage_offset) FILTER (d.damage_offset + d.damage_bytes >= s.source_bytes
      AND d.damage_reason IN ('truncated', 'missing-segment', 'implausible-length')) AS end_offset,
    max(d.record_id) FILTER (d.damage_offset + d.damage_bytes >= s.source_bytes
      AND d.damage_reason IN ('truncated', 'missing-segment', 'implausible-length')) AS end_record_id
  FROM damage AS d
  JOIN source AS s ON s.source_id = d.source_id
  GROUP BY d.source_id
),
dump AS (
  SELECT
    source_id,
    coalesce(sum(records) FILTER (smf_type = 2), 0)::BIGINT AS dump_headers,
    coalesce(sum(records) FILTER (smf_type = 3), 0)::BIGINT AS dump_trailers
  FROM other_record
  GROUP BY source_id
)
SELECT
  s.source_id, s.source_name, s.source_bytes, s.diagnosis,
  s.records_decoded + s.records_other_types + s.records_internal + s.records_raw + s.records_damaged + s.records_duplicate AS records_read,
  coalesce(p.damaged_spots, 0) AS damaged_spots,
  coalesce(p.damaged_bytes, 0) AS damaged_bytes,
  pct(coalesce(p.damaged_bytes, 0), s.source_bytes) AS damaged_pct,
  coalesce(p.tiny_spots, 0)    AS tiny_spots,
  p.end_offset IS NOT NULL     AS ends_in_record,
  p.end_offset, p.end_record_id,
  coalesce(d.dump_headers, 0)  AS dump_headers,
  coalesce(d.dump_trailers, 0) AS dump_trailers,
  CASE WHEN d.dump_headers > 0 THEN d.dump_trailers < d.dump_headers END AS trailer_missing
FROM source AS s
LEFT JOIN spot AS p ON p.source_id = s.source_id
LEFT JOIN dump AS d ON d.source_id = s.source_id
