/*---
id          = "QU007"
name        = "uncommitted-work-on-idle-queue"
title       = "Uncommitted messages on a queue that saw no calls"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_interval.uncommitted", "queue_interval.group_puts"]
prints      = ["queue_interval.depth"]
judge       = "2 consecutive"
worst       = "highest"
measure     = "time with uncommitted messages and without puts and gets"
when        = "observed >= minutes_min"
caused_by   = ["LG018"]
mq_since    = "9.3.3"
look        = ["DISPLAY QSTATUS({queue}) CURDEPTH UNCOM", "DISPLAY CONN(*) TYPE(ALL) WHERE(UOWSTATE EQ UNRESOLVED)", "DISPLAY THREAD(*) TYPE(INDOUBT)"]

[threshold.minutes_min]
value = 30.0
unit  = "min"
kind  = "judgement"
why   = "the flag is a sample at the end of an interval: on a busy queue it is normal, on one without calls for half an hour it is old work"

[source]
cite = "MP16, 'Recovering page sets' (long units of work); IBM MQ documentation, queue data records"

[advice]
summary = "Queue {queue} had uncommitted messages for {observed:.0f} minute[s] (limit {minutes_min}) in which nobody put or got a message; its depth was {depth_text}."
remedy  = "A unit of work is old and inactive: it holds log data, locks and messages, and a restart must read the log back to it. Resolve in-doubt threads; otherwise correct the application that does not commit."
report  = "queue/dead_messages"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id,
  'queue ' || queue         AS subject,
  coalesce(still_minutes, 0 * group_puts) AS observed,
  coalesce(format('{:,}', depth), 'not recorded') AS depth_text
FROM queue_interval
WHERE group_reporter
