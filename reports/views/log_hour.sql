/*---
id      = "log_hour"
title   = "Log volume by hour"
grain   = "one row per lpar, qmgr and hour"
needs   = ["log", "site_input"]
classes = ["115.1"]
note    = "An interval counts for the hour in which it starts; when clocks go back, there are two rows for one local hour. backup_interval_h allows 3600 s for reading the log."

[columns]
hour_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the hour in GMT.", label = "hour", screen = 1 }
hour_local = { unit = "ts_local", kind = "clock", doc = "Start of the local hour.", label = "local hour" }
log_mib_per_h = { unit = "mib_per_h", doc = "New log data per hour.", across = "add", ratio = { numerator = "log_mib_per_h", denominator = "1" }, label = "MiB/h", format = ",.1f", screen = 1 }
peak_mib_per_s = { unit = "mib_per_s", doc = "New log data per second in the busiest interval that is no fragment.", over = "max", label = "peak MiB/s", format = ".2f", screen = 1 }
log_switches = { unit = "count", doc = "New logs of copy 1 that were started; null before 9.1.2.", over = "add", label = "switches", screen = 1 }
shortest_minutes_per_switch = { unit = "min", doc = "Minutes between log switches in the interval with the most switches.", over = "min", label = "min/switch", screen = 1 }
minutes_to_fill_at_peak = { unit = "min", doc = "Minutes that one active log lasts at the peak rate, with the log size from the site file.", over = "min", label = "min to fill at peak", screen = 2 }
active_log_mib = { unit = "mib", doc = "All active logs of one copy together, from the site file.", over_time = "last", across = "same", label = "active logs MiB", format = ",.0f", screen = 3 }
retention_h = { unit = "h", doc = "Hours of log data that the active logs hold at the rate of this hour.", over = "min", label = "held h", screen = 1 }
offloaded_mib = { unit = "mib", doc = "Log data written to archives.", over = "add", label = "archived MiB", format = ",.1f", screen = 2 }
offload_behind_mib = { unit = "mib", doc = "New log data minus what was archived in the hour; negative = archiving caught up.", over = "add", label = "not archived MiB", format = ",.1f", screen = 2 }
backup_interval_h = { unit = "h", doc = "Hours between backups of the page sets so that one hour is enough to read the log forward, with the read rate from the site file.", over = "min", label = "backup every h", screen = 3 }
backup_interval_capped_h = { unit = "h", doc = "The same, but at most the time that the active logs hold.", over = "min", label = "backup capped h", screen = 2 }
---*/
WITH summed AS (
  SELECT
    lpar, qmgr,
    date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc) AS hour_start_utc,
    any_value(date_trunc('hour', interval_start_local))               AS hour_local,
    sum(log_mib_created)                                              AS log_mib_created,
    sum(interval_us) / 3.6e9                                          AS hours,
    max(log_created_mib_per_s) FILTER (judgeable(interval_us / 1e6, fragment))       AS peak_mib_per_s,
    sum(new_logs_copy1)::BIGINT                                       AS log_switches,
    min(minutes_per_log_switch)                                       AS shortest_minutes_per_switch,
    pages_mib(sum(cis_offloaded))                                     AS offloaded_mib
  FROM log
  GROUP BY lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc)
),
rated AS (
  SELECT
    q.*,
    q.log_mib_created / nullif(q.hours, 0)                            AS log_mib_per_h,
    s.active_log_mb / nullif(q.peak_mib_per_s * 60, 0)                AS minutes_to_fill_at_peak,
    s.active_logs * s.active_log_mb                                   AS active_log_mib,
    3600 * s.log_read_forward_mib_per_s                               AS readable_mib
  FROM summed AS q
  LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
)
SELECT
  lpar, qmgr, hour_start_utc, hour_local, log_mib_created, log_mib_per_h, peak_mib_per_s, log_switches, shortest_minutes_per_switch,
  minutes_to_fill_at_peak, active_log_mib,
  active_log_mib / nullif(log_mib_per_h, 0)                           AS retention_h,
  offloaded_mib,
  log_mib_created - offloaded_mib                                     AS offload_behind_mib,
  readable_mib / nullif(log_mib_per_h, 0)                             AS backup_interval_h,
  -- The read rate and the logs both limit it, so both must be known.
  CASE WHEN readable_mib < active_log_mib THEN readable_mib ELSE active_log_mib + 0 * readable_mib END / nullif(log_mib_per_h, 0)
                                                                      AS backup_interval_capped_h
FROM rated
