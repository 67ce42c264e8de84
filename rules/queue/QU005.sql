/*---
id          = "QU005"
name        = "queue-without-reader"
title       = "Messages arrive and nothing has the queue open for input"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_interval.depth", "queue_interval.group_input_handles"]
prints      = ["queue_interval.oldest_message_s", "queue_interval.members_missing", "site_queue.queue_kind"]
judge       = "3 consecutive"
worst       = "highest"
culprits    = ["messages put minus got", "messages put"]
breach_when = "deep and rising and unread and to_be_read"
silenced_by = ["QU022"]
min_activity = "members_not_in_the_data <= 0"
mq_since    = "9.3.1"
look        = ["DISPLAY QSTATUS({queue}) CURDEPTH IPPROCS OPPROCS LGETDATE LGETTIME MSGAGE", "DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]

[threshold.depth_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "a triggered queue shows no reader and a few messages between starts"

[clause.deep]
when    = "observed > depth_min"
measure = "message[s] on the queue"

[clause.rising]
when    = "messages_added > 0"
measure = "messages more than in the previous interval"
text    = "{value} more than in the previous interval"

[clause.unread]
when    = "group_input_handles = 0"
measure = "input handles of all members"
text    = "{value} input handles"

[clause.to_be_read]
when    = "must_be_read is true"
measure = "has to be read"
text    = "has to be read"
clear   = "MQ keeps data on it"

[source]
cite = "IBM MQ documentation, IPPROCS of DISPLAY QSTATUS; consultants' reviews of queues without input handles"

[advice]
summary = "Queue {queue} grew to {observed} message[s] (limit {depth_min}), {messages_added} more than in the previous interval, and {no_reader_text}."
remedy  = "{what_to_do}. Until a program reads it, the queue grows."
report  = "queue_statistics/depth"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue       AS subject,
  depth                     AS observed,
  depth - previous_depth    AS messages_added,
  group_input_handles,
  -- A member that is missing in the data may read the queue.
  CASE
    WHEN members_missing > 0 AND group_input_handles = 0 AND depth > $depth_min AND depth > previous_depth THEN members_missing
    ELSE 0
  END                       AS members_not_in_the_data,
  no_reader_text,
  NOT coalesce(k.is_store, false) AS must_be_read,
  coalesce(
    k.queue_advice,
    'Start the program that reads the queue, or its trigger monitor. A program with TRIGTYPE(DEPTH) starts late on purpose: '
      || 'list its queue in retained_queues of the site file, or give it a higher limit'
  )                         AS what_to_do
FROM queue_interval AS q
LEFT JOIN site_queue AS k ON k.lpar = q.lpar AND k.qmgr = q.qmgr AND k.queue = q.queue
WHERE q.group_reporter AND NOT q.retained_queue
