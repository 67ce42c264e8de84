/*---
id      = "buffer_pool_page_set"
title   = "Page sets of a buffer pool"
grain   = "one row per lpar, qmgr, interval and pool that page sets use"
needs   = ["decoded.qis1"]
classes = ["115.201"]
note    = "Helper of view buffer_pool. Page sets that are not available only contribute the row itself."

[columns]
page_sets_on_pool = { unit = "count", doc = "Open page sets that use the pool.", over_time = "last", across = "add", label = "page sets", screen = 2 }
page_set_pages_on_pool = { unit = "pages", doc = "Pages of these page sets.", over_time = "last", across = "add" }
busiest_page_set = { unit = "id", doc = "The page set of the pool with the most I/Os; null if there was no such page set." }
immediate_write_page_set = { unit = "id", doc = "The page set of the pool with the most immediate writes; null if there was no such page set." }
---*/
SELECT
  lpar, qmgr, interval_start_utc, pool_id,
  count(*) FILTER (status_code = 0)                      AS page_sets_on_pool,
  coalesce(sum(total_pages) FILTER (status_code = 0), 0)::BIGINT AS page_set_pages_on_pool,
  arg_max(page_set_id, (deferred_write_ios + immediate_write_ios + read_ios) * 256 - page_set_id)
    FILTER (deferred_write_ios + immediate_write_ios + read_ios > 0) AS busiest_page_set,
  arg_max(page_set_id, immediate_write_ios * 256 - page_set_id) FILTER (immediate_write_ios > 0) AS immediate_write_page_set
FROM decoded.qis1
GROUP BY lpar, qmgr, interval_start_utc, pool_id
