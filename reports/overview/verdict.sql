/*---
id         = "overview/verdict"
title      = "Is MQ the problem?"
question   = "In this time window, was any part of MQ outside its own norm, or can MQ be ruled out?"
needs      = ["qmgr", "collection", "verdict_window", "verdict_interval", "verdict_finding"]
drill_down = ["buffer_pool/usage", "page_set/usage", "log/busy", "latch/waits", "cf/structures", "smds/buffers", "db2/activity", "storage/region", "channel_initiator/adapters", "channel/activity", "task/list"]
note       = "The window is the selected period, so the limits of the rules decide. The norm is that of the same hour of the week on other days, where the data has four such intervals or more; it tells how usual the worst value is. Findings of severity info do not count as broken limits."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
subsystem = { unit = "text", label = "subsystem", screen = 1, doc = "Part of the queue manager." }
indicator = { unit = "text", label = "figure", screen = 1, doc = "The deciding figure." }
indicator_unit = { unit = "text", label = "unit", screen = 1, doc = "Unit of the figure." }
window_value = { unit = "number", label = "worst", screen = 1, format = ",.1f", over = "none", doc = "Worst value in the window." }
worst_at_utc = { unit = "ts_utc", label = "at", screen = 1, doc = "Start of the interval or hour with the worst value; of several the first." }
norm_median = { unit = "number", label = "usual", screen = 2, format = ",.1f", over = "none", doc = "Median at the same hour of the week outside the window; for the whole period on other days." }
norm_p95 = { unit = "number", label = "95 %", screen = 3, format = ",.1f", over = "none", doc = "95 % of the same intervals have a better value." }
norm_intervals = { unit = "count", label = "norm of", screen = 3, doc = "Intervals that make the norm." }
times_norm = { unit = "ratio", label = "times usual", doc = "Worst value per usual value." }
breaches = { unit = "count", label = "limits broken", screen = 2, doc = "Findings of severity critical or warning in the window." }
no_data_rules = { unit = "count", label = "rules without data", doc = "Rules that could not be judged, for whatever reason." }
verdict = { unit = "text", label = "verdict", screen = 1, doc = "limit broken, unusual, not fully observed, not observed, within limits or normal." }
sentence = { unit = "text", label = "in words", screen = 2, doc = "What it comes to." }
---*/
WITH
part AS (
  SELECT q.lpar, q.qmgr, q.highest_mq_level, s.*
  FROM qmgr AS q
  CROSS JOIN (
    VALUES
      (1, 'buffer pools', '115.215', 80000),
      (2, 'page sets', '115.201', 90000),
      (3, 'log', '115.1', 0),
      (4, 'locks and latches', '116.1', 0),
      (5, 'CF', '115.2', 0),
      (6, 'SMDS', '115.2', 0),
      (7, 'Db2', '115.2', 0),
      (8, 'storage', '115.1', 0),
      (9, 'channel initiator', '115.231', 80000),
      (10, 'channels', '116.10', 80000),
      (11, 'applications', '116.1', 0)
  ) AS s (place, subsystem, record_class, since_level)
),
-- Pools were in 115.2 before 8.0; storage is in 115.1, and in 115.7 from 9.0 on.
observed AS (
  SELECT p.lpar, p.qmgr, p.subsystem, bool_or(c.present) AS present, max(c.command_to_collect) FILTER (c.record_class = p.record_class) AS command
  FROM part AS p
  JOIN collection AS c ON c.lpar = p.lpar AND c.qmgr = p.qmgr
  WHERE c.record_class = p.record_class
    OR p.subsystem = 'buffer pools' AND c.record_class = '115.2' AND p.highest_mq_level < 80000
    OR p.subsystem = 'storage' AND c.record_class = '115.7'
  GROUP BY p.lpar, p.qmgr, p.subsystem
),
figure AS (
  SELECT * FROM (
    VALUES
      (1, 'buffer pools', 1, 'lowest pool free', 'percent', true),
      (2, 'page sets', 1, 'fullest page set', 'percent', false),
      (3, 'log', 1, 'logger busy', 'percent', false),
      (4, 'log', 2, 'longest log I/O', 'us', false),
      (5, 'CF', 1, 'CF redrives', 'percent', false),
      (6, 'SMDS', 1, 'SMDS buffer waits', 'count', false),
      (7, 'Db2', 1, 'Db2 queue', 'count', false),
      (8, 'storage', 1, 'free 31-bit storage', 'mib', true),
      (9, 'channel initiator', 1, 'busiest adapter', 'percent', false),
      (10, 'CF', 2, 'CF single call', 'us', false),
      (11, 'locks and latches', 1, 'longest latch wait', 'us', false),
      (12, 'channels', 1, 'slowest network time', 'us', false),
      (13, 'applications', 1, 'commit time', 'us', false)
  ) AS f (number, subsystem, indicator_order, indicator, indicator_unit, low_is_worse)
),
-- Materialized: read three times. One order for all figures: the larger, the worse.
measured AS MATERIALIZED (
  SELECT
    v.lpar, v.qmgr, v.measured_from_utc, v.usable,
    24 * isodow(v.measured_from_local) + hour(v.measured_from_local) AS hour_of_week, v.measured_from_local::DATE AS day_local,
    v.measured_from_utc < w.window_end_utc AND v.measured_to_utc > w.window_start_utc AS in_window, w.whole_period,
    [
      -lowest_pool_free_pct::DOUBLE, fullest_page_set_pct, logger_task_busy_pct, longest_log_io_us, cf_redrive_pct,
      smds_waits, db2_queue_high, -available_31_mib, adapter_busiest_pct, cf_single_call_us, longest_latch_wait_us,
      network_slowest_us, commit_average_et_us
    ] AS figures
  FROM verdict_interval AS v
  JOIN verdict_window AS w ON w.lpar = v.lpar AND w.qmgr = v.qmgr
),
valued AS NOT MATERIALIZED (
  SELECT lpar, qmgr, unnest(range(1, 14)) AS number, unnest(figures) AS badness
  FROM measured
  WHERE in_window
),
most AS (
  SELECT lpar, qmgr, number, max(badness) AS badness
  FROM valued
  WHERE badness IS NOT NULL
  GROUP BY lpar, qmgr, number
),
-- All of a queue manager in one list, so that the big side of the join streams.
all_most AS (
  SELECT lpar, qmgr, list(badness ORDER BY number) AS mosts, list(number ORDER BY number) AS numbers
  FROM most
  GROUP BY lpar, qmgr
),
reached AS (
  SELECT
    m.lpar, m.qmgr, m.measured_from_utc, m.hour_of_week, m.day_local, m.whole_period,
    unnest(list_filter(a.numbers, lambda number, place: m.figures[number] = a.mosts[place])) AS number
  FROM measured AS m
  JOIN all_most AS a ON a.lpar = m.lpar AND a.qmgr = m.qmgr
  WHERE m.in_window
),
worst AS (
  SELECT
    m.lpar, m.qmgr, m.number, m.badness, min(o.measured_from_utc) AS measured_from_utc,
    arg_min(o.hour_of_week, o.measured_from_utc) AS hour_of_week, arg_min(o.day_local, o.measured_from_utc) AS day_local,
    bool_or(o.whole_period) AS whole_period
  FROM reached AS o
  JOIN most AS m ON m.lpar = o.lpar AND m.qmgr = o.qmgr AND m.number = o.number
  GROUP BY m.lpar, m.qmgr, m.number, m.badness
),
same_hour AS (
  SELECT
    m.lpar, m.qmgr, m.hour_of_week, m.day_local, m.in_window, unnest(range(1, 14)) AS number, unnest(m.figures) AS badness
  FROM measured AS m
  SEMI JOIN worst AS w ON w.lpar = m.lpar AND w.qmgr = m.qmgr AND w.hour_of_week = m.hour_of_week
  WHERE m.usable
),
norm AS (
  SELECT w.lpar, w.qmgr, w.number, median(o.badness) AS middle, quantile_cont(o.badness, 0.95) AS p95, count(*) AS intervals
  FROM worst AS w
  JOIN same_hour AS o ON o.lpar = w.lpar AND o.qmgr = w.qmgr AND o.number = w.number AND o.hour_of_week = w.hour_of_week
  WHERE o.badness IS NOT NULL AND CASE WHEN w.whole_period THEN o.day_local <> w.day_local ELSE NOT o.in_window END
  GROUP BY w.lpar, w.qmgr, w.number
),
compared AS (
  SELECT
    w.*, f.subsystem, f.indicator_order, f.indicator, f.indicator_unit, f.low_is_worse, n.middle, n.p95, coalesce(n.intervals, 0) AS norm_intervals,
    coalesce(n.intervals >= 4 AND w.badness > n.p95, false) AS beyond,
    -- Differences of up to 6 % are noise.
    coalesce(n.intervals >= 4 AND NOT w.whole_period AND w.badness > n.p95 AND w.badness - n.middle > 0.06 * abs(n.middle), false) AS unusual
  FROM worst AS w
  JOIN figure AS f ON f.number = w.number
  LEFT JOIN norm AS n ON n.lpar = w.lpar AND n.qmgr = w.qmgr AND n.number = w.number
),
decided AS (
  SELECT *
  FROM compared
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr, subsystem ORDER BY unusual DESC, indicator_order) = 1
),
judged AS (
  SELECT
    p.lpar, p.qmgr, p.place, p.subsystem, p.record_class, p.since_level, p.highest_mq_level, o.command,
    d.indicator, d.indicator_unit, d.measured_from_utc, coalesce(d.norm_intervals, 0) AS norm_intervals,
    CASE WHEN d.low_is_worse THEN 0 - d.badness ELSE d.badness END AS window_value,
    CASE WHEN d.low_is_worse THEN 0 - d.middle ELSE d.middle END   AS norm_median,
    CASE WHEN d.low_is_worse THEN 0 - d.p95 ELSE d.p95 END         AS norm_p95,
    coalesce(f.breaches, 0) AS breaches, coalesce(f.notes, 0) AS notes,
    coalesce(f.no_data_rules, 0) AS no_data_rules, coalesce(f.uncollected_rules, 0) AS uncollected_rules,
    f.worst_rule_id, f.worst_subject, f.worst_severity,
    CASE
      WHEN NOT coalesce(o.present, false) AND d.indicator IS NULL THEN 'not observed'
      WHEN f.breaches > 0 THEN 'limit broken'
      WHEN d.unusual THEN 'unusual'
      WHEN f.uncollected_rules > 0 THEN 'not fully observed'
      WHEN coalesce(d.norm_intervals, 0) < 4 OR d.beyond THEN 'within limits'
      ELSE 'normal'
    END AS verdict
  FROM part AS p
  LEFT JOIN observed AS o ON o.lpar = p.lpar AND o.qmgr = p.qmgr AND o.subsystem = p.subsystem
  LEFT JOIN decided AS d ON d.lpar = p.lpar AND d.qmgr = p.qmgr AND d.subsystem = p.subsystem
  LEFT JOIN verdict_finding AS f ON f.lpar = p.lpar AND f.qmgr = p.qmgr AND f.subsystem = p.subsystem
),
told AS (
  SELECT
    *,
    CASE indicator_unit
      WHEN 'percent' THEN format('{} {:.1f} %', indicator, window_value)
      WHEN 'us' THEN format('{} {:,} us', indicator, round(window_value)::BIGINT)
      WHEN 'mib' THEN format('{} {:,} MiB', indicator, round(window_value)::BIGINT)
      ELSE format('{} {:,}', indicator, round(window_value)::BIGINT)
    END AS said,
    CASE indicator_unit
      WHEN 'percent' THEN format('{:.1f} %', norm_median)
      WHEN 'us' THEN format('{:,} us', round(norm_median)::BIGINT)
      WHEN 'mib' THEN format('{:,} MiB', round(norm_median)::BIGINT)
      ELSE format('{:,}', round(norm_median)::BIGINT)
    END AS usual,
    CASE WHEN notes > 0 THEN format('; {} of severity info', notes) ELSE '' END AS more
  FROM judged
)
SELECT
  lpar, qmgr, subsystem, indicator, indicator_unit, window_value, measured_from_utc AS worst_at_utc,
  norm_median, norm_p95, norm_intervals,
  window_value / nullif(norm_median, 0) AS times_norm,
  breaches, no_data_rules, verdict,
  CASE verdict
    WHEN 'not observed' THEN
      CASE WHEN highest_mq_level < since_level THEN format('This release writes no {} records.', record_class)
        ELSE format('Not collected: no {} records', record_class) || coalesce('; collect them with ' || command || '.', '.') END
    WHEN 'limit broken' THEN
      format('{} {}: {} for {}', breaches, CASE WHEN breaches = 1 THEN 'limit broken' ELSE 'limits broken, the gravest' END, worst_rule_id, worst_subject)
        || format(' ({})', worst_severity) || coalesce('; ' || said, '') || more || '.'
    WHEN 'unusual' THEN
      format('No limit broken, but {}, usually {} at this hour', said, usual) || more || '.'
    WHEN 'not fully observed' THEN
      coalesce(upper(said[1]) || said[2:], 'Nothing to measure') || format('; no limit broken, but {} {} no records', uncollected_rules, CASE WHEN uncollected_rules = 1 THEN 'rule has' ELSE 'rules have' END)
        || more || '.'
    ELSE
      coalesce(upper(said[1]) || said[2:], 'Nothing to measure')
        || CASE WHEN norm_intervals >= 4 AND said IS NOT NULL THEN format(', usually {} at this hour', usual) ELSE '' END
        || '; no limit broken' || more || '.'
  END AS sentence
FROM told
ORDER BY
  CASE verdict
    WHEN 'limit broken' THEN 0 WHEN 'unusual' THEN 1 WHEN 'not fully observed' THEN 2 WHEN 'not observed' THEN 3 WHEN 'within limits' THEN 4 ELSE 5
  END,
  list_position(['buffer pools', 'page sets', 'log', 'locks and latches', 'CF', 'SMDS', 'Db2', 'storage', 'channel initiator', 'channels', 'applications'], subsystem), lpar, qmgr
