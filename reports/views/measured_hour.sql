/*---
id      = "measured_hour"
title   = "Key figures of each hour of each day, in the hours of one side"
grain   = "one row per side, lpar, qmgr, subject, figure, day and hour"
needs   = ["side", "figure_value", "figure_kind"]
keep    = false                          # read only once

[columns]
figure_number = { from = "figure_value" }
hour_value = { unit = "number", doc = "Value of the hour: mean, highest or lowest of its intervals, as view figure_kind states.", over = "none", why = "Each row is another figure." }
---*/
SELECT
  s.lpar, v.qmgr, s.side_name, v.subject, v.figure_number, v.day_number, v.hour_of_week,
  CASE any_value(k.hour_way)
    WHEN 'highest' THEN max(v.measured_value)
    WHEN 'lowest' THEN min(v.measured_value)
    ELSE sum(v.measured_value * v.measured_weight) / nullif(sum(v.measured_weight), 0)
  END AS hour_value
FROM figure_value AS v
JOIN side AS s ON s.from_lpar = v.lpar AND s.qmgr = v.qmgr AND s.hour_of_week = v.hour_of_week
JOIN figure_kind AS k ON k.figure_number = v.figure_number
GROUP BY s.lpar, v.qmgr, s.side_name, v.subject, v.figure_number, v.day_number, v.hour_of_week
