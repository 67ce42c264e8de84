/*---
id      = "measured_figure"
title   = "Key figures from statistics in the hours of one side"
grain   = "one row per side, lpar, qmgr, subject, figure and slot; slot is null for all of them together"
needs   = ["side", "figure_value"]
keep    = false                          # read only once

[columns]
figure_count = { unit = "count", doc = "Intervals with a value; hours for figures from accounting.", over = "max" }
figure_days = { unit = "count", doc = "Days with a value.", over = "max" }
figure_mean = { unit = "number", doc = "Mean of the values by their weight.", over = "none", why = "Each row is another figure." }
figure_variance = { unit = "number", doc = "Variance of the values.", over = "none", why = "Each row is another figure." }
figure_p05 = { unit = "number", doc = "5 % of the values are below.", over = "none", why = "Each row is another figure." }
figure_p50 = { unit = "number", doc = "Median of the values.", over = "none", why = "Each row is another figure." }
figure_p95 = { unit = "number", doc = "5 % of the values are above.", over = "none", why = "Each row is another figure." }
---*/
WITH grouped AS (
  SELECT
    v.lpar, v.qmgr, s.side_name, s.slot_by, s.slot, v.subject, v.figure_number,
    count(*)                  AS figure_count,
    -- One bit per day is much cheaper than counting distinct days.
    bit_count(bit_or(1::HUGEINT << (v.day_number % 126)::INTEGER))::BIGINT AS figure_days,
    sum(v.measured_value * v.measured_weight) / nullif(sum(v.measured_weight), 0) AS figure_mean,
    var_pop(v.measured_value) AS figure_variance,
    quantile_cont(v.measured_value, [0.05, 0.5, 0.95]) AS points
  FROM figure_value AS v
  JOIN side AS s ON s.lpar = v.lpar AND s.qmgr = v.qmgr AND s.hour_of_week = v.hour_of_week
  GROUP BY GROUPING SETS (
    (v.lpar, v.qmgr, s.side_name, s.slot_by, s.slot, v.subject, v.figure_number),
    (v.lpar, v.qmgr, s.side_name, s.slot_by, v.subject, v.figure_number)
  )
)
SELECT
  lpar, qmgr, side_name, slot_by, slot, subject, figure_number, figure_count, figure_days, figure_mean, figure_variance,
  points[1] AS figure_p05, points[2] AS figure_p50, points[3] AS figure_p95
FROM grouped
