/*---
id          = "BP001"
name        = "buffer-pool-ran-out-of-buffers"
title       = "A request found no stealable buffer in the pool"
severity    = "critical"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.no_buffer_waits"]
prints      = ["buffer_pool.buffers"]
judge       = "any interval"
worst       = "highest"
culprits    = ["pages kept", "pages put minus got", "pages put"]
measure     = "wait[s] for a buffer"
when        = "observed > no_buffer_waits_max"
# no guards: counts in short intervals still count
caused_by   = ["PS007", "PS008", "DM003", "QU005", "QU006", "QU004", "QU022"]

look        = ["DISPLAY USAGE TYPE(PAGESET)"]
raises      = ["BUFFERS"]
do_of_plan  = "buffer_pool_size_needed"
plans       = ["buffer_pool_size_needed"]

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
  no_buffer_waits, buffers
FROM buffer_pool
WHERE buffers > 0
