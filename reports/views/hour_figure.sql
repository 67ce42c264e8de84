/*---
id      = "hour_figure"
title   = "Key figures of each hour of a day and of the days before it"
grain   = "one row per side, lpar, qmgr, subject, figure, day and hour"
needs   = ["decoded.hour_figure"]
note    = "The rows of view measured_hour for each side; empty unless a day is compared with the days before it."

[columns]
side_name = { unit = "text", doc = "before or after." }
subject = { unit = "text", doc = "Subject of the figure: a pool, page set, structure or log copy; empty for the queue manager itself.", label = "subject", screen = 1 }
figure_number = { unit = "id", doc = "Number of the figure in view figure_kind." }
day_number = { unit = "id", doc = "Days from 2000-01-01 to the local day." }
hour_of_week = { unit = "id", doc = "Hour of the week, 0 to 167 from Monday on." }
hour_value = { unit = "number", doc = "Value of the hour.", over = "none", why = "Each row is another figure." }
---*/
SELECT lpar, qmgr, side_name, subject, figure_number, day_number, hour_of_week, hour_value
FROM decoded.hour_figure
