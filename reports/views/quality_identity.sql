/*---
id      = "quality_identity"
title   = "Totals that must be equal"
grain   = "one row per lpar, qmgr, interval and identity"
needs   = ["page_set", "log", "log_io", "buffer_pool"]
note    = "Excludes page sets with a status and pools that were resized in the interval. It is normal that two log writes are in progress when the record is written."

[columns]
identity = { unit = "text", doc = "Totals that must be equal: pages of page sets, control intervals written, log writes, or stealable buffers." }
identity_error = { unit = "count", doc = "Difference of the totals in pages, control intervals, writes or buffers; 0 = equal.", over = "max" }
identity_tolerance = { unit = "count", doc = "Allowed difference: 0 for totals that must be exactly equal, otherwise null.", over = "same" }
---*/
WITH
-- Pools with more stealable buffers than buffers; a pool whose size changed was resized.
overfull AS (
  SELECT lpar, qmgr, pool_id
  FROM buffer_pool
  WHERE greatest(lowest_stealable, current_stealable) > buffers
  GROUP BY lpar, qmgr, pool_id
),
sized AS (
  SELECT
    b.lpar, b.qmgr, b.record_id, b.interval_start_utc, b.buffers, b.lowest_stealable, b.current_stealable,
    lag(b.buffers) OVER (PARTITION BY b.lpar, b.qmgr, b.pool_id ORDER BY b.interval_start_utc) AS buffers_before
  FROM buffer_pool AS b
  JOIN overfull AS o ON o.lpar = b.lpar AND o.qmgr = b.qmgr AND o.pool_id = b.pool_id
),
pool AS (
  SELECT lpar, qmgr, interval_start_utc, max(greatest(lowest_stealable, current_stealable) - buffers) AS identity_error
  FROM sized
  WHERE coalesce(buffers_before = buffers, true)
  GROUP BY lpar, qmgr, interval_start_utc
),
written AS (
  SELECT record_id, sum(io_count)::BIGINT AS io_count
  FROM log_io
  GROUP BY record_id
)
SELECT
  lpar, qmgr, min(record_id) AS record_id, interval_start_utc, 'pages of page sets' AS identity,
  max(abs(identity_error_pages)) AS identity_error, 0 AS identity_tolerance
FROM page_set
WHERE coalesce(status, 'Available') = 'Available'
GROUP BY lpar, qmgr, interval_start_utc
UNION ALL
SELECT lpar, qmgr, record_id, interval_start_utc, 'control intervals written', abs(log_closure_error), NULL
FROM log
WHERE log_closure_error IS NOT NULL
UNION ALL
SELECT l.lpar, l.qmgr, l.record_id, l.interval_start_utc, 'log writes', abs(l.log_write_requests - coalesce(w.io_count, 0)), NULL
FROM log AS l
LEFT JOIN written AS w ON w.record_id = l.record_id
-- A record that counts I/O by type has no row for a type without writes.
WHERE l.log_closure_error IS NOT NULL
UNION ALL
SELECT b.lpar, b.qmgr, b.record_id, b.interval_start_utc, 'stealable buffers', greatest(0, coalesce(p.identity_error, 0)), 0
FROM (SELECT lpar, qmgr, interval_start_utc, min(record_id) AS record_id FROM buffer_pool GROUP BY ALL) AS b
LEFT JOIN pool AS p ON p.lpar = b.lpar AND p.qmgr = b.qmgr AND p.interval_start_utc = b.interval_start_utc
