/*---
id      = "record_count"
title   = "Records counted"
grain   = "one row per lpar, qmgr, hour, record class, MQ level, header release, queue-sharing group and GMT offset"
needs   = ["record", "record_doubt"]
note    = "Views of queue managers, collection, volume and versions share this single scan of all records."

[columns]
mq_level = { unit = "number", doc = "MQ level as one number VVRRMM (10.0.0 = 100000): levels are compared by it, never as text.", over = "max" }
hour_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the hour in which the records were written; null where the GMT offset is unknown." }
hour_local = { unit = "ts_local", kind = "clock", doc = "Hour in which the records were written, local time.", screen = 1 }
records = { unit = "count", doc = "Number of records.", over = "add", label = "records", screen = 1 }
undamaged_records = { unit = "count", doc = "Of these the undamaged ones.", over = "add" }
confirmed_records = { unit = "count", doc = "Of the undamaged ones those that are not in record_doubt.", over = "add" }
bytes = { unit = "bytes", doc = "Bytes of these records.", over = "add", label = "bytes", screen = 1 }
max_record_bytes = { unit = "bytes", doc = "Length of the longest record.", over = "max", label = "longest bytes", screen = 2 }
spanned_records = { unit = "count", doc = "Records of more than one segment.", over = "add", label = "spanned", screen = 3 }
first_written_local = { unit = "ts_local", kind = "clock", doc = "Time of the first record." }
last_written_local = { unit = "ts_local", kind = "clock", doc = "Time of the last record." }
---*/
WITH counted AS (
  SELECT
    r.lpar, r.qmgr, r.qsg, r.mq_version, r.header_release, r.smf_type, r.subtype, r.record_class, r.gmt_offset_minutes,
    date_trunc('hour', r.written_local) AS hour_local,
    count(*)                          AS records,
    count(*) FILTER (r.damage IS NULL) AS undamaged_records,
    count(*) FILTER (r.damage IS NULL AND d.record_id IS NULL) AS confirmed_records,
    sum(record_bytes)::BIGINT         AS bytes,
    max(record_bytes)                 AS max_record_bytes,
    count(*) FILTER (segments > 1)    AS spanned_records,
    min(written_local)                AS first_written_local,
    max(written_local)                AS last_written_local
  FROM record AS r
  LEFT JOIN record_doubt AS d ON d.record_id = r.record_id
  GROUP BY ALL
)
SELECT
  lpar, qmgr, qsg, mq_version,
  CAST(split_part(mq_version, '.', 1) AS INTEGER) * 10000 + CAST(split_part(mq_version, '.', 2) AS INTEGER) * 100
    + CAST(split_part(mq_version, '.', 3) AS INTEGER) AS mq_level,
  header_release, smf_type, subtype, record_class, gmt_offset_minutes,
  hour_local - to_minutes(gmt_offset_minutes::BIGINT) AS hour_start_utc, hour_local,
  records, undamaged_records, confirmed_records, bytes, max_record_bytes, spanned_records, first_written_local, last_written_local
FROM counted
