/*---
id       = "plan/archive_volume"
title    = "Volume of archive logs"
question = "How much archive space is needed per day and for the time that archives are kept?"
subject  = "qmgr"
needs    = ["log", "log_period"]
holds    = "All levels. Each archived log is counted once, however many copies are made of it."
source   = "MP16, 'Should your archive logs reside on tape or DASD?' and 'Backup CFSTRUCT limit'"
result   = "space_needed"
note     = "Data that the active logs still hold is not archived yet: over a short time the figure can be too low."

[parameter.archived]
unit     = "mib_per_h"
measured = "log data written to archives per hour"
doc      = "Log data archived per hour, one copy."
remedy   = "collect statistics class 1, or set archived=4GiB/h"

[parameter.archive_copies]
unit    = "count"
fact    = "archive_copies"
doc     = "Copies of each archive log."
default = 2
source  = "MP16, 'Should your archive logs reside on tape or DASD?': two copies, the cautious case"
most    = 2

[parameter.retention]
unit     = "days"
doc      = "Days that archives are kept."
optional = true
remedy   = "ARCRETN in CSQ6ARVP has it; set retention=30d"

[parameter.compression]
unit    = "ratio"
doc     = "Size of the data divided by its size after compression."
default = 1
source  = "MP16, 'Should your archive logs reside on tape or DASD?': not compressed"
least   = 1

[parameter.log_size]
unit     = "mib"
fact     = "active_log_mb"
measured = "log data archived divided by archives written, 4 KiB for each control interval"
doc      = "Size of one active log, and so of one archive."
optional = true
remedy   = "collect statistics class 1 over an archive, or set log_size=4GiB"

[parameter.maxarch]
unit    = "count"
fact    = "maxarch"
doc     = "Archives that the BSDS remembers: MAXARCH of CSQ6LOGP."
default = 500
source  = "MP16, 'Backup CFSTRUCT limit': 10 to 1000; 500 is the default of CSQ6LOGP"
least   = 10
most    = 1000

[step.gib_per_day]
unit    = "gib"
label   = "log data archived in a day, one copy"
formula = "24 * log data archived per hour"

[step.archives_per_day]
unit    = "count"
label   = "archives of each copy in a day"
formula = "log data of a day / log size"

[step.space_per_day]
unit    = "gib"
label   = "space for a day, all copies"
formula = "log data of a day * copies / compression"

[step.space_needed]
unit    = "gib"
label   = "space for the time that archives are kept"
formula = "space for a day * days"

[step.remembered_days]
unit    = "days"
label   = "archives that the BSDS remembers reach back"
formula = "MAXARCH / archives in a day"

[answer.none_archived]
text = "Nothing was archived in this time."

[answer.forgotten]
text = "Archives take {space_per_day:,.1f} GiB a day in {archive_copies:.0f} cop[ies|y], {space_needed:,.0f} GiB for {retention:,.0f} days, but the BSDS remembers only those of {remembered_days:,.1f} days: recovery cannot use older ones."
do   = ["Raise MAXARCH in CSQ6LOGP, at most 1000, or use larger active logs."]

[answer.space]
text = "Archives take {space_per_day:,.1f} GiB a day in {archive_copies:.0f} cop[ies|y] ({gib_per_day:,.1f} GiB of log data)<<, {archives_per_day:,.1f} data sets of each copy>><<; {space_needed:,.0f} GiB for {retention:,.0f} days>>."
---*/
WITH size AS (
  SELECT lpar, qmgr, sum(cis_offloaded) * 4096 / 1048576 / nullif(sum(archive_write_allocations), 0) AS log_size
  FROM log
  GROUP BY lpar, qmgr
)
SELECT
  p.lpar, p.qmgr, NULL AS subject,
  p.offloaded_mib / nullif(p.interval_hours, 0)              AS archived,
  s.log_size
FROM log_period AS p
LEFT JOIN size AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr;

WITH daily AS (
  SELECT
    *,
    24 * archived / 1024                                     AS gib_per_day,
    24 * archived / nullif(log_size, 0)                      AS archives_per_day,
    24 * archived / 1024 * archive_copies / nullif(compression, 0) AS space_per_day
  FROM plan_input
),
whole AS (
  SELECT *, maxarch / nullif(archives_per_day, 0)            AS remembered_days
  FROM daily
)
SELECT
  lpar, qmgr, subject, gib_per_day, archives_per_day, space_per_day, space_per_day * retention AS space_needed, remembered_days,
  CASE
    WHEN space_per_day IS NULL THEN NULL
    WHEN gib_per_day = 0 THEN 'none_archived'
    WHEN remembered_days < retention THEN 'forgotten'
    ELSE 'space'
  END                                                        AS answer
FROM whole;
