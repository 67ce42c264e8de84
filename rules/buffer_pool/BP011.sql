/*---
id          = "BP011"
name        = "buffer-pool-scan-signature"
title       = "Page gets rose sharply, but new pages and updates did not"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool_usual.page_gets_old_times_usual", "buffer_pool_usual.page_gets_new_per_s", "buffer_pool_usual.set_writes_per_s"]
prints      = ["buffer_pool_usual.page_gets_old_per_s", "buffer_pool_usual.page_gets_old_usual_per_s"]
judge       = "any interval"
worst       = "highest"
culprits    = ["pages read"]
breach_when = "jump and no_new and no_writes"
guards      = ["G1", "G2"]
min_activity = "pool_intervals >= $pool_intervals_min AND page_gets_old_per_s >= $page_gets_per_s_min"
look        = ["DISPLAY USAGE TYPE(PAGESET)"]

[threshold.page_gets_factor]
value = 5.0
unit  = "ratio"
kind  = "judgement"
why   = "healthy pools differ too much for a fixed ratio, so the limit is a multiple of the pool's own median; five is our own limit"

[threshold.page_gets_per_s_min]
value = 1000
unit  = "per_s"
kind  = "judgement"
why   = "at lower rates, a scan costs too little to act on"

[threshold.pool_intervals_min]
value = 8
unit  = "count"
kind  = "judgement"
why   = "with fewer intervals, the median does not show what is usual"

[clause.jump]
when    = "observed >= page_gets_factor"
measure = "page gets as a multiple of the usual rate"
text    = "page gets {value} x the usual rate"

[clause.no_new]
when          = "page_gets_new_per_s <= page_gets_new_usual_per_s"
measure       = "new pages"
compared_with = "the usual {limit}"
unit          = "per_s"

[clause.no_writes]
when          = "set_writes_per_s <= set_writes_usual_per_s"
measure       = "updates of pages"
compared_with = "the usual {limit}"
unit          = "per_s"

[source]
cite = "MP16, 'Example of a badly tuned buffer pool', observations on the problem interval"

[advice]
summary = "Buffer pool {pool_id}: {page_gets_old_per_s:,.0f} page get[s] per second, {observed:.1f} times the usual {page_gets_old_usual_per_s:,.0f} (limit {page_gets_factor} time[s]), with no more new pages or updates than usual: messages are searched, not put or got."
remedy  = "Look for a browse, a get by message or correlation id without an index, or a monitor that scans a deep queue in this interval. Keep command and reply queues out of the buffer pool of SYSTEM.CHANNEL.SYNCQ."
report  = "buffer_pool/io"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'buffer pool ' || pool_id AS subject,
  page_gets_old_times_usual AS observed,
  page_gets_old_per_s, page_gets_old_usual_per_s, pool_intervals,
  page_gets_new_per_s, page_gets_new_usual_per_s, set_writes_per_s, set_writes_usual_per_s
FROM buffer_pool_usual
WHERE buffers > 0
