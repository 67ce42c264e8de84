/*---
id       = "storage/pools"
title    = "Storage pools"
question = "Which internal pools hold storage and which grow?"
needs    = ["storage_pool"]
rules    = []
grain    = ["lpar", "qmgr", "interval_start_utc", "record_id", "section"]
dd       = ["STG"]
drill_down = ["storage/region"]
note     = "The pools that grew most are first. Pools below the bar add up to the pool totals of storage/region."

[columns]
pool_name = { label = "pool", screen = 1 }
records_per_segment = { label = "records/segment" }
pool_headers = { label = "headers", screen = 3 }
pool_global = { label = "global", screen = 2 }
pool_64bit = { label = "64-bit", screen = 1 }
pool_ivsa = { label = "IVSA" }
pool_in_data_space = { label = "in data space" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, record_id, section, pool_name, pool_kib, pool_kib_before, pool_growth_kib,
  expansion_kib, record_bytes_in_pool, records_per_segment, pool_headers, pool_fixed, pool_global, pool_64bit, pool_ivsa,
  pool_in_data_space, data_space, share_pct
FROM storage_pool
ORDER BY pool_growth_kib DESC, pool_kib DESC, lpar, qmgr, interval_start_utc, pool_name, record_id, section
