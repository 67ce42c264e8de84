/*---
id       = "latch/waits"
title    = "Long latch waits"
question = "Which tasks waited long for a latch, for which one, and who held it?"
unseen   = true
needs    = ["latch_wait"]
rules    = ["LK001"]
grain    = ["lpar", "qmgr", "record_id", "latch_class"]
unmarked = "A row is one task interval; its rules judge an application over the period."
dd       = ["TASK"]
wsc      = [14, 15]
drill_down = ["latch/lens"]
note     = "Lists tasks whose longest wait was longer than 10 ms, or whose waits for class 11 took more than 5 ms in total. The view latch_wait has all waits. MQ 10.0.0 writes some totals shifted left by 32 bits: they are corrected and marked."

[columns]
lpar = { screen = 2 }
task_correlator = { label = "correlator" }
operator_id = { screen = 3 }
task_start_utc = { label = "task start", screen = 3 }
latch_class = { label = "class", screen = 1 }
average_latch_wait_us = { screen = 2 }
latch_class_longest_us = { label = "longest µs", screen = 1 }
latch_class_wait_raw_us = { label = "as recorded µs" }
longest_latch_wait_us = { label = "longest of all µs" }
longest_latch_holder = { label = "holder", screen = 2 }
---*/
SELECT
  lpar, qmgr, record_id, task_correlator, application, operator_id, task_start_utc, task_interval_start_utc, latch_class, latch_name,
  latch_class_waits, latch_class_wait_us, average_latch_wait_us, latch_class_longest_us, latch_share_pct, latch_wait_shifted,
  latch_class_wait_raw_us, longest_latch_wait_us, longest_latch_class, longest_latch_holder, over_limit
FROM latch_wait
WHERE over_limit
ORDER BY latch_class_wait_us DESC, lpar, qmgr, task_interval_start_utc, record_id, latch_class
