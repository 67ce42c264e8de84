/*---
id          = "CV019"
name        = "class-missing-in-usual-hours"
title       = "A record class is missing in hours in which it is usually written"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr", "record_class"]
silenced_by = ["CV016", "CV017", "CV018"]  # they know more about the same hours
needs       = ["collection.records"]
prints      = ["measured_class_hour.is_there", "class_hour.is_there", "record_class.class_holds", "record_class.trace"]
judge       = "whole period"
leaves_out  = "days more than days_back before the last one"
worst       = "highest"
measure     = "days of the week before that had the class in this hour"
when        = "observed >= days_min"
min_activity = "days_known >= $days_min"
look        = ["DISPLAY TRACE({trace})"]

[threshold.days_min]
value = 4
unit  = "count"
kind  = "judgement"
why   = "what is there on most days of a week is meant to be there"

[threshold.days_back]
value = 7
unit  = "count"
kind  = "judgement"
why   = "a week has every weekday"

[source]
cite = "Our own rule: records that are collected every day at the same hours are expected there"

[advice]
summary = "No {record_class} ({class_holds}) in {hours_missing:,.0f} hour[s] of the day, the first at {first_hour}:00, although {observed:,.0f} of the last {days_known:,.0f} day[s] had records then."
remedy  = "Check whether the trace was stopped on purpose, and whether all dumps of the day were read."
report  = "overview/coverage"
---*/
WITH
today AS (
  -- Of several days the last one is compared.
  SELECT lpar, qmgr, record_class, hour_of_day, is_there, day_number
  FROM measured_class_hour
  QUALIFY day_number = max(day_number) OVER (PARTITION BY lpar, qmgr)
),
earlier AS (
  SELECT lpar, qmgr, record_class, hour_of_day, is_there, day_number FROM class_hour
  UNION ALL
  SELECT lpar, qmgr, record_class, hour_of_day, is_there, day_number FROM measured_class_hour
),
compared AS (
  SELECT
    t.lpar, t.qmgr, t.record_class, t.hour_of_day, t.is_there,
    count(DISTINCT e.day_number) FILTER (e.is_there AND e.hour_of_day = t.hour_of_day AND e.record_class = t.record_class) AS days_there,
    count(DISTINCT e.day_number)                                                                                           AS days_known
  FROM today AS t
  LEFT JOIN earlier AS e ON e.lpar = t.lpar AND e.qmgr = t.qmgr AND e.day_number BETWEEN t.day_number - $days_back AND t.day_number - 1
  GROUP BY t.lpar, t.qmgr, t.record_class, t.hour_of_day, t.is_there
),
owner AS (
  -- A queue manager may have no hour that is evidence.
  SELECT lpar, qmgr FROM collection
  UNION
  SELECT lpar, qmgr FROM compared
)
SELECT
  o.lpar, o.qmgr, c.record_class,
  concat_ws(' ', 'records', c.record_class)                                        AS subject,
  CASE WHEN c.record_class IS NOT NULL THEN coalesce(max(c.days_there) FILTER (NOT c.is_there), 0) END AS observed,
  coalesce(max(c.days_known), 0)                                                   AS days_known,
  count(*) FILTER (NOT c.is_there AND c.days_there >= $days_min)                   AS hours_missing,
  lpad(min(c.hour_of_day) FILTER (NOT c.is_there AND c.days_there >= $days_min)::VARCHAR, 2, '0') AS first_hour,
  any_value(k.class_holds)                                                         AS class_holds,
  any_value(k.trace)                                                               AS trace
FROM owner AS o
LEFT JOIN compared AS c ON c.lpar = o.lpar AND c.qmgr = o.qmgr
LEFT JOIN record_class AS k ON k.record_class = c.record_class
GROUP BY o.lpar, o.qmgr, c.record_class
