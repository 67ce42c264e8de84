/*---
id      = "verdict_value"
title   = "The deciding figures of each subsystem"
grain   = "one row per lpar, qmgr, figure and interval; per hour for figures from accounting"
needs   = ["interval_headline", "cf_structure", "interval_cut", "channel", "task_hour"]
note    = "Helper of report overview/verdict. Intervals under 10 seconds are left out."

[columns]
lpar = {}
qmgr = {}
measured_from_utc = { unit = "ts_utc", doc = "Start of the interval or hour." }
measured_to_utc = { unit = "ts_utc", doc = "End of the interval or hour." }
measured_from_local = { unit = "ts_local", doc = "Start of the interval or hour in local time." }
usable = { unit = "flag", doc = "May count for a norm: no start-up, suspect or very short interval." }
subsystem = { unit = "text", doc = "Part of the queue manager that the figure tells about." }
indicator_order = { unit = "id", doc = "1 = the figure that decides, 2 = the one beside it." }
indicator = { unit = "text", doc = "Name of the figure." }
indicator_unit = { unit = "text", doc = "Unit of the figure." }
low_is_worse = { unit = "flag", doc = "The metric is something left over, so its lowest value is its worst." }
indicator_value = { unit = "number", doc = "Value of the figure." }
---*/
WITH
headline AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_end_utc, interval_start_local, baseline_ok,
    unnest(['lowest pool free', 'fullest page set', 'logger busy', 'longest log I/O', 'CF redrives', 'SMDS buffer waits', 'Db2 queue', 'free 31-bit storage', 'busiest adapter']) AS indicator,
    unnest([lowest_pool_free_pct::DOUBLE, fullest_page_set_pct, logger_task_busy_pct, longest_log_io_us, cf_redrive_pct, smds_waits, db2_queue_high, available_31_mib, adapter_busiest_pct]) AS indicator_value
  FROM interval_headline
  WHERE interval_seconds >= 10
),
single_call AS (
  SELECT lpar, qmgr, interval_start_utc, sum(single_call_us) / nullif(sum(single_calls), 0) AS average_us
  FROM cf_structure
  GROUP BY lpar, qmgr, interval_start_utc
),
network AS (
  SELECT
    lpar, qmgr, interval_start_utc, max(interval_end_utc) AS interval_end_utc, max(interval_start_local) AS interval_start_local,
    max(network_average_us) AS slowest_us
  FROM channel
  WHERE interval_seconds >= 10
  GROUP BY lpar, qmgr, interval_start_utc
),
measured AS (
  SELECT lpar, qmgr, interval_start_utc AS from_utc, interval_end_utc AS to_utc, interval_start_local AS from_local, baseline_ok AS usable, indicator, indicator_value
  FROM headline
  UNION ALL
  SELECT c.lpar, c.qmgr, c.interval_start_utc, i.interval_end_utc, i.interval_start_local, i.baseline_ok, 'CF single call', c.average_us
  FROM single_call AS c
  JOIN interval_cut AS i ON i.lpar = c.lpar AND i.qmgr = c.qmgr AND i.interval_start_utc = c.interval_start_utc
  WHERE i.interval_seconds >= 10
  UNION ALL
  SELECT lpar, qmgr, interval_start_utc, interval_end_utc, interval_start_local, true, 'slowest network time', slowest_us
  FROM network
  UNION ALL
  SELECT lpar, qmgr, hour_start_utc, hour_start_utc + INTERVAL 1 HOUR, hour_start_local, true, 'longest latch wait', longest_latch_wait_us
  FROM task_hour
  UNION ALL
  SELECT lpar, qmgr, hour_start_utc, hour_start_utc + INTERVAL 1 HOUR, hour_start_local, true, 'commit time', commit_average_et_us
  FROM task_hour
)
SELECT
  lpar, qmgr, from_utc AS measured_from_utc, to_utc AS measured_to_utc, from_local AS measured_from_local, usable,
  CASE indicator
    WHEN 'lowest pool free' THEN 'buffer pools'
    WHEN 'fullest page set' THEN 'page sets'
    WHEN 'logger busy' THEN 'log'
    WHEN 'longest log I/O' THEN 'log'
    WHEN 'CF redrives' THEN 'CF'
    WHEN 'SMDS buffer waits' THEN 'SMDS'
    WHEN 'Db2 queue' THEN 'Db2'
    WHEN 'free 31-bit storage' THEN 'storage'
    WHEN 'busiest adapter' THEN 'channel initiator'
    WHEN 'CF single call' THEN 'CF'
    WHEN 'longest latch wait' THEN 'locks and latches'
    WHEN 'slowest network time' THEN 'channels'
    WHEN 'commit time' THEN 'applications'
  END AS subsystem,
  CASE WHEN indicator IN ('longest log I/O', 'CF single call') THEN 2 ELSE 1 END AS indicator_order,
  indicator,
  CASE
    WHEN indicator IN ('lowest pool free', 'fullest page set', 'logger busy', 'CF redrives', 'busiest adapter') THEN 'percent'
    WHEN indicator IN ('longest log I/O', 'CF single call', 'longest latch wait', 'slowest network time', 'commit time') THEN 'us'
    WHEN indicator IN ('free 31-bit storage') THEN 'mib'
    ELSE 'count'
  END AS indicator_unit,
  indicator IN ('lowest pool free', 'free 31-bit storage') AS low_is_worse,
  indicator_value
FROM measured
WHERE indicator_value IS NOT NULL
