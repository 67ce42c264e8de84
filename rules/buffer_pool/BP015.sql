/*---
id          = "BP015"
name        = "buffer-pool-oversized"
title       = "Pool much larger than its highest use"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool_period.highest_used_pct_max", "buffer_pool_period.days_covered"]
prints      = ["buffer_pool_period.buffers_now", "buffer_pool_period.buffers_for_20pct_free_p99"]
judge       = "whole period"
worst       = "lowest"
measure     = "highest use"
when        = "observed <= used_pct_max"
leaves_out  = "pools of at most default_buffers buffers"
min_activity = "days_covered >= $days_min"
silenced_by = ["BP020"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({pool_id}) BUFFERS({buffers_wanted})"]
lowers      = ["BUFFERS"]
plans       = ["buffer_pool_what_if"]

[size.freed_mib]
formula = "(buffers_now - ceil(buffers_for_20pct_free_p99 / 1024) * 1024) / 256"

[size.buffers_wanted]
formula   = "CASE WHEN freed_mib > 0 THEN ceil(buffers_for_20pct_free_p99 / 1024) * 1024 END"
at_most   = 999999999
cost      = "This would have kept 20 % free nearly always, and frees {freed_mib:,.0f} MiB. After a large reduction, restart the queue manager when it suits: the storage is fragmented. Change CSQINP1 too."
otherwise = ""

[threshold.used_pct_max]
value = 50.0
unit  = "percent"
kind  = "documented"
why   = "a pool that is never more than half used can give storage to another one"
cite  = "MP16, 'Buffer pool usage' (note)"

[threshold.days_min]
value = 7
unit  = "days"
kind  = "judgement"
why   = "a week includes the usual peaks, a single day may not"

[threshold.default_buffers]
value = 1050
unit  = "buffers"
kind  = "documented"
why   = "shrinking a pool of the size suggested for test systems gains nothing"
cite  = "MP16, 'Buffer pool default sizes'"

[source]
cite = "MP16, 'Buffer pool usage' (note) and 'Buffer pool usage' of storage"

[advice]
summary = "Buffer pool {pool_id} ({buffers_now} buffer[s]) was never more than {observed:.1f} % used (limit {used_pct_max} %) in {days_covered:.1f} days of intervals."
remedy  = "{buffers_for_20pct_free_p99} buffer[s] would have kept 20 % free nearly always. If storage is short, reduce the pool, but check month ends first. Leave it unchanged if it is sized for an outage of the consumer or for the whole page set."
report  = "buffer_pool/health"
---*/
SELECT
  lpar, qmgr, pool_id, record_id,
  'buffer pool ' || pool_id AS subject,
  highest_used_pct_max      AS observed,
  buffers_now, days_covered, buffers_for_20pct_free_p99
FROM buffer_pool_period
WHERE pool_id > 0
  AND buffers_now > $default_buffers
