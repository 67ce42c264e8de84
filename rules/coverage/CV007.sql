/*---
id          = "CV007"
name        = "storage-or-page-set-statistics-missing"
title       = "Basic statistics, but no storage or page set records"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_qmgr.storage_classes_missing"]
prints      = ["coverage_qmgr.storage_classes_missing_names"]
judge       = "whole period"
worst       = "highest"
measure     = "class[es] of storage and page set statistics missing"
when        = "observed > 0"
unit        = "count"
look        = ["DISPLAY TRACE(STAT)", "D SMF"]
do          = ["START TRACE(STAT) CLASS(2,3)"]

[source]
cite = "IBM MQ documentation, 'Storage manager data records'; MP16, 'Queue Manager Trace'"
kind = "documented"

[advice]
summary = "There are basic statistics, but no {storage_classes_missing_names}: storage headroom (115.7) or the use of page sets (115.201) is not known."
remedy  = "It is not documented which of the two classes writes 115.201, so start both."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  'storage and page set statistics' AS subject,
  storage_classes_missing AS observed,
  storage_classes_missing_names
FROM coverage_qmgr
