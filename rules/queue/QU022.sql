/*---
id          = "QU022"
name        = "transmission-queue-backlog"
title       = "Messages pile up on a transmission queue"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_interval.depth", "queue_interval.oldest_message_s"]
prints      = ["queue_unread.missing_channel", "transmission_channel.how_known", "site_input.xmit_queues", "queue_interval.depth_high", "queue_interval.group_gets", "queue_interval.group_input_handles", "site_queue.sending_channels"]
judge       = "2 consecutive"
worst       = "highest"
culprits    = ["messages put minus got", "messages put"]
breach_when = "deep and old"
caused_by   = ["CN014", "CN005", "CN006", "CN011"]
mq_since    = "9.3.1"
look        = ["DISPLAY QSTATUS({queue}) CURDEPTH IPPROCS MSGAGE", "DISPLAY CHSTATUS(*) XMITQ({queue}) STATUS SUBSTATE NETTIME XBATCHSZ"]

[threshold.depth_max]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a running channel empties a shorter queue within seconds"

[threshold.age_s]
value = 300.0
unit  = "s"
kind  = "judgement"
why   = "five minutes is longer than a channel needs to restart"

[clause.deep]
when    = "observed > depth_max"
measure = "message[s] on the transmission queue"

[clause.old]
when    = "oldest_message_s > age_s"
measure = "age of the oldest message"

[source]
cite = "AMSI, 'Channel throughput'; V92, 'Channel throughput'; MP16, 'How batching is implemented'"

[advice]
summary = "Transmission queue {queue}{of_channels} held {observed} message[s] (limit {depth_max}), the oldest for {oldest_message_s:.0f} s (limit {age_s} s); {reader_text}."
remedy  = "A channel is stopped, retrying or slower than the load: it sends its messages one after another. Check the channels that use the queue, their batch size and the round trip time. Spread the load over more channels. AMS interception can slow the receiver."
report  = "queue_statistics/activity"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue       AS subject,
  depth                     AS observed,
  oldest_message_s,
  CASE
    WHEN group_input_handles = 0 AND shared_queue THEN no_reader_text
    WHEN group_input_handles = 0 THEN 'no channel had it open'
    WHEN group_gets IS NULL THEN 'gets are not recorded'
    ELSE format('{:,} messages were got in the interval', group_gets)
  END                       AS reader_text,
  coalesce(' (channel ' || k.sending_channels || ')', '') AS of_channels
FROM queue_interval AS q
LEFT JOIN site_queue AS k ON k.lpar = q.lpar AND k.qmgr = q.qmgr AND k.queue = q.queue
LEFT JOIN (SELECT lpar, qmgr, queue, max(missing_channel) AS missing_channel FROM queue_unread GROUP BY ALL) AS u
  ON u.lpar = q.lpar AND u.qmgr = q.qmgr AND u.queue = q.queue
LEFT JOIN (SELECT lpar, qmgr, queue, bool_and(how_known = 'got by the channel') AS by_getter FROM transmission_channel GROUP BY ALL) AS x
  ON x.lpar = q.lpar AND x.qmgr = q.qmgr AND x.queue = q.queue
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
WHERE q.group_reporter AND q.queue_kind IN ('transmission', 'cluster transmission')
  -- Messages wait for a channel that a scheduler starts: only its gets show what the queue is, and it does not run in most records.
  AND NOT (
    q.group_input_handles = 0 AND coalesce(x.by_getter, false) AND u.missing_channel IS NULL
    AND NOT coalesce(len(list_filter(s.xmit_queues, lambda pattern: q.queue GLOB replace(pattern, '[', '[[]'))) > 0, false)
  )
