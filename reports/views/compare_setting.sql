/*---
id      = "compare_setting"
title   = "What was added, removed or changed"
grain   = "one row per lpar, qmgr, subject and setting that changed"
needs   = ["side_setting"]
note    = "Compares the last value of both sides. Excludes subjects of queue managers that were added or removed, and subjects from records that only one side has."

[columns]
change = { unit = "text", doc = "appeared, vanished or changed.", label = "change", screen = 1 }
before_value = { unit = "text", doc = "Value before.", label = "before", screen = 1 }
after_value = { unit = "text", doc = "Value after.", label = "after", screen = 1 }
setting_change_pct = { unit = "percent", doc = "Change of a numeric setting.", over = "none", why = "Each row is another setting.", label = "change %", format = ".1f", screen = 2 }
seen_since_local = { unit = "ts_local", doc = "First interval with the value after; null if it vanished.", label = "seen since", format = "minute", screen = 1 }
seen_last_local = { unit = "ts_local", doc = "Last interval with the value before; null if it appeared.", label = "last seen", format = "minute", screen = 1 }
---*/
WITH
last AS (
  SELECT
    lpar, qmgr, subject_kind, subject, setting,
    max(setting_unit) AS setting_unit,
    arg_max(setting_value, last_seen_local) FILTER (side_name = 'before')    AS before_value,
    arg_max(setting_value, last_seen_local) FILTER (side_name = 'after')     AS after_value,
    arg_max(setting_number, last_seen_local) FILTER (side_name = 'before')   AS before_number,
    arg_max(setting_number, last_seen_local) FILTER (side_name = 'after')    AS after_number,
    arg_max(first_seen_local, last_seen_local) FILTER (side_name = 'after')  AS after_first_local,
    max(last_seen_local) FILTER (side_name = 'before')                       AS before_last_local
  FROM side_setting
  GROUP BY lpar, qmgr, subject_kind, subject, setting
),
-- A subject can only appear or vanish if both sides have subjects of its kind.
kind AS (
  SELECT
    lpar, qmgr, subject_kind,
    bool_or(before_value IS NOT NULL) AND bool_or(after_value IS NOT NULL) AS on_both
  FROM last
  WHERE setting = 'there'
  GROUP BY lpar, qmgr, subject_kind
),
sides AS (
  SELECT bool_or(side_name = 'before') AND bool_or(side_name = 'after') AS two
  FROM side_setting
),
changed AS (
  SELECT
    l.*,
    CASE WHEN l.before_value IS NULL THEN 'appeared' WHEN l.after_value IS NULL THEN 'vanished' ELSE 'changed' END AS change
  FROM last AS l
  LEFT JOIN kind AS k ON k.lpar = l.lpar AND k.qmgr = l.qmgr AND k.subject_kind = l.subject_kind
  LEFT JOIN kind AS m ON m.lpar = l.lpar AND m.qmgr = l.qmgr AND m.subject_kind = 'queue manager'
  CROSS JOIN sides AS s
  WHERE s.two AND l.before_value IS DISTINCT FROM l.after_value
    AND CASE
      WHEN l.subject_kind = 'queue manager' AND l.setting = 'there' THEN true
      WHEN NOT m.on_both THEN false
      WHEN l.setting = 'there' THEN l.subject_kind = 'records' OR k.on_both
      ELSE l.before_value IS NOT NULL AND l.after_value IS NOT NULL
    END
)
SELECT
  lpar, qmgr, subject_kind, subject, setting, setting_unit, change, before_value, after_value,
  pct(after_number - before_number, abs(before_number)) AS setting_change_pct,
  after_first_local AS seen_since_local, before_last_local AS seen_last_local
FROM changed
