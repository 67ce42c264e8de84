/*---
id          = "BP015"
name        = "buffer-pool-oversized"
title       = "Pool much larger than its highest use"
severity    = "info"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool_period.highest_used_pct_max", "buffer_pool_period.days_covered"]
prints      = ["buffer_pool_period.buffers_now", "buffer_pool_period.buffers_for_20pct_free_p99"]
judge       = "whole period"
worst       = "lowest"
measure     = "highest use"
when        = "observed <= used_pct_max"
guards      = []
min_activity = "days_covered >= $days_min"
silenced_by = []
mq_since    = "base"
default_on  = true

[threshold.used_pct_max]
value = 50.0
unit  = "percent"
why   = "a pool that is never more than half used can give storage to one that is short"

[threshold.days_min]
value = 7
unit  = "days"
why   = "a week has its peaks, a day need not; our number"

[threshold.default_buffers]
value = 1050
unit  = "buffers"
why   = "there is nothing to gain from a pool of the size suggested for tests"

[source]
cite = "MP16, 'Buffer pool usage' (note) and 'Buffer pool usage' of storage"
kind = "documented"

[advice]
summary = "Buffer pool {pool_id} ({buffers_now} buffers) was never more than {observed:.1f} % used (limit {used_pct_max} %) in {days_covered:.1f} days of intervals."
remedy  = "Should storage be short, {buffers_for_20pct_free_p99} buffers would have kept 20 % free nearly always: ALTER BUFFPOOL({pool_id}) BUFFERS(fewer), after a look at month ends. Leave it as it is when it is sized for an outage of the consumer or to hold its whole page set."
report  = "buffer_pool/health"
---*/
SELECT
  lpar, qmgr, pool_id, record_id,
  'buffer pool ' || pool_id AS subject,
  highest_used_pct_max      AS observed,
  buffers_now, days_covered, buffers_for_20pct_free_p99,
  CASE WHEN days_covered IS NOT NULL THEN highest_used_pct_max <= $used_pct_max END AS breach
FROM buffer_pool_period
WHERE pool_id > 0
  AND buffers_now > $default_buffers
ORDER BY lpar, qmgr, pool_id
