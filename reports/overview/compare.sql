/*---
id         = "overview/compare"
title      = "Compare two periods"
question   = "What changed between last week and now, or before and after a change?"
needs      = ["compare_figure"]
grain      = ["lpar", "qmgr", "metric", "subject"]
drill_down = ["overview/timeline"]
note       = "Filled by mqstat compare A B and by mqstat report --baseline. Compares intervals of the same hours. Figures from accounting are sums per hour, and an hour without work counts as 0; counts from statistics are per hour. Effect: change divided by the spread of the values in the same hour, at most 2. Noteworthy: more than 6 %, an effect above 0.5, at least 4 intervals in both periods (1 for a setting), and more than three standard errors, which excludes chance."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
metric = { screen = 1, label = "metric" }
metric_unit = { screen = 2, label = "unit" }
subject = { screen = 1, label = "subject" }
before_mean = { screen = 1, label = "before", format = ",.2f" }
after_mean = { screen = 1, label = "after", format = ",.2f" }
before_p95 = { screen = 3, label = "before 95 %", format = ",.2f" }
after_p95 = { screen = 3, label = "after 95 %", format = ",.2f" }
before_intervals = { screen = 3, label = "intervals before" }
after_intervals = { screen = 3, label = "intervals after" }
change_pct = { screen = 1, label = "change %", format = ".1f" }
effect_size = { screen = 1, label = "effect", format = ".2f" }
appeared = {}
vanished = {}
noteworthy = { screen = 2, label = "noteworthy" }
mq_level_before = {}
mq_level_after = {}
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
