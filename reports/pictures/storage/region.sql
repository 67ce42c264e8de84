/*---
id       = "storage/region"
title    = "Free storage of the queue manager"
question = "Is the 31-bit or 64-bit storage of the queue manager running out?"
kind     = "line"
unit     = "percent"
worst    = "lowest"
report   = "storage/region"
needs    = ["storage_region"]
rules    = ["ST004", "ST005", "ST006"]
limits   = [
  { rule = "ST005", threshold = "free_pct_min", text = "31-bit low below" },
  { rule = "ST006", threshold = "free_pct_min", text = "64-bit low below" },
]
note     = "31-bit storage is a share of the region, 64-bit storage a share of MEMLIMIT, if there is one. When free 31-bit storage falls to its reserve, the queue manager signals short on storage."
---*/
SELECT lpar, qmgr, '31-bit' AS series, interval_start_utc, interval_seconds, available_31_pct AS value, 'ST005' AS judged_by
FROM storage_region
UNION ALL
SELECT
  lpar, qmgr, '31-bit reserve' AS series, interval_start_utc, interval_seconds,
  pct(sos_reserve_31_bytes, region_31_bytes) AS value, 'ST004' AS judged_by
FROM storage_region
UNION ALL
SELECT lpar, qmgr, '64-bit' AS series, interval_start_utc, interval_seconds, available_64_pct AS value, 'ST006' AS judged_by
FROM storage_region
WHERE memlimit_set
