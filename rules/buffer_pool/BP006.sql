/*---
id          = "BP006"
name        = "buffer-pool-steal-contention"
title       = "A large share of buffer steals had contention"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.steal_contention", "buffer_pool.steals"]
prints      = ["buffer_pool.buffers", "buffer_pool.above_bar", "buffer_pool.net_steals", "buffer_pool.steal_contention_pct"]
judge       = "any interval"
worst       = "highest"
culprits    = ["pages put"]
breach_when = "share and some"
min_activity = "steals >= $steals_min"
caused_by   = ["BP001", "BP002", "BP003", "BP004"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({pool_id}) BUFFERS({buffers_wanted}) LOCATION(ABOVE)"]
raises      = ["BUFFERS"]
sets        = ["LOCATION"]

[size.more_pct]
formula = "100 * (ceil(buffers * 1.5 / 1024) * 1024 - buffers) / buffers"

[size.more_mib]
formula = "(ceil(buffers * 1.5 / 1024) * 1024 - CASE above_bar WHEN true THEN buffers WHEN false THEN 0 END) / 256"

[size.buffers_wanted]
when      = "more_mib < coalesce(above_bar_left_mib, more_mib + 1)"
formula   = "ceil(buffers * 1.5 / 1024) * 1024"
at_most   = 999999999
cost      = "This is a first step of {more_pct:.0f} %, in whole 4 MiB: the records do not show how many buffers would have been enough.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {above_bar_left_mib:,.0f} MiB were left there.>> Change CSQINP1 too."
otherwise = "More buffers for pool {pool_id}, {more_pct:.0f} %, take {more_mib:,.0f} MiB above the bar, but only {above_bar_left_mib:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."
unknown   = "The records do not show how much storage above the bar more buffers for pool {pool_id} take: check it before you alter the pool."

[threshold.steal_contention_pct_max]
value = 20.0
unit  = "percent"
kind  = "guidance"
why   = "occasional contention does no harm; in the published case of a hundredfold slowdown it was 57 %. A limit of 0 is the strict interpretation"
cite  = "IBM Washington Systems Center, buffer pool review"

[threshold.steal_contention_min]
value = 0
unit  = "count"
kind  = "judgement"
why   = "at least one steal must have had contention, even if the limit of the share is set to 0"

[threshold.steals_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "the share of fewer attempts is chance"

[clause.share]
when    = "observed > steal_contention_pct_max"
measure = "share of steals with contention"

[clause.some]
when    = "steal_contention > steal_contention_min"
measure = "steal[s] with contention"

[source]
cite = "MP16, 'Buffer pool usage', 'Interpretation of MQ statistics' and 'Example of a badly tuned buffer pool'"

[advice]
summary = "Buffer pool {pool_id}: {steal_contention} of {steals} attempt[s] to steal a buffer had contention, {observed:.1f} % (limit {steal_contention_pct_max} %); {net_steals} buffer[s] [were|was] actually stolen."
remedy  = "Enlarge the pool or move page sets to other pools. Look for scans of deep queues: browses, gets by message or correlation id without an index, selectors."
report  = "buffer_pool/io"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id,
  'buffer pool ' || pool_id AS subject,
  steal_contention_pct      AS observed,
  steal_contention, steals, net_steals, buffers, above_bar
FROM buffer_pool
WHERE buffers > 0
