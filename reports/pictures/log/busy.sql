/*---
id       = "log/busy"
title    = "Log writer busy"
question = "How close is the log writer to the capacity of one task?"
kind     = "line"
unit     = "percent"
worst    = "highest"
report   = "log/busy"
needs    = ["log"]
rules    = ["LG002", "LG003"]
limits   = [
  { rule = "LG003", threshold = "busy_pct", text = "busy above" },
  { rule = "LG002", threshold = "busy_pct", text = "at capacity above" },
]
---*/
SELECT lpar, qmgr, 'log writer' AS series, interval_start_utc, interval_seconds, logger_task_busy_pct AS value
FROM log
