/*---
id          = "ST003"
name        = "storage-requests-failing"
title       = "Storage requests ended with a nonzero return code"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["storage.storage_errors"]
prints      = ["storage.getmains"]
judge       = "any interval"
worst       = "highest"
culprits    = ["connections"]
measure     = "failed storage request[s]"
when        = "observed > storage_errors_max"
caused_by   = ["ST001", "ST004"]
look        = ["mqstat report --report storage/summary --qmgr {qmgr}"]
do          = ["REGION=0M in the JCL of the queue manager."]
raises      = ["REGION"]

[threshold.storage_errors_max]
value = 0
unit  = "count"
kind  = "guidance"
why   = "storage requests succeed as long as the address space has free storage"

[source]
cite = "IBM documentation, Storage manager data records; presentations of IBM consultants on the STG report of MP1B"

[advice]
summary = "{observed:.0f} storage request[s] ended with a nonzero return code (limit {storage_errors_max}); the interval had {getmains} GETMAIN[s]. This is an early sign of fragmentation or of a region limit."
remedy  = "Check what limits the region (IEFUSI, SMFLIMxx), and the 31-bit storage left."
report  = "storage/summary"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'storage requests' AS subject,
  storage_errors     AS observed,
  getmains
FROM storage
