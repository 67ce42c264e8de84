/*---
id          = "ST001"
name        = "queue-manager-short-on-storage"
title       = "Short-on-storage was signalled or pools were contracted to recover storage"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["storage.sos_set", "storage.sos_contractions"]
prints      = ["storage_region.available_31_mib", "storage_region.sos_reserve_31_mib"]
judge       = "any interval"
worst       = "highest"
key_figure  = "sos_set"
culprits    = ["connections"]
breach_when = "signalled or contracted"
caused_by   = ["ST004"]
look        = ["DISPLAY USAGE TYPE(PAGESET)", "mqstat report --report storage/region --qmgr {qmgr}"]
plans       = ["qmgr_31bit_storage"]

[threshold.sos_set_max]
value = 0
unit  = "count"
kind  = "guidance"
why   = "each one is a time at which the queue manager had no more 31-bit storage than its reserve"

[threshold.sos_contractions_max]
value = 0
unit  = "count"
kind  = "guidance"
why   = "pools contract all the time; these contractions were made because storage was short"

[clause.signalled]
when    = "observed > sos_set_max"
measure = "short-on-storage signal[s]"

[clause.contracted]
when    = "sos_contractions > sos_contractions_max"
measure = "pool contraction[s] to recover storage"

[source]
cite = "IBM documentation, Storage manager data records; presentations of IBM consultants on the STG report of MP1B"

[advice]
summary = "Short on storage was signalled {sos_set} time[s] (limit {sos_set_max}) and pools were contracted {sos_contractions} time[s] to recover storage (limit {sos_contractions_max}). <<At the end of the interval {available_31_mib:.1f} MiB of 31-bit storage was left; the reserve is {sos_reserve_31_mib:.1f} MiB. >>The queue manager may refuse work or end."
remedy  = "Message CSQY220I in the job log of the queue manager shows the amounts. Move buffer pools above the bar (LOCATION(ABOVE)); reduce connections and open handles (4 KB each); commit more often. BACKUP CFSTRUCT keeps 65 MB until storage is short."
report  = "storage/summary"
---*/
WITH region AS (
  SELECT lpar, qmgr, interval_start_utc, min(available_31_mib) AS available_31_mib, max(sos_reserve_31_mib) AS sos_reserve_31_mib
  FROM storage_region
  GROUP BY lpar, qmgr, interval_start_utc
)
SELECT
  s.lpar, s.qmgr, s.interval_start_utc, s.interval_seconds, s.record_id,
  'short on storage' AS subject,
  s.sos_set          AS observed,
  s.sos_set, s.sos_contractions, r.available_31_mib, r.sos_reserve_31_mib
FROM storage AS s
LEFT JOIN region AS r ON r.lpar = s.lpar AND r.qmgr = s.qmgr AND r.interval_start_utc = s.interval_start_utc
