/*---
id          = "DQ015"
name        = "dynamic-queue-pool-misreported"
title       = "Accounting shows a different buffer pool than the page set uses"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_queue_pool.pool_differs"]
prints      = ["quality_queue_pool.base_name", "quality_queue_pool.page_set_id", "quality_queue_pool.accounted_pool_id", "quality_queue_pool.page_set_pool_id", "quality_queue_pool.queue_blocks_seen", "quality_queue_pool.is_temporary_dynamic", "quality_queue_pool.record_id"]
judge       = "whole period"
worst       = "highest"
measure     = "queue block[s] with another pool"
when        = "observed > 0"
unit        = "count"
mq_since    = "9.0.0"
default_on  = false                       # reports use the pool of the page set, so no action is needed; overview/data_quality counts it
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})"]

[source]
cite = "MP16, 'Temporary Dynamic (TEMPDYN) Queues'"
kind = "documented"

[advice]
summary = "Accounting shows buffer pool {accounted_pool_id} for {queues} queue[s] on page set {page_set_id} ({observed:.0f} queue block[s], first queue {first_queue}), but page set statistics show pool {page_set_pool_id} (temporary dynamic queues: {temporary})."
remedy  = "Reports about pools use the pool of the page set. Correct your own programs if they read the pool from accounting."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr,
  min(record_id) FILTER (pool_differs)    AS record_id,
  'page set ' || page_set_id              AS subject,
  page_set_id,
  coalesce(sum(queue_blocks_seen) FILTER (pool_differs), 0) AS observed,
  count(*) FILTER (pool_differs)          AS queues,
  min(base_name) FILTER (pool_differs)    AS first_queue,
  min(accounted_pool_id) FILTER (pool_differs) AS accounted_pool_id,
  min(page_set_pool_id)                   AS page_set_pool_id,
  bool_or(is_temporary_dynamic) FILTER (pool_differs) AS temporary
FROM quality_queue_pool
GROUP BY lpar, qmgr, page_set_id
