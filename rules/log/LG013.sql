/*---
id           = "LG013"
name         = "log-offload-lagging"
title        = "Archiving does not keep up with logging"
severity     = "warning"
weight       = "delay"
grain        = ["lpar", "qmgr"]
needs        = ["log_period.offload_ratio", "log_period.offload_behind_logs"]
prints       = ["log_period.offload_behind_mib", "log_period.logs_filled", "log_period.interval_hours", "log_period.cis_offloaded"]
judge        = "whole period"
worst        = "lowest"
culprits     = ["log bytes"]
breach_when = "ratio and waiting"
min_activity = "logs_filled >= $min_log_switches AND interval_hours >= $min_hours"
caused_by    = ["LG010"]
look        = ["DISPLAY LOG"]
plans       = ["archive_volume"]

[threshold.offload_pct_min]
value = 80.0
unit  = "percent"
kind  = "judgement"
why   = "20 % less over hours is more than the log that is being archived"

[threshold.behind_logs_max]
value = 2.0
unit  = "ratio"
kind  = "judgement"
why   = "the current log is never archived, and the previous one may be in progress"

[threshold.min_log_switches]
value = 3
unit  = "count"
kind  = "judgement"
why   = "fewer logs show no trend"

[threshold.min_hours]
value = 6.0
unit  = "h"
kind  = "judgement"
why   = "in a shorter period, one log of delay is normal"

[clause.ratio]
when    = "observed < offload_pct_min"
measure = "log data archived per log data created"

[clause.waiting]
when    = "offload_behind_logs > behind_logs_max"
measure = "logs not archived yet"

[source]
cite = "MP16, 'How many active log data sets do you need?' and 'Will striped logs improve performance?'"

[advice]
summary = "Only {observed:.0f} % of the new log data was archived (limit {offload_pct_min} %); {offload_behind_mib:.0f} MiB, {offload_behind_logs:.1f} logs (limit {behind_logs_max}), are not archived yet. When all active logs are full, the queue manager stops persistent work."
remedy  = "Use faster or striped archive data sets, compression, dedicated tape units or more active logs, and look for an archive task that hangs."
report  = "log/new_logs"
---*/
SELECT
  lpar, qmgr, record_id,
  'log offload'             AS subject,
  100 * offload_ratio       AS observed,
  offload_behind_logs, offload_behind_mib, logs_filled, interval_hours
FROM log_period
WHERE cis_offloaded > 0
