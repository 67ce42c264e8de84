/*---
id          = "DQ018"
name        = "numbers-repeated"
title       = "Unequal records have one number"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["sequence_loss.repeated_numbers"]
prints      = ["sequence_loss.numbered_records"]
judge       = "whole period"
worst       = "highest"
measure     = "record[s] with the number of another one"
when        = "observed > 0"
unit        = "count"
look        = ["mqstat report --report overview/completeness --qmgr {qmgr}"]

[source]
cite = "Real data: no two records of a queue manager have the same QWHSISEQ, resource manager and identifier between two starts"
kind = "judgement"

[advice]
summary = "{observed} of {numbered_records} numbered record[s] have the number of another record of the same kind, and other bytes."
remedy  = "Either two queue managers have the same name on systems of the same name, or a copy of the data was changed: find out which dump is the original."
report  = "overview/completeness"
---*/
SELECT
  lpar, qmgr,
  'numbers of records'      AS subject,
  repeated_numbers          AS observed,
  numbered_records
FROM sequence_loss
