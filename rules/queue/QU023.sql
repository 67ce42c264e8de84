/*---
id          = "QU023"
name        = "puts-or-gets-rolled-back"
title       = "A large share of work on the queue is backed out"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_statistics.rollback_pct"]
prints      = ["queue_statistics.rolled_back_puts", "queue_statistics.rolled_back_gets"]
judge       = "share >= 10 %"
worst       = "highest"
measure     = "puts and gets that were rolled back"
when        = "observed > rolled_back_pct_max"
min_activity = "rolled_back_messages >= $rolled_back_min"
mq_since    = "9.3.3"
look        = ["DISPLAY QLOCAL({queue}) BOQNAME BOTHRESH", "DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]

[threshold.rolled_back_pct_max]
value = 5.0
unit  = "percent"
kind  = "judgement"
why   = "an application that ends normally rarely rolls back"

[threshold.rolled_back_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "fewer rollbacks cost too little to act on"

[source]
cite = "IBM MQ documentation, queue data records; IBM consultants' reviews of queue statistics"

[advice]
summary = "{rolled_back_gets} get[s] and {rolled_back_puts} put[s] of queue {queue} were rolled back, {observed:.1f} % of all (limit {rolled_back_pct_max} %)."
remedy  = "A message that an application cannot process is got and rolled back again and again, or the application fails for another reason; each rollback reads the log. Make the application check the backout count against BOTHRESH and move such messages to BOQNAME, and find the program that ends abnormally."
report  = "queue/dead_messages"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id,
  'queue ' || queue         AS subject,
  rollback_pct              AS observed,
  rolled_back_puts, rolled_back_gets,
  rolled_back_puts + rolled_back_gets AS rolled_back_messages
FROM queue_statistics
