/*---
id       = "plan/smf115_volume"
title    = "Volume of statistics data"
question = "How much SMF data do statistics write, with and without queue statistics?"
subject  = "qmgr"
needs    = ["record_count", "interval_cut", "queue_statistics"]
profiles = ["queue_statistics_sizes"]
holds    = "The records are measured; queue statistics by the length of their section, from 9.3.0."
source   = "MP16, 'Statistics Trace Costs'; lengths of the sections of the records"
result   = "volume"
note     = "The volume does not depend on the work, but on the number of intervals, buffer pools, page sets, structures and queues. Queue statistics need STATQ(ON) for the queues and statistics class 5."

[parameter.interval_bytes]
unit     = "bytes"
measured = "bytes of the 115 records of an interval, without queue statistics"
doc      = "Statistics data of an interval without queue statistics."
remedy   = "collect statistics, or set interval_bytes=60KiB"

[parameter.interval_minutes]
unit     = "min"
measured = "usual length of a statistics interval"
doc      = "Statistics interval (STATIME or SMF interval)."
remedy   = "collect statistics class 1, or set interval_minutes=15min"
least    = 1

[parameter.queues]
unit     = "count"
measured = "queues with queue statistics"
doc      = "Queues with STATQ(ON)."
optional = true

[parameter.level]
unit     = "text"
measured = "level of the queue manager"
doc      = "MQ level, which decides the length of the section of a queue."
choices  = "queue_statistics_sizes.level"
optional = true

[step.intervals]
unit    = "number"
label   = "intervals in a day"
formula = "1,440 / interval"

[step.without_queues]
unit    = "mib"
label   = "statistics in a day without queue statistics"
formula = "intervals * data of one"

[step.queue_mib]
unit    = "mib"
label   = "queue statistics in a day, at least"
formula = "intervals * queues * length of the section; headers come on top"

[step.volume]
unit    = "mib"
label   = "statistics in a day"
formula = "both together"

[answer.queues]
text = "Statistics write about {volume:,.1f} MiB a day in intervals of {interval_minutes:,.0f} minute[s]: {without_queues:,.1f} MiB without queue statistics and at least {queue_mib:,.1f} MiB for {queues:,.0f} queue[s]."

[answer.plain]
text = "Statistics write about {without_queues:,.1f} MiB a day in intervals of {interval_minutes:,.0f} minute[s], without queue statistics; set queues and level to see those."
---*/
WITH written AS (
  SELECT
    lpar, qmgr, max(mq_level) AS highest_mq_level,
    sum(CASE WHEN record_class LIKE '115.%' AND record_class <> '115.216' THEN bytes ELSE 0 END) AS bytes
  FROM record_count
  WHERE lpar IS NOT NULL AND qmgr IS NOT NULL
  GROUP BY lpar, qmgr
),
timed AS (
  SELECT lpar, qmgr, count(*) AS intervals, median(interval_seconds) / 60 AS minutes
  FROM interval_cut
  GROUP BY lpar, qmgr
),
named AS (
  SELECT lpar, qmgr, count(DISTINCT queue) AS queues
  FROM queue_statistics
  GROUP BY lpar, qmgr
)
SELECT
  q.lpar, q.qmgr, NULL AS subject,
  q.bytes / nullif(t.intervals, 0)                                AS interval_bytes,
  t.minutes                                                       AS interval_minutes,
  n.queues,
  CASE WHEN q.highest_mq_level >= 90403 THEN 'V9.4.3' WHEN q.highest_mq_level >= 90303 THEN 'V9.3.3' WHEN q.highest_mq_level >= 90301 THEN 'V9.3.1' WHEN q.highest_mq_level >= 90300 THEN 'V9.3.0' END AS level
FROM written AS q
LEFT JOIN timed AS t ON t.lpar = q.lpar AND t.qmgr = q.qmgr
LEFT JOIN named AS n ON n.lpar = q.lpar AND n.qmgr = q.qmgr;

WITH daily AS (
  SELECT i.*, 1440 / nullif(i.interval_minutes, 0) AS intervals, s.section_bytes
  FROM plan_input AS i
  LEFT JOIN queue_statistics_sizes AS s ON s.level = i.level
),
sized AS (
  SELECT *, intervals * interval_bytes / 1048576 AS without_queues, intervals * queues * section_bytes / 1048576 AS queue_mib
  FROM daily
)
SELECT
  lpar, qmgr, subject, intervals, without_queues, queue_mib,
  CASE WHEN queue_mib IS NULL THEN without_queues ELSE without_queues + queue_mib END AS volume,
  CASE WHEN without_queues IS NULL THEN NULL WHEN queue_mib IS NOT NULL THEN 'queues' ELSE 'plain' END AS answer
FROM sized;
