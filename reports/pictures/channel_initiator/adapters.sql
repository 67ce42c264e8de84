/*---
id       = "channel_initiator/adapters"
title    = "Adapter tasks busy"
question = "Was an adapter free when channels and clients needed one?"
kind     = "strip"
unit     = "percent"
worst    = "highest"
report   = "channel_initiator/adapters"
needs    = ["chinit_task"]
rules    = ["CH001", "CH002"]
limits   = [
  { rule = "CH001", threshold = "idle_busy_pct", text = "none idle: all above", every = true },
  { rule = "CH002", threshold = "busy_pct", text = "saturated: all above", every = true },
]
---*/
SELECT lpar, qmgr, 'adapter ' || task_index AS series, interval_start_utc, interval_seconds, task_busy_pct AS value
FROM chinit_task
WHERE task_type = 'adapter'
