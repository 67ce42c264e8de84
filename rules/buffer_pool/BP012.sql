/*---
id          = "BP012"
name        = "buffer-pool-below-the-bar"
title       = "Pool still in 31-bit storage on MQ 9.1 or later"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr"]
needs       = ["buffer_pool_below_bar.below_bar_pools"]
prints      = ["buffer_pool_below_bar.below_bar_pool_list", "buffer_pool_below_bar.below_bar_mib", "buffer_pool_below_bar.highest_mq_level"]
judge       = "whole period"
worst       = "highest"
measure     = "pool[s] below the bar"
when        = "observed > 0"
unit        = "count"
mq_since    = "9.1.0"
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({first_pool}) LOCATION(ABOVE)"]
sets        = ["LOCATION"]

[size.first_pool]
when      = "below_bar_mib < coalesce(above_bar_left_mib, below_bar_mib + 1)"
formula   = "regexp_extract(below_bar_pool_list, '[0-9]+')"
cost      = "The same command is for each of pools {below_bar_pool_list}. Together they take {below_bar_mib:,.0f} MiB above the bar.<< At least {above_bar_left_mib:,.0f} MiB were left there.>> Change CSQINP1 too."
otherwise = "Pools {below_bar_pool_list} take {below_bar_mib:,.0f} MiB above the bar, but only {above_bar_left_mib:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."
unknown   = "The records do not show how much storage these pools take above the bar."

[source]
cite = "V92, 'CSA usage' (31-bit pools deprecated from 9.1); MP16, 'Buffer pool usage' and 'Using buffers allocated in 64-bit storage'"
kind = "documented"

[advice]
summary = "Buffer pools {below_bar_pool_list} are below the 2 GB bar ({below_bar_mib:.0f} MiB): 31-bit pools are deprecated, and they take storage that connections, handles and locks need."
remedy  = "Move them above the bar; the MEMLIMIT of the queue manager's address space must be large enough."
report  = "buffer_pool/health"
---*/
SELECT
  lpar, qmgr, below_bar_at_utc AS interval_start_utc, record_id,
  'buffer pools'            AS subject,
  below_bar_pools           AS observed,
  below_bar_pool_list, below_bar_mib
FROM buffer_pool_below_bar
WHERE highest_mq_level >= 90100
