/*---
id      = "latch_wait"
title   = "Latch waits of tasks with their application"
grain   = "one row per task interval and latch class with a wait"
needs   = ["task_latch", "task"]
keep    = false                          # one row for each of millions of tasks
classes = ["116.1"]

[columns]
lpar = {}
qmgr = {}
record_id = {}
task_correlator = { unit = "text", kind = "key", doc = "Correlator that links the WTAS, WQ and WTID of one task." }
application = { unit = "text", doc = "Application: region and transaction, IMS system and program, channel and partner address, or job." }
operator_id = { unit = "text", kind = "key", doc = "User ID." }
task_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start time of the task's accounting (GMT)." }
task_interval_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of this accounting interval (GMT)." }
latch_class = { unit = "id", kind = "key", doc = "Latch class, 1 to 32." }
latch_name = { unit = "text", doc = "What the latch class protects, if known." }
latch_class_waits = { unit = "count", kind = "counter", doc = "Waits for this latch class." }
latch_class_wait_us = { unit = "us", kind = "counter", doc = "Time waiting for this latch class." }
average_latch_wait_us = { unit = "us", doc = "Mean wait for this latch class." }
latch_class_longest_us = { unit = "us", kind = "high", doc = "Longest wait for this latch class." }
latch_share_pct = { unit = "percent", doc = "Waits for this latch class as a share of the elapsed time of the task in MQ calls." }
latch_wait_shifted = { unit = "flag", doc = "The record held the total shifted left by 32 bits; latch_class_wait_us is corrected." }
latch_class_wait_raw_us = { unit = "us", kind = "counter", doc = "The time as recorded, before correction." }
longest_latch_wait_us = { unit = "us", doc = "Longest wait of the task for any latch." }
longest_latch_class = { unit = "id", doc = "Latch class of that wait." }
longest_latch_holder = { unit = "text", kind = "text", doc = "Holder of the latch during the longest wait, in hex." }
over_limit = { unit = "flag", doc = "The longest wait of the task is one of this class and longer than 10 ms, or the waits for class 11 take more than 5 ms in total." }
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
