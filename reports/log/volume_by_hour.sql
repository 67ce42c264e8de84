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
lpar = { screen = 1 }
qmgr = { screen = 1 }
hour_start_utc = { label = "hour", screen = 1 }
hour_local = { label = "local hour" }
log_mib_created = { label = "new MiB", screen = 1, format = ",.1f" }
log_mib_per_h = { label = "MiB/h", screen = 1, format = ",.1f" }
peak_mib_per_s = { label = "peak MiB/s", screen = 1, format = ".2f" }
log_switches = { label = "switches", screen = 1 }
shortest_minutes_per_switch = { label = "min/switch", screen = 1 }
minutes_to_fill_at_peak = { label = "min to fill at peak", screen = 2 }
active_log_mib = { label = "active logs MiB", screen = 3, format = ",.0f" }
retention_h = { label = "held h", screen = 1 }
offloaded_mib = { label = "archived MiB", screen = 2, format = ",.1f" }
offload_behind_mib = { label = "not archived MiB", screen = 2, format = ",.1f" }
backup_interval_h = { label = "backup every h", screen = 3 }
backup_interval_capped_h = { label = "backup capped h", screen = 2 }
---*/
SELECT
  lpar, qmgr, hour_start_utc, hour_local, log_mib_created, log_mib_per_h, peak_mib_per_s, log_switches, shortest_minutes_per_switch,
  minutes_to_fill_at_peak, active_log_mib, retention_h, offloaded_mib, offload_behind_mib, backup_interval_h,
  backup_interval_capped_h
FROM log_hour
ORDER BY lpar, qmgr, hour_start_utc
