/*---
id      = "record_duplicate"
title   = "Records that stand before in the data"
grain   = "one row per record that is equal to an earlier one"
needs   = ["record"]
note    = "Equal means equal byte by byte behind the record descriptor word. Of equal records the first one is not listed."

[columns]
record_id = {}
source_id = {}
lpar = {}
qmgr = {}
record_class = { unit = "text", kind = "key", doc = "Type and subtype as one word, such as 115.215." }
record_bytes = { unit = "bytes", kind = "gauge", doc = "Length of the joined record." }
written_local = { unit = "ts_local", kind = "clock", doc = "Time the record was moved to the SMF buffer." }
first_record_id = { unit = "id", kind = "key", doc = "The record that it is equal to." }
cut_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the statistics interval that the record names; null where it names none." }
---*/
WITH
-- Numbers instead of texts: this is the one pass that has to remember every record.
twice AS (
  SELECT hash(record_hash) AS short_hash
  FROM record
  WHERE record_hash IS NOT NULL AND damage IS NULL
  GROUP BY short_hash
  HAVING count(*) > 1
),
suspect AS (
  SELECT
    r.record_id, r.source_id, r.lpar, r.qmgr, r.record_class, r.record_bytes, r.written_local, r.record_hash,
    CASE WHEN r.smf_type = 115 THEN coalesce(r.record_start_utc, r.interval_start_utc) END AS cut_start_utc
  FROM record AS r
  SEMI JOIN twice AS t ON t.short_hash = hash(r.record_hash)
  WHERE r.damage IS NULL
),
first_one AS (
  SELECT record_hash, min(record_id) AS first_record_id
  FROM suspect
  GROUP BY record_hash
)
SELECT s.record_id, s.source_id, s.lpar, s.qmgr, s.record_class, s.record_bytes, s.written_local, f.first_record_id, s.cut_start_utc
FROM suspect AS s
JOIN first_one AS f ON f.record_hash = s.record_hash
WHERE s.record_id <> f.first_record_id
