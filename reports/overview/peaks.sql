/*---
id         = "overview/peaks"
title      = "Peak intervals"
question   = "When was each figure at its worst, and was it a single spike or frequent?"
needs      = ["interval_headline"]
grain      = ["lpar", "qmgr", "metric"]
drill_down = ["overview/timeline"]
note       = "Startup, suspect and very short intervals are excluded. If lower is worse (free buffers, idle adapters, free storage), the peak is the lowest value and the 95 % column is the 5th percentile. Near peak: within 10 % of it; empty if the figure is always 0."

[columns]
metric = { unit = "text", label = "metric", screen = 1, doc = "Name of a column of the timeline." }
metric_unit = { unit = "text", label = "unit", screen = 1, doc = "Unit of the metric." }
peak_value = { unit = "number", label = "peak", screen = 1, format = ",.1f", doc = "Worst value of the metric.", over = "none", why = "Each row has a figure of its own." }
peak_at_utc = { unit = "ts_utc", label = "peak at", screen = 1, doc = "Start of the interval with the worst value; the first one if there are several." }
p95_value = { unit = "number", label = "95 %", screen = 1, format = ",.1f", doc = "95 % of the intervals have a better value.", over = "none", why = "Each row has a figure of its own." }
median_value = { unit = "number", label = "median", screen = 1, format = ",.1f", doc = "Median of the intervals.", over = "none", why = "Each row has a figure of its own." }
intervals_observed = { unit = "count", label = "intervals", screen = 1, doc = "Intervals with a value.", over = "max" }
intervals_near_peak = { unit = "count", label = "near peak", screen = 1, doc = "Intervals within 10 % of the worst value.", over = "max" }
busiest_hour_local = { unit = "ts_local", label = "worst hour", screen = 2, doc = "Local hour with the worst mean value; the first one if there are several." }
---*/
WITH
metric AS (
  SELECT * FROM (
    VALUES
      (1, 'puts_per_s', 'per_s', false),
      (2, 'gets_per_s', 'per_s', false),
      (3, 'mqi_calls_per_s', 'per_s', false),
      (4, 'persistent_put_pct', 'percent', false),
      (5, 'log_created_mib_per_s', 'mib_per_s', false),
      (6, 'logger_task_busy_pct', 'percent', false),
      (7, 'log_buffer_waits', 'count', false),
      (8, 'longest_log_io_us', 'us', false),
      (9, 'checkpoints', 'count', false),
      (10, 'log_reads_archive', 'count', false),
      (11, 'lowest_pool_free_pct', 'percent', true),
      (12, 'synchronous_write_hits', 'count', false),
      (13, 'no_buffer_waits', 'count', false),
      (14, 'page_set_ios_per_s', 'per_s', false),
      (15, 'fullest_page_set_pct', 'percent', false),
      (16, 'page_set_fulls', 'count', false),
      (17, 'page_set_expansions', 'count', false),
      (18, 'cf_calls_per_s', 'per_s', false),
      (19, 'cf_redrive_pct', 'percent', false),
      (20, 'structure_fulls', 'count', false),
      (21, 'smds_waits', 'count', false),
      (22, 'db2_queue_high', 'count', false),
      (23, 'sos_set', 'count', false),
      (24, 'available_31_mib', 'mib', true),
      (25, 'active_channels_pct', 'percent', false),
      (26, 'adapters_idle', 'count', true),
      (27, 'adapter_busiest_pct', 'percent', false),
      (28, 'dispatcher_busiest_pct', 'percent', false),
      (29, 'ssl_busiest_pct', 'percent', false)
  ) AS m (number, metric, metric_unit, low_is_worse)
),
-- Materialized: read four times.
headline AS MATERIALIZED (
  SELECT
    lpar, qmgr, interval_start_utc, date_trunc('hour', interval_start_local) AS hour_local,
    -- Distinguishes the two hours of a change of clocks.
    interval_start_local - interval_start_utc AS clock_shift,
    interval_seconds, persistent_puts + nonpersistent_puts AS put_calls, cf_calls,
    puts_per_s, gets_per_s, mqi_calls_per_s, persistent_put_pct, log_created_mib_per_s, logger_task_busy_pct,
    log_buffer_waits, longest_log_io_us, checkpoints, log_reads_archive, lowest_pool_free_pct,
    synchronous_write_hits, no_buffer_waits, page_set_ios_per_s, fullest_page_set_pct, page_set_fulls,
    page_set_expansions, cf_calls_per_s, cf_redrive_pct, structure_fulls, smds_waits, db2_queue_high, sos_set,
    available_31_mib, active_channels_pct, adapters_idle, adapter_busiest_pct, dispatcher_busiest_pct,
    ssl_busiest_pct
  FROM interval_headline
  WHERE baseline_ok
),
-- One order for all metrics: larger is worse.
observed AS NOT MATERIALIZED (
  SELECT
    lpar, qmgr, interval_start_utc, hour_local, clock_shift, interval_seconds, put_calls, cf_calls, unnest(range(1, 30)) AS number,
    unnest([
      puts_per_s::DOUBLE, gets_per_s, mqi_calls_per_s, persistent_put_pct, log_created_mib_per_s,
      logger_task_busy_pct, log_buffer_waits, longest_log_io_us, checkpoints, log_reads_archive,
      -lowest_pool_free_pct, synchronous_write_hits, no_buffer_waits, page_set_ios_per_s, fullest_page_set_pct,
      page_set_fulls, page_set_expansions, cf_calls_per_s, cf_redrive_pct, structure_fulls, smds_waits,
      db2_queue_high, sos_set, -available_31_mib, active_channels_pct, -adapters_idle, adapter_busiest_pct,
      dispatcher_busiest_pct, ssl_busiest_pct
    ]) AS badness
  FROM headline
),
-- One column at a time: all rows together would need the memory of all values at once.
usual AS (
  SELECT
    lpar, qmgr, unnest(range(1, 30)) AS number,
    unnest([
      quantile_cont(puts_per_s, [0.5, 0.95]), quantile_cont(gets_per_s, [0.5, 0.95]),
      quantile_cont(mqi_calls_per_s, [0.5, 0.95]), quantile_cont(persistent_put_pct, [0.5, 0.95]),
      quantile_cont(log_created_mib_per_s, [0.5, 0.95]), quantile_cont(logger_task_busy_pct, [0.5, 0.95]),
      quantile_cont(log_buffer_waits, [0.5, 0.95]), quantile_cont(longest_log_io_us, [0.5, 0.95]),
      quantile_cont(checkpoints, [0.5, 0.95]), quantile_cont(log_reads_archive, [0.5, 0.95]),
      quantile_cont(-lowest_pool_free_pct, [0.5, 0.95]), quantile_cont(synchronous_write_hits, [0.5, 0.95]),
      quantile_cont(no_buffer_waits, [0.5, 0.95]), quantile_cont(page_set_ios_per_s, [0.5, 0.95]),
      quantile_cont(fullest_page_set_pct, [0.5, 0.95]), quantile_cont(page_set_fulls, [0.5, 0.95]),
      quantile_cont(page_set_expansions, [0.5, 0.95]), quantile_cont(cf_calls_per_s, [0.5, 0.95]),
      quantile_cont(cf_redrive_pct, [0.5, 0.95]), quantile_cont(structure_fulls, [0.5, 0.95]),
      quantile_cont(smds_waits, [0.5, 0.95]), quantile_cont(db2_queue_high, [0.5, 0.95]),
      quantile_cont(sos_set, [0.5, 0.95]), quantile_cont(-available_31_mib, [0.5, 0.95]),
      quantile_cont(active_channels_pct, [0.5, 0.95]), quantile_cont(-adapters_idle, [0.5, 0.95]),
      quantile_cont(adapter_busiest_pct, [0.5, 0.95]), quantile_cont(dispatcher_busiest_pct, [0.5, 0.95]),
      quantile_cont(ssl_busiest_pct, [0.5, 0.95])
    ]) AS quantiles
  FROM headline
  GROUP BY lpar, qmgr
),
peak AS (
  SELECT lpar, qmgr, number, max(badness) AS worst, count(badness) AS intervals_observed
  FROM observed
  GROUP BY lpar, qmgr, number
),
near AS (
  SELECT
    o.lpar, o.qmgr, o.number,
    min(o.interval_start_utc) FILTER (o.badness = p.worst)       AS peak_at_utc,
    count(*) FILTER (o.badness >= p.worst - 0.1 * abs(p.worst))  AS intervals_near_peak
  FROM observed AS o
  JOIN peak AS p ON p.lpar = o.lpar AND p.qmgr = o.qmgr AND p.number = o.number
  GROUP BY o.lpar, o.qmgr, o.number
),
busiest AS (
  SELECT lpar, qmgr, number, hour_local
  FROM (
    -- A mean by the seconds of the intervals, of a ratio by its denominator; counts are divided by the seconds.
    -- Means of equal values differ in their last digits, as DuckDB adds in any order: rounded, the first of several equal hours is taken.
    SELECT
      lpar, qmgr, number, hour_local,
      round(sum(badness * CASE WHEN number IN (7, 9, 10, 12, 13, 16, 17, 20, 21, 23) THEN 1 ELSE weight END) / nullif(sum(weight), 0), 9) AS mean
    FROM (
      SELECT *, CASE number WHEN 4 THEN put_calls WHEN 19 THEN cf_calls ELSE interval_seconds END AS weight
      FROM observed
      WHERE badness IS NOT NULL
    )
    GROUP BY lpar, qmgr, number, hour_local, clock_shift
  )
  WHERE mean IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr, number ORDER BY mean DESC, hour_local) = 1
),
found AS (
  SELECT p.*, u.quantiles, m.metric, m.metric_unit, m.low_is_worse, n.peak_at_utc, n.intervals_near_peak, b.hour_local, p.worst <> 0 OR m.low_is_worse AS has_peak
  FROM peak AS p
  JOIN metric AS m ON m.number = p.number
  JOIN usual AS u ON u.lpar = p.lpar AND u.qmgr = p.qmgr AND u.number = p.number
  JOIN near AS n ON n.lpar = p.lpar AND n.qmgr = p.qmgr AND n.number = p.number
  JOIN busiest AS b ON b.lpar = p.lpar AND b.qmgr = p.qmgr AND b.number = p.number
  WHERE p.intervals_observed > 0
)
SELECT
  lpar, qmgr, metric, metric_unit,
  CASE WHEN low_is_worse THEN 0 - worst ELSE worst END               AS peak_value,
  CASE WHEN has_peak THEN peak_at_utc END                AS peak_at_utc,
  CASE WHEN low_is_worse THEN 0 - quantiles[2] ELSE quantiles[2] END AS p95_value,
  CASE WHEN low_is_worse THEN 0 - quantiles[1] ELSE quantiles[1] END AS median_value,
  intervals_observed,
  CASE WHEN has_peak THEN intervals_near_peak END        AS intervals_near_peak,
  CASE WHEN has_peak THEN hour_local END                 AS busiest_hour_local
FROM found
ORDER BY lpar, qmgr, metric
