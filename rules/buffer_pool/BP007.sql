/*---
id          = "BP007"
name        = "buffer-pool-immediate-writes"
title       = "Pages were written synchronously although the 95 % threshold was not reached"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.immediate_writes", "buffer_pool.synchronous_write_hits"]
prints      = ["buffer_pool.pages_written", "buffer_pool.immediate_write_page_set"]
judge       = "share >= 25 %"
worst       = "highest"
culprits    = ["pages kept", "pages put minus got", "pages put"]
measure     = "immediate writes"
when        = "observed > immediate_writes_max"
text        = "{value} written immediately"
min_activity = "synchronous_write_hits = 0"    # otherwise BP002 reports the cause
caused_by   = ["BP001", "BP002", "BP003", "BP004"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]

[threshold.immediate_writes_max]
value = 100
unit  = "pages"
kind  = "judgement"
why   = "the queue manager writes some itself: 29 in the published healthy interval, a few tens in others"

[source]
cite = "MP16, 'Definition of buffer pool statistics' and 'Example of a badly tuned buffer pool'; V92, 'Page set encryption'"

[advice]
summary = "Buffer pool {pool_id} wrote {immediate_writes} of its {pages_written} page[s] immediately (limit {immediate_writes_max}){most_on}, although it was never 95 % full."
remedy  = "Either these pages were in use when the deferred write process or a checkpoint was about to write them, or a message is larger than the pool. Check page set I/O times, message sizes and long units of work. This alone is no reason to enlarge the pool."
report  = "buffer_pool/usage"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id,
  'buffer pool ' || pool_id AS subject,
  immediate_writes          AS observed,
  immediate_writes, pages_written, synchronous_write_hits,
  coalesce(', mostly to page set ' || immediate_write_page_set, '') AS most_on
FROM buffer_pool
WHERE buffers > 0
