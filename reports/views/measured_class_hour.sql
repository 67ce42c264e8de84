/*---
id      = "measured_class_hour"
title   = "Hours of each day in which a record class was written, or should have been"
grain   = "one row per lpar, qmgr, record class, day and hour of the day"
needs   = ["slot", "interval_cut", "qmgr"]
keep    = false                          # read only once
note    = "Only slots that view slot counts are evidence. 116.0, 116.1 and 115.216 need work: 1,000 calls of 115.2 in the slot. 116.10 has no rows: only channels with STATCHL write it, and only if they ran."

[columns]
record_class = { unit = "text", doc = "SMF type and subtype: 115.1." }
day_number = { unit = "id", doc = "Days from 2000-01-01 to the local day." }
hour_of_day = { unit = "id", doc = "Local hour of the day, 0 to 23." }
is_there = { unit = "flag", doc = "A slot that begins in the hour has the class." }
---*/
WITH
clock AS (
  SELECT lpar, qmgr, interval_start_utc, interval_start_local - interval_start_utc AS offset_from_utc
  FROM interval_cut
  WHERE interval_start_local IS NOT NULL
),
timed AS (
  SELECT s.*, s.slot_start_utc + coalesce(c.offset_from_utc, to_minutes(q.gmt_offset_minutes::BIGINT)) AS slot_start_local
  FROM slot AS s
  LEFT JOIN qmgr AS q ON q.lpar = s.lpar AND q.qmgr = s.qmgr
  ASOF LEFT JOIN clock AS c ON c.lpar = s.lpar AND c.qmgr = s.qmgr AND c.interval_start_utc <= s.slot_start_utc
  WHERE s.is_counted
),
flagged AS (
  SELECT lpar, qmgr, slot_start_local, mqi_calls, replace(replace(flag, 'has_', ''), '_', '.') AS record_class, has_class
  FROM (UNPIVOT timed ON COLUMNS('^has_') INTO NAME flag VALUE has_class)
)
SELECT
  lpar, qmgr, record_class,
  datediff('day', DATE '2000-01-01', slot_start_local::DATE) AS day_number,
  hour(slot_start_local)                                     AS hour_of_day,
  bool_or(has_class)                                         AS is_there
FROM flagged
WHERE record_class <> '116.10' AND (record_class NOT IN ('115.216', '116.0', '116.1') OR mqi_calls >= 1000) AND slot_start_local IS NOT NULL
GROUP BY lpar, qmgr, record_class, day_number, hour_of_day
