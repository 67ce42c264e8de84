/*---
id       = "channel_initiator/storage"
title    = "Storage of the channel initiator"
question = "How close is the channel initiator to the limit of its storage?"
kind     = "line"
unit     = "percent"
worst    = "highest"
report   = "channel_initiator/summary"
needs    = ["channel_initiator"]
rules    = ["CH012", "CH013"]
limits   = [
  { rule = "CH012", threshold = "pct_max", text = "64-bit above" },
  { rule = "CH013", threshold = "pct_max", text = "31-bit above" },
]
note     = "64-bit storage is shown if it has a limit (MEMLIMIT)."
---*/
SELECT lpar, qmgr, '31-bit' AS series, interval_start_utc, interval_seconds, chinit_31_pct AS value, 'CH013' AS judged_by
FROM channel_initiator
UNION ALL
SELECT lpar, qmgr, '64-bit' AS series, interval_start_utc, interval_seconds, chinit_64_pct AS value, 'CH012' AS judged_by
FROM channel_initiator
