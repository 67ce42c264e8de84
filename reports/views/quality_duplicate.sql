/*---
id      = "quality_duplicate"
title   = "Records that are in the data more than once"
grain   = "one row per input"
needs   = ["source", "record"]
note    = "Equal means equal byte by byte behind the record descriptor word. Of equal records the first one is not counted."

[columns]
source_id = {}
source_name = { unit = "text", kind = "text", doc = "Base name of the input, without a directory." }
duplicate_records = { unit = "count", doc = "Records of the input that stand before it in the data already, in this input or another one." }
duplicate_bytes = { unit = "bytes", doc = "Bytes of these records." }
duplicate_record_id = { unit = "id", kind = "key", doc = "The first such record in view record." }
first_duplicate_local = { unit = "ts_local", kind = "clock", doc = "Time of the earliest such record." }
last_duplicate_local = { unit = "ts_local", kind = "clock", doc = "Time of the latest such record." }
---*/
WITH
-- Numbers instead of texts: the one pass over all records that has to remember each of them.
twice AS (
  SELECT hash(record_hash) AS short_hash
  FROM record
  WHERE record_hash IS NOT NULL AND damage IS NULL
  GROUP BY short_hash
  HAVING count(*) > 1
),
suspect AS (
  SELECT r.source_id, r.record_id, r.record_bytes, r.written_local, r.record_hash
  FROM record AS r
  SEMI JOIN twice AS t ON t.short_hash = hash(r.record_hash)
  WHERE r.damage IS NULL
),
first_one AS (
  SELECT record_hash, min(record_id) AS record_id
  FROM suspect
  GROUP BY record_hash
),
counted AS (
  SELECT
    s.source_id,
    count(*)                    AS duplicate_records,
    sum(s.record_bytes)::BIGINT AS duplicate_bytes,
    min(s.record_id)            AS duplicate_record_id,
    min(s.written_local)        AS first_duplicate_local,
    max(s.written_local)        AS last_duplicate_local
  FROM suspect AS s
  JOIN first_one AS f ON f.record_hash = s.record_hash
  WHERE s.record_id <> f.record_id
  GROUP BY s.source_id
)
SELECT
  s.source_id, s.source_name,
  coalesce(c.duplicate_records, 0) AS duplicate_records,
  coalesce(c.duplicate_bytes, 0)   AS duplicate_bytes,
  c.duplicate_record_id, c.first_duplicate_local, c.last_duplicate_local
FROM source AS s
LEFT JOIN counted AS c ON c.source_id = s.source_id
