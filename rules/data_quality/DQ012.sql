/*---
id          = "DQ012"
name        = "task-times-impossible"
title       = "A time of a task exceeds its own accounting interval"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_task_time.excess_seconds_high"]
prints      = ["quality_task_time.tasks_checked", "quality_task_time.tasks_over", "quality_task_time.longest_seconds", "quality_task_time.latch_times_over", "quality_task_time.mq_version"]
judge       = "whole period"
worst       = "highest"
measure     = "time of a task beyond its interval"
when        = "observed > excess_seconds_max"
look        = ["mqstat report --report overview/data_quality --qmgr {qmgr}"]

[threshold.excess_seconds_max]
value = 0.1
unit  = "s"
kind  = "judgement"
why   = "clocks are read one after the other, and a task may wait for a processor between them"

[source]
cite = "Our own rule: no task can wait longer than its interval"

[advice]
summary = "In {tasks_over} of {tasks_checked} task interval[s] of MQ {level}, a time is longer than the interval itself; at worst {longest_seconds:.1f} s, {observed:.1f} s longer than its interval (limit {excess_seconds_max} s); in {latch_times_over} of them it is a latch time."
remedy  = "The calls of several threads under one correlator can exceed the interval; otherwise check the records with mqstat raw. Latch times that 10.0.0 shifts left by 32 bits are corrected and not counted here."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, record_id,
  'task times of MQ ' || mq_version       AS subject,
  mq_version                              AS level,
  excess_seconds_high                     AS observed,
  tasks_checked, tasks_over, longest_seconds, latch_times_over
FROM quality_task_time
