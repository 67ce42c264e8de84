/*---
id      = "usual_figure"
title   = "Each hour of the day compared with its usual range"
grain   = "one row per lpar, qmgr, subject, figure and hour of the day"
needs   = ["side_figure", "figure_kind"]
note    = "The usual range is that of earlier intervals at the same hour of the week, if at least four days have it, otherwise that of the same hour on all days. The mean of an hour is out of range if it is outside by more than 6 % of the median and by more than least_change, and farther from the mean than the values vary: 2.6 standard deviations if many days are known, up to 5.9 with four values (our own limits, after Student's t)."

[columns]
figure_number = { from = "side_figure" }
usual_hour = { unit = "id", doc = "Hour of the day." }
usual_value = { unit = "number", doc = "Mean of the hour.", over = "none", why = "Each row is another figure." }
usual_low = { unit = "number", doc = "5 % of the earlier intervals are below.", over = "none", why = "Each row is another figure." }
usual_median = { unit = "number", doc = "Median of the earlier intervals.", over = "none", why = "Each row is another figure." }
usual_high = { unit = "number", doc = "5 % of the earlier intervals are above.", over = "none", why = "Each row is another figure." }
usual_days = { unit = "count", doc = "Earlier days that have this hour.", over = "max" }
usual_basis = { unit = "text", doc = "What the range is based on: week (same hour of the week), day (same hour on all days) or none (too little history)." }
usual_times_out = { unit = "ratio", doc = "Distance of the mean from the range, as a multiple of the distance that counts as out of range; above 1 = out of range, negative = below.", over = "none", why = "Each row is another figure." }
---*/
WITH
today AS (
  SELECT lpar, qmgr, subject, figure_number, slot, figure_mean
  FROM side_figure
  WHERE side_name = 'after' AND slot_by = 'day' AND slot IS NOT NULL
),
before AS (
  SELECT
    lpar, qmgr, subject, figure_number, CASE WHEN slot_by = 'week' THEN slot % 24 ELSE slot END AS hour, slot_by,
    figure_days, figure_count, figure_mean, figure_variance, figure_p05, figure_p50, figure_p95
  FROM side_figure
  WHERE side_name = 'before' AND slot IS NOT NULL
),
-- The range of the week is used if it has enough days.
norm AS (
  SELECT *
  FROM before
  QUALIFY row_number() OVER (
    PARTITION BY lpar, qmgr, subject, figure_number, hour ORDER BY figure_days >= 4 DESC, slot_by = 'week' DESC
  ) = 1
),
ranged AS (
  SELECT
    t.lpar, t.qmgr, t.subject, t.figure_number, t.slot AS hour, t.figure_mean AS value, coalesce(n.figure_days, 0) AS days,
    CASE WHEN n.figure_days >= 4 THEN n.slot_by ELSE 'none' END AS basis,
    CASE WHEN n.figure_days >= 4 THEN n.figure_p05 END          AS low,
    CASE WHEN n.figure_days >= 4 THEN n.figure_p50 END          AS median,
    CASE WHEN n.figure_days >= 4 THEN n.figure_p95 END          AS high,
    k.least_change, n.figure_mean AS mean,
    -- Intervals of one day resemble each other, so they have less weight than days.
    (2.58 + 9.8 / nullif((n.figure_days + n.figure_count) / 2 - 1, 0)) * sqrt(n.figure_variance * n.figure_count / nullif(n.figure_count - 1, 0)) AS fence
  FROM today AS t
  JOIN figure_kind AS k ON k.figure_number = t.figure_number
  LEFT JOIN norm AS n
    ON n.lpar = t.lpar AND n.qmgr = t.qmgr AND n.subject = t.subject AND n.figure_number = t.figure_number AND n.hour = t.slot
)
SELECT
  lpar, qmgr, subject, figure_number, hour AS usual_hour, value AS usual_value, low AS usual_low, median AS usual_median, high AS usual_high,
  days AS usual_days, basis AS usual_basis,
  (CASE WHEN value > high THEN value - high WHEN value < low THEN value - low ELSE value * 0 END)
    / nullif(greatest(fence - CASE WHEN value > high THEN high - mean ELSE mean - low END, 0.06 * abs(median), least_change), 0) AS usual_times_out
FROM ranged
