/*---
id      = "quality_queue_pool"
title   = "Buffer pools of queues from accounting and from page set statistics"
grain   = "one row per lpar, qmgr, queue and page set with accounting and page set statistics"
needs   = ["queue_use", "page_set"]
classes = ["116.1"]
note    = "Excludes shared queues, queues that did not use the buffer manager, and page sets that were moved to another pool in the period."

[columns]
page_set_id = { from = "queue_use" }
accounted_pool_id = { unit = "id", doc = "Buffer pool in accounting." }
page_set_pool_id = { unit = "id", doc = "Buffer pool of the page set." }
pool_differs = { unit = "flag", doc = "The two pools are different." }
queue_blocks_seen = { unit = "count", doc = "Queue blocks with this pool.", over = "add" }
---*/
WITH
used AS (
  SELECT
    lpar, qmgr, base_name, page_set_raw, pool_raw,
    count(*) AS queue_blocks_seen, min(record_id) AS record_id, bool_or(is_temporary_dynamic) AS is_temporary_dynamic
  FROM queue_use
  WHERE base_name IS NOT NULL AND page_set_known AND NOT coalesce(is_shared, false)
  GROUP BY lpar, qmgr, base_name, page_set_raw, pool_raw
),
pool_of AS (
  SELECT lpar, qmgr, page_set_id, min(pool_id) AS pool_id
  FROM page_set
  GROUP BY lpar, qmgr, page_set_id
  HAVING min(pool_id) = max(pool_id)
)
SELECT
  u.lpar, u.qmgr, u.base_name, u.page_set_raw AS page_set_id, u.pool_raw AS accounted_pool_id, p.pool_id AS page_set_pool_id,
  u.pool_raw <> p.pool_id AS pool_differs, u.queue_blocks_seen, u.record_id, u.is_temporary_dynamic
FROM used AS u
JOIN pool_of AS p ON p.lpar = u.lpar AND p.qmgr = u.qmgr AND p.page_set_id = u.page_set_raw
