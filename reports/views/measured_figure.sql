/*---
id      = "measured_figure"
title   = "Key figures from statistics in the hours of one side"
grain   = "one row per side, lpar, qmgr, subject, figure and slot; slot is null for all of them together"
needs   = ["side", "figure_value"]
keep    = false                          # read only once

[columns]
figure_count = { unit = "count", doc = "Intervals with a value; hours for figures from accounting.", over = "max" }
figure_mean = { unit = "number", doc = "Mean of the values by their weight.", over = "none", why = "Each row is another figure." }
figure_variance = { unit = "number", doc = "Variance of the values.", over = "none", why = "Each row is another figure." }
figure_p95 = { unit = "number", doc = "5 % of the values are above.", over = "none", why = "Each row is another figure." }
---*/
SELECT
  s.lpar, v.qmgr, s.side_name, s.slot_by, s.slot, v.subject, v.figure_number,
  count(*)                  AS figure_count,
  sum(v.measured_value * v.measured_weight) / nullif(sum(v.measured_weight), 0) AS figure_mean,
  var_pop(v.measured_value) AS figure_variance,
  quantile_cont(v.measured_value, 0.95) AS figure_p95
FROM figure_value AS v
JOIN side AS s ON s.from_lpar = v.lpar AND s.qmgr = v.qmgr AND s.hour_of_week = v.hour_of_week
GROUP BY GROUPING SETS (
  (s.lpar, v.qmgr, s.side_name, s.slot_by, s.slot, v.subject, v.figure_number),
  (s.lpar, v.qmgr, s.side_name, s.slot_by, v.subject, v.figure_number)
)
