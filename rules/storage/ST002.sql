/*---
id          = "ST002"
name        = "storage-shortage-abends"
title       = "Tasks abended because storage ran out"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["storage.sos_abends"]
prints      = ["storage.sos_set"]
judge       = "any interval"
worst       = "highest"
culprits    = ["connections"]
measure     = "abend[s]"
when        = "observed > sos_abends_max"
caused_by   = ["ST001", "ST004"]
look        = ["mqstat report --report storage/summary --qmgr {qmgr}"]

[threshold.sos_abends_max]
value = 0
unit  = "count"
kind  = "guidance"
why   = "each one is a task that lost its work"

[source]
cite = "IBM documentation, Storage manager data records; presentations of IBM consultants on the STG report of MP1B"

[advice]
summary = "{observed:.0f} task[s] abended because storage ran out (limit {sos_abends_max}); short on storage was signalled {sos_set} time[s] in the interval. Applications lost their work."
remedy  = "Act at once: stop connections that are not needed, move buffer pools above the bar and restart the queue manager in a controlled way if storage does not recover. Message CSQY220I shows the amounts."
report  = "storage/summary"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'abends' AS subject,
  sos_abends AS observed,
  sos_set
FROM storage
