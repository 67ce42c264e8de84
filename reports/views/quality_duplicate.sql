/*---
id      = "quality_duplicate"
title   = "Records that are in the data more than once"
grain   = "one row per input"
needs   = ["source", "record_duplicate"]
note    = "Records are equal if all bytes after the record descriptor word are equal. The first of several equal records is not counted."

[columns]
duplicate_records = { unit = "count", doc = "Records of the input that repeat an earlier record, in this input or another one.", over = "add" }
duplicate_bytes = { unit = "bytes", doc = "Bytes of these records.", over = "add" }
duplicate_record_id = { unit = "id", kind = "key", doc = "The first such record in view record." }
first_duplicate_local = { unit = "ts_local", kind = "clock", doc = "Time of the earliest such record." }
last_duplicate_local = { unit = "ts_local", kind = "clock", doc = "Time of the latest such record." }
---*/
WITH counted AS (
  SELECT
    s.source_id,
    count(*)                    AS duplicate_records,
    sum(s.record_bytes)::BIGINT AS duplicate_bytes,
    min(s.record_id)            AS duplicate_record_id,
    min(s.written_local)        AS first_duplicate_local,
    max(s.written_local)        AS last_duplicate_local
  FROM record_duplicate AS s
  GROUP BY s.source_id
)
SELECT
  s.source_id, s.source_name,
  coalesce(c.duplicate_records, 0) AS duplicate_records,
  coalesce(c.duplicate_bytes, 0)   AS duplicate_bytes,
  c.duplicate_record_id, c.first_duplicate_local, c.last_duplicate_local
FROM source AS s
LEFT JOIN counted AS c ON c.source_id = s.source_id
