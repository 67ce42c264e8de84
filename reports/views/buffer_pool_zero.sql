/*---
id       = "buffer_pool_zero"
title    = "Queues and data in the pool of the object definitions"
grain    = "one row per lpar, qmgr, interval and queue in pool 0 or on page set 0; page set 0 as a whole where there are no queue statistics"
needs    = ["queue_statistics", "site_queue", "page_set"]
classes  = ["115.216", "115.201"]
mq_since = "9.0.0"
note     = "Helper of rule BP018. Queues without a page set (shared, or never used) and partial records are excluded."

[columns]
place = { unit = "text", doc = "'queue' and its name, or 'page set 0'." }
queue = { from = "queue_statistics", doc = "Queue name; null for the page set as a whole." }
pool_id = { from = "queue_statistics" }
page_set_id = { from = "page_set" }
cluster_transmission = { unit = "flag", doc = "The queue is a cluster transmission queue." }
message_pages = { unit = "pages", doc = "Pages of page set 0 that hold data, for the page set as a whole.", over_time = "last", across = "add" }
grown_pages = { doc = "Increase of these pages since the interval with the fewest so far, at least 0.", over_time = "last", across = "max" }
---*/
WITH
queue_in_zero AS (
  SELECT
    q.lpar, q.qmgr, q.interval_start_utc, q.interval_seconds, q.record_id, q.queue, q.pool_id, q.page_set_id, q.depth_high,
    s.growable,
    s.queue_kind = 'cluster transmission' AS cluster_transmission
  FROM queue_statistics AS q
  JOIN site_queue AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.queue = q.queue
  WHERE (q.page_set_id = 0 OR q.pool_id = 0) AND NOT q.depth_unknown
),
with_statistics AS (
  SELECT lpar, qmgr FROM queue_statistics GROUP BY lpar, qmgr
),
page_set_zero AS (
  SELECT
    p.lpar, p.qmgr, p.interval_start_utc, p.interval_seconds, p.record_id, p.pool_id, p.page_set_id,
    p.persistent_pages + p.nonpersistent_pages AS message_pages
  FROM page_set AS p
  ANTI JOIN with_statistics AS w ON w.lpar = p.lpar AND w.qmgr = p.qmgr
  WHERE p.page_set_id = 0
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'queue ' || queue AS place,
  queue, pool_id, page_set_id, depth_high, growable, cluster_transmission,
  NULL::BIGINT      AS message_pages,
  NULL::BIGINT      AS grown_pages
FROM queue_in_zero
UNION ALL
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'page set 0', NULL, pool_id, page_set_id, NULL, NULL, NULL,
  message_pages,
  message_pages - min(message_pages) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc ROWS UNBOUNDED PRECEDING)
FROM page_set_zero
