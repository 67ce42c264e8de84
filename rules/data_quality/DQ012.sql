/*---
id          = "DQ012"
name        = "task-times-impossible"
title       = "A time of a task exceeds its own accounting interval"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_task_time.time_ratio_high"]
prints      = ["quality_task_time.tasks_checked", "quality_task_time.tasks_over", "quality_task_time.longest_seconds", "quality_task_time.latch_times_over", "quality_task_time.mq_version"]
judge       = "whole period"
worst       = "highest"
measure     = "longest task time as a multiple of its interval"
when        = "observed > interval_multiple_max"
text        = "longest task time {value} x its interval"

[threshold.interval_multiple_max]
value = 1.05
unit  = "ratio"
kind  = "judgement"
why   = "clocks are read one after the other, so a time slightly longer than the interval is possible"

[source]
cite = "Our own rule: no task can wait longer than its interval"

[advice]
summary = "In {tasks_over} of {tasks_checked} task interval[s] of MQ {level}, a time is longer than the interval itself; the longest is {longest_seconds:.3f} s, {observed:.2f} times its interval (limit {interval_multiple_max}); in {latch_times_over} of them it is a latch time."
remedy  = "The calls of several threads under one correlator can exceed the interval; otherwise check the records with mqstat raw. Latch times that 10.0.0 shifts left by 32 bits are corrected and not counted here."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, record_id,
  'task times of MQ ' || mq_version       AS subject,
  mq_version                              AS level,
  time_ratio_high                         AS observed,
  tasks_checked, tasks_over, longest_seconds, latch_times_over
FROM quality_task_time
