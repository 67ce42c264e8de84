/*---
id       = "plan/page_set_recovery_time"
title    = "Recovery of a page set"
question = "How long would it take to recover this page set from its backup?"
subject  = "page_set"
needs    = ["page_set", "log_period"]
profiles = ["page_set_restore"]
holds    = "All levels; rates of DS8900F."
source   = "MP16, 'How often should a page set be backed up?' and 'How long will each phase of the recovery take?'"
result   = "minutes"
note     = "All log data since the backup is read, not only that of the page set, and with a fuzzy backup that of up to three more checkpoints."

[parameter.page_set_size]
unit     = "gib"
measured = "size of the page set in the last interval"
doc      = "Size of the page set."
remedy   = "collect statistics class 1, or set page_set_size=4GiB"

[parameter.mean_growth]
unit     = "mib_per_h"
measured = "new log data per hour over all intervals"
doc      = "Log data created per hour, one copy."
remedy   = "collect statistics class 1, or set mean_growth=4GiB/h"

[parameter.mib_per_checkpoint]
unit     = "mib"
measured = "new log data per checkpoint in the worst interval"
doc      = "Log data between two checkpoints."
remedy   = "collect statistics class 1 over an interval with a checkpoint, or set mib_per_checkpoint=500MiB"

[parameter.hours_since_backup]
unit   = "h"
doc    = "Time since the last backup."
remedy = "the log of the backup job has it; set hours_since_backup=24h"

[parameter.react_time]
unit    = "min"
doc     = "Time to react."
default = 15
source  = "MP16, 'Achieving specific recovery targets': to react and restore"

[parameter.tool]
unit    = "text"
doc     = "Program that restores the backup."
default = "DFDSS"
choices = "page_set_restore.tool"
source  = "MP16, 'How often should a page set be backed up?'"

[parameter.read_rate]
unit    = "mib_per_s"
fact    = "log_read_forward_mib_per_s"
doc     = "Log read rate forward."
default = 60
others  = [450, 800]
source  = "MP16, 'Achieving specific recovery targets', and 'Backup frequency example calculation': as of archives"

[step.restore_rate]
unit    = "mib_per_s"
label   = "restore rate"
formula = "of the program"

[step.restore_seconds]
unit    = "s"
label   = "restore"
formula = "size / restore rate"

[step.log_mib]
unit    = "mib"
label   = "log data to read"
formula = "growth * hours since the backup + 3 checkpoints"

[step.replay_seconds]
unit    = "s"
label   = "reading the log"
formula = "log data / read rate"

[step.minutes]
unit    = "min"
label   = "recovery"
formula = "time to react + restore + reading the log"

[answer.time]
text = "The recovery would take about {minutes:,.1f} minutes: {react_time:,.0f} to react, {restore_seconds:,.0f} s to restore {page_set_size:,.1f} GiB with {tool}, and {replay_seconds:,.0f} s to read {log_mib:,.0f} MiB of log data."
---*/
WITH size AS (
  SELECT lpar, qmgr, page_set_id, arg_max(page_set_mib, interval_start_utc) / 1024 AS page_set_size
  FROM page_set
  GROUP BY lpar, qmgr, page_set_id
)
SELECT
  s.lpar, s.qmgr, s.page_set_id AS subject, s.page_set_size,
  p.log_mib_per_h               AS mean_growth,
  p.worst_mib_per_checkpoint    AS mib_per_checkpoint
FROM size AS s
LEFT JOIN log_period AS p ON p.lpar = s.lpar AND p.qmgr = s.qmgr;

WITH read AS (
  SELECT
    i.*, r.gib_per_min * 1024 / 60                             AS restore_rate,
    i.mean_growth * i.hours_since_backup + 3 * i.mib_per_checkpoint AS log_mib
  FROM plan_input AS i
  LEFT JOIN page_set_restore AS r ON r.tool = i.tool
),
timed AS (
  SELECT *, page_set_size * 1024 / restore_rate AS restore_seconds, log_mib / nullif(read_rate, 0) AS replay_seconds
  FROM read
),
whole AS (
  SELECT *, react_time + (restore_seconds + replay_seconds) / 60 AS minutes
  FROM timed
)
SELECT
  lpar, qmgr, subject, restore_rate, restore_seconds, log_mib, replay_seconds, minutes,
  CASE WHEN minutes IS NOT NULL THEN 'time' END AS answer
FROM whole;
