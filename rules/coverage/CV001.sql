/*---
id          = "CV001"
name        = "statistics-missing-for-queue-manager"
title       = "A queue manager in the data has no class 1 statistics"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_qmgr.basic_classes_missing"]
prints      = ["coverage_qmgr.basic_classes_missing_names", "coverage_qmgr.records"]
judge       = "whole period"
worst       = "highest"
measure     = "class[es] of basic statistics missing"
when        = "observed > 0"
min_activity = "records >= $records_min"
look        = ["DISPLAY TRACE(STAT)", "D SMF"]
do          = ["START TRACE(STAT) CLASS(1)", "Make it permanent with SMFSTAT in CSQ6SYSP."]

[threshold.records_min]
value = 10
unit  = "count"
kind  = "judgement"
why   = "fewer records are only an excerpt of a dump"

[source]
cite = "MP16, 'Queue Manager Trace'"
kind = "documented"

[advice]
summary = "The data has {records} record[s] of this queue manager, but no {basic_classes_missing_names}: its log, buffer pools, storage and coupling facility could not be assessed."
remedy  = "Check that the dump job selects type 115. If types are dumped to separate files, read the files together."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  'class 1 statistics' AS subject,
  basic_classes_missing AS observed,
  basic_classes_missing_names, records
FROM coverage_qmgr
