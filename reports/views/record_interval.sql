/*---
id      = "record_interval"
title   = "The statistics interval that a record belongs to"
grain   = "one row per record of a class that is written every interval"
needs   = ["record", "channel_interval"]
---*/
-- All 115 records of one interval have its start; to records without one (115.5, 115.6 and 115.7) the reader has assigned the start of their 115.1.
SELECT record_id, lpar, qmgr, record_class, coalesce(record_start_utc, interval_start_utc) AS cut_start_utc
FROM record
WHERE smf_type = 115 AND subtype IN (1, 2, 5, 6, 7, 201, 215, 216, 240) AND damage IS NULL
UNION ALL
SELECT record_id, lpar, qmgr, record_class, cut_start_utc
FROM channel_interval
