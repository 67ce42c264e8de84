/*---
id          = "QU021"
name        = "channel-syncq-deep"
title       = "SYSTEM.CHANNEL.SYNCQ holds many messages"
severity    = "warning"                   # info if accounting shows INDXTYPE(MSGID)
weight      = "delay"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_sync.depth_high"]
prints      = ["queue_sync.depth_per_channel", "queue_sync.index_type"]
judge       = "whole period"
worst       = "highest"
breach_when = "deep or stale and many"
mq_since    = "9.3.0"
look        = ["DISPLAY QLOCAL({queue}) CURDEPTH INDXTYPE"]

[threshold.depth_max]
value = 1000
unit  = "count"
kind  = "documented"
why   = "channel starts per second fall from 840 to 549 between 1,000 and 4,000 channels"
cite  = "Z17, 'Message Channel Start Rate when using Network Express'"

[threshold.channel_factor_max]
value = 5.0
unit  = "ratio"
kind  = "judgement"
why   = "a channel keeps one message, or two: more belong to channels that no longer run"

[threshold.stale_depth_min]
value = 500
unit  = "count"
kind  = "judgement"
why   = "a short queue costs nothing"

[clause.deep]
when    = "observed > depth_max"
measure = "message[s] on SYSTEM.CHANNEL.SYNCQ"

[clause.stale]
when    = "depth_per_channel > channel_factor_max"
missing = "fails"
measure = "messages per channel of the data"
summary = "SYSTEM.CHANNEL.SYNCQ held {depth_high} message[s], {depth_per_channel:.1f} for each of the {active_channels} channel[s] in the data (limit {channel_factor_max}); {index_text}."

[clause.many]
when    = "depth_high > stale_depth_min"
measure = "message[s] on SYSTEM.CHANNEL.SYNCQ"

[source]
cite = "MP16, 'Channel start/stop rates and costs' and 'What was happening' (an unindexed deep queue); Z17, 'Message Channel Start Rate when using Network Express'"

[advice]
summary = "SYSTEM.CHANNEL.SYNCQ held {depth_high} message[s] (limit {depth_max}); {index_text}."
remedy  = "Every channel that was ever started keeps a message, and starting channels searches them. Its index should be INDXTYPE(MSGID); delete channel definitions that are no longer used. Sites with thousands of active channels need the depth."
report  = "queue_statistics/depth"
---*/
SELECT
  lpar, qmgr, queue,
  'queue ' || queue         AS subject,
  depth_high                AS observed,
  depth_high, active_channels, depth_per_channel,
  CASE index_type WHEN 'None' THEN 'there is no index' ELSE coalesce('the index is ' || index_type, 'the index is not recorded') END AS index_text,
  CASE WHEN index_type = 'MsgId' THEN 'info' END AS severity
FROM queue_sync
