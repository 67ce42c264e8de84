/*---
id      = "measured_use"
title   = "Figures from accounting in the hours of one side"
grain   = "one row per side, lpar, qmgr, subject, figure and slot; slot is null for all of them together"
needs   = ["side", "use_value"]
keep    = false                          # read only once
note    = "An hour with accounting records, but without any of the subject, counts as 0. Slots are kept for the 50 busiest subjects of each kind."

[columns]
figure_count = { unit = "count", doc = "Intervals with a value; hours for figures from accounting.", over = "max" }
figure_mean = { unit = "number", doc = "Mean of the values.", over = "none", why = "Each row is another figure." }
figure_variance = { unit = "number", doc = "Variance of the values.", over = "none", why = "Each row is another figure." }
figure_p95 = { unit = "number", doc = "5 % of the values are above.", over = "none", why = "Each row is another figure." }
---*/
WITH
valued AS MATERIALIZED (
  SELECT
    s.lpar, v.qmgr, s.side_name, s.slot_by, s.slot, v.use_class, v.subject, v.figure_number, v.hour_start_utc, v.measured_value
  FROM use_value AS v
  JOIN side AS s
    ON s.from_lpar = v.lpar AND s.qmgr = v.qmgr AND s.hour_of_week = 24 * (isodow(v.hour_local) - 1) + hour(v.hour_local)
),
hours AS (
  SELECT lpar, qmgr, side_name, slot_by, slot, use_class, count(DISTINCT hour_start_utc) AS hours
  FROM valued
  GROUP BY lpar, qmgr, side_name, slot_by, slot, use_class
),
all_hours AS (
  SELECT lpar, qmgr, side_name, slot_by, use_class, sum(hours)::BIGINT AS hours
  FROM hours
  GROUP BY lpar, qmgr, side_name, slot_by, use_class
),
whole AS (
  SELECT
    lpar, qmgr, side_name, slot_by, use_class, subject, figure_number, sum(measured_value) AS total,
    sum(measured_value * measured_value) AS squares, list_sort(list(measured_value)) AS ordered
  FROM valued
  GROUP BY lpar, qmgr, side_name, slot_by, use_class, subject, figure_number
),
busiest AS (
  SELECT lpar, qmgr, side_name, slot_by, use_class, subject
  FROM whole
  WHERE figure_number IN (61, 62, 63, 64, 66, 67, 68, 71, 72)
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr, side_name, slot_by, figure_number ORDER BY total DESC, subject) <= 50
),
-- Every busy subject has every hour of its queue manager, even if it did nothing.
slots AS (
  SELECT
    h.lpar, h.qmgr, h.side_name, h.slot_by, h.slot, h.use_class, w.subject, w.figure_number, h.hours
  FROM whole AS w
  SEMI JOIN busiest AS b
    ON b.lpar = w.lpar AND b.qmgr = w.qmgr AND b.side_name = w.side_name AND b.slot_by = w.slot_by AND b.subject = w.subject
  JOIN hours AS h
    ON h.lpar = w.lpar AND h.qmgr = w.qmgr AND h.side_name = w.side_name AND h.slot_by = w.slot_by AND h.use_class = w.use_class
),
summed AS (
  SELECT
    lpar, qmgr, side_name, slot_by, slot, subject, figure_number, sum(measured_value) AS total, sum(measured_value * measured_value) AS squares
  FROM valued
  GROUP BY lpar, qmgr, side_name, slot_by, slot, subject, figure_number
),
-- The rank of a value among all hours; hours without a row come first.
placed AS (
  SELECT
    w.*, a.hours, a.hours - len(w.ordered) AS zeros,
    floor(0.95 * (a.hours - 1)) AS below, 0.95 * (a.hours - 1) AS rank
  FROM whole AS w
  JOIN all_hours AS a
    ON a.lpar = w.lpar AND a.qmgr = w.qmgr AND a.side_name = w.side_name AND a.slot_by = w.slot_by AND a.use_class = w.use_class
),
pointed AS (
  SELECT
    *,
    CASE WHEN below < zeros THEN 0 ELSE coalesce(ordered[(below - zeros + 1)::BIGINT], 0) END                 AS low,
    CASE WHEN below + 1 < zeros THEN 0 ELSE ordered[least(below - zeros + 2, len(ordered))::BIGINT] END AS high
  FROM placed
)
SELECT
  lpar, qmgr, side_name, slot_by, NULL::BIGINT AS slot, subject, figure_number, hours AS figure_count,
  total / hours AS figure_mean, greatest(0, squares / hours - (total / hours) * (total / hours)) AS figure_variance,
  low + (rank - below) * (high - low) AS figure_p95
FROM pointed
UNION ALL
SELECT
  s.lpar, s.qmgr, s.side_name, s.slot_by, s.slot, s.subject, s.figure_number, s.hours,
  coalesce(v.total, 0) / s.hours,
  greatest(0, coalesce(v.squares, 0) / s.hours - (coalesce(v.total, 0) / s.hours) * (coalesce(v.total, 0) / s.hours)), NULL
FROM slots AS s
LEFT JOIN summed AS v
  ON v.lpar = s.lpar AND v.qmgr = s.qmgr AND v.side_name = s.side_name AND v.slot_by = s.slot_by AND v.slot = s.slot
    AND v.subject = s.subject AND v.figure_number = s.figure_number
