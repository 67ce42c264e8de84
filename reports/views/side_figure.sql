/*---
id      = "side_figure"
title   = "Figures of the two sides of a comparison"
grain   = "one row per side, lpar, qmgr, subject, figure and slot; slot is null for all of them together"
needs   = ["decoded.side_figure"]
note    = "The rows of views measured_figure and measured_use for each side; empty unless two periods are compared."

[columns]
side_name = { unit = "text", doc = "before or after." }
slot_by = { unit = "text", doc = "How hours are matched: week (same hour of the week), day (same hour of the day) or all (not matched)." }
slot = { unit = "id", doc = "The hour that is matched: 0 to 167 from Monday on, 0 to 23, or 0." }
subject = { unit = "text", doc = "Subject of the figure: a pool, page set, structure, application, queue or channel; empty for the queue manager itself." }
figure_number = { unit = "id", doc = "Number of the figure in view figure_kind." }
figure_count = { unit = "count", doc = "Intervals with a value; hours for figures from accounting.", over = "max" }
figure_mean = { unit = "number", doc = "Mean of the values.", over = "none", why = "Each row is another figure." }
figure_variance = { unit = "number", doc = "Variance of the values.", over = "none", why = "Each row is another figure." }
figure_p95 = { unit = "number", doc = "5 % of the values are above.", over = "none", why = "Each row is another figure." }
---*/
SELECT
  lpar, qmgr, side_name, slot_by, slot, subject, figure_number, figure_count, figure_mean, figure_variance, figure_p95
FROM decoded.side_figure
