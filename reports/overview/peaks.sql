/*---
id         = "overview/peaks"
title      = "Peak intervals"
question   = "When was each figure at its worst, and was it one spike or a habit?"
needs      = ["headline_metric"]
drill_down = ["overview/timeline"]
note       = "Start-up, suspect and very short intervals are left out. Where less is worse (free buffers, idle adapters, free storage) the peak is the lowest value and the 95 % column the 5 % point. Near peak: within 10 % of it; empty where the figure is 0 throughout."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
metric = { screen = 1 }
metric_unit = { label = "unit", screen = 1 }
peak_value = { unit = "number", label = "peak", screen = 1, format = ",.1f", over = "none", doc = "Worst value of the metric." }
peak_at_utc = { unit = "ts_utc", label = "peak at", screen = 1, doc = "Start of the interval with the worst value; of several the first." }
p95_value = { unit = "number", label = "95 %", screen = 1, format = ",.1f", over = "none", doc = "95 % of the intervals have a better value." }
median_value = { unit = "number", label = "median", screen = 1, format = ",.1f", over = "none", doc = "Median of the intervals." }
intervals_observed = { unit = "count", label = "intervals", screen = 1, doc = "Intervals with a value." }
intervals_near_peak = { unit = "count", label = "near peak", screen = 1, doc = "Intervals within 10 % of the worst value." }
busiest_hour_local = { unit = "ts_local", label = "worst hour", screen = 2, doc = "Local hour with the worst mean value; of several the first." }
---*/
WITH
observed AS (
  SELECT
    lpar, qmgr, metric, metric_unit, low_is_worse, interval_start_utc, metric_value,
    -- One order for all: the larger, the worse.
    CASE WHEN low_is_worse THEN -metric_value ELSE metric_value END AS badness,
    date_trunc('hour', interval_start_local) AS hour_local
  FROM headline_metric
  WHERE baseline_ok
),
peak AS (
  SELECT
    lpar, qmgr, metric, metric_unit, low_is_worse,
    max(badness)                 AS worst,
    quantile_cont(badness, 0.95) AS p95,
    median(badness)              AS middle,
    count(*)                     AS intervals_observed
  FROM observed
  GROUP BY lpar, qmgr, metric, metric_unit, low_is_worse
),
near AS (
  SELECT
    o.lpar, o.qmgr, o.metric,
    min(o.interval_start_utc) FILTER (o.badness = p.worst)       AS peak_at_utc,
    count(*) FILTER (o.badness >= p.worst - 0.1 * abs(p.worst))  AS intervals_near_peak
  FROM observed AS o
  JOIN peak AS p ON p.lpar = o.lpar AND p.qmgr = o.qmgr AND p.metric = o.metric
  GROUP BY o.lpar, o.qmgr, o.metric
),
hour AS (
  SELECT lpar, qmgr, metric, hour_local, avg(badness) AS mean
  FROM observed
  GROUP BY lpar, qmgr, metric, hour_local
),
busiest AS (
  SELECT lpar, qmgr, metric, hour_local
  FROM hour
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr, metric ORDER BY mean DESC, hour_local) = 1
)
SELECT
  p.lpar, p.qmgr, p.metric, p.metric_unit,
  CASE WHEN p.low_is_worse THEN 0 - p.worst ELSE p.worst END                  AS peak_value,
  CASE WHEN p.worst <> 0 OR p.low_is_worse THEN n.peak_at_utc END          AS peak_at_utc,
  CASE WHEN p.low_is_worse THEN 0 - p.p95 ELSE p.p95 END                      AS p95_value,
  CASE WHEN p.low_is_worse THEN 0 - p.middle ELSE p.middle END                AS median_value,
  p.intervals_observed,
  CASE WHEN p.worst <> 0 OR p.low_is_worse THEN n.intervals_near_peak END  AS intervals_near_peak,
  CASE WHEN p.worst <> 0 OR p.low_is_worse THEN b.hour_local END           AS busiest_hour_local
FROM peak AS p
JOIN near AS n ON n.lpar = p.lpar AND n.qmgr = p.qmgr AND n.metric = p.metric
JOIN busiest AS b ON b.lpar = p.lpar AND b.qmgr = p.qmgr AND b.metric = p.metric
ORDER BY p.lpar, p.qmgr, p.metric
