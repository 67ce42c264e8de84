/*---
id          = "BP010"
name        = "buffer-pool-pages-read-repeatedly"
title       = "More pages are read back than were ever written"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool_period.reread_ratio", "buffer_pool_period.period_hours"]
prints      = ["buffer_pool_period.pages_read", "buffer_pool_period.pages_written", "buffer_pool_period.pool_hit_pct"]
judge       = "whole period"
worst       = "highest"
culprits    = ["pages read"]
breach_when = "reread and many"
min_activity = "restarts = 0 AND period_hours >= $period_hours_min"    # after a restart, pages from before it are read
caused_by   = ["BP001", "BP002", "BP003", "BP004", "BP006"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
raises      = ["BUFFERS"]

[threshold.reread_ratio_max]
value = 3.0
unit  = "ratio"
kind  = "judgement"
why   = "stored messages are read about once per page written; the published bad case is 160 to 1, 3 is our own limit"

[threshold.pages_read_min]
value = 10000
unit  = "pages"
kind  = "judgement"
why   = "fewer reads cost too little to act on"

[threshold.period_hours_min]
value = 12
unit  = "h"
kind  = "judgement"
why   = "in a shorter period, many of the messages read were written before it"

[clause.reread]
when    = "observed > reread_ratio_max"
measure = "pages read per page written"

[clause.many]
when    = "pages_read >= pages_read_min"
measure = "pages read"
text    = "{value} read from DASD"

[source]
cite = "MP16, 'Interpretation of MQ statistics', point 3"

[advice]
summary = "Buffer pool {pool_id} read {pages_read} page[s] and wrote {pages_written}: {observed:.1f} reads per page written (limit {reread_ratio_max}). The same messages on DASD are read again and again."
remedy  = "Find the queue that is browsed or searched: give it an index, enlarge the pool, or move its page set to a pool of its own."
report  = "buffer_pool/lifespan"
---*/
SELECT
  lpar, qmgr, pool_id, record_id,
  'buffer pool ' || pool_id AS subject,
  reread_ratio              AS observed,
  pages_read, pages_written, restarts, period_hours
FROM buffer_pool_period
