/*---
id       = "smds/buffers"
title    = "Free SMDS buffers of each structure"
question = "Did large shared messages have to wait for a buffer?"
kind     = "line"
unit     = "percent"
worst    = "lowest"
report   = "smds/buffers"
needs    = ["smds"]
rules    = ["SM001"]
note     = "The fewest free buffers of the interval, as a share of DSBUFS; 0 where requests waited."
---*/
SELECT lpar, qmgr, cf_structure AS series, interval_start_utc, interval_seconds,
  100 * CASE WHEN buffers_free_low < 0 THEN 0 ELSE buffers_free_low END / nullif(smds_buffers, 0) AS value, cf_structure
FROM smds
WHERE smds_buffers > 0
