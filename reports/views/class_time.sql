/*---
id      = "class_time"
title   = "Times that the records of each class cover"
grain   = "one row per lpar, qmgr, record class and time without a hole"
needs   = ["record"]
keep    = true                            # read five times by view slot
note    = "Helper of view slot. 116.0 and 115.240 have no interval: their times are those at which they were written and began. Intervals of 116.1 that begin within a minute are put together, so that a task of milliseconds is no row of its own; 116.2 counts as 116.1."

[columns]
first_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the time." }
last_utc = { unit = "ts_utc", kind = "clock", doc = "End of the time." }
first_written_utc = { unit = "ts_utc", kind = "clock", doc = "Store clock of the first of these records; null if they have no such clock (115.5, 115.6, 115.7)." }
---*/
WITH
timed AS (
  SELECT
    lpar, qmgr, record_class, header_stck_utc,
    CASE
      WHEN record_class = '116.0' THEN header_stck_utc
      -- Without its 115.1 such a record has no interval; it is written at the end of one.
      WHEN subtype IN (5, 6, 7) AND smf_type = 115
        THEN coalesce(interval_start_utc, written_local - to_minutes(gmt_offset_minutes::BIGINT) - to_minutes(1))
      ELSE coalesce(record_start_utc, interval_start_utc)
    END AS first_utc,
    CASE
      WHEN record_class = '116.0' THEN header_stck_utc
      WHEN record_class = '115.240' THEN record_start_utc
      WHEN subtype IN (5, 6, 7) AND smf_type = 115 THEN coalesce(interval_end_utc, written_local - to_minutes(gmt_offset_minutes::BIGINT))
      ELSE coalesce(record_start_utc + to_microseconds(record_us), interval_end_utc)
    END AS last_utc
  FROM record
  WHERE damage IS NULL AND lpar IS NOT NULL AND qmgr IS NOT NULL
    AND record_class IN ('115.1', '115.2', '115.5', '115.6', '115.7', '115.201', '115.215', '115.216', '115.231', '115.240', '116.0', '116.1', '116.2', '116.10')
    AND (smf_type = 116 OR coalesce(record_us, 1) BETWEEN 1 AND 86400000000)
),
piece AS (
  SELECT
    lpar, qmgr, CASE WHEN record_class = '116.2' THEN '116.1' ELSE record_class END AS record_class,
    min(first_utc) AS first_utc, max(last_utc) AS last_utc, min(header_stck_utc) AS first_written_utc
  FROM timed
  WHERE last_utc >= first_utc
  GROUP BY lpar, qmgr, record_class, CASE WHEN record_class IN ('116.0', '116.1', '116.2') THEN date_trunc('minute', first_utc) ELSE first_utc END
),
marked AS (
  SELECT *, coalesce(first_utc > max(last_utc) OVER earlier + to_seconds(2), true) AS is_first
  FROM piece
  WINDOW earlier AS (PARTITION BY lpar, qmgr, record_class ORDER BY first_utc, last_utc ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
numbered AS (
  SELECT *, count(*) FILTER (is_first) OVER (PARTITION BY lpar, qmgr, record_class ORDER BY first_utc, last_utc ROWS UNBOUNDED PRECEDING) AS part
  FROM marked
)
SELECT lpar, qmgr, record_class, min(first_utc) AS first_utc, max(last_utc) AS last_utc, min(first_written_utc) AS first_written_utc
FROM numbered
GROUP BY lpar, qmgr, record_class, part
