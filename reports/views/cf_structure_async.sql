/*---
id      = "cf_structure_async"
title   = "Synchronous and asynchronous CF requests of applications by structure over the period"
grain   = "one row per lpar, qmgr and CF structure"
needs   = ["queue_use_cf", "site_input"]
classes = ["116.1"]
note    = "Helper of rule CF011."

[columns]
structure_requests = { unit = "count", doc = "Requests issued for the calls of applications on queues of the structure.", over = "add" }
structure_async_requests = { unit = "count", doc = "Requests that ran asynchronously.", over = "add" }
structure_async_pct = { unit = "percent", doc = "Asynchronous requests as a share of all.", ratio = { numerator = "structure_async_requests", denominator = "structure_requests", scale = 100 } }
structure_async_us = { unit = "us", doc = "Mean time of an asynchronous request.", ratio = { numerator = "structure_async_us * structure_async_requests", denominator = "structure_async_requests" } }
structure_sync_us = { unit = "us", doc = "Mean time of a synchronous request.", ratio = { numerator = "structure_sync_us * (structure_requests - structure_async_requests)", denominator = "structure_requests - structure_async_requests" } }
duplexed = { unit = "flag", doc = "The site declared the structure as duplexed, whose updates are always asynchronous." }
---*/
WITH total AS (
  SELECT
    lpar, qmgr, cf_structure,
    sum(cf_issued)::BIGINT         AS structure_requests,
    sum(cf_async_requests)::BIGINT AS structure_async_requests,
    sum(cf_async_us)::BIGINT       AS async_us,
    sum(cf_sync_us)::BIGINT        AS sync_us
  FROM queue_use_cf
  WHERE cf_structure <> ''
  GROUP BY lpar, qmgr, cf_structure
)
SELECT
  t.lpar, t.qmgr, t.cf_structure, t.structure_requests, t.structure_async_requests,
  pct(t.structure_async_requests, t.structure_requests)                     AS structure_async_pct,
  t.async_us / nullif(t.structure_async_requests, 0)                        AS structure_async_us,
  t.sync_us / nullif(t.structure_requests - t.structure_async_requests, 0)  AS structure_sync_us,
  coalesce(len(list_filter(s.duplexed_structures, lambda pattern: t.cf_structure GLOB replace(pattern, '[', '[[]'))) > 0, false)     AS duplexed
FROM total AS t
LEFT JOIN site_input AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr
