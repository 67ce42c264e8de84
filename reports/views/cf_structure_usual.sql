/*---
id      = "cf_structure_usual"
title   = "Time of calls to a structure compared with its usual time"
grain   = "one row per lpar, qmgr, interval and CF structure"
needs   = ["cf_structure"]
classes = ["115.2"]
note    = "Helper of rule CF006. The usual time is the median over the intervals with at least 1,000 calls of that kind; fragments and intervals after a start are excluded."

[columns]
average_single_us = { ratio = { numerator = "average_single_us * single_calls", denominator = "single_calls" } }
single_usual_us = { unit = "us", doc = "Median of this average.", over = "same" }
single_times_usual = { unit = "ratio", doc = "This average as a multiple of its median.", over = "max" }
single_usual_intervals = { unit = "count", doc = "Number of intervals in the median.", over = "same" }
average_multiple_us = { ratio = { numerator = "average_multiple_us * multiple_calls", denominator = "multiple_calls" } }
multiple_usual_us = { unit = "us", doc = "Median of this average.", over = "same" }
multiple_times_usual = { unit = "ratio", doc = "This average as a multiple of its median.", over = "max" }
multiple_usual_intervals = { unit = "count", doc = "Number of intervals in the median.", over = "same" }
---*/
WITH usual AS (
  SELECT
    lpar, qmgr, cf_structure,
    count(*) FILTER (single_calls >= 1000)                   AS single_usual_intervals,
    median(average_single_us) FILTER (single_calls >= 1000)  AS single_usual_us,
    count(*) FILTER (multiple_calls >= 1000)                 AS multiple_usual_intervals,
    median(average_multiple_us) FILTER (multiple_calls >= 1000) AS multiple_usual_us
  FROM cf_structure
  WHERE judgeable(interval_seconds, fragment) AND NOT coalesce(startup_interval OR suspect_first, false)
  GROUP BY lpar, qmgr, cf_structure
)
SELECT
  c.lpar, c.qmgr, c.interval_start_utc, c.interval_seconds, c.record_id, c.fragment, c.startup_interval, c.suspect_first, c.cf_structure, c.group_member,
  c.single_calls, c.average_single_us, u.single_usual_us,
  c.average_single_us / nullif(u.single_usual_us, 0)     AS single_times_usual,
  coalesce(u.single_usual_intervals, 0)                  AS single_usual_intervals,
  c.multiple_calls, c.average_multiple_us, u.multiple_usual_us,
  c.average_multiple_us / nullif(u.multiple_usual_us, 0) AS multiple_times_usual,
  coalesce(u.multiple_usual_intervals, 0)                AS multiple_usual_intervals
FROM cf_structure AS c
LEFT JOIN usual AS u ON u.lpar = c.lpar AND u.qmgr = c.qmgr AND u.cf_structure = c.cf_structure
