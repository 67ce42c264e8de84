/*---
id      = "buffer_pool_region"
title   = "Buffer pools below the bar in the 31-bit region at the end of the period"
grain   = "one row per lpar and qmgr that reports its storage"
needs   = ["buffer_pool_below_bar", "decoded.qsrs"]
classes = ["115.7"]
note    = "Helper of rule BP013."

[columns]
record_id = { doc = "Record of the last interval that has the location of pools." }
below_bar_pool_list = { doc = "Numbers of the pools that are below the bar at the end of the period." }
below_bar_region_pct = { unit = "percent", doc = "Size of these pools as a share of the 31-bit region of that interval, or of the nearest one with its size.", over = "max" }
---*/
WITH sized AS (
  SELECT
    b.lpar, b.qmgr, b.record_id, b.below_bar_pool_list, b.below_bar_mib, b.below_bar_at_utc,
    -- The region changes with a restart: that of this interval counts, otherwise the nearest one; records without a time are last.
    arg_min(r.region_31_bytes, (
      coalesce(abs(epoch_us(r.interval_start_utc) - epoch_us(b.below_bar_at_utc)), 9223372036854775807), r.interval_start_utc, r.record_id
    )) AS region_31_bytes
  FROM buffer_pool_below_bar AS b
  JOIN decoded.qsrs AS r ON r.lpar = b.lpar AND r.qmgr = b.qmgr
  GROUP BY b.lpar, b.qmgr, b.record_id, b.below_bar_pool_list, b.below_bar_mib, b.below_bar_at_utc
)
SELECT *, 100 * below_bar_mib * 1048576 / nullif(region_31_bytes, 0) AS below_bar_region_pct
FROM sized
