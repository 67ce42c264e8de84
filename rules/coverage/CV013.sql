/*---
id          = "CV013"
name        = "accounting-dominated-by-tiny-tasks"
title       = "Class 3 writes a record for almost every call"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_task_rate.task_records_per_s"]
prints      = ["coverage_task_rate.calls_per_record", "coverage_task_rate.task_records", "coverage_task_rate.span_seconds"]
judge       = "whole period"
worst       = "highest"
breach_when = "rate and short"
look        = ["DISPLAY TRACE(ACCTG)"]
plans       = ["smf116_volume"]

[threshold.records_per_s_max]
value = 100
unit  = "per_s"
kind  = "judgement"
why   = "SMF data sets start to lose records at a few hundred large records per second"

[threshold.calls_per_record_min]
value = 10
unit  = "ratio"
kind  = "judgement"
why   = "a record costs as much as about ten calls"

[clause.rate]
when    = "observed > records_per_s_max"
measure = "task accounting records"

[clause.short]
when    = "calls_per_record < calls_per_record_min"
measure = "calls per record"

[source]
cite = "Z17, 'Non-persistent out-of-syncpoint using 2KB messages' (class 3); MP16, 'Accounting Trace Costs'"

[advice]
summary = "Class 3 wrote {task_records} record[s] in {span_seconds:.0f} s, {observed:.0f} per second (limit {records_per_s_max}), and each record covers {calls_per_record:.1f} calls (limit {calls_per_record_min})."
remedy  = "Each record costs 6 to 50 microseconds, more than the calls that it covers, and SMF may lose data (CSQW133E). Use queue statistics (class 5) every day, class 3 only for samples, and record to log streams."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  'task accounting'         AS subject,
  task_records_per_s        AS observed,
  task_records, span_seconds, calls_per_record
FROM coverage_task_rate
