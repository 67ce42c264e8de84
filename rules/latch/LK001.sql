/*---
id          = "LK001"
name        = "latch-wait-long"
title       = "A task waited long for one internal latch"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "application", "latch_class"]
needs       = ["latch_application.latch_longest_us"]
prints      = ["latch_application.latch_name", "latch_application.likely_cause", "latch_application.latch_class_waits", "latch_application.latch_class_wait_us", "latch_application.latch_longest_utc", "latch_application.latch_longest_record_id"]
judge       = "whole period"
worst       = "highest"
victims     = ["latch time"]
measure     = "longest latch wait"
when        = "observed > longest_us_max"
caused_by   = ["CF012", "BP001", "BP002", "BP006", "LG001"]
mq_since    = "8.0.0"
look        = ["mqstat report --report latch/lens --qmgr {qmgr}"]

[threshold.longest_us_max]
value = 10000
unit  = "us"
kind  = "guidance"
why   = "the health check of IBM's Washington Systems Center lists waits of this length and longer; usual waits take microseconds"

[source]
cite = "Queries 14 and 15 of the health check of IBM's Washington Systems Center; MP16, 'Frequent opening of shared queues' (latch 11 in microseconds)"

[advice]
summary = "Tasks of {application} waited for latch class {latch_class} ({latch_name}) up to {latch_longest_us} µs (limit {longest_us_max} µs); {latch_class_waits} wait[s] took {latch_class_wait_us} µs in total."
remedy  = "Usual reason for waits of this class: {likely_cause}. Report latch/lens shows the queues, the buffer pool and the log of the same hour. One long wait may also come from a task that lost the processor while it held the latch."
report  = "latch/lens"
---*/
SELECT
  lpar, qmgr, application, latch_class,
  latch_longest_utc       AS interval_start_utc,
  latch_longest_record_id AS record_id,
  application || ', latch class ' || latch_class AS subject,
  latch_longest_us        AS observed,
  latch_longest_us, latch_name, likely_cause, latch_class_waits, latch_class_wait_us,
  CASE
    WHEN latch_class IN (11, 15) THEN ['CF012']
    WHEN latch_class IN (16, 19) THEN ['BP001', 'BP002', 'BP006']
    WHEN latch_class = 21 THEN ['LG001']
    ELSE []
  END                     AS causes
FROM latch_application
