/*---
id      = "figure_value"
title   = "Key figures from statistics, one per row"
grain   = "one row per lpar, qmgr, subject, interval and figure"
needs   = ["interval_headline", "buffer_pool", "page_set", "cf_structure", "smds", "channel_initiator", "log_io"]
keep    = false                          # many rows that are read only once
note    = "Startup, suspect and very short intervals are excluded. Counts are converted to an hour."

[columns]
subject = { unit = "text", doc = "Subject of the figure: a pool, page set, structure, application, queue or channel; empty for the queue manager itself." }
figure_number = { unit = "id", doc = "Number of the figure in view figure_kind." }
hour_of_week = { unit = "id", doc = "Hour of the week, 0 to 167 from Monday on." }
day_number = { unit = "id", doc = "Days from 2000-01-01 to the local day of the interval." }
measured_weight = { unit = "number", doc = "Weight of the value in a mean: the seconds of the interval; for a ratio its denominator.", over = "none", why = "Each row is another figure." }
measured_value = { unit = "number", doc = "Value of the figure.", over = "none", why = "Each row is another figure." }
---*/
WITH
headline AS (
  SELECT
    lpar, qmgr, '' AS subject, interval_start_local, unnest(range(1, 30)) AS figure_number,
    unnest([
      puts_per_s::DOUBLE, gets_per_s, mqi_calls_per_s, persistent_put_pct, log_created_mib_per_s, logger_task_busy_pct,
      log_buffer_waits * 3600 / interval_seconds, longest_log_io_us, checkpoints * 3600 / interval_seconds,
      log_reads_archive * 3600 / interval_seconds, lowest_pool_free_pct, synchronous_write_hits * 3600 / interval_seconds,
      no_buffer_waits * 3600 / interval_seconds, page_set_ios_per_s, fullest_page_set_pct,
      page_set_fulls * 3600 / interval_seconds, page_set_expansions * 3600 / interval_seconds, cf_calls_per_s,
      cf_redrive_pct, structure_fulls * 3600 / interval_seconds, smds_waits * 3600 / interval_seconds, db2_queue_high,
      sos_set * 3600 / interval_seconds, available_31_mib, active_channels_pct, adapters_idle, adapter_busiest_pct,
      dispatcher_busiest_pct, ssl_busiest_pct
    ]) AS measured_value,
    interval_seconds,
    -- Of the ratios 4 and 19; shorter lists are filled with null.
    unnest([
      NULL, NULL, NULL, persistent_puts + nonpersistent_puts, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, cf_calls
    ]) AS denominator
  FROM interval_headline
  WHERE baseline_ok
),
pool AS (
  SELECT
    lpar, qmgr, 'buffer pool ' || pool_id AS subject, interval_start_local, unnest(range(31, 35)) AS figure_number,
    unnest([buffers::DOUBLE, lowest_free_pct, page_set_ios_per_s, synchronous_write_hits * 3600 / interval_seconds]) AS measured_value,
    interval_seconds, NULL
  FROM buffer_pool
  WHERE buffers > 0 AND judgeable(interval_seconds, fragment) AND NOT coalesce(startup_interval OR suspect_first, false)
),
file AS (
  SELECT lpar, qmgr, 'page set ' || page_set_id AS subject, interval_start_local, 36 AS figure_number, used_pct::DOUBLE AS measured_value,
    interval_seconds, NULL
  FROM page_set
  WHERE judgeable(interval_seconds, fragment) AND NOT coalesce(startup_interval OR suspect_first, false)
),
structure AS (
  SELECT
    lpar, qmgr, 'structure ' || cf_structure AS subject, interval_start_local, unnest(range(41, 44)) AS figure_number,
    unnest([cf_calls_per_s::DOUBLE, average_single_us, redrive_pct]) AS measured_value,
    interval_seconds, unnest([NULL, single_calls, cf_calls])
  FROM cf_structure
  WHERE judgeable(interval_seconds, fragment) AND NOT coalesce(startup_interval OR suspect_first, false)
),
data_set AS (
  SELECT
    lpar, qmgr, 'SMDS ' || cf_structure AS subject, interval_start_local, unnest(range(46, 49)) AS figure_number,
    unnest([smds_buffers::DOUBLE, buffers_free_low, smds_used_pct]) AS measured_value,
    interval_seconds, NULL
  FROM smds
  WHERE judgeable(interval_seconds, fragment) AND NOT coalesce(startup_interval OR suspect_first, false)
),
task_count AS (
  SELECT
    lpar, qmgr, 'channel initiator' AS subject, interval_start_local, unnest(range(51, 54)) AS figure_number,
    unnest([adapters::DOUBLE, dispatchers, ssl_tasks]) AS measured_value,
    interval_seconds, NULL
  FROM channel_initiator
  WHERE judgeable(interval_seconds, fragment)
),
written AS (
  SELECT
    lpar, qmgr, 'log copy ' || log_copy AS subject, interval_start_local, 56 AS figure_number,
    sum(io_total_us) / nullif(sum(io_count), 0)::DOUBLE AS measured_value,
    max(interval_seconds), sum(io_count)::BIGINT
  FROM log_io
  WHERE judgeable(interval_seconds, fragment) AND NOT coalesce(startup_interval OR suspect_first, false)
  GROUP BY lpar, qmgr, log_copy, interval_start_local
),
found AS (
  SELECT * FROM headline
  UNION ALL SELECT * FROM pool
  UNION ALL SELECT * FROM file
  UNION ALL SELECT * FROM structure
  UNION ALL SELECT * FROM data_set
  UNION ALL SELECT * FROM task_count
  UNION ALL SELECT * FROM written
)
SELECT
  lpar, qmgr, subject, figure_number,
  24 * (isodow(interval_start_local) - 1) + hour(interval_start_local) AS hour_of_week,
  datediff('day', DATE '2000-01-01', interval_start_local::DATE)       AS day_number,
  coalesce(denominator, interval_seconds)::DOUBLE AS measured_weight,
  measured_value
FROM found
WHERE measured_value IS NOT NULL AND interval_start_local IS NOT NULL
