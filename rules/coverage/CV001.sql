/*---
id          = "CV001"
name        = "statistics-missing-for-queue-manager"
title       = "A queue manager in the data has no class 1 statistics"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_qmgr.basic_classes_missing"]
prints      = ["coverage_qmgr.basic_classes_missing_names", "coverage_qmgr.basic_classes_there", "coverage_qmgr.records"]
judge       = "whole period"
worst       = "highest"
measure     = "class[es] of basic statistics missing"
when        = "observed > 0"
min_activity = "records >= $records_min"
look        = ["DISPLAY TRACE(STAT)", "D SMF"]
do          = ["START TRACE(STAT) CLASS({basic_class})"]

[size.basic_class]
when      = "basic_classes_there = 0"
formula   = "1"
cost      = "Make it permanent with SMFSTAT in CSQ6SYSP."
otherwise = "Other records of trace class 1 were written, so START TRACE does not bring back {basic_classes_missing_names}: look for a selection of subtypes in IFASMFDP, IFASMFDL or SMFPRMxx, or for lost data."
unknown   = "Which classes are there is not known."

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
  basic_classes_missing_names, basic_classes_there, records
FROM coverage_qmgr
