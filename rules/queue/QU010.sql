/*---
id          = "QU010"
name        = "mostly-empty-gets"
title       = "Gets find no message far more often than one"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_flow.no_message_per_message"]
prints      = ["queue_flow.destructive_gets", "queue_group_use.empty_get_application"]
judge       = "share >= 25 %"
worst       = "highest"
culprits    = ["gets without a message"]
measure     = "gets without a message, per message got"
caused_by   = ["CN014"]
when        = "observed > empty_gets_max"
min_activity = "gets_no_message >= $empty_gets_min"
look        = ["DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]

[threshold.empty_gets_max]
value = 25.0
unit  = "ratio"
kind  = "guidance"
why   = "IBM consultants report 26 to 1 as worth action; another review calls 100 to 1 serious"
cite  = "IBM Washington Systems Center, reviews of accounting data"

[threshold.empty_gets_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "fewer empty gets cost less than a tenth of a second of CPU time"

[source]
cite = "IBM Washington Systems Center, reviews of accounting data (26 empty gets per message); MP16, 'How much extra does each waiting MQGET cost?'; MP1J, 'Tuning for AMS: Minimise idle getters'"

[advice]
summary = "{gets_no_message} get[s] from queue {queue} found no message and {destructive_gets} found one, {observed:.0f} to 1 (limit {empty_gets_max} to 1, from {flow_from}){by_application}: about {waste_cpu_s:.1f} s of CPU time at 4 µs each."
remedy  = "Wait in MQGET (MQGMO_WAIT with a long interval) instead of polling, and use fewer getters. A get that finds nothing costs about 4 µs, on a queue with an AMS policy 22 µs. Getters that wait for availability can have their own limit."
report  = "queue/get_waste"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue       AS subject,
  q.no_message_per_message  AS observed,
  q.gets_no_message, q.destructive_gets, q.flow_from,
  q.gets_no_message * 4 / 1e6 AS waste_cpu_s,
  coalesce(', most by ' || u.empty_get_application, '') AS by_application
FROM queue_flow AS q
LEFT JOIN queue_group_use AS u ON u.lpar = q.lpar AND u.qmgr = q.qmgr AND u.queue_group = q.queue
