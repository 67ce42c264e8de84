/*---
id          = "ST006"
name        = "sixty-four-bit-storage-low"
title       = "64-bit storage of the queue manager is nearly used"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["storage_region.available_64_mib", "storage_region.available_64_pct"]
prints      = ["storage_region.cushion_64_mib", "storage_region.memlimit_mib", "storage_region.memlimit_set"]
judge       = "any interval"
worst       = "lowest"
culprits    = ["connections"]
breach_when = "low or cushion"
look        = ["DISPLAY USAGE TYPE(PAGESET)", "mqstat report --report storage/region --qmgr {qmgr}"]
do          = ["MEMLIMIT in the JCL of the queue manager: raise it."]
raises      = ["MEMLIMIT of the queue manager"]
plans       = ["index_storage", "smds_buffer_storage"]

[threshold.free_pct_min]
value = 20.0
unit  = "percent"
kind  = "judgement"
why   = "MQ keeps a cushion of a tenth of MEMLIMIT; twice that leaves time to act"

[clause.low]
when    = "observed < free_pct_min"
measure = "share of MEMLIMIT that is free"

[clause.cushion]
when    = "available_64_mib <= cushion_64_mib"
measure = "64-bit storage left"
unit    = "mib"
compared_with = "cushion {limit}"

[source]
cite = "MP16, 'Virtual storage usage' (users of 64-bit storage); IBM documentation, CSQY224I and CSQY225E"
kind = "judgement"

[advice]
summary = "{available_64_mib:.0f} of {memlimit_mib} MiB of 64-bit storage was left, {observed:.1f} % of MEMLIMIT (limit {free_pct_min} %); the cushion is {cushion_64_mib:.0f} MiB. At the limit, buffer pools, indexes, SMDS buffers and security data get no storage and the queue manager can end."
remedy  = "Raise MEMLIMIT, or reduce the buffer pools above the bar or DSBUFS. If buffer pools fill MEMLIMIT on purpose, that explains it."
report  = "storage/region"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  '64-bit storage' AS subject,
  available_64_pct AS observed,
  available_64_mib, cushion_64_mib, memlimit_mib
FROM storage_region
WHERE memlimit_set IS DISTINCT FROM false
