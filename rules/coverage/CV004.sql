/*---
id          = "CV004"
name        = "queue-statistics-missing"
title       = "No queue statistics on a release that has them"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_qmgr.records_115_216"]
prints      = ["coverage_qmgr.mq_versions", "known_error.sign"]
judge       = "whole period"
worst       = "highest"
measure     = "queue statistics record[s]"
when        = "observed = 0"
unit        = "count"
mq_since    = "9.3.0"
look        = ["DISPLAY TRACE(STAT)", "DISPLAY QMGR STATQ"]
do          = ["START TRACE(STAT) CLASS(5)", "ALTER QMGR STATQ(ON)"]
sets        = ["STATQ"]
plans       = ["smf115_volume"]

[source]
cite = "Z17, 'Non-persistent out-of-syncpoint using 2KB messages' (queue statistics); MP16, 'Statistics Trace Costs'"
kind = "documented"

[advice]
summary = "MQ {mq_versions} can write statistics of every queue, but no such record is in the data: depth, age, failures, expiry and rollbacks of queues are not known."
remedy  = "Instead of all queues, STATQ can be set on those that matter; the measured cost is 0.08 microseconds per call{known}."
report  = "overview/coverage"
---*/
SELECT
  c.lpar, c.qmgr,
  'queue statistics' AS subject,
  records_115_216 AS observed,
  mq_versions,
  CASE WHEN e.apar IS NULL THEN ''
    ELSE '. Without the fix of APAR PH67349, each migration sets STATQ(OFF) of the queue manager'
  END              AS known
FROM coverage_qmgr AS c
LEFT JOIN known_error AS e ON e.lpar = c.lpar AND e.qmgr = c.qmgr AND e.apar = 'PH67349'
