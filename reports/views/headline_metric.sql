/*---
id      = "headline_metric"
title   = "The figures a day is read by, one under the other"
grain   = "one row per lpar, qmgr, interval and metric that has a value"
needs   = ["interval_headline"]
note    = "Helper of report overview/peaks."

[columns]
lpar = {}
qmgr = {}
qsg = {}
record_id = {}
interval_start_utc = {}
interval_start_local = {}
interval_seconds = {}
baseline_ok = { unit = "flag", doc = "At least 10 seconds, no startup and not suspect: may be used for peaks and baselines." }
metric = { unit = "text", kind = "key", doc = "Name of a column of the time line." }
metric_unit = { unit = "text", doc = "Unit of the metric." }
low_is_worse = { unit = "flag", doc = "The metric is something left over, so its lowest value is its worst." }
metric_value = { unit = "number", doc = "Value of the metric in the interval." }
---*/
WITH metric AS (
  SELECT
    lpar, qmgr, qsg, record_id, interval_start_utc, interval_start_local, interval_seconds, baseline_ok,
    unnest([
      'puts_per_s', 'gets_per_s', 'mqi_calls_per_s', 'persistent_put_pct', 'log_created_mib_per_s',
      'logger_task_busy_pct', 'log_buffer_waits', 'longest_log_io_us', 'checkpoints', 'log_reads_archive',
      'lowest_pool_free_pct', 'synchronous_write_hits', 'no_buffer_waits', 'page_set_ios_per_s',
      'fullest_page_set_pct', 'page_set_fulls', 'page_set_expansions', 'cf_calls_per_s', 'cf_redrive_pct',
      'structure_fulls', 'smds_waits', 'db2_queue_high', 'sos_set', 'available_31_mib', 'active_channels_pct',
      'adapters_idle', 'adapter_busiest_pct', 'dispatcher_busiest_pct', 'ssl_busiest_pct'
    ]) AS metric,
    unnest([
      puts_per_s::DOUBLE, gets_per_s, mqi_calls_per_s, persistent_put_pct, log_created_mib_per_s,
      logger_task_busy_pct, log_buffer_waits, longest_log_io_us, checkpoints, log_reads_archive,
      lowest_pool_free_pct, synchronous_write_hits, no_buffer_waits, page_set_ios_per_s, fullest_page_set_pct,
      page_set_fulls, page_set_expansions, cf_calls_per_s, cf_redrive_pct, structure_fulls, smds_waits,
      db2_queue_high, sos_set, available_31_mib, active_channels_pct, adapters_idle, adapter_busiest_pct,
      dispatcher_busiest_pct, ssl_busiest_pct
    ]) AS metric_value
  FROM interval_headline
)
SELECT
  lpar, qmgr, qsg, record_id, interval_start_utc, interval_start_local, interval_seconds, baseline_ok, metric,
  CASE
    WHEN metric IN ('puts_per_s', 'gets_per_s', 'mqi_calls_per_s', 'page_set_ios_per_s', 'cf_calls_per_s') THEN 'per_s'
    WHEN metric IN ('persistent_put_pct', 'logger_task_busy_pct', 'lowest_pool_free_pct', 'fullest_page_set_pct', 'cf_redrive_pct', 'active_channels_pct', 'adapter_busiest_pct', 'dispatcher_busiest_pct', 'ssl_busiest_pct') THEN 'percent'
    WHEN metric IN ('log_created_mib_per_s') THEN 'mib_per_s'
    WHEN metric IN ('longest_log_io_us') THEN 'us'
    WHEN metric IN ('available_31_mib') THEN 'mib'
    ELSE 'count'
  END AS metric_unit,
  metric IN ('lowest_pool_free_pct', 'available_31_mib', 'adapters_idle') AS low_is_worse,
  metric_value
FROM metric
WHERE metric_value IS NOT NULL
