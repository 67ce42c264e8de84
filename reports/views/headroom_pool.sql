/*---
id      = "headroom_pool"
title   = "Use of buffer pools"
grain   = "one row per lpar, qmgr, interval, buffer pool and limit"
needs   = ["buffer_pool"]
classes = ["115.2", "115.215"]
note    = "Helper of view headroom: intervals of at least 10 seconds that are not startup intervals. Below 15 % free the deferred write process starts, below 5 % puts write synchronously."

[columns]
used_value = { unit = "number", doc = "Use in the unit of the limit." }
limit_value = { unit = "number", doc = "The limit; null if it is not known or there is none." }
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
  unnest([13, 14]::BIGINT[])                                                         AS limit_number,
  'buffer pool ' || pool_id                                                AS limit_subject,
  NULL::VARCHAR                                                            AS limit_owner,
  100 - lowest_free_pct                                                    AS used_value,
  unnest([85::DOUBLE, 95])                                                 AS limit_value,
  NULL::BIGINT                                                             AS limit_events,
  unnest([false, true])                                                    AS limit_ends_service,
  'product'                                                                AS limit_source,
  NULL::VARCHAR                                                            AS limit_note
FROM buffer_pool
WHERE lowest_free_pct IS NOT NULL AND interval_seconds >= 10 AND NOT coalesce(startup_interval, false)
