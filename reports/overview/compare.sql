/*---
id         = "overview/compare"
title      = "Compare two periods"
question   = "What changed between last week and now, or before and after a change?"
needs      = ["compare_figure"]
grain      = ["lpar", "qmgr", "metric", "subject"]
drill_down = ["overview/timeline"]
note       = "Filled by mqstat compare A B and by mqstat report --baseline. Compares intervals of the same hours. Figures from accounting are sums per hour, and an hour without work counts as 0; counts from statistics are per hour. Effect: change divided by the spread of the values in the same hour, at most 2. Noteworthy: more than 6 %, an effect above 0.5, at least 4 intervals in both periods (1 for a setting), and more than three standard errors, which excludes chance."

[columns]
subject = { screen = 1, label = "subject" }
remark = { unit = "text", label = "remark", screen = 4, doc = "Remark about the row." }
---*/
SELECT
  lpar, qmgr, metric, metric_unit, nullif(subject, '') AS subject, before_mean, after_mean, before_p95, after_p95, before_intervals, after_intervals,
  change_pct, effect_size, appeared, vanished, noteworthy, mq_level_before, mq_level_after,
  nullif(concat_ws('; ',
    CASE
      WHEN mq_level_before <> mq_level_after AND metric = 'checkpoints' THEN 'the MQ level changed: before 9.0 checkpoints at log switches were not counted'
      WHEN mq_level_before <> mq_level_after THEN 'the MQ level changed'
    END,
    CASE WHEN appeared THEN 'only after' WHEN vanished THEN 'only before' WHEN NOT is_setting AND least(before_intervals, after_intervals) < 4 THEN 'too few intervals' END
  ), '') AS remark
FROM compare_figure
ORDER BY noteworthy DESC, abs(round(effect_size, 9)) DESC NULLS LAST, lpar, qmgr, metric, subject
