/*---
id      = "quality_record_time"
title   = "Times of records compared with each other"
grain   = "one row per lpar, qmgr, interval start of the records, and check; changes of the GMT offset once per queue manager"
needs   = ["record", "record_count", "log"]
note    = "Excludes records without their own times (115.5, 115.6, 115.7) and accounting of connections and tasks. If local time is the same 20 to 40 s earlier than the store clock on every record, these are the leap seconds of the system (CVTLSO), which are taken off. Lengths of the channel initiator's records already have the scale of their class."

[columns]
time_check = { unit = "text", doc = "What is compared: end of the interval, clock, length of the interval, GMT offset or idle time of the logger." }
check_seconds = { unit = "s", doc = "Result of the check: time between the end of the interval and the time of writing; distance of local time minus GMT from a multiple of 15 minutes; length of the interval; change of the GMT offset that is not a planned clock change; idle time of the logger beyond 101 % of the interval.", over = "max" }
---*/
WITH
leap AS (
  -- The store clock counts leap seconds where the system has them (CVTLSO), local time does not.
  SELECT lpar, qmgr, CASE WHEN min(ahead_us) BETWEEN 20000000 AND 40000000 AND max(ahead_us) - min(ahead_us) < 500000 THEN min(ahead_us) ELSE 0 END AS leap_us
  FROM (SELECT lpar, qmgr, epoch_us(header_stck_utc) - epoch_us(written_local) + 60000000 * gmt_offset_minutes AS ahead_us FROM record WHERE damage IS NULL)
  GROUP BY lpar, qmgr
),
timed AS (
  SELECT
    lpar, qmgr,
    min(record_start_utc)         AS record_start_utc,
    min(record_id)                AS record_id,
    bool_or(subtype = 240)        AS startup_interval,
    -- In GMT: clocks may change within an interval.
    max(coalesce(
      abs(epoch_us(record_start_utc + to_microseconds(record_us) - (written_local - to_minutes(gmt_offset_minutes))) - coalesce(leap_us, 0)),
      abs(epoch_us(record_start_local + to_microseconds(record_us) - written_local) - coalesce(leap_us, 0))
    )) / 1e6 AS end_seconds,
    max(abs(epoch_us(written_local - header_stck_utc) - 60000000 * gmt_offset_minutes + coalesce(leap_us, 0))) / 1e6 AS clock_seconds,
    -- The one farthest from half an hour: of several lengths, the odd one is much too short or much too long.
    CASE WHEN count(record_us) = count(*) AND count(record_start_utc) > 0 THEN arg_max(record_us, abs(ln(greatest(record_us, 1) / 1.8e9))) / 1e6 END AS length_seconds
  FROM record
  LEFT JOIN leap USING (lpar, qmgr)
  WHERE damage IS NULL AND ((smf_type = 115 AND subtype IN (1, 2, 201, 215, 216, 231, 240)) OR (smf_type = 116 AND subtype = 10))
  -- Records of the channel initiator start a fraction of a millisecond later than those of the queue manager.
  GROUP BY lpar, qmgr, epoch_us(record_start_utc) // 10000
),
stretch AS (
  SELECT
    lpar, qmgr, gmt_offset_minutes,
    -- Not by hour: the hour of the change has records of both offsets.
    first_written_local - to_minutes(gmt_offset_minutes) AS first_written_utc,
    gmt_offset_minutes - lag(gmt_offset_minutes) OVER near AS change_minutes
  FROM record_count
  WHERE gmt_offset_minutes IS NOT NULL
  WINDOW near AS (PARTITION BY lpar, qmgr ORDER BY first_written_local - to_minutes(gmt_offset_minutes), gmt_offset_minutes)
),
change AS (
  SELECT *, lag(first_written_utc) OVER (PARTITION BY lpar, qmgr ORDER BY first_written_utc, gmt_offset_minutes) AS changed_before_utc
  FROM stretch
  WHERE change_minutes <> 0
),
offset_of AS (
  -- A planned change is of an hour or half an hour, and at most once within four weeks; anything else is a mistake or two systems with the same name.
  SELECT
    s.lpar, s.qmgr,
    CASE WHEN bool_and(abs(c.change_minutes) IN (30, 60) AND (c.changed_before_utc IS NULL OR c.first_written_utc - c.changed_before_utc >= INTERVAL 28 DAY))
      THEN 0 ELSE 60 * (max(s.gmt_offset_minutes) - min(s.gmt_offset_minutes)) END AS change_seconds
  FROM stretch AS s
  LEFT JOIN change AS c ON c.lpar IS NOT DISTINCT FROM s.lpar AND c.qmgr IS NOT DISTINCT FROM s.qmgr
  GROUP BY s.lpar, s.qmgr
)
SELECT lpar, qmgr, record_id, record_start_utc AS interval_start_utc, startup_interval, 'end of the interval' AS time_check, end_seconds AS check_seconds
FROM timed
UNION ALL
SELECT lpar, qmgr, record_id, record_start_utc, startup_interval, 'clock', clock_seconds
FROM timed
UNION ALL
SELECT lpar, qmgr, record_id, record_start_utc, startup_interval, 'length of the interval', length_seconds
FROM timed
UNION ALL
SELECT lpar, qmgr, NULL, NULL, false, 'GMT offset', change_seconds
FROM offset_of
UNION ALL
SELECT lpar, qmgr, record_id, interval_start_utc, startup_interval, 'idle time of the logger', greatest(0, logger_idle_us - 1.01::DOUBLE * interval_us) / 1e6
FROM log
WHERE logger_idle_us IS NOT NULL
