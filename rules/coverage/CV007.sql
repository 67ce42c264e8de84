/*---
id          = "CV007"
name        = "storage-or-page-set-statistics-missing"
title       = "Basic statistics, but no storage or page set records"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_qmgr.storage_classes_missing"]
prints      = ["coverage_qmgr.storage_classes_missing_names", "coverage_qmgr.storage_trace_started"]
judge       = "whole period"
worst       = "highest"
measure     = "class[es] of storage and page set statistics missing"
when        = "observed > 0"
unit        = "count"
look        = ["DISPLAY TRACE(STAT)", "D SMF"]
do          = ["START TRACE(STAT) CLASS({trace_class})"]

[size.trace_class]
when      = "NOT storage_trace_started"
formula   = "'2,3'"
cost      = "It is not documented which of the two trace classes writes 115.201, so start both."
otherwise = "Records 115.5 or 115.6 of the same trace were written, so START TRACE does not bring back 115.7: look for a selection of subtypes in IFASMFDP, IFASMFDL or SMFPRMxx, or for lost data."
unknown   = "Which classes are there is not known."

[source]
cite = "IBM MQ documentation, 'Storage manager data records'; MP16, 'Queue Manager Trace'"
kind = "documented"

[advice]
summary = "There are basic statistics, but no {storage_classes_missing_names}: storage headroom (115.7) or the use of page sets (115.201) is not known."
remedy  = "Check also that the dump job selects all subtypes of type 115."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  'storage and page set statistics' AS subject,
  storage_classes_missing AS observed,
  storage_classes_missing_names,
  storage_trace_started
FROM coverage_qmgr
