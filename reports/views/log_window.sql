/*---
id      = "log_window"
title   = "Log switches and checkpoints of the last hour"
grain   = "one row per lpar, qmgr and interval, over the hour that ends with it"
needs   = ["log", "site_input"]
classes = ["115.1"]
note    = "The window contains the intervals that begin within the 60 minutes before the end of this one (plus or minus half a minute, because timers drift). It is shorter at the start of the data and after a gap, and is a single interval if that is longer than an hour."

[columns]
window_seconds = { unit = "s", doc = "Length of the intervals of the window together.", over = "max" }
window_checkpoints = { unit = "count", doc = "Checkpoints in the window; before 9.0 those at log switches are not counted.", over = "max" }
window_log_switches = { unit = "count", doc = "New logs of copy 1 started in the window; null before 9.1.2.", over = "max" }
window_log_mib_created = { unit = "mib", doc = "New log data in the window.", over = "max" }
checkpoints_per_hour = { unit = "per_h", doc = "Checkpoints in the hour; in a shorter window the number of checkpoints, never extrapolated.", over = "max" }
seconds_per_log = { unit = "s", doc = "Time that one active log lasted in the window: by switches from 9.1.2 on (at least two), otherwise active_log_mb of the site file divided by the rate of at least 25 minutes.", over = "min" }
interval_log_switches = { unit = "count", doc = "New logs of copy 1 started in this interval; null before 9.1.2.", over = "add" }
interval_log_mib_created = { unit = "mib", doc = "New log data of this interval.", over = "add" }
interval_seconds_per_log = { unit = "s", doc = "Time that one active log lasted in this interval, if at least two logs were started in it.", over = "min" }
seconds_per_log_by_switches = { unit = "flag", doc = "seconds_per_log comes from counted log switches, not from a declared log size." }
checkpoint_counting = { unit = "text", doc = "What the checkpoint counter counts at this release." }
---*/
WITH hour AS (
  SELECT
    lpar, qmgr, qsg, mq_version, source_id, record_id, interval_start_utc, interval_end_utc, interval_start_local, interval_seconds,
    fragment, startup_interval, suspect_first, new_logs_copy1, log_mib_created,
    sum(interval_us) OVER near / 1e6            AS window_seconds,
    (sum(checkpoints) OVER near)::BIGINT        AS window_checkpoints,
    (sum(new_logs_copy1) OVER near)::BIGINT     AS window_log_switches,
    sum(log_mib_created) OVER near              AS window_log_mib_created
  FROM log
  WINDOW near AS (
    PARTITION BY lpar, qmgr ORDER BY interval_start_utc
    RANGE BETWEEN to_microseconds(greatest(0, 3630000000 - interval_us)) PRECEDING AND CURRENT ROW
  )
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.mq_version, q.source_id, q.record_id, q.interval_start_utc, q.interval_end_utc, q.interval_start_local,
  q.interval_seconds, q.fragment, q.startup_interval, q.suspect_first,
  q.window_seconds, q.window_checkpoints, q.window_log_switches, q.window_log_mib_created,
  q.window_checkpoints / greatest(1, q.window_seconds / 3600)  AS checkpoints_per_hour,
  CASE
    WHEN q.window_log_switches >= 2 THEN q.window_seconds / q.window_log_switches
    WHEN q.window_log_switches IS NULL AND q.window_seconds >= 1500
      THEN s.active_log_mb / nullif(q.window_log_mib_created / q.window_seconds, 0)
  END                                                          AS seconds_per_log,
  q.new_logs_copy1                                             AS interval_log_switches,
  q.log_mib_created                                            AS interval_log_mib_created,
  CASE WHEN q.new_logs_copy1 >= 2 THEN q.interval_seconds / q.new_logs_copy1 END AS interval_seconds_per_log,
  q.window_log_switches IS NOT NULL                            AS seconds_per_log_by_switches,
  CASE WHEN try_cast(split_part(q.mq_version, '.', 1) AS INTEGER) >= 9
    THEN 'all checkpoints' ELSE 'checkpoints without those at log switches' END AS checkpoint_counting
FROM hour AS q
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
