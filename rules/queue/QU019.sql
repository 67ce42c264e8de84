/*---
id          = "QU019"
name        = "put1-in-a-loop"
title       = "A task puts thousands of messages with MQPUT1"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue_group", "application_group"]
needs       = ["queue_put1.put1s_of_task"]
prints      = ["queue_put1.put1_cpu_us", "queue_put1.put1s"]
judge       = "whole period"
worst       = "highest"
measure     = "MQPUT1 calls of one task in one accounting interval"
when        = "observed >= put1s_min"

[threshold.put1s_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a loop, not a request"

[source]
cite = "MP16, 'Application level performance considerations'; MP1J, 'How does version 8.0 compare with version 7.x?' (MQPUT1 to AMS queues); IBM consultants' reviews of accounting data"

[advice]
summary = "A task of {application_group} put {observed} message[s] on queue {queue_group} with MQPUT1 in one accounting interval (limit {put1s_min}); all its tasks made {put1s} such call[s], {average_put1_cpu_us:.0f} µs of CPU time each."
remedy  = "Each MQPUT1 opens and closes the queue, and on a queue with an AMS policy it costs even more. Open the queue once and use MQPUT. Servers that reply to a different queue each time need MQPUT1."
report  = "queue/open_patterns"
---*/
SELECT
  lpar, qmgr, queue_group, application_group,
  'queue ' || queue_group || ' by ' || application_group AS subject,
  put1s_of_task             AS observed,
  put1s,
  put1_cpu_us / nullif(put1s, 0) AS average_put1_cpu_us
FROM queue_put1
