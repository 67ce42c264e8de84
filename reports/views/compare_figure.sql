/*---
id      = "compare_figure"
title   = "Key figures before and after"
grain   = "one row per lpar, qmgr, subject and figure"
needs   = ["side_figure", "side_setting", "figure_kind"]
note    = "The spread is measured around the midpoint of before and after in the same hour, so that the daily pattern does not hide a change. A change without any spread has effect 2, the largest possible. A difference within three standard errors is treated as chance."

[columns]
figure_number = { from = "side_figure" }
before_mean = { unit = "number", doc = "Mean before, by the seconds of the intervals; of a ratio by its denominator.", over = "none", why = "Each row is another figure.", label = "before", format = ",.2f", screen = 1 }
after_mean = { unit = "number", doc = "Mean after, by the seconds of the intervals; of a ratio by its denominator.", over = "none", why = "Each row is another figure.", label = "after", format = ",.2f", screen = 1 }
before_p95 = { unit = "number", doc = "95 % of the intervals before have a smaller value.", over = "none", why = "Each row is another figure.", label = "before 95 %", format = ",.2f", screen = 3 }
after_p95 = { unit = "number", doc = "95 % of the intervals after have a smaller value.", over = "none", why = "Each row is another figure.", label = "after 95 %", format = ",.2f", screen = 3 }
before_intervals = { unit = "count", doc = "Intervals before with a value; hours for figures from accounting.", over = "none", why = "Each row is another figure.", label = "intervals before", screen = 3 }
after_intervals = { unit = "count", doc = "Intervals after with a value; hours for figures from accounting.", over = "none", why = "Each row is another figure.", label = "intervals after", screen = 3 }
change_pct = { unit = "percent", doc = "Change of the mean.", over = "none", why = "Each row is another figure.", label = "change %", format = ".1f", screen = 1 }
effect_size = { unit = "ratio", doc = "Change divided by the spread of the values, hour by hour; from -2 to 2.", over = "none", why = "Each figure has its own spread.", label = "effect", format = ".2f", screen = 1 }
appeared = { unit = "flag", doc = "The subject exists only after." }
vanished = { unit = "flag", doc = "The subject exists only before." }
noteworthy = { unit = "flag", doc = "The change is more than 6 %, more than half the spread, more than chance, and large enough to matter.", label = "noteworthy", screen = 2 }
mq_level_before = { unit = "text", doc = "MQ levels before." }
mq_level_after = { unit = "text", doc = "MQ levels after." }
---*/
WITH
-- Uses the closest of several ways to match hours that both sides have.
way AS (
  SELECT lpar, qmgr, slot_by
  FROM side_figure
  WHERE slot IS NULL
  GROUP BY lpar, qmgr, slot_by
  HAVING count(DISTINCT side_name) = 2
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr ORDER BY list_position(['week', 'day', 'all'], slot_by)) = 1
),
matched AS (
  SELECT f.*
  FROM side_figure AS f
  JOIN way AS w ON w.lpar = f.lpar AND w.qmgr = f.qmgr AND w.slot_by = f.slot_by
),
whole AS (
  SELECT
    lpar, qmgr, subject, figure_number,
    max(figure_mean) FILTER (side_name = 'before')     AS before_mean,
    max(figure_mean) FILTER (side_name = 'after')      AS after_mean,
    max(figure_variance) FILTER (side_name = 'before') AS before_variance,
    max(figure_variance) FILTER (side_name = 'after')  AS after_variance,
    max(figure_p95) FILTER (side_name = 'before')      AS before_p95,
    max(figure_p95) FILTER (side_name = 'after')       AS after_p95,
    coalesce(max(figure_count) FILTER (side_name = 'before'), 0) AS before_intervals,
    coalesce(max(figure_count) FILTER (side_name = 'after'), 0)  AS after_intervals
  FROM matched
  WHERE slot IS NULL
  GROUP BY lpar, qmgr, subject, figure_number
),
-- Both sides have the same weight, however many intervals they have.
hourly AS (
  SELECT
    b.lpar, b.qmgr, b.subject, b.figure_number,
    sum((b.figure_count + a.figure_count) * (a.figure_mean - b.figure_mean)) / sum(b.figure_count + a.figure_count) AS difference,
    sum((b.figure_count + a.figure_count) * (b.figure_variance + a.figure_variance) / 2) / sum(b.figure_count + a.figure_count) AS within,
    sum((b.figure_count + a.figure_count) * (a.figure_mean - b.figure_mean) * (a.figure_mean - b.figure_mean) / 4)
      / sum(b.figure_count + a.figure_count) AS between
  FROM matched AS b
  JOIN matched AS a ON a.lpar = b.lpar AND a.qmgr = b.qmgr AND a.subject = b.subject AND a.figure_number = b.figure_number AND a.slot = b.slot
  WHERE b.side_name = 'before' AND a.side_name = 'after'
  GROUP BY b.lpar, b.qmgr, b.subject, b.figure_number
),
level AS (
  SELECT
    lpar, qmgr,
    string_agg(DISTINCT setting_value, ', ' ORDER BY setting_value) FILTER (side_name = 'before') AS mq_level_before,
    string_agg(DISTINCT setting_value, ', ' ORDER BY setting_value) FILTER (side_name = 'after')  AS mq_level_after
  FROM side_setting
  WHERE setting = 'MQ level'
  GROUP BY lpar, qmgr
),
spread AS (
  SELECT
    w.*,
    coalesce(h.difference, w.after_mean - w.before_mean)                AS difference,
    coalesce(h.within, (w.before_variance + w.after_variance) / 2)      AS within,
    coalesce(h.between, (w.after_mean - w.before_mean) * (w.after_mean - w.before_mean) / 4) AS between
  FROM whole AS w
  LEFT JOIN hourly AS h ON h.lpar = w.lpar AND h.qmgr = w.qmgr AND h.subject = w.subject AND h.figure_number = w.figure_number
),
-- Rounding errors and differences that underflow when squared are treated as zero.
cleaned AS (
  SELECT
    * REPLACE (CASE WHEN abs(difference) > greatest(1e-9 * greatest(abs(before_mean), abs(after_mean)), 1e-100) THEN difference ELSE difference * 0 END AS difference)
  FROM spread
),
sized AS (
  SELECT
    *,
    CASE WHEN difference = 0 THEN 0 ELSE difference / sqrt(within + between) END AS effect_size,
    pct(after_mean - before_mean, abs(before_mean))                              AS change_pct,
    abs(difference) > 3 * sqrt(within * (1 / before_intervals + 1 / after_intervals)) AS beyond_chance
  FROM cleaned
)
SELECT
  s.lpar, s.qmgr, s.subject, s.figure_number, k.subject_kind, k.metric, k.metric_unit, k.metric_name, k.is_setting, k.shown_scale, k.shown_unit,
  s.before_mean, s.after_mean, s.before_p95, s.after_p95, s.before_intervals, s.after_intervals,
  s.change_pct, s.effect_size,
  s.before_intervals = 0 AS appeared,
  s.after_intervals = 0  AS vanished,
  coalesce(
    s.difference <> 0 AND coalesce(abs(s.change_pct) > 6, s.after_mean <> 0) AND abs(s.effect_size) > 0.5
      AND abs(s.after_mean - s.before_mean) >= k.least_change
      AND (k.is_setting OR s.before_intervals >= 4 AND s.after_intervals >= 4 AND s.beyond_chance),
    false
  ) AS noteworthy,
  l.mq_level_before, l.mq_level_after
FROM sized AS s
JOIN figure_kind AS k ON k.figure_number = s.figure_number
LEFT JOIN level AS l ON l.lpar = s.lpar AND l.qmgr = s.qmgr
