/*---
id       = "buffer_pool_single_page_set"
title    = "Buffer pools that one page set uses"
grain    = "one row per lpar, qmgr, interval and pool with one open page set"
needs    = ["buffer_pool"]
classes  = ["115.201"]
empty_without = false
mq_since = "9.0.0"
note     = "Helper of rule BP017."

[columns]
page_set_pages_on_pool = { doc = "Pages of the page set." }
page_set_cover_ratio = { unit = "ratio", doc = "Buffers per page of the page set.", ratio = { numerator = "buffers", denominator = "page_set_pages_on_pool" } }
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, pool_id, buffers, page_set_pages_on_pool, buffers_at_105pct,
  buffers / nullif(page_set_pages_on_pool, 0) AS page_set_cover_ratio,
  synchronous_write_hits
FROM buffer_pool
WHERE page_sets_on_pool = 1
