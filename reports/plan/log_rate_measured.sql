/*---
id       = "plan/log_rate_measured"
title    = "Log rate and log growth"
question = "How fast does this queue manager log, and how fast do its logs fill?"
subject  = "qmgr"
needs    = ["log", "log_period"]
holds    = "All levels; log copies from MQ 7.0.1, log switches from 9.1.2."
source   = "MP16, 'Why does my log performance matter?'"
result   = "peak_growth_per_h"
note     = "Logs fill at the rate of new log data; the DASD sees the rate of each copy, which is more, because a page that was not full is written again."

[parameter.peak_growth]
unit     = "mib_per_s"
measured = "new log data per second in the busiest interval"
doc      = "Log data created per second in the busiest interval."
remedy   = "collect statistics class 1, or set peak_growth=2MiB/s"

[parameter.mean_growth]
unit     = "mib_per_h"
measured = "new log data per hour over all intervals"
doc      = "Log data created per hour on average."
remedy   = "collect statistics class 1, or set mean_growth=4GiB/h"

[parameter.copy_rate]
unit     = "mib_per_s"
measured = "log data written to copy 1 per second in the busiest interval"
doc      = "Log data written to each copy per second in the busiest interval."
optional = true

[parameter.log_size]
unit     = "mib"
fact     = "active_log_mb"
measured = "log data archived divided by archives written, 4 KiB for each control interval"
doc      = "Size of one active log."
optional = true
remedy   = "collect statistics class 1 over an archive, or set log_size=4GiB"

[step.peak_growth_per_h]
unit    = "mib_per_h"
label   = "growth at the peak"
formula = "3600 * peak growth"

[step.growth_per_day]
unit    = "gib"
label   = "growth in a day"
formula = "24 * mean growth"

[step.fill_minutes]
unit    = "min"
label   = "one log lasts at the peak"
formula = "log size / peak growth"

[step.mean_fill_hours]
unit    = "h"
label   = "one log lasts on average"
formula = "log size / mean growth"

[step.rewritten]
unit    = "percent"
label   = "written again at the peak"
formula = "100 * (rate of the copy - growth) / rate of the copy"

[answer.idle]
text = "No log data was created."

[answer.rate]
text = "It creates {peak_growth:,.2f} MiB of log data per second at the peak, {peak_growth_per_h:,.0f} MiB per hour, and {mean_growth:,.0f} per hour on average, {growth_per_day:,.1f} GiB a day<<; each copy was written at {copy_rate:,.2f} MiB/s>><<. One log lasts {fill_minutes:,.1f} minutes at the peak and {mean_fill_hours:,.1f} hours on average>>."
---*/
WITH peak AS (
  SELECT
    lpar, qmgr,
    max(log_created_mib_per_s)                              AS peak_growth,
    at_peak(interval_start_local, log_created_mib_per_s, interval_start_utc)    AS peak_growth_at,
    at_peak(copy1_mib_per_s, log_created_mib_per_s, interval_start_utc)         AS copy_rate,
    at_peak(interval_start_local, log_created_mib_per_s, interval_start_utc)    AS copy_rate_at,
    sum(cis_offloaded) * 4096 / 1048576 / nullif(sum(archive_write_allocations), 0) AS log_size
  FROM log
  WHERE judgeable(interval_seconds)
  GROUP BY lpar, qmgr
)
SELECT
  p.lpar, p.qmgr, NULL AS subject, k.peak_growth, k.peak_growth_at, p.log_mib_per_h AS mean_growth, k.copy_rate, k.copy_rate_at, k.log_size
FROM log_period AS p
LEFT JOIN peak AS k ON k.lpar = p.lpar AND k.qmgr = p.qmgr;

SELECT
  lpar, qmgr, subject,
  3600 * peak_growth                                        AS peak_growth_per_h,
  24 * mean_growth / 1024                                   AS growth_per_day,
  log_size / nullif(peak_growth, 0) / 60                    AS fill_minutes,
  log_size / nullif(mean_growth, 0)                         AS mean_fill_hours,
  pct(copy_rate - peak_growth, copy_rate)                   AS rewritten,
  CASE
    WHEN peak_growth IS NULL OR mean_growth IS NULL THEN NULL
    WHEN peak_growth = 0 THEN 'idle'
    ELSE 'rate'
  END                                                       AS answer
FROM plan_input;
