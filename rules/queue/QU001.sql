/*---
id          = "QU001"
name        = "dead-letter-queue-in-use"
title       = "Messages on, or put to, the dead-letter queue"
severity    = "warning"
weight      = "loss"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs_any   = [["queue_flow.depth", "queue_flow.messages_put"]]
prints      = ["queue_group_use.put_application"]
judge       = "any interval"
worst       = "highest"
breach_when = "held or stored"
caused_by   = ["QU003"]
look        = ["DISPLAY QMGR DEADQ", "DISPLAY QSTATUS({queue}) CURDEPTH IPPROCS LPUTDATE LPUTTIME MSGAGE"]

[threshold.messages_max]
value = 0
unit  = "count"
kind  = "guidance"
why   = "each message on this queue could not be delivered"

[clause.held]
when    = "observed > messages_max"
missing = "fails"
measure = "message[s] on the dead-letter queue"
summary = "Dead-letter queue {queue} held {depth} message[s] at the end of the interval (limit {messages_max}); {messages_put} [were|was] put in it{by_application}."

[clause.stored]
when    = "messages_put > messages_max"
missing = "fails"    # before 9.3.3 without accounting only the depth is known, in rows of accounting only the puts
measure = "message[s] put to the dead-letter queue"
summary = "{messages_put} message[s] [were|was] put to dead-letter queue {queue} in the interval (limit {messages_max}, from {flow_from}){by_application}."

[source]
cite = "OMEGAMON for Messaging, situation for the dead-letter queue; IBM MQ documentation, dead-letter queues"

[advice]
summary = "Dead-letter queue {queue} held {depth} message[s] (limit {messages_max}), and {messages_put} [were|was] put{by_application}."
remedy  = "Browse the queue: the header of each message has the reason code, the queue and the program that put it. Process the messages with CSQUDLQH, then remove the cause: a queue that is full, put-inhibited or not defined, or a message that is too long. The name of the queue (ALTER QMGR DEADQ) is not in SMF: list other names in dead_letter_queues of the site file."
report  = "queue/dead_messages"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue                  AS subject,
  q.depth                              AS observed,
  q.depth, q.messages_put, q.flow_from,
  coalesce(', most by ' || u.put_application, '') AS by_application
FROM queue_flow AS q
LEFT JOIN queue_group_use AS u ON u.lpar = q.lpar AND u.qmgr = q.qmgr AND u.queue_group = q.queue
WHERE q.queue_kind = 'dead letter'
