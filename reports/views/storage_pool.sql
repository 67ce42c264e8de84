/*---
id      = "storage_pool"
title   = "Storage pools of the queue manager"
grain   = "one row per record and pool header"
needs   = ["decoded.qsph", "interval_cut", "queue_sharing_group"]
classes = ["115.5"]
note    = "Several pools have the same name and attributes: record and section identify a row. Several records may belong to one interval. Sizes of fixed pools in 31-bit storage are recorded in pages of 4 KiB, all others in bytes; with these units, their sums equal the pool totals of storage_region."

[columns]
pool_kib = { unit = "kib", kind = "gauge", doc = "Size of the pool.", label = "KiB", screen = 1 }
pool_kib_before = { unit = "kib", kind = "gauge", doc = "Size of the pool at the previous record.", over_time = "first", across = "add", label = "KiB before", screen = 3 }
pool_growth_kib = { unit = "kib", doc = "Growth of the pool since the previous record.", over = "add", label = "grown KiB", screen = 1 }
expansion_kib = { unit = "kib", kind = "setting", doc = "Size by which the pool expands.", label = "expands by KiB", screen = 2 }
record_bytes_in_pool = { doc = "Length of a record (block) in a fixed pool.", label = "record bytes", screen = 2 }
pool_fixed = { doc = "All records of the pool have one length.", label = "fixed", screen = 2 }
data_space_name = { doc = "Name of the data space, as recorded; null for pools that are not in one, where it has no meaning." }
data_space = { unit = "text", doc = "Name of the data space; null for pools that are not in one.", label = "data space" }
share_pct = { unit = "percent", doc = "Size as a share of the pools in the same record that are in 31-bit storage, or of those in 64-bit storage.", over_time = "last", ratio = { numerator = "share_pct", denominator = "100", scale = 100, whole = ["lpar", "qmgr", "pool_64bit"] }, label = "share %", screen = 1 }
---*/
WITH sized AS (
  SELECT
    *,
    CASE WHEN pool_fixed AND NOT pool_64bit THEN 4 * pool_size ELSE pool_size / 1024 END               AS pool_kib,
    CASE WHEN pool_fixed AND NOT pool_64bit THEN 4 * pool_size_before ELSE pool_size_before / 1024 END AS pool_kib_before,
    CASE WHEN pool_fixed AND NOT pool_64bit THEN 4 * expansion_size ELSE expansion_size / 1024 END     AS expansion_kib
  FROM decoded.qsph
),
-- A window inside nullif is not readable in the database file for DuckDB 1.4.
summed AS (
  SELECT *, sum(pool_kib) OVER (PARTITION BY record_id, pool_64bit) AS all_pools_kib
  FROM sized
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id, q.section,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.pool_name, q.pool_kib, q.pool_kib_before,
  q.pool_kib - q.pool_kib_before                                 AS pool_growth_kib,
  q.expansion_kib, q.record_bytes_in_pool, q.records_per_segment, q.pool_headers,
  q.pool_fixed, q.pool_global, q.pool_64bit, q.pool_ivsa, q.pool_in_data_space,
  q.data_space_name,
  CASE WHEN q.pool_in_data_space THEN q.data_space_name END      AS data_space,
  pct(q.pool_kib, q.all_pools_kib) AS share_pct
FROM summed AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
