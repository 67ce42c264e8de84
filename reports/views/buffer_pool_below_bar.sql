/*---
id      = "buffer_pool_below_bar"
title   = "Buffer pools below the bar at the end of the period"
grain   = "one row per lpar and qmgr"
needs   = ["buffer_pool", "qmgr"]
classes = ["115.215"]
note    = "Helper of rule BP012 and view buffer_pool_region. The last interval that has the location of pools counts; pools with 0 buffers are ignored."

[columns]
record_id = { doc = "Record of this interval." }
below_bar_pools = { unit = "count", doc = "Pools that are below the 2 GB bar at the end of the period.", over = "add" }
below_bar_pool_list = { unit = "text", doc = "Numbers of these pools." }
below_bar_mib = { unit = "mib", doc = "Size of these pools.", over = "max" }
below_bar_at_utc = { unit = "ts_utc", doc = "Start of the last interval that has the location of pools." }
---*/
WITH pool AS (
  SELECT lpar, qmgr, interval_start_utc, record_id, pool_id, pool_mib, buffers > 0 AND NOT above_bar AS below_bar
  FROM buffer_pool
  WHERE above_bar IS NOT NULL
  -- A pool that was moved or deleted takes no storage below the bar any more.
  QUALIFY rank() OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc DESC NULLS LAST) = 1
)
SELECT
  p.lpar, p.qmgr,
  max(p.record_id)                                                             AS record_id,
  max(m.highest_mq_level)                                                      AS highest_mq_level,
  count(*) FILTER (below_bar)                                                  AS below_bar_pools,
  string_agg(pool_id::VARCHAR, ', ' ORDER BY pool_id) FILTER (below_bar)       AS below_bar_pool_list,
  coalesce(sum(pool_mib) FILTER (below_bar), 0)                                AS below_bar_mib,
  max(p.interval_start_utc)                                                    AS below_bar_at_utc
FROM pool AS p
LEFT JOIN qmgr AS m ON m.lpar = p.lpar AND m.qmgr = p.qmgr
GROUP BY p.lpar, p.qmgr
