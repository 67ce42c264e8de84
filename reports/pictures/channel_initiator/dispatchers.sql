/*---
id       = "channel_initiator/dispatchers"
title    = "Dispatcher tasks busy"
question = "Does one dispatcher do the work while others are idle?"
kind     = "strip"
unit     = "percent"
worst    = "highest"
report   = "channel_initiator/dispatchers"
needs    = ["chinit_dispatcher"]
rules    = ["CH005"]
limits   = [{ rule = "CH005", threshold = "busy_pct", text = "at capacity above" }]
---*/
SELECT lpar, qmgr, 'dispatcher ' || task_index AS series, interval_start_utc, interval_seconds, task_busy_pct AS value, task_index
FROM chinit_dispatcher
