/*---
id      = "buffer_pool_checkpoint"
title   = "Frequency of checkpoints"
grain   = "one row per lpar and qmgr"
needs   = ["log"]
classes = ["115.1"]
note    = "Helper of view buffer_pool_lifetime and report buffer_pool/lifespan. If checkpoints are less frequent than statistics intervals, only the whole period shows the time between them."

[columns]
period_minutes_per_checkpoint = { unit = "min", doc = "Minutes of the period per checkpoint; null if there was no checkpoint.", over = "same", label = "checkpoint every min", screen = 1 }
median_minutes_per_checkpoint = { unit = "min", doc = "Median of the minutes per checkpoint of the intervals that had one.", over = "none", why = "A median or percentile does not follow from those of the rows.", label = "median checkpoint min" }
---*/
SELECT
  lpar, qmgr,
  sum(interval_seconds) / 60 / nullif(sum(checkpoints), 0) AS period_minutes_per_checkpoint,
  median(minutes_per_checkpoint)                           AS median_minutes_per_checkpoint
FROM log
GROUP BY lpar, qmgr
