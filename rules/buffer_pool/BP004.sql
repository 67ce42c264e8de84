/*---
id          = "BP004"
name        = "buffer-pool-low-on-stealable-buffers"
title       = "Stealable buffers ran low or the deferred write process started"
severity    = "warning"                   # info for pools that the site declares as bulk or other
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs_any   = [["buffer_pool.lowest_free_pct", "buffer_pool.deferred_write_starts"]]
prints      = ["buffer_pool.buffers", "buffer_pool.above_bar", "buffer_pool.pool_role", "buffer_pool_period.long_lived"]
judge       = "any interval"
worst       = "lowest"
key_figure  = "lowest_free_pct"
culprits    = ["pages kept", "pages put minus got", "pages put"]
breach_when = "share or starts"
silenced_by = ["BP001", "BP002", "BP003"]
caused_by   = ["PS007", "PS008", "DM003", "QU005", "QU006", "QU004", "QU022"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
raises      = ["BUFFERS"]
do_of_plan  = "buffer_pool_size_needed"
plans       = ["buffer_pool_size_needed"]

[threshold.stealable_pct_min]
value = 15.0
unit  = "percent"
kind  = "documented"
why   = "the deferred write process starts when 85 % of the buffers are in use"

[threshold.deferred_write_starts_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "the queue manager counts each start"

[clause.share]
when    = "observed < stealable_pct_min"
measure = "lowest share of stealable buffers"
summary = "Buffer pool {pool_id} fell to {observed:.1f} % stealable buffers (limit {stealable_pct_min} %); the deferred write process started {deferred_write_starts} time[s]."
remedy  = "Enlarge the pool ({buffers} buffer[s] are defined{below_bar}), or move a page set to another pool."

[clause.starts]
when    = "deferred_write_starts > deferred_write_starts_max"
measure = "start[s] of the deferred write process"
summary = "The deferred write process of buffer pool {pool_id} started {deferred_write_starts} time[s] (limit {deferred_write_starts_max})<<; the lowest share of stealable buffers was {observed:.1f} %>>."
remedy  = "Check which page sets are written and whether this happens again; if it does, move a page set to another pool or add buffers."

[source]
cite = "MP16, 'Buffer pool usage', 'Interpretation of MQ statistics' and 'Example of a badly tuned buffer pool'"

[advice]
summary = "Buffer pool {pool_id} fell to {observed:.1f} % stealable buffers (limit {stealable_pct_min} %); the deferred write process started {deferred_write_starts} time[s] (limit {deferred_write_starts_max})."
remedy  = "Enlarge the pool ({buffers} buffer[s] are defined{below_bar}), or move a page set to another pool."
report  = "buffer_pool/usage"
---*/
SELECT
  b.lpar, b.qmgr, b.pool_id, b.interval_start_utc, b.interval_seconds, b.record_id,
  'buffer pool ' || b.pool_id AS subject,
  b.lowest_free_pct         AS observed,
  b.deferred_write_starts, b.buffers,
  CASE WHEN NOT b.above_bar THEN ' below the bar' ELSE '' END AS below_bar,
  CASE WHEN b.pool_role IN ('bulk', 'other') THEN 'info' END AS severity
FROM buffer_pool AS b
LEFT JOIN buffer_pool_period AS p ON p.lpar = b.lpar AND p.qmgr = b.qmgr AND p.pool_id = b.pool_id
WHERE b.buffers > 0
  -- MP16, 'Interpretation of MQ statistics', point 3: long-lived messages leave the pool, and each page is read once.
  AND p.long_lived IS DISTINCT FROM true
