/*---
id          = "LK002"
name        = "queue-latch-contention"
title       = "Tasks spend milliseconds on latch 11"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "application"]
needs       = ["latch_application.wait_of_1_pct_us", "latch_application.latch_class"]
prints      = ["latch_application.wait_of_1_pct_records", "latch_application.task_records", "latch_application.latch_class_waits", "latch_application.latch_class_wait_us"]
judge       = "whole period"
worst       = "highest"
victims     = ["latch time"]
measure     = "time on latch 11 of 1 % of the accounting records"
when        = "observed > wait_us_max"
caused_by   = ["CF012", "CF006"]
look        = ["mqstat report --report latch/lens --qmgr {qmgr}"]

[threshold.wait_us_max]
value = 5000
unit  = "us"
kind  = "guidance"
why   = "the health check of IBM's Washington Systems Center lists totals of this size and above; IBM measured 7 to 16 µs per open under contention"

[source]
cite = "Query 15 of the health check of IBM's Washington Systems Center; MP16, 'Frequent opening of shared queues'"

[advice]
summary = "At least {wait_of_1_pct_records} of {task_records} accounting record[s] of {application} have {observed:.0f} µs or more of waits for latch 11 (limit {wait_us_max} µs); {latch_class_waits} wait[s] took {latch_class_wait_us} µs in total. The latch serialises calls on one queue; for shared queues, it is held during the access to the coupling facility."
remedy  = "Keep queues open instead of opening them for each message, spread the load over several queues, and let a sleeping task hold shared queues open (CF012). Many tasks that start at the same time can cause this once."
report  = "latch/lens"
---*/
SELECT
  lpar, qmgr, application,
  latch_longest_utc       AS interval_start_utc,
  latch_longest_record_id AS record_id,
  application             AS subject,
  wait_of_1_pct_us        AS observed,
  wait_of_1_pct_records, task_records, latch_class_waits, latch_class_wait_us
FROM latch_application
WHERE latch_class = 11
