/*---
id          = "DQ009"
name        = "task-records-incomplete"
title       = "Queue blocks of a task are missing or orphaned"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_task_block.tasks_failed"]
prints      = ["quality_task_block.tasks_checked", "quality_task_block.tasks_incomplete", "quality_task_block.orphan_continuations", "quality_task_block.blocks_missing"]
judge       = "whole period"
worst       = "highest"
measure     = "incomplete task[s] and orphaned continuation[s]"
when        = "observed > 0"
unit        = "count"
look        = ["mqstat report --report overview/data_quality --qmgr {qmgr}"]

[source]
cite = "MP16, 'Accounting Trace Costs' (continuation records)"
kind = "documented"

[advice]
summary = "In {tasks_incomplete} of {tasks_checked} task interval[s], queue blocks are missing ({blocks_missing} in all), and {orphan_continuations} continuation record[s] (116.2) [have|has] no 116.1: totals by queue are too low."
remedy  = "Keep 116.1 and 116.2 together when selecting records, and look for lost SMF data (CSQW133E)."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, record_id,
  'queue blocks of tasks'                 AS subject,
  tasks_failed                            AS observed,
  tasks_checked, tasks_incomplete, orphan_continuations, blocks_missing
FROM quality_task_block
