/*---
id          = "CN007"
name        = "batch-interval-over-five-minutes"
title       = "BATCHINT keeps units of work open for minutes"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "channel_name"]
needs       = ["channel_activity.batch_interval_ms"]
prints      = ["channel_activity.channel_type", "channel_period.persistent_channel_messages"]
judge       = "any interval"
worst       = "highest"
measure     = "BATCHINT"
when        = "observed >= interval_ms_max"
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({channel_name}) BATCHINT BATCHLIM BATCHSZ NPMSPEED", "DISPLAY CHSTATUS({channel_name}) BATCHES MSGS NETTIME XBATCHSZ"]
do          = ["ALTER CHANNEL({channel_name}) CHLTYPE({channel_type}) BATCHINT({longest_ms})", "This is just below the limit of the rule; most channels need less, or 0. It applies from the next start of the channel; if a cluster or a queue sharing group owns the definition, alter it there."]
lowers      = ["BATCHINT"]
plans       = ["batch_size_advisor"]

[threshold.interval_ms_max]
value = 300000
unit  = "ms"
kind  = "documented"
why   = "MP16 recommends less than five minutes; longer units of work need old logs at restart"
cite  = "MP16, 'Setting BATCHSZ and BATCHINT'"

[source]
cite = "MP16, 'Setting BATCHSZ and BATCHINT' and 'Recovering page sets'"

[advice]
summary = "Channel {channel_name} has BATCHINT {observed:.0f} ms (limit {interval_ms_max} ms) and moved {persistent_channel_messages} persistent message[s] in the period: a batch that does not fill is a unit of work of that length."
remedy  = "Lower it to what the application needs. Channels that only ever carry nonpersistent messages with NPMSPEED(FAST) have no unit of work: for these the finding is information."
report  = "channel/batches"
---*/
SELECT
  q.lpar, q.qmgr, q.channel_name, q.interval_start_utc, q.interval_seconds, q.record_id,
  'channel ' || q.channel_name AS subject,
  q.batch_interval_ms          AS observed,
  q.channel_type, p.persistent_channel_messages, ($interval_ms_max - 1)::BIGINT AS longest_ms,
  CASE WHEN p.persistent_channel_messages = 0 THEN 'info' END AS severity
FROM channel_activity AS q
LEFT JOIN channel_period AS p ON p.lpar = q.lpar AND p.qmgr = q.qmgr AND p.channel_name = q.channel_name
WHERE q.is_sending_end
