/*---
id       = "log/volume_by_hour"
title    = "Log volume by hour, retention and backup interval"
question = "How much log is written per hour, how many hours do the active logs hold, and how often must page sets be backed up?"
needs    = ["log_hour"]
rules    = ["LG011", "LG012"]
grain    = ["lpar", "qmgr", "hour_start_utc"]
unmarked = "A row is an hour; its rules judge the whole period of a queue manager."
drill_down = ["log/restart_exposure"]
site_input = ["active_log_mb", "active_logs", "log_read_forward_mib_per_s"]
note     = "Retention and backup need the number and size of the active logs and the read rate from the site file. One hour (3600 s) is allowed for reading the log forward."

[columns]
log_mib_created = { label = "new MiB", format = ",.1f" }
---*/
SELECT
  lpar, qmgr, hour_start_utc, hour_local, log_mib_created, log_mib_per_h, peak_mib_per_s, log_switches, shortest_minutes_per_switch,
  minutes_to_fill_at_peak, active_log_mib, retention_h, offloaded_mib, offload_behind_mib, backup_interval_h,
  backup_interval_capped_h
FROM log_hour
ORDER BY lpar, qmgr, hour_start_utc
