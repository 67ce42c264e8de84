/*---
id       = "plan/cf_recover_time"
title    = "Time of RECOVER CFSTRUCT"
question = "How long would the recovery of a structure take?"
subject  = "qmgr"
needs    = ["log_period"]
profiles = ["cf_recovery"]
holds    = "MQ 9.3 on z15 with DS8900F."
source   = "MP16, 'What impact might I see?' and 'Backup frequency example calculation'"
result   = "seconds"
note     = "All log data since the backup is read, that of private queues too, and the logs of all members in parallel: the member with the most log data sets the time. The backup itself is restored in seconds."

[parameter.mean_growth]
unit     = "mib_per_h"
measured = "new log data per hour over all intervals"
doc      = "Log data created per hour, one copy."
remedy   = "collect statistics class 1, or set mean_growth=4GiB/h"

[parameter.hours_since_backup]
unit    = "h"
doc     = "Time since the last BACKUP CFSTRUCT."
remedy  = "DISPLAY CFSTATUS(*) TYPE(BACKUP) shows it; set hours_since_backup=12h"

[parameter.log]
unit    = "text"
doc     = "Where the log data is read from: active logs, archives, or archives that zEDC compressed."
default = "active"
choices = "cf_recovery.log"
source  = "MP16, 'Backup frequency example calculation': keep the range in active logs"

[parameter.members]
unit    = "count"
doc     = "Queue managers whose logs are read at the same time."
default = 1
source  = "MP16, 'Backup frequency example calculation': each reads its own, so only the CPU time is more"
least   = 1

[step.log_mib]
unit    = "mib"
label   = "log data since the backup"
formula = "growth * hours since the backup"

[step.seconds]
unit    = "s"
label   = "recovery"
formula = "log data / read rate of that kind of log"

[step.cpu_seconds]
unit    = "s"
label   = "CPU time"
formula = "log data * CPU time for each MiB * members"

[step.seconds_from_archives]
unit    = "s"
label   = "the same from plain archives"
formula = "log data / read rate of archives"

[answer.nothing]
text = "No log data was written since the backup: the recovery takes as long as its restore, some seconds."

[answer.time]
text = "A recovery from {log} logs would take about {seconds:,.1f} s to read {log_mib:,.0f} MiB, and {cpu_seconds:,.1f} s of CPU; from plain archives {seconds_from_archives:,.0f} s."
do   = ["Keep the log data since the last backup in active logs: mqstat plan log_size_and_count has their number."]
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  log_mib_per_h AS mean_growth
FROM log_period;

WITH read AS (
  SELECT i.*, i.mean_growth * i.hours_since_backup AS log_mib, r.mib_per_s, r.cpu_ms_per_mib, a.mib_per_s AS archive_mib_per_s
  FROM plan_input AS i
  LEFT JOIN cf_recovery AS r ON r.log = i.log
  LEFT JOIN cf_recovery AS a ON a.log = 'archive'
),
timed AS (
  SELECT *, log_mib / mib_per_s AS seconds
  FROM read
)
SELECT
  lpar, qmgr, subject, log_mib, seconds,
  log_mib * cpu_ms_per_mib / 1000 * members         AS cpu_seconds,
  log_mib / archive_mib_per_s                       AS seconds_from_archives,
  CASE
    WHEN seconds IS NULL THEN NULL
    WHEN log_mib = 0 THEN 'nothing'
    ELSE 'time'
  END                                               AS answer
FROM timed;
