/*---
id      = "buffer_pool_usual"
title   = "Page gets of a buffer pool compared with its usual rate"
grain   = "one row per lpar, qmgr, interval and pool"
needs   = ["buffer_pool"]
classes = ["115.215"]
note    = "Helper of rule BP011 and report buffer_pool/io. The usual rate is the median of the intervals of the pool, without fragments and those after a start."

[columns]
pool_intervals = { unit = "count", doc = "Number of intervals of the pool in the medians.", over = "same" }
page_gets_old_usual_per_s = { unit = "per_s", doc = "Median of this rate.", over = "same" }
page_gets_old_times_usual = { unit = "ratio", doc = "This rate as a multiple of its median.", over = "max" }
page_gets_new_usual_per_s = { unit = "per_s", doc = "Median of this rate.", over = "same" }
set_writes_usual_per_s = { unit = "per_s", doc = "Median of this rate.", over = "same" }
looks_like_scan = { unit = "flag", doc = "At least five times the usual page gets with no more new pages and updates than usual, with at least eight intervals; for display only, findings come from rules." }
---*/
WITH
pool AS (
  SELECT lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first, pool_id, buffers,
    page_gets_old_per_s, page_gets_new_per_s, set_writes_per_s
  FROM buffer_pool
),
usual AS (
  SELECT
    lpar, qmgr, pool_id,
    count(page_gets_old_per_s)  AS pool_intervals,
    median(page_gets_old_per_s) AS page_gets_old_usual_per_s,
    median(page_gets_new_per_s) AS page_gets_new_usual_per_s,
    median(set_writes_per_s)    AS set_writes_usual_per_s
  FROM pool
  WHERE judgeable(interval_seconds, fragment) AND NOT coalesce(startup_interval OR suspect_first, false)
  GROUP BY lpar, qmgr, pool_id
)
SELECT
  p.lpar, p.qmgr, p.interval_start_utc, p.interval_seconds, p.record_id, p.fragment, p.startup_interval, p.suspect_first, p.pool_id, p.buffers,
  u.pool_intervals,
  p.page_gets_old_per_s,
  u.page_gets_old_usual_per_s,
  p.page_gets_old_per_s / nullif(u.page_gets_old_usual_per_s, 0) AS page_gets_old_times_usual,
  p.page_gets_new_per_s,
  u.page_gets_new_usual_per_s,
  p.set_writes_per_s,
  u.set_writes_usual_per_s,
  u.pool_intervals >= 8
    AND p.page_gets_old_per_s >= 5 * u.page_gets_old_usual_per_s
    AND p.page_gets_new_per_s <= u.page_gets_new_usual_per_s
    AND p.set_writes_per_s <= u.set_writes_usual_per_s           AS looks_like_scan
FROM pool AS p
LEFT JOIN usual AS u ON u.lpar = p.lpar AND u.qmgr = p.qmgr AND u.pool_id = p.pool_id
