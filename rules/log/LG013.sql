/*---
id           = "LG013"
name         = "log-offload-lagging"
title        = "Archiving does not keep up with logging"
severity     = "warning"
grain        = ["lpar", "qmgr"]
needs        = ["log_period.offload_ratio", "log_period.offload_behind_logs"]
prints       = ["log_period.offload_behind_mib", "log_period.logs_filled", "log_period.interval_hours", "log_period.cis_offloaded"]
judge        = "whole period"
worst        = "lowest"
breach_when = "ratio and behind"
guards       = []
min_activity = "logs_filled >= $min_log_switches AND interval_hours >= $min_hours"
silenced_by  = []
caused_by    = ["LG010"]
mq_since     = "base"
default_on   = true

[threshold.offload_ratio_min]
value = 0.8
unit  = "ratio"
why   = "a fifth behind over hours is more than the log that is being archived"

[threshold.behind_logs_max]
value = 2.0
unit  = "ratio"
why   = "the current log is never archived, and the archive of the one before it may be under way"

[threshold.min_log_switches]
value = 3
unit  = "count"
why   = "fewer logs show no trend"

[threshold.min_hours]
value = 6.0
unit  = "h"
why   = "a shorter period lags by up to one log whatever the archive does"

[clause.ratio]
when    = "observed < offload_ratio_min"
measure = "log data archived per log data created"

[clause.behind]
when    = "offload_behind_logs > behind_logs_max"
measure = "logs that wait to be archived"

[source]
cite = "MP16, 'How many active log data sets do you need?' and 'Will striped logs improve performance?'"
kind = "judgement"

[advice]
summary = "Archives took {observed:.2f} of the new log data (limit {offload_ratio_min}); {offload_behind_mib:.0f} MiB, {offload_behind_logs:.1f} logs (limit {behind_logs_max}), wait for it. When the ring of logs is used up, the queue manager takes no more persistent work."
remedy  = "Faster or striped archive data sets, compression, tape units of their own, more active logs; look for an archive task that hangs."
report  = "log/new_logs"
---*/
SELECT
  lpar, qmgr, record_id,
  'log offload'             AS subject,
  offload_ratio             AS observed,
  offload_behind_logs, offload_behind_mib, logs_filled, interval_hours,
  offload_ratio < $offload_ratio_min AND offload_behind_logs > $behind_logs_max AS breach
FROM log_period
WHERE cis_offloaded > 0
ORDER BY lpar, qmgr
