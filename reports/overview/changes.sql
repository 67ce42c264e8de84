/*---
id         = "overview/changes"
title      = "What changed between the periods"
question   = "Which queue managers, pools, structures, levels and settings were added, removed or changed between two periods?"
needs      = ["compare_setting"]
grain      = ["lpar", "qmgr", "subject", "setting", "change"]
drill_down = ["overview/versions", "overview/coverage"]
note       = "Filled by mqstat compare A B and by mqstat report --baseline. Compares the last recorded value of each period. LOGLOAD, OUTBUFF and other settings that are not in SMF are not included."

[columns]
subject = { label = "subject", screen = 1 }
---*/
SELECT
  lpar, qmgr, nullif(subject, '') AS subject, nullif(setting, 'there') AS setting, change,
  CASE WHEN setting <> 'there' THEN before_value END AS before_value, CASE WHEN setting <> 'there' THEN after_value END AS after_value,
  setting_change_pct, seen_since_local, seen_last_local
FROM compare_setting
ORDER BY lpar, qmgr, list_position(['appeared', 'vanished', 'changed'], change), subject NULLS FIRST, setting NULLS FIRST
