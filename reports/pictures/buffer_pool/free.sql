/*---
id       = "buffer_pool/free"
title    = "Stealable buffers of each pool"
question = "Did a buffer pool run out of stealable buffers, and when?"
kind     = "line"
unit     = "percent"
worst    = "lowest"
report   = "buffer_pool/usage"
needs    = ["buffer_pool"]
rules    = ["BP001", "BP002", "BP003", "BP004"]
limits   = [
  { rule = "BP004", threshold = "stealable_pct_min", text = "deferred writes below" },
  { rule = "BP003", threshold = "stealable_pct_critical", text = "synchronous writes below" },
]
---*/
SELECT lpar, qmgr, 'pool ' || pool_id AS series, interval_start_utc, interval_seconds, lowest_free_pct AS value, pool_id
FROM buffer_pool
WHERE buffers > 0
