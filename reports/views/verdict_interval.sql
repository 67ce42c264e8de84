/*---
id      = "verdict_interval"
title   = "Key figures of each subsystem"
grain   = "one row per lpar, qmgr and interval; another per interval of the channels, and per hour for figures from accounting"
needs   = ["interval_headline", "cf_structure", "channel", "task_hour"]
keep    = true                           # expensive, and read more than once
note    = "Helper of report overview/verdict. Each row has the figures of its kind; the others are null. Fragments are excluded."

[columns]
measured_from_utc = { unit = "ts_utc", doc = "Start of the interval or hour." }
measured_to_utc = { unit = "ts_utc", doc = "End of the interval or hour." }
measured_from_local = { unit = "ts_local", doc = "Start of the interval or hour in local time." }
usable = { unit = "flag", doc = "May be used as a usual value: no startup, suspect or very short interval." }
logger_task_busy_pct = { over = "max" }
cf_redrive_pct = { over = "max" }
cf_single_call_us = { unit = "us", doc = "Mean time of CF calls for one entry, all structures.", over = "max" }
network_slowest_us = { unit = "us", doc = "Highest mean network time of a channel.", over = "max" }
commit_average_et_us = { over = "max" }
---*/
WITH
-- Materialized, so that the memory of its aggregates is released before anything else starts.
headline AS MATERIALIZED (
  SELECT
    lpar, qmgr, interval_start_utc, interval_end_utc, interval_start_local, baseline_ok,
    lowest_pool_free_pct, fullest_page_set_pct, logger_task_busy_pct, longest_log_io_us, cf_redrive_pct, smds_waits,
    db2_queue_high, available_31_mib, adapter_busiest_pct
  FROM interval_headline
  WHERE judgeable(interval_seconds, fragment)
),
single_call AS (
  SELECT lpar, qmgr, interval_start_utc, sum(single_call_us) / nullif(sum(single_calls), 0) AS cf_single_call_us
  FROM cf_structure
  GROUP BY lpar, qmgr, interval_start_utc
)
SELECT
  h.lpar, h.qmgr, h.interval_start_utc AS measured_from_utc, h.interval_end_utc AS measured_to_utc,
  h.interval_start_local AS measured_from_local, h.baseline_ok AS usable,
  h.lowest_pool_free_pct, h.fullest_page_set_pct, h.logger_task_busy_pct, h.longest_log_io_us, h.cf_redrive_pct,
  h.smds_waits, h.db2_queue_high, h.available_31_mib, h.adapter_busiest_pct,
  c.cf_single_call_us
FROM headline AS h
LEFT JOIN single_call AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr AND c.interval_start_utc = h.interval_start_utc
UNION ALL BY NAME
SELECT
  lpar, qmgr, interval_start_utc AS measured_from_utc, max(interval_end_utc) AS measured_to_utc,
  max(interval_start_local) AS measured_from_local, true AS usable, max(network_average_us) AS network_slowest_us
FROM channel
WHERE judgeable(interval_seconds, fragment)
GROUP BY lpar, qmgr, interval_start_utc
UNION ALL BY NAME
SELECT
  lpar, qmgr, hour_start_utc AS measured_from_utc, hour_start_utc + INTERVAL 1 HOUR AS measured_to_utc,
  hour_start_local AS measured_from_local, true AS usable, longest_latch_wait_us, commit_average_et_us
FROM task_hour
