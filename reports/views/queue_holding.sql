/*---
id      = "queue_holding"
title   = "Queues that held a tenth or more of what all queues of their buffer pool, page set or CF structure held"
grain   = "one row per lpar, qmgr, queue and buffer pool, page set or structure"
needs   = ["queue_held", "queue_sharing_group"]
classes = ["115.216"]
empty_without = false
note    = "Relates queues that are read too slowly to the pools, page sets and structures that they fill. Compares the most that each queue held in an interval of the period. A queue of a structure has a row on every member of its queue-sharing group."

[columns]
page_set_id = { doc = "Page set; null in a row about a pool or a structure." }
pool_id = { doc = "Buffer pool; null in a row about a page set or a structure." }
cf_structure = { doc = "CF structure; null in a row about a pool or a page set." }
---*/
WITH
most AS (
  SELECT lpar, qmgr, queue, page_set_id, pool_id, cf_structure, max(held) AS held FROM queue_held GROUP BY ALL
),
filled AS (
  SELECT lpar, qmgr, queue, NULL AS page_set_id, pool_id, NULL AS cf_structure, sum(held) AS held FROM most WHERE pool_id IS NOT NULL GROUP BY ALL
  UNION ALL
  SELECT lpar, qmgr, queue, page_set_id, NULL, NULL, sum(held) FROM most WHERE page_set_id IS NOT NULL GROUP BY ALL
  UNION ALL
  SELECT o.lpar, o.qmgr, m.queue, NULL, NULL, m.cf_structure, max(m.held)
  FROM most AS m
  JOIN queue_sharing_group AS g ON g.lpar = m.lpar AND g.qmgr = m.qmgr
  JOIN queue_sharing_group AS o ON (o.lpar = g.lpar AND o.qmgr = g.qmgr) OR o.qsg = g.qsg
  WHERE m.cf_structure IS NOT NULL
  GROUP BY ALL
)
SELECT lpar, qmgr, queue, page_set_id, pool_id, cf_structure
FROM filled
QUALIFY held >= 0.1 * sum(held) OVER (PARTITION BY lpar, qmgr, page_set_id, pool_id, cf_structure)
