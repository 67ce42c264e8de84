/*---
id          = "LG010"
name        = "log-filling-faster-than-30-minutes"
title       = "An active log lasts less than half an hour at peak"
severity    = "warning"
grain       = ["lpar", "qmgr"]
needs_any   = [["log_window.window_log_switches", "log_window.seconds_per_log"]]
prints      = ["log_window.window_seconds", "log_window.window_log_mib_created"]
judge       = "any interval"
worst       = "lowest"
measure     = "time that one active log lasted, over an hour"
guards      = []                          # a window of an hour, never a single interval, is judged
silenced_by = []
mq_since    = "9.1.2"
default_on  = true

[threshold.fill_seconds_min]
value = 1800
unit  = "s"
why   = "IBM wants logs that last 30 minutes at the expected peak"

[source]
cite = "MP16, 'How large should the active logs be?'"
kind = "documented"

[advice]
summary = "One active log lasted {observed:.0f} s (limit {fill_seconds_min} s): {window_log_switches} log switches and {window_log_mib_created:.0f} MiB of new log in {window_seconds:.0f} s."
remedy  = "Define larger active logs (up to 4 GB) and more of them, or spread the persistent load: each switch is a checkpoint and an archive, and leaves less time to mend a stuck archive. ARCHIVE LOG commands of automation count as switches too."
report  = "log/rate"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'active logs'             AS subject,
  seconds_per_log           AS observed,
  window_log_switches, window_log_mib_created, window_seconds,
  CASE WHEN window_log_switches < 2 THEN false ELSE seconds_per_log < $fill_seconds_min END AS breach
FROM log_window
ORDER BY lpar, qmgr, interval_start_utc
