/*---
id           = "LG013"
name         = "log-offload-lagging"
title        = "Too much log data is not archived at the end of the data"
severity     = "warning"                  # critical where the site file declares the logs, and at most one is left
weight       = "outage"
grain        = ["lpar", "qmgr"]
needs        = ["log_period.unarchived_logs"]
prints       = ["log_period.unarchived_mib", "log_period.unarchived_since_utc", "log_period.log_end_utc", "log_period.cis_offloaded", "site_input.active_logs"]
judge        = "whole period"
worst        = "highest"
culprits     = ["log bytes"]
measure      = "log data that is not archived, in logs"
when         = "observed >= waiting_logs_min"
min_activity = "created_logs >= $waiting_logs_min"
caused_by    = ["LG010"]
look         = ["DISPLAY LOG"]
raises       = ["size and number of active logs"]
plans        = ["archive_volume"]

[threshold.waiting_logs_min]
value = 3.0
unit  = "ratio"
kind  = "judgement"
margin_pct = 0                            # the first two logs are the margin
why   = "the current log is never archived, and a second may be in progress"

[threshold.critical_logs_min]
value = 4.0
unit  = "ratio"
kind  = "judgement"
why   = "with fewer active logs than IBM recommends, two that wait are normal; otherwise it is all logs but one"

[source]
cite = "MP16, 'How many active log data sets do you need?' and 'Will striped logs improve performance?'"

[advice]
summary = "{unarchived_mib:.0f} MiB of log data written since {unarchived_since_utc} are not archived, still so at {log_end_utc}: {observed:.1f} log[s] (limit {waiting_logs_min}) of {unarchived_log_mib:.0f} MiB<<, {size_doubt}>>. When all active logs<< ({active_logs:.0f} per copy)>> are full, the queue manager stops persistent work."
remedy  = "Look for an archive task that hangs, and for CSQJ messages about archives since then. If archiving is only slow: faster or striped archive data sets, compression, dedicated tape units or more active logs."
report  = "log/volume_by_hour"
---*/
SELECT
  p.lpar, p.qmgr, p.record_id,
  'log offload'             AS subject,
  p.unarchived_logs         AS observed,
  p.log_mib_created / nullif(p.unarchived_log_mib, 0) AS created_logs,
  p.unarchived_mib, p.unarchived_since_utc, p.log_end_utc, p.unarchived_log_mib, s.active_logs,
  CASE WHEN s.active_log_mb IS NULL THEN 'a size measured between log switches: the logs may be larger' END AS size_doubt,
  -- Of a log whose size is only measured, less than this may wait.
  CASE WHEN s.active_log_mb IS NOT NULL AND s.active_logs > 0 AND p.unarchived_logs >= greatest($critical_logs_min, s.active_logs - 1)
    THEN 'critical' END     AS severity
FROM log_period AS p
LEFT JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
-- Where an archive was never even opened, OFFLOAD=NO is likely: rule LG014.
WHERE p.cis_offloaded > 0 OR p.archive_write_allocations > 0
