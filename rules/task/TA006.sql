/*---
id          = "TA006"
name        = "opens-of-undefined-queues"
title       = "Applications open queues that do not exist"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "application", "connection_type_name"]
needs       = ["application_period.lookup_records"]
prints      = ["application_period.lookup_records", "application_period.task_records", "application_period.lookup_db2_calls", "application_period.lookup_db2_us", "application_period.lookup_users"]
judge       = "whole period"
worst       = "highest"
measure     = "record[s] with calls to Db2 but without a queue"
when        = "observed > records_max"
look        = ["mqstat report --report task/db2_lookups --qmgr {qmgr}"]

[threshold.records_max]
value = 100
unit  = "count"
kind  = "judgement"
why   = "single tasks also use Db2 for shared dynamic queues and changes of group objects"

[source]
cite = "MP16, 'Frequent opening of un-defined queues'"

[advice]
summary = "Of {task_records} accounting record[s] of {application}, {lookup_records} (limit {records_max}) [have|has] calls to Db2 and other calls, but no queue: opens of a queue name that does not exist, {lookup_db2_calls} search[es] in Db2 in {lookup_db2_us} µs; user IDs {lookup_users}."
remedy  = "Correct the queue name in the application, or define the queue. The name is not in SMF: find it with the MQRC 2085 of the application or a short trace of it. Each failed open costs 59 µs of CPU time in the queue manager and 54 µs in Db2, 8 to 10 times that of a good open."
report  = "task/db2_lookups"
---*/
SELECT
  lpar, qmgr, application, connection_type_name,
  coalesce(application || ' (' || connection_type_name || ')', 'unknown application') AS subject,
  lookup_records                               AS observed,
  lookup_records, task_records, lookup_db2_calls, lookup_db2_us, lookup_users
FROM application_period
-- Without a queue-sharing group, a name is never searched in Db2.
WHERE qsg IS NOT NULL
