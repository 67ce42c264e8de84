/*---
id          = "CV005"
name        = "task-accounting-missing"
title       = "No class 3 accounting in the period"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_qmgr.records_116_1"]
prints      = ["coverage_qmgr.no_class3_declared"]
judge       = "whole period"
worst       = "highest"
measure     = "task accounting record[s]"
when        = "observed = 0"
unit        = "count"
look        = ["DISPLAY TRACE(ACCTG)"]
do          = ["START TRACE(ACCTG) CLASS(3)"]
plans       = ["accounting_cost", "smf116_volume"]

[source]
cite = "MP16, 'Accounting Trace Costs'; Z17, 'Non-persistent out-of-syncpoint using 2KB messages' (class 3)"
kind = "documented"

[advice]
summary = "There are no 116.1 records: applications, skipped messages, latches and commits could not be assessed."
remedy  = "Collect it for a sample hour. It typically costs 3 to 7 % (1 to 3 microseconds per call and 6 to 50 per record), and up to a third of the rate of very short transactions. If it is off on purpose, declare no_class3 in the site file."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  'task accounting' AS subject,
  records_116_1 AS observed
FROM coverage_qmgr
WHERE NOT no_class3_declared
