/*---
id         = "overview/usual"
title      = "The day compared with its usual range"
question   = "Which key figures were outside their usual range for that hour of the week, and by how much?"
needs      = ["usual_figure", "figure_kind"]
grain      = ["lpar", "qmgr", "subject", "metric"]
drill_down = ["overview/timeline", "overview/peaks"]
note       = "Filled by mqstat report --baseline. Shows one hour per figure: the one farthest out of its range. Each day has one value per hour. The range is around the median of the earlier days at the same hour of the week; with fewer than 4 such days, at the same hour of all days. It extends on both sides by the largest of 20 % of the median, what matters for the figure, and the spread of the days times 5, or more if few days are known."

[columns]
range_state = { unit = "text", label = "state", screen = 1, doc = "above, below, usual, or too little history." }
hours_out = { unit = "count", label = "hours out", screen = 1, doc = "Hours of the day that were outside their range.", over = "max" }
hours_compared = { unit = "count", label = "of", screen = 2, doc = "Hours of the day that have a range.", over = "max" }
times_out = { unit = "ratio", label = "times out", screen = 3, format = ".1f", doc = "Distance from the median, as a multiple of half the usual range.", over = "none", why = "Each row has a figure of its own." }
---*/
WITH
day AS (
  SELECT
    lpar, qmgr, subject, figure_number,
    count(*) FILTER (abs(usual_times_out) > 1)                           AS hours_out,
    count(*) FILTER (usual_basis <> 'none')                              AS hours_compared,
    arg_max(usual_hour, coalesce(abs(round(usual_times_out, 9)), -1) * 100 - usual_hour) AS worst_hour
  FROM usual_figure
  GROUP BY lpar, qmgr, subject, figure_number
)
SELECT
  u.lpar, u.qmgr, nullif(u.subject, '') AS subject, k.metric, k.metric_unit,
  CASE WHEN u.usual_basis = 'none' THEN 'too little history' WHEN u.usual_times_out > 1 THEN 'above' WHEN u.usual_times_out < -1 THEN 'below' ELSE 'usual' END AS range_state,
  u.usual_hour, u.usual_value, u.usual_low, u.usual_high, u.usual_median, u.usual_days, u.usual_days_as_far, u.usual_basis,
  d.hours_out, d.hours_compared, abs(u.usual_times_out) AS times_out
FROM usual_figure AS u
JOIN day AS d
  ON d.lpar = u.lpar AND d.qmgr = u.qmgr AND d.subject = u.subject AND d.figure_number = u.figure_number AND d.worst_hour = u.usual_hour
JOIN figure_kind AS k ON k.figure_number = u.figure_number
ORDER BY times_out > 1 DESC, round(CASE WHEN times_out > 1 THEN times_out END, 6) DESC NULLS LAST, lpar, qmgr, subject NULLS FIRST, metric
