/*---
id         = "overview/verdict"
title      = "Is MQ the problem?"
question   = "In this time window, was any part of MQ outside its usual values, or can MQ be ruled out?"
needs      = ["area_state", "verdict_window", "verdict_interval"]
grain      = ["lpar", "qmgr", "rule_area"]
drill_down = ["buffer_pool/usage", "log/busy", "smds/buffers", "channel_initiator/adapters"]
note       = "The rules decide the state. The usual value is that of the same hour of the week on other days, if the data has at least four such intervals. Findings of severity info do not count as broken limits."

[columns]
rule_id = { label = "decided by", screen = 1, doc = "The rule with the figure that decides: the worst breach, or the figure nearest to its limit." }
indicator = { unit = "text", label = "indicator", screen = 1, doc = "The figure that is compared with its usual value." }
indicator_unit = { unit = "text", label = "unit", screen = 1, doc = "Unit of the indicator." }
window_value = { unit = "number", label = "worst", screen = 1, format = ",.1f", doc = "Worst value in the window.", over = "none", why = "Each row has a figure of its own." }
worst_at_utc = { unit = "ts_utc", label = "at", screen = 1, doc = "Start of the interval or hour with the worst value; the first one if there are several." }
norm_median = { unit = "number", label = "usual", screen = 2, format = ",.1f", doc = "Median at the same hour of the week on other days.", over = "none", why = "Each row has a figure of its own." }
norm_p95 = { unit = "number", label = "95 %", screen = 3, format = ",.1f", doc = "95 % of the same intervals have a better value.", over = "none", why = "Each row has a figure of its own." }
norm_intervals = { unit = "count", label = "usual of", screen = 3, doc = "Number of intervals that the usual value is based on.", over = "max" }
times_norm = { unit = "ratio", label = "times usual", doc = "Worst value divided by the usual value.", over = "max" }
beyond_norm = { unit = "flag", label = "beyond 95 %", screen = 2, doc = "The worst value is worse than 95 % of the usual intervals; null if there are no such intervals." }
---*/
WITH
figure AS (
  SELECT * FROM (
    VALUES
      ('buffer_pool', 1, 'lowest pool free', 'percent', true),
      ('page_set', 1, 'fullest page set', 'percent', false),
      ('log', 1, 'logger busy', 'percent', false),
      ('log', 2, 'longest log I/O', 'us', false),
      ('cf', 1, 'CF redrives', 'percent', false),
      ('smds', 1, 'SMDS buffer waits', 'count', false),
      ('db2', 1, 'Db2 queue', 'count', false),
      ('storage', 1, 'free 31-bit storage', 'mib', true),
      ('channel_initiator', 1, 'busiest adapter', 'percent', false),
      ('cf', 2, 'CF single call', 'us', false),
      ('latch', 1, 'longest latch wait', 'us', false),
      ('channel', 1, 'slowest network time', 'us', false),
      ('application', 1, 'commit time', 'us', false)
  ) AS f (rule_area, indicator_order, indicator, indicator_unit, low_is_worse)
),
-- Materialized: read three times. One order for all figures: larger is worse.
measured AS MATERIALIZED (
  SELECT
    v.lpar, v.qmgr, v.measured_from_utc, v.usable,
    24 * isodow(v.measured_from_local) + hour(v.measured_from_local) AS hour_of_week, v.measured_from_local::DATE AS day_local,
    v.measured_from_utc < w.window_end_utc AND v.measured_to_utc > w.window_start_utc AS in_window, w.whole_period,
    [
      {'indicator': 'lowest pool free', 'badness': -lowest_pool_free_pct::DOUBLE},
      {'indicator': 'fullest page set', 'badness': fullest_page_set_pct},
      {'indicator': 'logger busy', 'badness': logger_task_busy_pct},
      {'indicator': 'longest log I/O', 'badness': longest_log_io_us},
      {'indicator': 'CF redrives', 'badness': cf_redrive_pct},
      {'indicator': 'SMDS buffer waits', 'badness': smds_waits},
      {'indicator': 'Db2 queue', 'badness': db2_queue_high},
      {'indicator': 'free 31-bit storage', 'badness': -available_31_mib},
      {'indicator': 'busiest adapter', 'badness': adapter_busiest_pct},
      {'indicator': 'CF single call', 'badness': cf_single_call_us},
      {'indicator': 'longest latch wait', 'badness': longest_latch_wait_us},
      {'indicator': 'slowest network time', 'badness': network_slowest_us},
      {'indicator': 'commit time', 'badness': commit_average_et_us}
    ] AS figures
  FROM verdict_interval AS v
  JOIN verdict_window AS w ON w.lpar = v.lpar AND w.qmgr = v.qmgr
),
valued AS NOT MATERIALIZED (
  SELECT lpar, qmgr, unnest(figures) AS figure
  FROM measured
  WHERE in_window
),
most AS (
  SELECT lpar, qmgr, figure.indicator AS indicator, max(figure.badness) AS badness
  FROM valued
  WHERE figure.badness IS NOT NULL
  GROUP BY lpar, qmgr, indicator
),
-- One map per queue manager, so that the large side of the join is streamed.
all_most AS (
  SELECT lpar, qmgr, map(list(indicator), list(badness)) AS mosts
  FROM most
  GROUP BY lpar, qmgr
),
reached AS (
  SELECT
    m.lpar, m.qmgr, m.measured_from_utc, m.hour_of_week, m.day_local, m.whole_period,
    unnest(list_filter(m.figures, lambda f: f.badness = a.mosts[f.indicator])).indicator AS indicator
  FROM measured AS m
  JOIN all_most AS a ON a.lpar = m.lpar AND a.qmgr = m.qmgr
  WHERE m.in_window
),
worst AS (
  SELECT
    m.lpar, m.qmgr, m.indicator, m.badness, min(o.measured_from_utc) AS measured_from_utc,
    arg_min(o.hour_of_week, o.measured_from_utc) AS hour_of_week, arg_min(o.day_local, o.measured_from_utc) AS day_local,
    bool_or(o.whole_period) AS whole_period
  FROM reached AS o
  JOIN most AS m ON m.lpar = o.lpar AND m.qmgr = o.qmgr AND m.indicator = o.indicator
  GROUP BY m.lpar, m.qmgr, m.indicator, m.badness
),
same_hour AS (
  SELECT
    m.lpar, m.qmgr, m.hour_of_week, m.day_local, m.in_window, unnest(m.figures) AS figure
  FROM measured AS m
  SEMI JOIN worst AS w ON w.lpar = m.lpar AND w.qmgr = m.qmgr AND w.hour_of_week = m.hour_of_week
  WHERE m.usable
),
norm AS (
  SELECT w.lpar, w.qmgr, w.indicator, median(o.figure.badness) AS middle, quantile_cont(o.figure.badness, 0.95) AS p95, count(*) AS intervals
  FROM worst AS w
  JOIN same_hour AS o ON o.lpar = w.lpar AND o.qmgr = w.qmgr AND o.figure.indicator = w.indicator AND o.hour_of_week = w.hour_of_week
  WHERE o.figure.badness IS NOT NULL AND CASE WHEN w.whole_period THEN o.day_local <> w.day_local ELSE NOT o.in_window END
  GROUP BY w.lpar, w.qmgr, w.indicator
),
compared AS (
  SELECT
    w.*, f.rule_area, f.indicator_order, f.indicator_unit, f.low_is_worse, n.middle, n.p95, coalesce(n.intervals, 0) AS norm_intervals,
    CASE WHEN n.intervals >= 4 THEN w.badness > n.p95 END AS beyond
  FROM worst AS w
  JOIN figure AS f ON f.indicator = w.indicator
  LEFT JOIN norm AS n ON n.lpar = w.lpar AND n.qmgr = w.qmgr AND n.indicator = w.indicator
),
decided AS (
  SELECT *
  FROM compared
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr, rule_area ORDER BY beyond DESC NULLS LAST, indicator_order) = 1
)
SELECT
  a.lpar, a.qmgr, a.rule_area, a.area_status, a.area_rules_judged, a.area_rules, a.rule_id, a.subject, a.measure, a.observed, a.limit_value, a.limit_unit,
  a.worst_interval_utc, a.missing_classes, a.collect_command,
  d.indicator, d.indicator_unit,
  CASE WHEN d.low_is_worse THEN 0 - d.badness ELSE d.badness END AS window_value,
  d.measured_from_utc                                            AS worst_at_utc,
  CASE WHEN d.low_is_worse THEN 0 - d.middle ELSE d.middle END   AS norm_median,
  CASE WHEN d.low_is_worse THEN 0 - d.p95 ELSE d.p95 END         AS norm_p95,
  d.norm_intervals,
  d.badness / nullif(d.middle, 0)                                AS times_norm,
  d.beyond                                                       AS beyond_norm,
  a.breaches, a.no_data_rules
FROM area_state AS a
LEFT JOIN decided AS d ON d.lpar = a.lpar AND d.qmgr = a.qmgr AND d.rule_area = a.rule_area
ORDER BY
  list_position(['broken', 'critical', 'warning', 'info', 'clear in part', 'reported by', 'clear', 'not judged', 'idle', 'not collected', 'not in this release', 'needs a site fact', 'off'], area_status),
  rule_area, lpar, qmgr
