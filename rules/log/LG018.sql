/*---
id          = "LG018"
name        = "checkpoints-too-frequent"
title       = "Checkpoints are too frequent"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log_window.checkpoints_per_hour"]
prints      = ["log_window.window_log_switches", "log_window.window_seconds", "log_window.checkpoint_counting"]
judge       = "share >= 10 %"
worst       = "highest"
culprits    = ["log bytes"]
measure     = "checkpoints"
when        = "observed > per_hour_max"
guards      = ["G1"]
caused_by   = ["LG010"]
look        = ["DISPLAY SYSTEM", "DISPLAY LOG"]
do          = ["SET SYSTEM LOGLOAD({logload_wanted})"]
raises      = ["LOGLOAD"]
plans       = ["logload_advice"]

[size.logload_wanted]
when      = "window_log_switches < observed * window_seconds / 3600"
formula   = "4000000"
at_most   = 16000000
cost      = "Make it permanent in CSQINP2 or CSQ6SYSP. A checkpoint then writes more pages at once, and a restart reads more log data."
otherwise = "Define larger active logs: their switches cause as many checkpoints as there were."
unknown   = "The records do not show how many log switches there were: count messages CSQJ002I. If the switches cause the checkpoints, define larger active logs; otherwise raise LOGLOAD."

[threshold.per_hour_max]
value = 10
unit  = "per_h"
kind  = "documented"
why   = "IBM calls more than ten per hour too many; one every five minutes makes twelve"
cite  = "IBM documentation, 'Log manager data records' (symptom 4, QJSTLLCP)"

[source]
cite = "IBM documentation, 'Log manager data records' (symptom 4, QJSTLLCP); MP16, 'Worked example of restart times' (what starts a checkpoint)"

[advice]
summary = "{observed:.0f} checkpoint[s] in {window_seconds:.0f} s (limit {per_hour_max} per hour), with {window_log_switches} log switch[es]; this release counts {checkpoint_counting}. Each checkpoint writes old pages and forces control data to DASD."
remedy  = "Commands that archive the log, and shutdown, also take checkpoints: look for them first."
report  = "log/checkpoints"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment,
  'checkpoints'             AS subject,
  -- Timers may be microseconds short: twenty in 7199.99 s count as ten per hour.
  round(checkpoints_per_hour, 2) AS observed,
  window_seconds, window_log_switches, checkpoint_counting
FROM log_window
