/*---
id      = "buffer_pool_below_bar"
title   = "Buffer pools below the bar over the period"
grain   = "one row per lpar and qmgr"
needs   = ["buffer_pool", "qmgr"]
classes = ["115.215"]
note    = "Helper of rule BP012 and view buffer_pool_region. Pools with 0 buffers are ignored."

[columns]
record_id = { doc = "Record of the interval in which the pools below the bar were largest." }
below_bar_pools = { unit = "count", doc = "Pools that are below the 2 GB bar at the end of the period; null if no record has the location of pools.", over = "add" }
below_bar_pool_list = { unit = "text", doc = "Numbers of these pools." }
below_bar_mib = { unit = "mib", doc = "Largest size of the pools below the bar in any interval.", over = "max" }
below_bar_at_utc = { unit = "ts_utc", doc = "Start of the interval with the largest size." }
---*/
WITH
pool AS (
  SELECT lpar, qmgr, interval_start_utc, record_id, pool_id, pool_mib, above_bar
  FROM buffer_pool
  WHERE buffers > 0 AND above_bar IS NOT NULL
),
last_state AS (
  SELECT lpar, qmgr, pool_id, arg_max(above_bar, interval_start_utc) AS above_bar
  FROM pool
  GROUP BY lpar, qmgr, pool_id
),
below AS (
  SELECT
    lpar, qmgr,
    count(*) FILTER (NOT above_bar)                                                AS below_bar_pools,
    string_agg(pool_id::VARCHAR, ', ' ORDER BY pool_id) FILTER (NOT above_bar)     AS below_bar_pool_list
  FROM last_state
  GROUP BY lpar, qmgr
),
sized AS (
  SELECT lpar, qmgr, interval_start_utc, max(record_id) AS record_id, coalesce(sum(pool_mib) FILTER (NOT above_bar), 0) AS mib
  FROM pool
  GROUP BY lpar, qmgr, interval_start_utc
),
largest AS (
  SELECT
    lpar, qmgr,
    max(mib)                         AS below_bar_mib,
    arg_max(interval_start_utc, (mib, -epoch_us(interval_start_utc))) FILTER (mib IS NOT NULL) AS below_bar_at_utc,
    arg_max(record_id, (mib, -epoch_us(interval_start_utc))) FILTER (mib IS NOT NULL) AS record_id
  FROM sized
  GROUP BY lpar, qmgr
)
SELECT
  l.lpar, l.qmgr, l.record_id,
  m.highest_mq_level,
  b.below_bar_pools, b.below_bar_pool_list, l.below_bar_mib, l.below_bar_at_utc
FROM largest AS l
JOIN below AS b ON b.lpar = l.lpar AND b.qmgr = l.qmgr
LEFT JOIN qmgr AS m ON m.lpar = l.lpar AND m.qmgr = l.qmgr
