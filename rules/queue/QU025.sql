/*---
id          = "QU025"
name        = "open-handles-growing"
title       = "Handles on the queue only ever increase"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_interval.handles"]
prints      = ["queue_interval.opens", "queue_interval.closes"]
judge       = "6 consecutive"
worst       = "highest"
breach_when = "many and rising and kept"
guards      = ["G2"]
mq_since    = "9.3.1"
look        = ["DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]

[threshold.added_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "fewer handles of about 4 KB cost too little to act on"

[clause.rising]
when    = "handles_risen > 0"
measure = "handles more than in the previous interval"
text    = "{value} more than in the previous interval"

[clause.many]
when    = "observed >= added_min"
measure = "handles added in consecutive intervals"

[clause.kept]
when    = "handles_released <= 0"
measure = "handles fewer at the end of the period"
text    = "{value} released since"

[source]
cite = "MP16, 'Object handles' (about 4 KB of storage each); IBM MQ documentation, queue data records"

[advice]
summary = "Handles on queue {queue} rose by {observed} (limit {added_min}) over consecutive intervals, to {handles_top}, and were not closed again; {calls_text}."
remedy  = "A program opens the queue and does not close it: each handle takes about 4 KB of queue manager storage. Add MQCLOSE, or disconnect and connect again. In data that ends in the morning, clients may still be connecting."
report  = "queue_statistics/activity"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'queue ' || queue         AS subject,
  handles_added             AS observed,
  handles_top,
  handles - previous_handles AS handles_risen,
  handles_released,
  coalesce(format('{:,} opens and {:,} closes in the last of them', opens, closes), 'opens and closes are not recorded') AS calls_text
FROM queue_interval
