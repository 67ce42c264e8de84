/*---
id       = "plan/log_size_and_count"
title    = "Number and size of active logs"
question = "How large must the active logs be, and how many do I need?"
subject  = "qmgr"
needs    = ["log", "log_period"]
holds    = "MQ 8.0 and later: logs of up to 4 GiB, up to 310 of them."
source   = "MP16, 'How many active log data sets do you need?', 'How large can your active logs be?' and 'How large should the active logs be?'"
result   = "logs_needed"
note     = "The number of active logs is not in SMF. Logs fill at the rate of new log data; what is written to each copy is more, because a page that was not full is written again."

[coverage]
least = 1
unit  = "h"
why   = "a shorter time may not have the peak"

[parameter.peak_growth]
unit     = "mib_per_s"
measured = "new log data per second in the busiest interval"
doc      = "Log data created per second in the busiest interval, one copy."
remedy   = "collect statistics class 1 over the busiest hours, or set peak_growth=2MiB/s"

[parameter.mean_growth]
unit     = "mib_per_h"
measured = "new log data per hour over all intervals"
doc      = "Log data created per hour on average, one copy."
remedy   = "collect statistics class 1, or set mean_growth=4GiB/h"

[parameter.log_size]
unit     = "mib"
fact     = "active_log_mb"
measured = "log data archived divided by archives written, 4 KiB for each control interval"
doc      = "Size of one active log."
default  = 4096
source   = "MP16, 'How large can your active logs be?': the largest size"
most     = 4096

[parameter.active_logs]
unit     = "count"
fact     = "active_logs"
doc      = "Active logs of one copy now."
optional = true
remedy   = "DISPLAY LOG does not show it; take it from the BSDS (CSQJU004) into the site file as active_logs"
least    = 2
most     = 310

[parameter.retention_wanted]
unit    = "h"
doc     = "Hours of log data that the active logs must hold."
default = 24
source  = "MP16, 'How many active log data sets do you need?': at least one day"

[parameter.fill_wanted]
unit    = "min"
doc     = "Minutes that one log must last at the peak."
default = 30
source  = "MP16, 'How large should the active logs be?': at least 30 minutes"

[parameter.archive_time]
unit     = "min"
doc      = "Longest time to archive one log, as CSQJ312I and CSQJ139I show it, with the delays that you must survive."
optional = true
remedy   = "take it from the time between the messages CSQJ312I and CSQJ139I of the archives"

[step.fill_minutes]
unit    = "min"
label   = "one log lasts at the peak"
formula = "log size / peak growth"

[step.rate_for_size]
unit    = "mib_per_s"
label   = "highest rate for this size"
formula = "log size / minutes wanted"

[step.size_wanted]
unit    = "mib"
label   = "size for the minutes wanted"
formula = "peak growth * minutes wanted, at most 4096 MiB"

[step.size_wanted_minutes]
unit    = "min"
label   = "one such log lasts at the peak"
formula = "that size / peak growth"

[step.logs_for_retention]
unit    = "count"
label   = "logs for the retention wanted"
formula = "hours wanted * mean growth / log size, rounded up"

[step.logs_for_archive]
unit    = "count"
label   = "logs while one is archived"
formula = "archive time / time that one log lasts at the peak, rounded up, plus 2"

[step.logs_needed]
unit    = "count"
label   = "logs needed"
formula = "the larger of the two, at least 4"

[step.retention_hours]
unit    = "h"
label   = "the logs that exist hold"
formula = "active logs * log size / mean growth"

[step.capacity_needed]
unit    = "gib"
label   = "log data of one copy"
formula = "logs needed * log size"

[answer.too_many]
text = "{logs_needed} logs of {log_size:,.0f} MiB would be needed, but a queue manager has at most 310: keep fewer than {retention_wanted:,.0f} hours in active logs, and the rest in archives."

[answer.idle]
text = "No log data was created, so 4 logs of any size are enough."

[answer.too_small]
text = "Each log lasts {fill_minutes:,.1f} minutes at the peak of {peak_growth:,.2f} MiB/s, less than {fill_wanted:,.0f}: use logs of {size_wanted:,.0f} MiB, which last {size_wanted_minutes:,.1f}. With the present size {logs_needed} logs hold {retention_wanted:,.0f} hours<<; there are {active_logs:.0f}, which hold {retention_hours:,.1f} hours>>."
do   = ["Format logs of {size_wanted:,.0f} MiB with CSQJUFMT and add them with DEFINE LOG or CSQJU003."]

[answer.too_few]
text = "{logs_needed} logs of {log_size:,.0f} MiB are needed; there are {active_logs:.0f}, which hold {retention_hours:,.1f} of {retention_wanted:,.0f} hours. Each lasts {fill_minutes:,.1f} minutes at the peak of {peak_growth:,.2f} MiB/s."
do   = ["Add logs with DEFINE LOG, or with CSQJU003 while the queue manager is down, until each copy has {logs_needed}."]

[answer.enough]
text = "The {active_logs:.0f} logs of {log_size:,.0f} MiB are enough: {logs_needed} are needed. They hold {retention_hours:,.1f} hours, and each lasts {fill_minutes:,.1f} minutes at the peak of {peak_growth:,.2f} MiB/s."

[answer.needed]
text = "{logs_needed} logs of {log_size:,.0f} MiB are needed for {retention_wanted:,.0f} hours. Each lasts {fill_minutes:,.1f} minutes at the peak of {peak_growth:,.2f} MiB/s."
---*/
WITH peak AS (
  SELECT
    q.lpar, q.qmgr,
    max(q.log_created_mib_per_s)                           AS peak_growth,
    at_peak(q.interval_start_local, q.log_created_mib_per_s, q.interval_start_utc) AS peak_growth_at,
    sum(q.cis_offloaded) * 4096 / 1048576 / nullif(sum(q.archive_write_allocations), 0) AS log_size
  FROM log AS q
  WHERE judgeable(q.interval_seconds)
  GROUP BY q.lpar, q.qmgr
)
SELECT
  p.lpar, p.qmgr, NULL AS subject,
  p.interval_hours    AS covered,
  k.peak_growth, k.peak_growth_at,
  p.log_mib_per_h     AS mean_growth,
  k.log_size
FROM log_period AS p
LEFT JOIN peak AS k ON k.lpar = p.lpar AND k.qmgr = p.qmgr;

WITH sized AS (
  SELECT
    *,
    log_size / nullif(peak_growth, 0) / 60                       AS fill_minutes,
    log_size / nullif(60 * fill_wanted, 0)                       AS rate_for_size,
    least(ceil(peak_growth * 60 * fill_wanted), 4096)            AS size_wanted,
    ceil(retention_wanted * mean_growth / nullif(log_size, 0))   AS logs_for_retention,
    active_logs * log_size / nullif(mean_growth, 0)              AS retention_hours
  FROM plan_input
),
counted AS (
  SELECT
    *,
    ceil(archive_time / nullif(fill_minutes, 0)) + 2             AS logs_for_archive
  FROM sized
),
needed AS (
  SELECT *, greatest(4, logs_for_retention, logs_for_archive)::BIGINT AS logs_needed
  FROM counted
)
SELECT
  lpar, qmgr, subject, fill_minutes, rate_for_size, size_wanted, size_wanted / nullif(60 * peak_growth, 0) AS size_wanted_minutes, logs_for_retention, logs_for_archive,
  CASE WHEN logs_for_retention IS NOT NULL THEN logs_needed END AS logs_needed,
  retention_hours,
  logs_needed * log_size / 1024                                  AS capacity_needed,
  CASE
    WHEN peak_growth IS NULL OR mean_growth IS NULL OR log_size IS NULL THEN NULL
    WHEN peak_growth = 0 THEN 'idle'
    WHEN logs_needed > 310 THEN 'too_many'
    WHEN fill_minutes < fill_wanted AND log_size < size_wanted THEN 'too_small'
    WHEN active_logs < logs_needed THEN 'too_few'
    WHEN active_logs >= logs_needed THEN 'enough'
    ELSE 'needed'
  END                                                            AS answer
FROM needed;
