/*---
id      = "usual_figure"
title   = "Each hour of the day compared with its usual range"
grain   = "one row per lpar, qmgr, subject, figure and hour of the day"
needs   = ["hour_figure", "figure_kind"]
note    = "Each day has one value per hour. The usual value is the median of the earlier days at the same hour of the week, if at least four days have it, otherwise at the same hour of all days. The usual range extends on both sides by the largest of: the spread, 20 % of the median, and least_change. The spread is the median absolute deviation of the days, or of the typical hour if that is larger, times 1.4826 (the standard deviation of normal values), times 5 if many days are known, up to 10 with four days. All these factors are our own limits. A Saturday or Sunday that is compared with all days needs two days of a weekend among them, and is not out of range if it is usual for these."

[columns]
figure_number = { from = "hour_figure" }
usual_hour = { unit = "id", doc = "Hour of the day.", label = "hour", screen = 1 }
usual_value = { unit = "number", doc = "Value of the hour.", over = "none", why = "Each row is another figure.", label = "value", format = ",.2f", screen = 1 }
usual_low = { unit = "number", doc = "Lowest value of the usual range.", over = "none", why = "Each row is another figure.", label = "usual from", format = ",.2f", screen = 1 }
usual_median = { unit = "number", doc = "Median of the earlier days.", over = "none", why = "Each row is another figure.", label = "median", format = ",.2f", screen = 2 }
usual_high = { unit = "number", doc = "Highest value of the usual range.", over = "none", why = "Each row is another figure.", label = "to", format = ",.2f", screen = 1 }
usual_days = { unit = "count", doc = "Earlier days that are compared.", over = "max", label = "days", screen = 3 }
usual_days_as_far = { unit = "count", doc = "Of these, days that were out of range on the same side, by at least half as much; 0 = the first time. Null if the hour is in its usual range.", over = "max", label = "as far out", screen = 2 }
usual_basis = { unit = "text", doc = "What the range is based on: week (same hour of the week), day (same hour on all days) or none (too little history).", label = "range of", screen = 3 }
usual_times_out = { unit = "ratio", doc = "Distance of the value from the median, as a multiple of half the usual range; above 1 = out of range, negative = below.", over = "none", why = "Each row is another figure." }
---*/
WITH
earlier AS (
  SELECT
    t.lpar, t.qmgr, t.subject, t.figure_number, t.hour_of_week, any_value(t.hour_value) AS value,
    coalesce(list(b.hour_value) FILTER (b.hour_of_week = t.hour_of_week), [])                    AS same_weekday,
    coalesce(list(b.hour_value) FILTER ((b.hour_of_week >= 120) = (t.hour_of_week >= 120)), []) AS same_kind,
    coalesce(list(b.hour_value) FILTER (b.hour_value IS NOT NULL), [])                           AS all_days
  FROM hour_figure AS t
  LEFT JOIN hour_figure AS b
    ON b.side_name = 'before' AND b.lpar = t.lpar AND b.qmgr = t.qmgr AND b.subject = t.subject AND b.figure_number = t.figure_number
      AND b.hour_of_week % 24 = t.hour_of_week % 24 AND b.hour_value IS NOT NULL
  WHERE t.side_name = 'after' AND t.hour_value IS NOT NULL
  GROUP BY t.lpar, t.qmgr, t.subject, t.figure_number, t.hour_of_week
),
based AS (
  SELECT
    * EXCLUDE (same_weekday, all_days),
    CASE WHEN len(same_weekday) >= 4 THEN 'week' WHEN len(all_days) >= 4 AND (hour_of_week < 120 OR len(same_kind) >= 2) THEN 'day' ELSE 'none' END AS basis,
    CASE WHEN len(same_weekday) >= 4 THEN same_weekday ELSE all_days END AS days
  FROM earlier
),
centered AS (
  SELECT *, CASE WHEN basis <> 'none' THEN list_aggregate(days, 'median') END AS median
  FROM based
),
deviating AS (
  SELECT
    *,
    list_aggregate(list_transform(days, lambda v: abs(v - median)), 'median') AS deviation
  FROM centered
),
ranged AS (
  SELECT
    d.* EXCLUDE (deviation), k.metric_unit,
    greatest(
      (5 + 15 / (len(days) - 1)) * 1.4826 * greatest(d.deviation, median(d.deviation) OVER (PARTITION BY d.lpar, d.qmgr, d.subject, d.figure_number)),
      0.2 * abs(d.median),
      k.least_change
    ) AS reach
  FROM deviating AS d
  JOIN figure_kind AS k ON k.figure_number = d.figure_number
),
placed AS (
  SELECT
    *,
    (value - median) / reach AS distance,
    -- At a weekend, what is usual for weekends is not out of range.
    basis = 'day' AND hour_of_week >= 120 AND abs(value - list_aggregate(same_kind, 'median')) <= reach AS usual_at_weekend
  FROM ranged
),
decided AS (
  SELECT *, CASE WHEN usual_at_weekend THEN greatest(-1, least(1, distance)) ELSE distance END AS times_out
  FROM placed
)
SELECT
  lpar, qmgr, subject, figure_number, hour_of_week % 24 AS usual_hour, value AS usual_value,
  -- The range ends at values that the figure can have.
  CASE WHEN basis <> 'none' THEN greatest(median - reach, least(0, value, list_min(days))) END AS usual_low, median AS usual_median,
  CASE WHEN metric_unit = 'percent' AND basis <> 'none' THEN least(median + reach, greatest(100, value, list_max(days))) ELSE median + reach END AS usual_high,
  len(days) AS usual_days,
  CASE WHEN abs(times_out) > 1 THEN len(list_filter(days, lambda v: (v - median) / reach * sign(times_out) > greatest(1, abs(times_out) / 2))) END
    AS usual_days_as_far,
  basis AS usual_basis, times_out AS usual_times_out
FROM decided
