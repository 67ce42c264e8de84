/*---
id         = "buffer_pool/health"
title      = "Buffer pool health over the period"
question   = "Is a pool too small always, sometimes or never, and what size would be enough?"
needs      = ["buffer_pool_period"]
rules      = ["BP005", "BP012", "BP015", "BP016", "BP017"]
grain      = ["lpar", "qmgr", "pool_id"]
drill_down = ["buffer_pool/usage", "buffer_pool/map", "buffer_pool/day_profile"]
site_input = ["pool_role"]
note       = "Pool 0 and pools declared as short are judged by any deferred write or read, the others by free buffers and synchronous writes. A pool is reported as oversized only after seven days, pool 0 never. Intervals below 10 seconds and those after a start only count for events and pages."

[columns]
intervals = { screen = 3 }
pages_read = { screen = 3 }
pages_written = { screen = 0 }
pool_hit_pct = { screen = 0 }
---*/
SELECT
  lpar, qmgr, qsg, pool_id, buffers_now, buffers_changed, pool_mib_now, above_bar, page_fixed, page_sets_on_pool, intervals,
  lowest_free_pct_min, lowest_free_at_utc, lowest_free_pct_median, intervals_below_15_pct, share_below_15_pct, share_below_5_pct,
  highest_used_pct_max, intervals_with_synchronous_writes, intervals_with_no_buffers, intervals_with_deferred_writes, intervals_with_reads,
  pages_read, pages_written, page_set_ios_per_s_peak, pool_hit_pct,
  buffers_for_15pct_free, buffers_for_20pct_free_p99, buffers_at_105pct, oversized, health
FROM buffer_pool_period
ORDER BY
  CASE health WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 WHEN 'oversized' THEN 2 ELSE 3 END,
  lowest_free_pct_min, lpar, qmgr, pool_id
