/*---
id          = "BP014"
name        = "buffer-pool-heavy-page-set-io"
title       = "Sustained page set I/O of a buffer pool"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.page_set_ios_per_s"]
prints      = ["buffer_pool.pages_read", "buffer_pool.write_ios", "buffer_pool.page_fixed", "buffer_pool.busiest_page_set", "buffer_pool.pool_role"]
judge       = "share >= 10 %"
weighted_by = "interval_seconds"
weighted_min = 14400
worst       = "highest"
culprits    = ["pages put"]
measure     = "page set I/Os"
when        = "observed > page_set_ios_per_s_max"
guards      = ["G1", "G2"]
caused_by   = ["BP001", "BP002", "BP003", "BP004"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]

[threshold.page_set_ios_per_s_max]
value = 100
unit  = "per_s"
kind  = "judgement"
why   = "in the published case a device was at its limit with 172 I/Os per second; today's devices do more, but a get waits for each read"

[source]
cite = "MP16, 'Interpretation of MQ statistics', 'Example of a badly tuned buffer pool' and 'Page fixed buffers'"

[advice]
summary = "Buffer pool {pool_id} caused {observed:.1f} page set I/Os per second (limit {page_set_ios_per_s_max}): {pages_read} read[s] and {write_ios} write[s] in an interval{most_on}."
remedy  = "Spread its queues over several page sets on different volumes, enlarge the pool, or use HyperPAV{fix}."
report  = "buffer_pool/io"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'buffer pool ' || pool_id AS subject,
  page_set_ios_per_s        AS observed,
  pages_read, write_ios,
  coalesce(', mostly for page set ' || busiest_page_set, '') AS most_on,
  CASE WHEN NOT page_fixed THEN '; if there is enough real storage, PAGECLAS(FIXED4KB) avoids fixing each page for its I/O' ELSE '' END AS fix
FROM buffer_pool
WHERE buffers > 0
  AND pool_role IS DISTINCT FROM 'bulk'
