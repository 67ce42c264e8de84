/*---
id          = "QU008"
name        = "messages-expiring"
title       = "A share of messages expired before they were got"
severity    = "info"
weight      = "loss"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_flow.expired_messages"]
prints      = ["queue_flow.expired_pct", "queue_flow.messages_put", "queue_flow.destructive_gets", "queue_group_use.get_application"]
judge       = "share >= 10 %"
worst       = "highest"
culprits    = ["messages put"]
measure     = "messages expired, per hundred put"
when        = "observed > expired_pct_max"
min_activity = "expired_messages >= $expired_min"
look        = ["DISPLAY QSTATUS({queue}) CURDEPTH IPPROCS LGETDATE LGETTIME MSGAGE", "DISPLAY QMGR EXPRYINT"]

[threshold.expired_pct_max]
value = 1.0
unit  = "percent"
kind  = "judgement"
why   = "an expiry time is a safety net: messages that are got in time do not expire"

[threshold.expired_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "a few replies to impatient requesters expire everywhere"

[source]
cite = "IBM MQ documentation, queue data records; MP16, 'Queue manager initiated expiry processing' (an expiry scan of a shared queue costs about 5 µs per message)"

[advice]
summary = "{expired_messages} message[s] of queue {queue} expired, {observed:.1f} for every hundred put (limit {expired_pct_max} %, from {flow_from}); {gets_text}."
remedy  = "Check whether the getter is stopped or too slow, and whether the expiry time is long enough. Each expiry scan of shared queues reads every message: one of the members with EXPRYINT above 0 scans, and another takes over if it stops, so set it on two at least. Short expiry times of queries are intended: give such queues their own limit."
report  = "queue/dead_messages"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue       AS subject,
  q.expired_pct             AS observed,
  q.expired_messages, q.flow_from,
  format('{:,} were got', q.destructive_gets) || coalesce(', most by ' || u.get_application, '') AS gets_text
FROM queue_flow AS q
LEFT JOIN queue_group_use AS u ON u.lpar = q.lpar AND u.qmgr = q.qmgr AND u.queue_group = q.queue
