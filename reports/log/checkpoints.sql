/*---
id       = "log/checkpoints"
title    = "Checkpoints and LOGLOAD"
question = "How often are checkpoints taken, why, and what LOGLOAD is in force?"
needs    = ["log", "log_checkpoint", "site_input"]
rules    = ["LG018", "LG019"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["log/restart_exposure"]
site_input = ["logload"]
note     = "Estimated LOGLOAD is empty if every checkpoint came from a log switch, and too low if an interval begins just after a checkpoint. Checkpoints at log switches are counted separately from 9.1.2 on."

[columns]
checkpoints_per_h = { unit = "per_h", label = "checkpoints/h", screen = 1, doc = "Checkpoints per hour at the rate of the interval.", over_time = "mean", across = "add" }
pages_per_checkpoint = { unit = "pages", label = "pages/checkpoint", screen = 2, format = ",.0f", doc = "Pages written per checkpoint.", ratio = { numerator = "checkpoint_pages", denominator = "checkpoints" } }
logload_setting = { unit = "count", label = "LOGLOAD", screen = 1, doc = "LOGLOAD from the site file.", over_time = "last", across = "same" }
mib_per_checkpoint = { unit = "mib", label = "MiB/checkpoint", screen = 1, doc = "New log data per checkpoint, which a restart reads forward.", ratio = { numerator = "q.log_mib_created", denominator = "q.checkpoints" } }
---*/
SELECT
  q.lpar, q.qmgr, q.qsg, q.interval_start_utc, q.interval_seconds, q.interval_end_utc, q.log_writes, q.checkpoints, q.log_switch_checkpoints,
  q.minutes_per_checkpoint, q.log_writes_per_checkpoint, q.estimated_logload, q.new_logs_copy1,
  q.checkpoints * 3600 / nullif(q.interval_seconds, 0)               AS checkpoints_per_h,
  p.checkpoint_pages,
  p.checkpoint_pages / nullif(q.checkpoints, 0)                      AS pages_per_checkpoint,
  s.logload                                                          AS logload_setting,
  q.log_mib_created / nullif(q.checkpoints, 0)                       AS mib_per_checkpoint
FROM log AS q
LEFT JOIN log_checkpoint AS p ON p.lpar = q.lpar AND p.qmgr = q.qmgr AND p.interval_start_utc = q.interval_start_utc
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
