/*---
id       = "plan/cf_backup_interval"
title    = "Frequency of BACKUP CFSTRUCT"
question = "How often must structures be backed up to meet a recovery time?"
subject  = "qmgr"
needs    = ["log_period"]
holds    = "All levels; rates of DS8900F. The busiest member of the group sets the time."
source   = "MP16, 'Backup frequency example calculation'"
result   = "backup_hours"
note     = "The logs of all members are read backwards at the same time: take the shortest of their times. Without data of all members it can be too long."

[parameter.growth]
unit     = "mib_per_s"
measured = "new log data per second in the busiest interval"
doc      = "Log data created per second by the busiest member."
remedy   = "collect statistics class 1, or set growth=2.27MiB/s"

[parameter.recovery_wanted]
unit    = "min"
doc     = "Time in which a structure must be recovered, without the time to react."
default = 30
source  = "MP16, 'Backup frequency example calculation'"

[parameter.restore_time]
unit    = "s"
doc     = "Time to restore the backup."
default = 2
others  = [60]
source  = "MP16, 'Backup frequency example calculation': 2 s for 200,000 messages of 1 KB, and a minute allowed"

[parameter.read_rate]
unit    = "mib_per_s"
fact    = "log_read_backward_mib_per_s"
doc     = "Log read rate backward."
default = 450
others  = [60]
source  = "MP16, 'Backup frequency example calculation': 450 from active logs, 60 from archives"

[step.readable]
unit    = "gib"
label   = "log data read in time"
formula = "(time wanted - restore) * read rate, at least 0"

[step.backup_hours]
unit    = "h"
label   = "hours between backups"
formula = "log data read in time / growth"

[step.hours_at_least]
unit    = "h"
label   = "not shorter than"
formula = "time wanted: a backup more often than that gains nothing"

[answer.idle]
text = "No log data was created, so a backup stays good for any time."

[answer.no_time]
text = "The restore of a backup alone takes {restore_time:,.0f} seconds: a recovery in {recovery_wanted:,.0f} minutes leaves no time to read the log."

[answer.too_fast]
text = "The log grows too fast for {recovery_wanted:,.0f} minutes: a backup every {backup_hours:,.2f} hours would be needed, more often than a recovery takes."

[answer.rarely]
text = "The log grows so little that the time of a recovery allows more than 30 days between backups: back up at least as often as archives expire (ARCRETN of CSQ6ARVP), because a recovery needs the log since the backup."

[answer.every]
text = "Back up the structures at least every {backup_hours:,.1f} hours: then {readable:,.1f} GiB of log data is read in {recovery_wanted:,.0f} minutes at {read_rate:,.0f} MiB/s, while {growth:,.2f} MiB/s are created at the peak."
---*/
SELECT lpar, qmgr, NULL AS subject, peak_mib_per_s AS growth
FROM log_period;

WITH read AS (
  SELECT *, CASE WHEN restore_time >= 60 * recovery_wanted THEN 0 ELSE (60 * recovery_wanted - restore_time) * read_rate / 1024 END AS readable, recovery_wanted / 60 AS hours_at_least
  FROM plan_input
),
timed AS (
  SELECT *, readable * 1024 / nullif(growth, 0) / 3600 AS backup_hours
  FROM read
)
SELECT
  lpar, qmgr, subject, readable, backup_hours, hours_at_least,
  CASE
    WHEN growth IS NULL OR readable IS NULL THEN NULL
    WHEN readable <= 0 THEN 'no_time'
    WHEN growth = 0 THEN 'idle'
    WHEN backup_hours < hours_at_least THEN 'too_fast'
    WHEN backup_hours > 720 THEN 'rarely'
    ELSE 'every'
  END                                                  AS answer
FROM timed;
