/*---
id          = "BP016"
name        = "buffer-pool-at-default-size"
title       = "A busy pool still has the test-system size"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.page_gets_old_per_s"]
prints      = ["buffer_pool.buffers"]
judge       = "share >= 10 %"
weighted_by = "interval_seconds"
weighted_min = 14400
worst       = "lowest"
breach_when = "small and busy"
guards      = ["G1"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]

[threshold.default_buffers]
value = 1050
unit  = "buffers"
kind  = "documented"
why   = "1050 buffers are suggested for test systems, 20 000 to 50 000 for production"

[threshold.page_gets_per_s_min]
value = 10
unit  = "per_s"
kind  = "judgement"
why   = "a pool that is hardly used needs no more"

[clause.small]
when    = "observed <= default_buffers"
measure = "buffer[s]"

[clause.busy]
when    = "page_gets_old_per_s >= page_gets_per_s_min"
measure = "page gets"

[source]
cite = "MP16, 'Buffer pool default sizes' and 'Effect of the number of objects defined on start up time'"

[advice]
summary = "Buffer pool {pool_id} still has {buffers} buffer[s], a size for test systems (limit {default_buffers}), and serves {page_gets_old_per_s:.0f} page get[s] per second."
remedy  = "If the messages of this pool matter, use ALTER BUFFPOOL({pool_id}) BUFFERS(20000) LOCATION(ABOVE); 50,000 for pool 0 and for short-lived messages."
report  = "buffer_pool/health"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id,
  'buffer pool ' || pool_id AS subject,
  buffers                   AS observed,
  buffers, page_gets_old_per_s
FROM buffer_pool
WHERE buffers > 0
