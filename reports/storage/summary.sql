/*---
id       = "storage/summary"
title    = "Storage manager summary"
question = "Is the queue manager short of storage, and is pool storage churning?"
needs    = ["storage"]
rules    = ["ST001", "ST002", "ST003"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["STGSUM", "STG"]
drill_down = ["storage/region", "storage/pools"]
note     = "Pools expand and contract all the time: only short-on-storage events and nonzero return codes matter."

[columns]
interval_seconds = { screen = 3 }
fixed_pools_created = { label = "fixed created", screen = 2 }
fixed_pools_freed = { label = "fixed freed", screen = 3 }
fixed_segments_freed = { label = "fixed segments freed" }
fixed_segments_expanded = { label = "fixed expanded", screen = 3 }
fixed_segments_contracted = { label = "fixed contracted", screen = 3 }
variable_pools_created = { label = "variable created", screen = 2 }
variable_pools_freed = { label = "variable freed", screen = 3 }
variable_segments_freed = { label = "variable segments freed" }
variable_segments_expanded = { label = "variable expanded", screen = 2 }
variable_segments_contracted = { label = "variable contracted", screen = 3 }
getmains = { label = "getmains", screen = 1 }
freemains = { label = "freemains", screen = 1 }
storage_errors = { label = "errors", screen = 1 }
sos_contractions = { label = "SOS contractions", screen = 1 }
sos_set = { label = "SOS set", screen = 1 }
sos_abends = { label = "SOS abends", screen = 1 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, fixed_pools_created, fixed_pools_freed, fixed_segments_freed,
  fixed_segments_expanded, fixed_segments_contracted, variable_pools_created, variable_pools_freed, variable_segments_freed,
  variable_segments_expanded, variable_segments_contracted, getmains, freemains, getmains_per_s, getmain_balance, storage_errors,
  sos_contractions, sos_set, sos_abends
FROM storage
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
