/*---
id          = "BP008"
name        = "buffer-pool-zero-rereading-objects"
title       = "Pool 0 reads pages from DASD in steady state"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool.pages_read"]
prints      = ["buffer_pool.above_bar", "buffer_pool.buffers"]
judge       = "share >= 10 %"
worst       = "highest"
measure     = "pages read"
when        = "observed > pages_read_max"
text        = "{value} read from DASD"
guards      = ["G2"]                      # after a restart the pool is filled
caused_by   = ["BP001", "BP002", "BP003", "BP004"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({pool_id}) BUFFERS({buffers_wanted}) LOCATION(ABOVE)"]
raises      = ["BUFFERS"]
sets        = ["LOCATION"]
plans       = ["buffer_pool_zero"]

[size.more_pct]
formula = "100 * (ceil(buffers * 1.5 / 1024) * 1024 - buffers) / buffers"

[size.more_mib]
formula = "(ceil(buffers * 1.5 / 1024) * 1024 - CASE above_bar WHEN true THEN buffers WHEN false THEN 0 END) / 256"

[size.buffers_wanted]
when      = "more_mib < coalesce(above_bar_left_mib, more_mib + 1)"
formula   = "ceil(buffers * 1.5 / 1024) * 1024"
at_most   = 999999999
cost      = "This is a first step of {more_pct:.0f} %, in whole 4 MiB: the records do not show how many buffers would have been enough.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {above_bar_left_mib:,.0f} MiB were left there.>> Change CSQINP1 too."
otherwise = "More buffers for pool 0, {more_pct:.0f} %, take {more_mib:,.0f} MiB above the bar, but only {above_bar_left_mib:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."
unknown   = "The records do not show how much storage above the bar more buffers for pool 0 take: check it before you alter the pool."

[threshold.pages_read_max]
value = 0
unit  = "pages"
kind  = "documented"
why   = "once the queue manager is warm, the pool of the object definitions should hold all of them"

[source]
cite = "MP16, 'Interpretation of MQ statistics', 'Impact of number of objects defined' and 'Buffer pool usage'"

[advice]
summary = "Buffer pool 0 ({buffers} buffer[s]) read {pages_read} page[s] from DASD in an interval (limit {pages_read_max}): object definitions and system queues do not stay in storage, and every MQOPEN may have to wait."
remedy  = "Enlarge the pool: each local queue needs about 2,660 bytes, plus 20 %. Move application queues from page set 0 to a storage class of their own."
report  = "buffer_pool/io"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'buffer pool ' || pool_id AS subject,
  pages_read                AS observed,
  pages_read, buffers, above_bar
FROM buffer_pool
WHERE buffers > 0
  AND pool_id = 0
