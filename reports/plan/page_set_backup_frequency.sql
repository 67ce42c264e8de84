/*---
id       = "plan/page_set_backup_frequency"
title    = "Frequency of page set backups"
question = "How often must the page sets be backed up to meet a recovery time?"
subject  = "qmgr"
needs    = ["log_period"]
holds    = "All levels; read rates of DS8900F."
source   = "MP16, 'Achieving specific recovery targets' and 'How often should a page set be backed up?'"
result   = "backup_hours"
note     = "All log data since the backup is read, not only that of the page set. 60 MiB/s is what archives were read at; 450 or 800 hold only if all of it is in active logs on DS8900F. MP16 wants backups every few hours, not days, whatever the log rate."

[parameter.mean_growth]
unit     = "mib_per_h"
measured = "new log data per hour over all intervals"
doc      = "Log data created per hour, one copy."
remedy   = "collect statistics class 1, or set mean_growth=4GiB/h"

[parameter.recovery_wanted]
unit    = "min"
doc     = "Time in which a page set must be recovered."
default = 75
source  = "MP16, 'Achieving specific recovery targets'"

[parameter.react_time]
unit    = "min"
doc     = "Part of it to react and to restore the backup."
default = 15
source  = "MP16, 'Achieving specific recovery targets'"

[parameter.read_rate]
unit    = "mib_per_s"
fact    = "log_read_forward_mib_per_s"
doc     = "Log read rate forward."
default = 60
others  = [450, 800]
source  = "MP16, 'Achieving specific recovery targets', and 'Backup frequency example calculation': as of archives"

[parameter.active_logs]
unit     = "count"
fact     = "active_logs"
doc      = "Active logs of one copy."
optional = true
remedy   = "take it from the BSDS (CSQJU004) into the site file as active_logs"

[parameter.log_size]
unit     = "mib"
fact     = "active_log_mb"
doc      = "Size of one active log."
optional = true
remedy   = "put it into the site file as active_log_mb, or set log_size=4GiB"

[step.read_seconds]
unit    = "s"
label   = "time to read the log"
formula = "time wanted - time to react and restore"

[step.backup_hours]
unit    = "h"
label   = "hours between backups"
formula = "time to read the log * read rate / growth"

[step.readable]
unit    = "gib"
label   = "log data read in that time"
formula = "time to read the log * read rate"

[step.active_hours]
unit    = "h"
label   = "the active logs hold"
formula = "active logs * log size / growth"

[answer.idle]
text = "No log data was created, so a backup stays good for any time."

[answer.no_time]
text = "No time is left to read the log: reacting and restoring takes {react_time:,.0f} of {recovery_wanted:,.0f} minutes."

[answer.from_archives]
text = "Back up the page sets at least every {backup_hours:,.1f} hours: then {readable:,.1f} GiB of log data is read in {read_seconds:,.0f} s at {read_rate:,.0f} MiB/s. The active logs hold only {active_hours:,.1f} hours, so archives are needed; a backup within that time needs active logs only."

[answer.rarely]
text = "The log grows so little that the time of a recovery allows more than 30 days between backups: back up at least as often as archives expire (ARCRETN of CSQ6ARVP), because a recovery needs the log since the backup."

[answer.every]
text = "Back up the page sets at least every {backup_hours:,.1f} hours: then {readable:,.1f} GiB of log data is read in {read_seconds:,.0f} s at {read_rate:,.0f} MiB/s<<; the active logs hold {active_hours:,.1f} hours>>."
---*/
SELECT lpar, qmgr, NULL AS subject, log_mib_per_h AS mean_growth
FROM log_period;

WITH timed AS (
  SELECT *, 60 * (recovery_wanted - react_time)         AS read_seconds
  FROM plan_input
),
whole AS (
  SELECT
    *,
    read_seconds * read_rate / nullif(mean_growth, 0)   AS backup_hours,
    active_logs * log_size / nullif(mean_growth, 0)     AS active_hours
  FROM timed
)
SELECT
  lpar, qmgr, subject, read_seconds, backup_hours, read_seconds * read_rate / 1024 AS readable, active_hours,
  CASE
    WHEN mean_growth IS NULL OR read_seconds IS NULL OR read_rate IS NULL THEN NULL
    WHEN mean_growth = 0 THEN 'idle'
    WHEN read_seconds <= 0 THEN 'no_time'
    WHEN backup_hours > 720 THEN 'rarely'
    WHEN active_hours < backup_hours THEN 'from_archives'
    ELSE 'every'
  END                                                   AS answer
FROM whole;
