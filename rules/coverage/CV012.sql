/*---
id          = "CV012"
name        = "queue-manager-restarted"
title       = "The queue manager was restarted in the period"
severity    = "info"
grain       = ["lpar", "qmgr"]
needs       = ["interval_cut.restart_seen"]
prints      = ["interval_cut.gap_seconds", "interval_cut.startup_interval", "interval_cut.interval_start_local"]
judge       = "any interval"
worst       = "highest"
measure     = "time without statistics before the start"
unit        = "s"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[source]
cite = "real data: records 115.240 stand in start-up intervals only"
kind = "judgement"

[advice]
summary = "The queue manager or its statistics trace was started at {interval_start_local} local time, {observed:.0f} s after the interval before (start-up record seen: {startup_interval})."
remedy  = "Look at the job log of that time; a restart nobody planned is news of its own. The first interval afterwards is left out of rates and shares."
report  = "overview/gaps"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'start of the queue manager' AS subject,
  gap_seconds                  AS observed,
  interval_start_local, startup_interval,
  restart_seen                 AS breach
FROM interval_cut
ORDER BY lpar, qmgr, interval_start_utc
