/*---
id          = "ST004"
name        = "thirty-one-bit-storage-at-reserve"
title       = "Free 31-bit storage is down to MQ's own reserve"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["storage_region.available_31_mib", "storage_region.sos_reserve_31_mib"]
prints      = ["storage_region.critical_reserve_31_bytes", "storage_region.used_31_pct"]
judge       = "any interval"
worst       = "lowest"
key_figure  = "available_31_mib"
culprits    = ["connections"]
measure     = "31-bit storage left"
when        = "observed <= sos_reserve_31_mib"
compared_with = "reserve {limit}"
unit        = "mib"
caused_by   = ["BP013", "ST007"]
look        = ["DISPLAY USAGE TYPE(PAGESET)", "mqstat report --report storage/region --qmgr {qmgr}"]
plans       = ["qmgr_31bit_storage"]

[source]
cite = "definition of the fields of QSRS; real data (a reserve of 100 MiB, of which 1 MiB is critical)"
kind = "judgement"

[advice]
summary = "{observed:.1f} MiB of 31-bit storage was left, not more than the short-on-storage reserve of {sos_reserve_31_mib:.1f} MiB: {used_31_pct:.1f} % of the region is in use. Below the reserve, the queue manager signals short on storage and refuses work; it keeps {critical_reserve_31_bytes} byte[s] of it for its own recovery."
remedy  = "Move buffer pools above the bar (LOCATION(ABOVE)); reduce connections and open handles (4 KB each); commit more often. The pools and requesters that hold storage are in storage/pools and storage/getmains."
report  = "storage/region"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  '31-bit storage' AS subject,
  available_31_mib AS observed,
  sos_reserve_31_mib, critical_reserve_31_bytes, used_31_pct
FROM storage_region
