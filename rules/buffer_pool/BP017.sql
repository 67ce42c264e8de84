/*---
id          = "BP017"
name        = "buffer-pool-smaller-than-its-only-page-set"
title       = "A pool with one page set keeps reaching the synchronous write threshold and is smaller than the page set"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool_single_page_set.page_set_cover_ratio", "buffer_pool_single_page_set.synchronous_write_hits"]
prints      = ["buffer_pool_single_page_set.buffers", "buffer_pool_single_page_set.page_set_pages_on_pool"]
judge       = "share >= 50 %"
worst       = "lowest"
breach_when = "small and hits"
mq_since    = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
raises      = ["BUFFERS"]
do_of_plan  = "buffer_pool_oversize"
plans       = ["buffer_pool_oversize"]

[threshold.size_factor]
value = 1.05
unit  = "ratio"
kind  = "documented"
why   = "with buffers for 105 % of the page set, no buffer needs to be stolen"

[threshold.synchronous_write_hits_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "such a size pays only if the pool fills up again and again"

[clause.small]
when    = "observed < size_factor"
measure = "buffers per page of the page set"

[clause.hits]
when    = "synchronous_write_hits > synchronous_write_hits_max"
measure = "synchronous write[s]"

[source]
cite = "MP16, 'Oversized buffer pools' and 'Summary of data set encryption costs with the MQ queue manager'; V92, 'Summary of data set encryption costs with the MQ queue manager'"

[advice]
summary = "Buffer pool {pool_id} serves one page set, keeps reaching the synchronous write threshold ({synchronous_write_hits} time[s] in an interval, limit {synchronous_write_hits_max}), and has {buffers} buffer[s] for {page_set_pages_on_pool} page[s], {observed:.2f} buffers per page (limit {size_factor})."
remedy  = "Enlarge the pool to hold the whole page set ({buffers_wanted} buffer[s]), if there is enough real storage."
report  = "buffer_pool/health"
---*/
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id,
  'buffer pool ' || pool_id AS subject,
  page_set_cover_ratio      AS observed,
  synchronous_write_hits, buffers,page_set_pages_on_pool,
  ceil(round(page_set_pages_on_pool * $size_factor, 6))::BIGINT AS buffers_wanted
FROM buffer_pool_single_page_set
WHERE buffers > 0
