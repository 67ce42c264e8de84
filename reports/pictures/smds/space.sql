/*---
id       = "smds/space"
title    = "Shared message data sets in use"
question = "Is a shared message data set filling up?"
kind     = "line"
unit     = "percent"
worst    = "highest"
report   = "smds/space"
needs    = ["smds"]
rules    = ["SM003"]
limits   = [{ rule = "SM003", threshold = "used_pct_max", text = "nearly full above" }]
---*/
SELECT lpar, qmgr, cf_structure AS series, interval_start_utc, interval_seconds, smds_used_high_pct AS value, cf_structure
FROM smds
WHERE smds_data_blocks > 0
