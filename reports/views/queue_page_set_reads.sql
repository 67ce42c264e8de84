/*---
id      = "queue_page_set_reads"
title   = "Page set reads of gets, without the hours after a restart"
grain   = "one row per lpar, qmgr and private base queue"
needs   = ["queue_hour", "queue_total", "interval_cut"]
classes = ["116.1"]
note    = "Helper of rule QU017. After a restart of the queue manager the buffer pools are empty: the hour in which a restart was seen and the next one are excluded."

[columns]
base_name = { from = "queue_hour" }
valid_gets = { label = "", screen = 0 }
reads_per_get = { unit = "ratio", doc = "Page set reads per get that returned a message.", ratio = { numerator = "get_page_set_reads", denominator = "valid_gets" } }
---*/
WITH
cold AS (
  SELECT DISTINCT lpar, qmgr, unnest([date_trunc('hour', interval_start_utc), date_trunc('hour', interval_start_utc) + INTERVAL 1 HOUR]) AS hour_start_utc
  FROM interval_cut
  WHERE restart_seen
),
total AS (
  SELECT
    h.lpar, h.qmgr, h.base_name,
    sum(h.get_page_set_reads)::BIGINT AS get_page_set_reads,
    sum(h.valid_gets)::BIGINT         AS valid_gets
  FROM queue_hour AS h
  ANTI JOIN cold AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr AND c.hour_start_utc = h.hour_start_utc
  WHERE NOT h.is_shared
  GROUP BY h.lpar, h.qmgr, h.base_name
)
SELECT
  t.lpar, t.qmgr, t.base_name, a.page_set_id, a.pool_id, t.get_page_set_reads, t.valid_gets,
  t.get_page_set_reads / nullif(t.valid_gets, 0) AS reads_per_get
FROM total AS t
LEFT JOIN queue_total AS a ON a.lpar = t.lpar AND a.qmgr = t.qmgr AND a.base_name = regexp_replace(t.base_name, '[0-9A-F]{16}$', '*')
