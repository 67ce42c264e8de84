/*---
id      = "latch_wait"
title   = "Latch waits of tasks with their application"
grain   = "one row per task interval and latch class with a wait"
needs   = ["task_latch", "task"]
keep    = false                          # one row for each of millions of tasks
classes = ["116.1"]

[columns]
over_limit = { unit = "flag", doc = "The longest wait of the task is one of this class and longer than 10 ms, or the waits for class 11 take more than 5 ms in total.", label = "over the limit" }
---*/
SELECT
  q.lpar, q.qmgr, q.record_id, t.task_correlator, t.application, t.operator_id, t.task_start_utc, t.task_interval_start_utc,
  q.latch_class, q.latch_name, q.latch_class_waits, q.latch_class_wait_us, q.average_latch_wait_us, q.latch_class_longest_us,
  q.latch_share_pct, q.latch_wait_shifted, q.latch_class_wait_raw_us,
  t.longest_latch_wait_us, t.longest_latch_class, t.longest_latch_holder,
  coalesce(t.longest_latch_class = q.latch_class AND t.longest_latch_wait_us > 10000, false)
    OR (q.latch_class = 11 AND q.latch_class_wait_us > 5000) AS over_limit
FROM task_latch AS q
JOIN task AS t ON t.record_id = q.record_id
