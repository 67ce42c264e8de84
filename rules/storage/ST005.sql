/*---
id          = "ST005"
name        = "thirty-one-bit-storage-low"
title       = "Little of the 31-bit region is free"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["storage_region.available_31_pct"]
prints      = ["storage_region.available_31_mib", "storage_region.user_31_bytes"]
judge       = "any interval"
worst       = "lowest"
culprits    = ["connections"]
measure     = "share of the 31-bit region that is free"
when        = "observed < free_pct_min"
silenced_by = ["ST004"]
caused_by   = ["BP013", "ST007"]
look        = ["DISPLAY USAGE TYPE(PAGESET)", "mqstat report --report storage/region --qmgr {qmgr}"]
plans       = ["qmgr_31bit_storage"]

[threshold.free_pct_min]
value = 20.0
unit  = "percent"
kind  = "judgement"
why   = "IBM recommends keeping 20 % free in the channel initiator; we use the same limit for the queue manager"

[source]
cite = "MP16, 'Virtual storage usage' (uses of private storage, 65 MB for BACKUP CFSTRUCT) and 'Rule of Thumb for channel initiator storage usage' (80 %)"

[advice]
summary = "{observed:.1f} % (limit {free_pct_min} %) of the 31-bit region is free: {available_31_mib:.1f} MiB. Little is left for many connections at once, large units of work or BACKUP CFSTRUCT (65 MB)."
remedy  = "Move buffer pools above the bar (LOCATION(ABOVE)), close handles that are not used, commit more often, or start some of the applications on a second queue manager."
report  = "storage/region"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  '31-bit storage' AS subject,
  available_31_pct AS observed,
  available_31_mib
FROM storage_region
WHERE region_31_bytes IS DISTINCT FROM 0
