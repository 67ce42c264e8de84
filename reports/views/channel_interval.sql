/*---
id      = "channel_interval"
title   = "The statistics interval of a channel record"
grain   = "one row per record of the channel initiator (115.231, 116.10)"
needs   = ["record", "interval_cut"]
note    = "Helper of view record_interval and of the channel initiator views."

[columns]
cut_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the statistics interval that the record belongs to; null if there is no such interval." }
---*/
WITH
channel_record AS (
  SELECT record_id, lpar, qmgr, record_class, record_us, record_start_utc + to_microseconds(record_us) AS end_utc
  FROM record
  WHERE damage IS NULL AND ((smf_type = 115 AND subtype = 231) OR (smf_type = 116 AND subtype = 10))
),
-- These records start a little later and end within 1 ms of the interval: use the interval whose end differs least, at most 1 second.
before AS (
  SELECT r.record_id, c.interval_start_utc, epoch_us(r.end_utc - c.interval_end_utc) AS apart_us
  FROM channel_record AS r
  ASOF JOIN interval_cut AS c ON r.lpar = c.lpar AND r.qmgr = c.qmgr AND r.end_utc >= c.interval_end_utc
),
after AS (
  SELECT r.record_id, c.interval_start_utc, epoch_us(c.interval_end_utc - r.end_utc) AS apart_us
  FROM channel_record AS r
  ASOF JOIN interval_cut AS c ON r.lpar = c.lpar AND r.qmgr = c.qmgr AND r.end_utc <= c.interval_end_utc
)
SELECT
  r.record_id, r.lpar, r.qmgr, r.record_class, r.record_us,
  CASE
    WHEN least(b.apart_us, a.apart_us) > 1000000 THEN NULL
    WHEN a.apart_us IS NULL OR b.apart_us <= a.apart_us THEN b.interval_start_utc
    ELSE a.interval_start_utc
  END AS cut_start_utc
FROM channel_record AS r
LEFT JOIN before AS b USING (record_id)
LEFT JOIN after AS a USING (record_id)
