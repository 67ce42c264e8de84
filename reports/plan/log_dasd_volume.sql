/*---
id       = "plan/log_dasd_volume"
title    = "Log data that the DASD sees"
question = "How many MiB does the DASD get for the log data that the queue manager writes?"
subject  = "qmgr"
needs    = ["log"]
holds    = "While logs are archived all the time, as at a high log rate."
source   = "MP16, 'Improved sustainable log rate'; V92, 'Improved sustainable log rate'"
result   = "dasd_rate"
note     = "Mirroring of archive logs is not included."

[coverage]
least = 0.25
unit  = "h"
why   = "the peak of a shorter time shows little"

[parameter.rate]
unit     = "mib_per_s"
measured = "log data written to copy 1 per second in the busiest interval"
doc      = "Log data written to each copy per second."
remedy   = "collect statistics class 1, or set rate=20MiB/s"

[parameter.log_copies]
unit     = "count"
measured = "log copies that were written"
doc      = "Active log copies."
remedy   = "collect statistics class 1, or set log_copies=2"
least    = 1
most     = 2

[parameter.archive_copies]
unit    = "count"
fact    = "archive_copies"
doc     = "Copies of each archive log; 0 if nothing is archived."
default = 2
source  = "MP16, 'Improved sustainable log rate'"
most    = 2

[parameter.mirrored]
unit    = "flag"
fact    = "metro_mirror"
doc     = "Whether the active logs are mirrored."
default = false
source  = "MP16, 'Improved sustainable log rate': both cases are printed"

[step.factor]
unit    = "ratio"
label   = "MiB written for each MiB logged"
formula = "active copies, twice if they are mirrored, + archive copies"

[step.dasd_rate]
unit    = "mib_per_s"
label   = "written to DASD"
formula = "log rate * that factor"

[answer.volume]
text = "The DASD gets {dasd_rate:,.1f} MiB/s at the peak: {factor:.0f} times the {rate:,.1f} MiB/s of the log."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  sum(interval_seconds) / 3600                      AS covered,
  max(copy1_mib_per_s)                              AS rate,
  at_peak(interval_start_local, copy1_mib_per_s, interval_start_utc)    AS rate_at,
  max(log_copies)                                   AS log_copies
FROM log
WHERE judgeable(interval_seconds)
GROUP BY lpar, qmgr;

WITH counted AS (
  SELECT *, log_copies * CASE mirrored WHEN true THEN 2 WHEN false THEN 1 END + archive_copies AS factor
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, factor, rate * factor AS dasd_rate,
  CASE WHEN rate * factor IS NOT NULL THEN 'volume' END AS answer
FROM counted;
