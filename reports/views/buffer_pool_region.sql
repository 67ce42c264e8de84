/*---
id      = "buffer_pool_region"
title   = "Buffer pools below the bar in the 31-bit region"
grain   = "one row per lpar and qmgr that reports its storage"
needs   = ["buffer_pool_below_bar", "decoded.qsrs"]
classes = ["115.7"]
note    = "Helper of rule BP013."

[columns]
record_id = { doc = "Record of the interval in which the pools below the bar were largest." }
below_bar_pool_list = { doc = "Numbers of the pools that are below the bar at the end of the period." }
below_bar_region_pct = { unit = "percent", doc = "Largest size of the pools below the bar as a share of the 31-bit region.", over = "max" }
---*/
WITH region AS (
  SELECT lpar, qmgr, max(region_31_bytes) AS region_31_bytes
  FROM decoded.qsrs
  GROUP BY lpar, qmgr
)
SELECT
  b.lpar, b.qmgr, b.record_id, b.below_bar_pool_list, b.below_bar_mib, b.below_bar_at_utc,
  r.region_31_bytes,
  100 * b.below_bar_mib * 1048576 / nullif(r.region_31_bytes, 0) AS below_bar_region_pct
FROM buffer_pool_below_bar AS b
JOIN region AS r ON r.lpar = b.lpar AND r.qmgr = b.qmgr
