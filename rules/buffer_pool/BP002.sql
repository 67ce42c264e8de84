/*---
id          = "BP002"
name        = "buffer-pool-writing-synchronously"
title       = "Applications wrote pages to the page set themselves because the pool was 95 % full"
severity    = "critical"                  # info for pools that the site declares as bulk
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.synchronous_write_hits"]
prints      = ["buffer_pool.immediate_writes", "buffer_pool.immediate_write_page_set", "buffer_pool.buffers", "buffer_pool.pool_role"]
judge       = "any interval"
worst       = "highest"
key_figure  = "synchronous_write_hits"
culprits    = ["pages kept", "pages put minus got", "pages put"]
measure     = "synchronous write[s]"
when        = "observed > synchronous_write_hits_max"
caused_by   = ["PS007", "PS008", "DM003", "QU005", "QU006", "QU004", "QU022"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
raises      = ["BUFFERS"]
do_of_plan  = "buffer_pool_size_needed"
plans       = ["buffer_pool_size_needed"]

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
  synchronous_write_hits, immediate_writes, buffers,
  coalesce(', mostly to page set ' || immediate_write_page_set, '') AS most_on,
  CASE WHEN pool_role = 'bulk' THEN 'info' END AS severity
FROM buffer_pool
WHERE buffers > 0
