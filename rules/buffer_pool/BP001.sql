/*---
id          = "BP001"
name        = "buffer-pool-ran-out-of-buffers"
title       = "A request found no stealable buffer in the pool"
severity    = "critical"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.no_buffer_waits"]
prints      = ["buffer_pool.buffers", "buffer_pool.above_bar"]
judge       = "any interval"
worst       = "highest"
culprits    = ["pages kept", "pages put minus got", "pages put"]
measure     = "wait[s] for a buffer"
when        = "observed > no_buffer_waits_max"
# no guards: counts in short intervals still count
caused_by   = ["PS007", "PS008", "DM003", "QU005", "QU006", "QU004"]

look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({pool_id}) BUFFERS({buffers_wanted}) LOCATION(ABOVE)"]
plans       = ["buffer_pool_size_needed"]

[size.more_mib]
formula = "(ceil(buffers * 1.5 / 1024) * 1024 - CASE WHEN above_bar THEN buffers ELSE 0 END) / 256"

[size.buffers_wanted]
formula   = "CASE WHEN more_mib < coalesce(above_bar_left_mib, more_mib + 1) THEN ceil(buffers * 1.5 / 1024) * 1024 END"
at_most   = 999999999
cost      = "This is a first step of 50 %, in whole 4 MiB: the records do not show how many buffers would have been enough.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {above_bar_left_mib:,.0f} MiB were left there.>> Change CSQINP1 too."
otherwise = "50 % more buffers for pool {pool_id} take {more_mib:,.0f} MiB above the bar, but only {above_bar_left_mib:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."

[threshold.no_buffer_waits_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "each one is a request that had to wait until a page was written to the page set"

[source]
cite = "MP16, 'Buffer pool usage' and 'Interpretation of MQ statistics'; IBM documentation, buffer manager data records"

[advice]
summary = "Buffer pool {pool_id} ({buffers} buffer[s]) ran out of buffers {no_buffer_waits} time[s] (limit {no_buffer_waits_max})."
remedy  = "Enlarge the pool, or move page sets to another pool with DEFINE PSID in CSQINP1. Find the queue that filled up, and find out why its getter stopped."
report  = "buffer_pool/usage"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id,
  'buffer pool ' || pool_id AS subject,
  no_buffer_waits           AS observed,
  no_buffer_waits, buffers, above_bar
FROM buffer_pool
WHERE buffers > 0
