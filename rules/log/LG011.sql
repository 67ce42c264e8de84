/*---
id           = "LG011"
name         = "active-logs-hold-less-than-a-day"
title        = "The active logs hold too few hours of log data"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr"]
needs        = ["log_period.retention_h", "site_input.active_logs", "site_input.active_log_mb"]
prints       = ["log_period.active_log_mib", "log_period.log_mib_per_h", "log_period.interval_hours"]
judge        = "whole period"
worst        = "lowest"
measure     = "hours of log data in the active logs"
when        = "observed < retention_h_min"
text        = "{value} of log data in the active logs"
min_activity = "interval_hours >= $min_hours"
default_on   = false                      # on if the site declares its active logs
look        = ["DISPLAY LOG"]
raises       = ["size and number of active logs"]
plans       = ["log_size_and_count", "page_set_backup_frequency"]

[threshold.retention_h_min]
value = 24.0
unit  = "h"
kind  = "documented"
why   = "IBM asks for at least one day of recovery log in the active logs"
cite  = "MP16, 'How many active log data sets do you need?'"

[threshold.min_hours]
value = 20.0
unit  = "h"
kind  = "judgement"
why   = "the average rate of a few hours is not the rate of a day"

[source]
cite = "MP16, 'How to minimize recovery time' and 'How many active log data sets do you need?'"

[advice]
summary = "The {active_logs} active log[s] ({active_log_mib:.0f} MiB per copy) hold {observed:.1f} hours of log data (limit {retention_h_min} h) at {log_mib_per_h:.0f} MiB per hour."
remedy  = "Add active logs (up to 310) or enlarge them: recovery that has to read archives takes at least seven times as long. Archives on DASD with a fast recall reduce this."
report  = "log/volume_by_hour"
---*/
SELECT
  p.lpar, p.qmgr, p.record_id,
  'active logs'             AS subject,
  p.retention_h             AS observed,
  s.active_logs, p.active_log_mib, p.log_mib_per_h, p.interval_hours
FROM log_period AS p
LEFT JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
