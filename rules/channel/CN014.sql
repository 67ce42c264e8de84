/*---
id          = "CN014"
name        = "channel-not-running"
title       = "A monitored channel was retrying, stopped or paused"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "channel_name"]
over        = "group"
needs       = ["channel_activity.instances_down"]
prints      = ["channel_activity.is_sending_end", "channel_activity.down_status", "channel_activity.down_connection", "channel_activity.last_message_utc", "transmission_channel.queue"]
judge       = "2 consecutive"
worst       = "highest"
breach_when = "down and none_running"
unit        = "count"
caused_by   = ["CN001"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHSTATUS({channel_name}) ALL"]
do          = ["START CHANNEL({channel_to_start})"]

[size.channel_to_start]
when      = "is_sending_end"
formula   = "channel_name"
cost    = "It starts the channel; correct the cause first."
otherwise = "Its partner starts this channel; a requester channel may also be started here."
unknown   = "The records do not show the type of this channel: a sender, server or cluster-sender channel is started here."

[clause.down]
when    = "observed > 0"
measure = "instances that do not run"
text    = "{value} instance[s] that [do|does] not run"

[clause.none_running]
when    = "instances_running = 0"
measure = "running instances"
text    = "{value} running instance[s]"

[source]
cite = "IBM documentation, channel states; OMEGAMON, channel health (a current channel that does not run is critical; the records show it up to an interval later)"
kind = "judgement"

[advice]
summary = "Channel {channel_name} to {down_connection} was in state {down_status} and no instance was running; its last message was at {last_message_utc}. Messages pile up on its transmission queue{of_queue}."
remedy  = "Check the CSQX messages of the channel initiator, and correct the cause at the partner or in the network. List channels that are stopped on purpose in stopped_channels of the site file; names may be patterns. Only channels with STATCHL on are seen."
report  = "channel/activity"
---*/
SELECT
  q.lpar, q.qmgr, q.channel_name, interval_start_utc, interval_seconds, record_id,
  'channel ' || q.channel_name AS subject,
  instances_down             AS observed,
  is_sending_end, instances_running, down_status,
  coalesce(down_connection, 'its partner') AS down_connection,
  last_message_utc,
  coalesce(' ' || x.queues, '') AS of_queue
FROM channel_activity AS q
LEFT JOIN (
  SELECT lpar, qmgr, channel_name, array_to_string(list_sort(list(queue))[1:3], ', ') AS queues
  FROM transmission_channel
  GROUP BY lpar, qmgr, channel_name
) AS x ON x.lpar = q.lpar AND x.qmgr = q.qmgr AND x.channel_name = q.channel_name
WHERE NOT coalesce(stopped_on_purpose, false)
