/*---
id          = "BP005"
name        = "buffer-pool-never-recovering"
title       = "The deferred write process does not free enough of the pool"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool_merged.current_free_pct"]
prints      = ["buffer_pool_merged.current_stealable", "buffer_pool_merged.buffers", "buffer_pool_merged.pool_role", "buffer_pool_period.long_lived"]
judge       = "4 consecutive"             # intervals below five minutes are merged first
worst       = "lowest"
culprits    = ["pages kept", "pages put minus got", "pages put"]
caused_by   = ["PS007", "PS008", "QU005", "QU006", "QU004", "QU022"]
measure     = "stealable buffers at the end of the interval"
when        = "observed < stealable_resume_pct"
guards      = ["G1"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
raises      = ["BUFFERS"]

[threshold.stealable_resume_pct]
value = 25.0
unit  = "percent"
kind  = "documented"
why   = "the deferred write process runs until 25 % of the buffers are stealable"
cite  = "MP16, 'Deferred write process'"

[source]
cite = "MP16, 'Deferred write process' and 'Definition of buffer pool statistics'"

[advice]
summary = "Buffer pool {pool_id} ended several consecutive intervals with too few stealable buffers, at worst {current_stealable} of {buffers}, {observed:.1f} % (limit {stealable_resume_pct} %): it fills faster than its pages are written."
remedy  = "Find the queue that grows, and find out why its getter does not keep up. Add buffers, put the page sets on separate volumes (HyperPAV), or use one pool per page set."
report  = "buffer_pool/health"
---*/
SELECT
  b.lpar, b.qmgr, b.pool_id, b.interval_start_utc, b.interval_seconds, b.record_id,
  'buffer pool ' || b.pool_id AS subject,
  b.current_free_pct        AS observed,
  b.current_stealable, b.buffers
FROM buffer_pool_merged AS b
LEFT JOIN buffer_pool_period AS p ON p.lpar = b.lpar AND p.qmgr = b.qmgr AND p.pool_id = b.pool_id
WHERE b.buffers > 0
  -- MP16, 'Interpretation of MQ statistics', point 3: long-lived messages leave the pool, and each page is read once.
  AND p.long_lived IS DISTINCT FROM true
  AND b.pool_role IS DISTINCT FROM 'bulk'
