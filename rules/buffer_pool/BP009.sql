/*---
id          = "BP009"
name        = "short-lived-pool-reading-page-set"
title       = "A pool declared for short-lived messages reads or steals pages"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["site_input.pool_role_by_pool"]
needs_any   = [["buffer_pool.pages_read", "buffer_pool.steals"]]
prints      = ["buffer_pool.above_bar", "buffer_pool.buffers", "buffer_pool.highest_used"]
judge       = "share >= 10 %"
worst       = "highest"
culprits    = ["pages read"]
breach_when = "reads or steals"
guards      = ["G2"]
caused_by   = ["BP001", "BP002", "BP003", "BP004"]
default_on  = false                       # on if the site declares a pool as short
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({pool_id}) BUFFERS({buffers_wanted}) LOCATION(ABOVE)"]
raises      = ["BUFFERS"]
sets        = ["LOCATION"]

[size.more_mib]
formula = "(ceil(CASE WHEN highest_used >= 0 THEN greatest(highest_used / 0.85, buffers * 1.1) END / 1024) * 1024 - CASE above_bar WHEN true THEN buffers WHEN false THEN 0 END) / 256"

[size.buffers_wanted]
when      = "more_mib < coalesce(above_bar_left_mib, more_mib + 1)"
formula   = "ceil(CASE WHEN highest_used >= 0 THEN greatest(highest_used / 0.85, buffers * 1.1) END / 1024) * 1024"
at_most   = 999999999
cost      = "This is the highest use and 15 % free, at least 10 % more than now, in whole 4 MiB.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {above_bar_left_mib:,.0f} MiB were left there.>> Change CSQINP1 too."
otherwise = "Buffers for the highest use and 15 % free for pool {pool_id} take {more_mib:,.0f} MiB above the bar, but only {above_bar_left_mib:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."
unknown   = "The records do not show how much storage above the bar more buffers for pool {pool_id} take: check it before you alter the pool."

[threshold.pages_read_max]
value = 0
unit  = "pages"
kind  = "documented"
why   = "short-lived messages should be got while they are still in storage"

[threshold.steals_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "the first steal shows that the pool holds more than at any earlier peak"

[clause.reads]
when    = "observed > pages_read_max"
measure = "pages read"
text    = "{value} read from DASD"

[clause.steals]
when    = "steals > steals_max"
measure = "buffer[s] stolen"

[source]
cite = "MP16, 'Interpretation of MQ statistics' and 'The effect of message lifespan'"

[advice]
summary = "Buffer pool {pool_id} is declared for short-lived messages, but in one interval it read {pages_read} page[s] (limit {pages_read_max}) and stole {steals} buffer[s] (limit {steals_max}); at most {highest_used} of {buffers} buffer[s] were in use."
remedy  = "Find the consumer that does not keep up. If some messages are meant to stay longer, give their queue a storage class in another pool."
report  = "buffer_pool/lifespan"
---*/
SELECT
  b.lpar, b.qmgr, b.pool_id, b.interval_start_utc, b.interval_seconds, b.record_id, b.startup_interval, b.suspect_first,
  'buffer pool ' || b.pool_id AS subject,
  b.pages_read                AS observed,
  b.pages_read, b.steals, b.highest_used, b.buffers, b.above_bar
FROM buffer_pool AS b
JOIN site_input AS s ON s.lpar = b.lpar AND s.qmgr = b.qmgr
WHERE b.buffers > 0
  AND s.pool_role_by_pool[b.pool_id] = 'short'
