/*---
id          = "BP003"
name        = "buffer-pool-within-five-percent-of-full"
title       = "Stealable buffers fell into the synchronous write range, but no synchronous write was counted"
severity    = "critical"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.lowest_free_pct"]
prints      = ["buffer_pool.lowest_stealable", "buffer_pool.synchronous_write_hits", "buffer_pool.no_buffer_waits", "buffer_pool.buffers"]
judge       = "any interval"
worst       = "lowest"
key_figure  = "lowest_free_pct"
culprits    = ["pages kept", "pages put minus got", "pages put"]
caused_by   = ["PS007", "PS008", "DM003", "QU005", "QU006", "QU004", "QU022"]
breach_when = "low and quiet and unhindered"
silenced_by = ["BP001", "BP002"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
raises      = ["BUFFERS"]
do_of_plan  = "buffer_pool_size_needed"
plans       = ["buffer_pool_size_needed"]

[threshold.stealable_pct_critical]
value = 5.0
unit  = "percent"
kind  = "documented"
why   = "below 5 % stealable buffers, each put that completes a page waits until the page is written to the page set"

[clause.low]
when    = "observed <= stealable_pct_critical"
measure = "lowest share of stealable buffers"

[clause.quiet]
when    = "synchronous_write_hits = 0"
measure = "synchronous write[s]"

[clause.unhindered]
when    = "no_buffer_waits = 0"
measure = "wait[s] for a buffer"

[source]
cite = "MP16, 'Deferred write process' and 'Definition of buffer pool statistics'"

[advice]
summary = "Buffer pool {pool_id} fell to {lowest_stealable} of {buffers} stealable buffer[s], {observed:.1f} % (limit {stealable_pct_critical} %): at the next burst, puts will wait for page set writes."
remedy  = "Enlarge the pool, or move page sets to another pool."
report  = "buffer_pool/usage"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id,
  'buffer pool ' || pool_id AS subject,
  lowest_free_pct           AS observed,
  lowest_stealable, buffers, synchronous_write_hits, no_buffer_waits
FROM buffer_pool
WHERE buffers > 0
