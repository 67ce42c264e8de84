/*---
id      = "interval_step"
title   = "Intervals merged into steps of at least five minutes"
grain   = "one row per lpar, qmgr and interval"
needs   = ["interval_cut"]
classes = ["115.1"]
note    = "Helper of views buffer_pool_merged and queue_merged. Consecutive intervals are merged, never across a gap."

[columns]
run = { unit = "id", doc = "Number of the run of consecutive intervals." }
part = { unit = "id", doc = "Number of the step in its run." }
together = { unit = "count", doc = "Number of intervals of a complete step.", over = "same" }
---*/
WITH numbered AS (
  -- A little less than five minutes counts as five: intervals are not exact.
  SELECT
    lpar, qmgr, interval_start_utc, interval_seconds,
    greatest(1, ceil(300 / nullif(median_interval_seconds, 0) - 0.05))::BIGINT                          AS together,
    sum(first_in_data::INTEGER) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc ROWS UNBOUNDED PRECEDING) AS run
  FROM interval_cut
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds,
  run::BIGINT AS run,
  (row_number() OVER (PARTITION BY lpar, qmgr, run ORDER BY interval_start_utc) - 1) // together AS part,
  together
FROM numbered
