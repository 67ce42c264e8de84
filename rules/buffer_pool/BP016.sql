/*---
id          = "BP016"
name        = "buffer-pool-at-default-size"
title       = "A busy pool still has the test-system size"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.page_gets_old_per_s"]
prints      = ["buffer_pool.above_bar", "buffer_pool.buffers"]
judge       = "share >= 10 %"
weighted_by = "interval_seconds"
weighted_min = 14400
worst       = "lowest"
breach_when = "small and busy"
guards      = ["G1"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({pool_id}) BUFFERS({buffers_wanted}) LOCATION(ABOVE)"]
raises      = ["BUFFERS"]
sets        = ["LOCATION"]
plans       = ["buffer_pool_zero"]

[size.more_mib]
formula = "(ceil(CASE WHEN pool_id = 0 THEN 50000 ELSE 20000 END / 1024) * 1024 - CASE above_bar WHEN true THEN buffers WHEN false THEN 0 END) / 256"

[size.buffers_wanted]
when      = "more_mib < coalesce(above_bar_left_mib, more_mib + 1)"
formula   = "ceil(CASE WHEN pool_id = 0 THEN 50000 ELSE 20000 END / 1024) * 1024"
at_most   = 999999999
cost      = "IBM recommends 50,000 buffers for pool 0 and for short-lived messages, 20,000 for others; the size is in whole 4 MiB.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {above_bar_left_mib:,.0f} MiB were left there.>> Change CSQINP1 too."
otherwise = "The recommended buffers for pool {pool_id} take {more_mib:,.0f} MiB above the bar, but only {above_bar_left_mib:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."
unknown   = "The records do not show how much storage above the bar more buffers for pool {pool_id} take: check it before you alter the pool."

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
remedy  = "If the messages of this pool matter, enlarge it: 20,000 buffers, 50,000 for pool 0 and for short-lived messages."
report  = "buffer_pool/health"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id, fragment,
  'buffer pool ' || pool_id AS subject,
  buffers                   AS observed,
  buffers, above_bar, page_gets_old_per_s
FROM buffer_pool
WHERE buffers > 0
