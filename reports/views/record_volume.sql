/*---
id      = "record_volume"
title   = "Volume of SMF data"
grain   = "one row per lpar, qmgr, hour, smf_type and subtype"
needs   = ["record_count", "queue_sharing_group", "decoded.wtas"]

[columns]
mean_record_bytes = { unit = "bytes", doc = "Average length of a record.", ratio = { numerator = "mean_record_bytes * records", denominator = "records" }, label = "mean bytes", format = ",.0f", screen = 1 }
queue_blocks = { doc = "Queue blocks that the tasks of the 116.1 records have; null for other classes.", over = "add", label = "queue blocks", screen = 3 }
---*/
WITH
counted AS (
  SELECT
    lpar, qmgr, hour_start_utc, hour_local, smf_type, subtype,
    sum(records)::BIGINT         AS records,
    sum(bytes)::BIGINT           AS bytes,
    max(max_record_bytes)        AS max_record_bytes,
    sum(spanned_records)::BIGINT AS spanned_records
  FROM record_count
  GROUP BY lpar, qmgr, hour_start_utc, hour_local, smf_type, subtype
),
block AS (
  SELECT
    lpar, qmgr, date_trunc('hour', written_local) - to_minutes(gmt_offset_minutes::BIGINT) AS hour_start_utc,
    date_trunc('hour', written_local) AS hour_local, sum(queue_blocks)::BIGINT AS queue_blocks
  FROM decoded.wtas
  GROUP BY ALL
)
SELECT
  c.lpar, c.qmgr, g.qsg, c.hour_start_utc, c.hour_local, c.smf_type, c.subtype, c.records, c.bytes,
  c.bytes / nullif(c.records, 0) AS mean_record_bytes,
  c.max_record_bytes, c.spanned_records,
  CASE WHEN c.smf_type = 116 AND c.subtype = 1 THEN b.queue_blocks END AS queue_blocks
FROM counted AS c
LEFT JOIN queue_sharing_group AS g ON g.lpar = c.lpar AND g.qmgr = c.qmgr
LEFT JOIN block AS b
  ON b.lpar = c.lpar AND b.qmgr = c.qmgr AND b.hour_start_utc IS NOT DISTINCT FROM c.hour_start_utc AND b.hour_local = c.hour_local
