/*---
id      = "buffer_pool_merged"
title   = "Buffer pools in steps of at least five minutes"
grain   = "one row per lpar, qmgr, pool and interval, where shorter intervals are merged up to five minutes"
needs   = ["buffer_pool", "interval_step"]
classes = ["115.215"]
note    = "Helper of rule BP005. Consecutive intervals are merged into rows of at least five minutes, never across a gap; incomplete rows at the end of such a run are excluded."

[columns]
merged_intervals = { unit = "count", doc = "Number of merged intervals.", over = "add" }
buffers = { doc = "Buffers in the pool at the end of the row." }
current_stealable = { doc = "Stealable buffers at the end of the row." }
current_free_pct = { doc = "Share of stealable buffers at the end of the row." }
---*/
SELECT
  b.lpar, b.qmgr,
  min(b.interval_start_utc)                             AS interval_start_utc,
  sum(g.interval_seconds)                               AS interval_seconds,
  arg_max(b.record_id, b.interval_start_utc)            AS record_id,
  b.pool_id,
  count(*)                                              AS merged_intervals,
  arg_max(b.buffers, b.interval_start_utc)              AS buffers,
  arg_max(b.current_stealable, b.interval_start_utc)    AS current_stealable,
  pct(arg_max(b.current_stealable, b.interval_start_utc), arg_max(b.buffers, b.interval_start_utc)) AS current_free_pct,
  any_value(b.pool_role)                                AS pool_role
FROM buffer_pool AS b
JOIN interval_step AS g ON g.lpar = b.lpar AND g.qmgr = b.qmgr AND g.interval_start_utc = b.interval_start_utc
GROUP BY b.lpar, b.qmgr, b.pool_id, g.run, g.part
HAVING count(*) = max(g.together)
