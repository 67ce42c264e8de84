/*---
id          = "QU019"
name        = "put1-in-a-loop"
title       = "A task puts thousands of messages with MQPUT1"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue_group", "application_group"]
needs       = ["queue_put1.put1s_of_task"]
prints      = ["queue_put1.put1s_per_min", "queue_put1.all_put1_cpu_us", "queue_put1.all_put1s"]
judge       = "whole period"
worst       = "highest"
breach_when = "many and fast"
look        = ["DISPLAY QSTATUS({queue_group}) TYPE(HANDLE) ALL"]

[threshold.put1s_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a loop, not a request"

[threshold.put1s_per_min_min]
value = 60
unit  = "per_min"
kind  = "judgement"
why   = "fewer are those of a server that has run for a long time"

[clause.many]
when    = "observed >= put1s_min"
measure = "MQPUT1 calls of one task in one accounting interval"

[clause.fast]
when    = "put1s_per_min >= put1s_per_min_min"
missing = "holds"                         # a task whose interval is not known may be a short one
measure = "MQPUT1 calls a minute of that task"

[source]
cite = "MP16, 'Application level performance considerations'; MP1J, 'How does version 8.0 compare with version 7.x?' (MQPUT1 to AMS queues); IBM consultants' reviews of accounting data"

[advice]
summary = "A task of {application_group} put {observed} message[s] on queue {queue_group} with MQPUT1 in one accounting interval (limit {put1s_min}){rate_text}; all its tasks made {all_put1s} such call[s], {average_put1_cpu_us:.0f} µs of CPU time each."
remedy  = "Each MQPUT1 opens and closes the queue, and on a queue with an AMS policy it costs even more. Open the queue once and use MQPUT. Servers that reply to a different queue each time need MQPUT1."
report  = "queue/open_patterns"
---*/
SELECT
  lpar, qmgr, queue_group, application_group,
  'queue ' || queue_group || ' by ' || application_group AS subject,
  put1s_of_task             AS observed,
  put1s_per_min,
  coalesce(format(', {:,.0f} a minute', put1s_per_min), '') AS rate_text,
  all_put1s,
  all_put1_cpu_us / nullif(all_put1s, 0) AS average_put1_cpu_us
FROM queue_put1
