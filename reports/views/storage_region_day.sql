/*---
id      = "storage_region_day"
title   = "31-bit storage by local day"
grain   = "one row per lpar, qmgr, start of the queue manager and local day"
needs   = ["storage_region", "interval_cut"]
classes = ["115.7"]
note    = "Helper of view storage_region_growth. A day in which the queue manager started has one row before and one after the start."

[columns]
starts_before = { unit = "count", doc = "Starts of the queue manager in the data before the row.", over = "same" }
local_day = { unit = "number", doc = "Local day of the start of the intervals, in days since 1970.", over = "same" }
allocated_31_day_max = { unit = "bytes", doc = "Largest amount of 31-bit user and system storage allocated at the end of an interval of the day.", over = "max" }
complete_day = { unit = "flag", doc = "The intervals of the row cover at least 90 % of what the days of the queue manager usually cover." }
---*/
WITH cut AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    count(*) FILTER (restart_seen) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc) AS starts_before
  FROM interval_cut
),
day AS (
  SELECT
    r.lpar, r.qmgr, coalesce(c.starts_before, 0)                      AS starts_before,
    date_diff('day', DATE '1970-01-01', r.interval_start_local::DATE) AS local_day,
    max(r.allocated_31_bytes)                                         AS allocated_31_day_max,
    sum(r.interval_seconds)                                           AS seconds
  FROM storage_region AS r
  LEFT JOIN cut AS c ON c.lpar = r.lpar AND c.qmgr = r.qmgr AND c.interval_start_utc = r.interval_start_utc
  WHERE r.interval_start_local IS NOT NULL
  GROUP BY r.lpar, r.qmgr, coalesce(c.starts_before, 0), date_diff('day', DATE '1970-01-01', r.interval_start_local::DATE)
)
SELECT
  lpar, qmgr, starts_before, local_day, allocated_31_day_max,
  seconds >= 0.9 * median(seconds) OVER (PARTITION BY lpar, qmgr) AS complete_day
FROM day
