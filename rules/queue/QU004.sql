/*---
id          = "QU004"
name        = "queue-holding-old-messages"
title       = "Messages wait and nobody gets them"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_interval.depth", "queue_interval.oldest_message_s"]
prints      = ["queue_interval.group_gets", "queue_interval.group_input_handles", "queue_interval.members_missing", "site_queue.queue_kind"]
judge       = "3 consecutive"
worst       = "highest"
culprits    = ["messages put minus got", "messages put"]
breach_when = "old and not_got and waiting"
silenced_by = ["QU001", "QU005", "QU022"]
min_activity = "members_not_in_the_data <= 0"
mq_since    = "9.3.1"

look        = ["DISPLAY QSTATUS({queue}) CURDEPTH IPPROCS OPPROCS LGETDATE LGETTIME MSGAGE UNCOM", "DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]

[threshold.age_s]
value = 3600.0
unit  = "s"
kind  = "judgement"
why   = "an hour without a get is longer than a busy application pauses"

[clause.old]
when    = "observed > age_s"
measure = "age of the oldest message"

[clause.not_got]
when    = "not_got is true"
measure = "no message got"
text    = "no message was got"

[clause.waiting]
when    = "depth > 0"
measure = "messages on the queue"
text    = "{value} messages wait"

[source]
cite = "IBM MQ documentation, queue data records and MSGAGE of DISPLAY QSTATUS; a worked case in which 110,221 messages waited for 9.4 hours"

[advice]
summary = "Queue {queue} held {depth} message[s], the oldest for {observed:.0f} s (limit {age_s} s), and no message was got; {reader_text}."
remedy  = "{what_to_do}. Until a program reads it, the messages stay."
report  = "queue/dead_messages"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue       AS subject,
  oldest_message_s          AS observed,
  depth,
  -- Before 9.3.3 there are no counts: the time of the last get decides.
  group_gets = 0 OR (group_gets IS NULL AND coalesce(seconds_since_last_get > $age_s, true)) AS not_got,
  -- A member that is missing in the data may get messages.
  CASE
    WHEN members_missing > 0 AND not_got AND oldest_message_s > $age_s AND depth > 0 THEN members_missing
    ELSE 0
  END                       AS members_not_in_the_data,
  CASE
    WHEN group_input_handles = 0 THEN no_reader_text
    WHEN group_input_handles > 0 THEN 'it was open for input'
    ELSE 'its handles are not recorded'
  END                       AS reader_text,
  coalesce(
    k.queue_advice,
    'Restart the application that reads the queue, or have its owner remove messages that nobody needs. '
      || 'List queues that keep messages on purpose in retained_queues of the site file'
  )                         AS what_to_do
FROM queue_interval AS q
LEFT JOIN site_queue AS k ON k.lpar = q.lpar AND k.qmgr = q.qmgr AND k.queue = q.queue
WHERE q.group_reporter AND NOT q.retained_queue AND NOT coalesce(k.may_wait, false)
