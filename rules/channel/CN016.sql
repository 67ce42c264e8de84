/*---
id          = "CN016"
name        = "channel-compression-ineffective"
title       = "Compression is on and saves almost nothing"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "channel_name"]
mark_by     = ["connection_name", "channel_start_utc"]
needs       = ["channel.compression_rate_pct"]
prints      = ["channel.channel_type", "channel.channel_messages", "channel.average_channel_message_bytes"]
judge       = "share >= 25 %"
worst       = "lowest"
measure     = "compression rate"
when        = "observed < rate_min"
min_activity = "channel_messages > 0"
mq_since    = "8.0.0"
look        = ["DISPLAY CHSTATUS({channel_name}) COMPMSG COMPRATE COMPTIME"]
do          = ["ALTER CHANNEL({channel_name}) CHLTYPE({channel_type}) COMPMSG(NONE)", "It applies from the next start of the channel; if a cluster or a queue sharing group owns the definition, alter it there."]
sets        = ["COMPMSG"]
plans       = ["channel_compression"]

[threshold.rate_min]
value = 10.0
unit  = "percent"
kind  = "judgement"
why   = "IBM measured a gain from about 40 %; below 10 % the CPU time of the dispatcher buys nothing"

[source]
cite = "MP16, 'Channel option COMPMSG'; V92, 'How does channel compression affect the Aspera fasp.io gateway?'"

[advice]
summary = "Messages of channel {channel_name} with {connection_name} were compressed by {observed:.0f} % (limit {rate_min} %): compressing them costs CPU time in a dispatcher and saves almost nothing."
remedy  = "Switch message compression off for this channel, unless its messages will change. Images, video and encrypted or compressed data cannot be compressed. COMPHDR alone also gives small rates."
report  = "channel/network"
---*/
SELECT
  lpar, qmgr, channel_name, connection_name, channel_start_utc, interval_start_utc, interval_seconds, record_id,
  'channel ' || channel_name AS subject,
  compression_rate_pct       AS observed,
  channel_type, channel_messages
FROM channel
-- 0 = compression is off, or nothing was compressed: the records do not distinguish them.
WHERE compression_rate_pct > 0
