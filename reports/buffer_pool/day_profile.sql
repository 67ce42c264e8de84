/*---
id         = "buffer_pool/day_profile"
title      = "Buffer pool by time of day, last seven days"
question   = "Does this pattern repeat every day, or is it only today?"
needs      = ["buffer_pool"]
grain      = ["lpar", "qmgr", "pool_id", "time_of_day_local"]
drill_down = ["overview/timeline"]
note       = "Shows the last seven days of each queue manager next to each other, the oldest first; - means no data. The median and the number of days refer to all days. Fragments of intervals and those after a start are excluded."

[columns]
time_of_day_local = { unit = "text", label = "time", screen = 1, doc = "Half hour of the day in local time." }
lowest_free_pct_by_day = { unit = "text", label = "lowest free %, last 7 days, oldest first", screen = 1, doc = "Lowest share of stealable buffers in this half hour on each of the last seven days, the oldest first." }
page_set_ios_per_s_by_day = { unit = "text", label = "page set I/O per s, last 7 days, oldest first", screen = 3, doc = "Highest rate of page set I/O in this half hour on each of the last seven days, the oldest first." }
lowest_free_pct_median = { unit = "percent", label = "median %", screen = 1, doc = "Median over the intervals of their lowest shares.", over = "none", why = "A median or percentile does not follow from those of the rows." }
days = { unit = "count", label = "days", screen = 2, doc = "Number of days with data for this half hour.", over = "max" }
---*/
WITH
day AS (
  SELECT
    lpar, qmgr, pool_id,
    CAST(interval_start_local AS DATE)                                         AS local_date,
    strftime(time_bucket(INTERVAL 30 MINUTE, interval_start_local), '%H:%M')   AS time_of_day_local,
    min(lowest_free_pct)                                                       AS lowest,
    max(page_set_ios_per_s)                                                    AS highest
  FROM buffer_pool
  WHERE buffers > 0 AND judgeable(interval_seconds, fragment) AND NOT coalesce(startup_interval OR suspect_first, false)
  GROUP BY ALL
),
last_day AS (
  SELECT lpar, qmgr, max(local_date) AS last_date
  FROM day
  GROUP BY lpar, qmgr
),
placed AS (
  SELECT d.*, date_diff('day', d.local_date, l.last_date) AS days_back
  FROM day AS d
  JOIN last_day AS l ON l.lpar = d.lpar AND l.qmgr = d.qmgr
),
overlaid AS (
  SELECT
    lpar, qmgr, pool_id, time_of_day_local,
    -- One value for each of the seven days, so that the positions stay the same if a day has no data.
    [max(CASE WHEN days_back = 6 THEN lowest END), max(CASE WHEN days_back = 5 THEN lowest END), max(CASE WHEN days_back = 4 THEN lowest END),
     max(CASE WHEN days_back = 3 THEN lowest END), max(CASE WHEN days_back = 2 THEN lowest END), max(CASE WHEN days_back = 1 THEN lowest END),
     max(CASE WHEN days_back = 0 THEN lowest END)] AS lowest_by_day,
    [max(CASE WHEN days_back = 6 THEN highest END), max(CASE WHEN days_back = 5 THEN highest END), max(CASE WHEN days_back = 4 THEN highest END),
     max(CASE WHEN days_back = 3 THEN highest END), max(CASE WHEN days_back = 2 THEN highest END), max(CASE WHEN days_back = 1 THEN highest END),
     max(CASE WHEN days_back = 0 THEN highest END)] AS highest_by_day,
    median(lowest) AS lowest_free_pct_median,
    count(*)       AS days
  FROM placed
  GROUP BY lpar, qmgr, pool_id, time_of_day_local
)
SELECT
  lpar, qmgr, pool_id, time_of_day_local,
  array_to_string(list_transform(lowest_by_day, lambda x: CASE WHEN x IS NULL THEN '    -' ELSE format('{:5.1f}', x) END), ' ')  AS lowest_free_pct_by_day,
  array_to_string(list_transform(highest_by_day, lambda x: CASE WHEN x IS NULL THEN '     -' ELSE format('{:6.1f}', x) END), ' ') AS page_set_ios_per_s_by_day,
  lowest_free_pct_median, days
FROM overlaid
ORDER BY lpar, qmgr, pool_id, time_of_day_local
