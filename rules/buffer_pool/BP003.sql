/*---
id          = "BP003"
name        = "buffer-pool-within-five-percent-of-full"
title       = "Stealable buffers fell into the synchronous write range, but no synchronous write was counted"
severity    = "critical"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.lowest_free_pct"]
prints      = ["buffer_pool.above_bar", "buffer_pool.lowest_stealable", "buffer_pool.synchronous_write_hits", "buffer_pool.no_buffer_waits", "buffer_pool.buffers"]
judge       = "any interval"
worst       = "lowest"
key_figure  = "lowest_free_pct"
culprits    = ["pages kept", "pages put minus got", "pages put"]
caused_by   = ["PS007", "PS008", "DM003", "QU005", "QU006", "QU004"]
breach_when = "low and quiet and unhindered"
silenced_by = ["BP001", "BP002"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({pool_id}) BUFFERS({buffers_wanted}) LOCATION(ABOVE)"]
plans       = ["buffer_pool_size_needed"]

[size.more_mib]
formula = "(ceil((buffers - lowest_stealable) / 0.85 / 1024) * 1024 - CASE WHEN above_bar THEN buffers ELSE 0 END) / 256"

[size.buffers_wanted]
formula   = "CASE WHEN more_mib < coalesce(above_bar_left_mib, more_mib + 1) THEN ceil((buffers - lowest_stealable) / 0.85 / 1024) * 1024 END"
at_most   = 999999999
cost      = "This is the highest use and 15 % free, in whole 4 MiB.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {above_bar_left_mib:,.0f} MiB were left there.>> Change CSQINP1 too."
otherwise = "Buffers for the highest use and 15 % free for pool {pool_id} take {more_mib:,.0f} MiB above the bar, but only {above_bar_left_mib:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."

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
  lowest_stealable, buffers, synchronous_write_hits, no_buffer_waits, above_bar
FROM buffer_pool
WHERE buffers > 0
