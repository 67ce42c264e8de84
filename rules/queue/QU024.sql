/*---
id          = "QU024"
name        = "streaming-copies-missing"
title       = "Fewer messages were streamed than put"
severity    = "info"
weight      = "loss"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_streamed.streamed_share"]
prints      = ["queue_streamed.streamed_messages", "queue_streamed.messages_put"]
judge       = "any interval"
worst       = "lowest"
measure     = "share of the messages put that were streamed"
when        = "observed < streamed_pct_min"
min_activity = "messages_put >= $puts_min"
mq_since    = "9.3.3"
default_on  = false                       # some messages may not be streamed, and fields of the record are unproven
look        = ["DISPLAY QLOCAL({queue}) STREAMQ STRMQOS"]
do          = ["ALTER QLOCAL({queue}) STRMQOS(MUSTDUP)", "Do so only where the copies matter: a put whose copy fails then fails too."]
sets        = ["STRMQOS"]

[threshold.streamed_pct_min]
value = 99.0
unit  = "percent"
kind  = "judgement"
why   = "every message should be copied; the rest is messages that may not be streamed"

[threshold.puts_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a share of fewer messages is not reliable"

[source]
cite = "IBM MQ documentation, streaming queues (STRMQOS) and queue data records"

[advice]
summary = "{streamed_messages} of {messages_put} message[s] put to queue {queue} were copied to its streaming queue, {observed:.1f} % (limit {streamed_pct_min} %)."
remedy  = "With STRMQOS(BESTEF) copies that fail are dropped silently. Check whether the streaming queue is full or put-inhibited."
report  = "queue_statistics/activity"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id,
  'queue ' || queue         AS subject,
  100 * streamed_share      AS observed,
  streamed_messages, messages_put
FROM queue_streamed
