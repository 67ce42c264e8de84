/*---
id          = "BP002"
name        = "buffer-pool-writing-synchronously"
title       = "Applications wrote pages to the page set themselves because the pool was 95 % full"
severity    = "critical"                  # info for pools that the site declares as bulk
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.synchronous_write_hits"]
prints      = ["buffer_pool.above_bar", "buffer_pool.immediate_writes", "buffer_pool.immediate_write_page_set", "buffer_pool.buffers", "buffer_pool.pool_role"]
judge       = "any interval"
worst       = "highest"
key_figure  = "synchronous_write_hits"
culprits    = ["pages kept", "pages put minus got", "pages put"]
measure     = "synchronous write[s]"
when        = "observed > synchronous_write_hits_max"
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

[threshold.synchronous_write_hits_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "the queue manager counts each time the pool reached the synchronous write threshold"

[source]
cite = "MP16, 'Deferred write process' and 'Interpretation of MQ statistics'; V92, 'Page set encryption'"

[advice]
summary = "Buffer pool {pool_id} ({buffers} buffer[s]) reached the synchronous write threshold {synchronous_write_hits} time[s] (limit {synchronous_write_hits_max})<<, with {immediate_writes} immediate write[s]{most_on}>>: puts waited for DASD."
remedy  = "Enlarge the pool, or spread its page sets over several pools. Look for a getter that stopped or runs at a low priority. If the pool is for planned bulk work, declare that with pool_role in the site file."
report  = "buffer_pool/usage"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id,
  'buffer pool ' || pool_id AS subject,
  synchronous_write_hits    AS observed,
  synchronous_write_hits, immediate_writes, buffers, above_bar,
  coalesce(', mostly to page set ' || immediate_write_page_set, '') AS most_on,
  CASE WHEN pool_role = 'bulk' THEN 'info' END AS severity
FROM buffer_pool
WHERE buffers > 0
