/*---
id          = "CN006"
name        = "batch-interval-throttles-channel"
title       = "A channel moves one message per batch interval"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "channel_name"]
needs       = ["channel_activity.achieved_batch_size", "channel_activity.batch_interval_ms"]
prints      = ["channel_activity.channel_type", "channel_activity.channel_messages_per_s", "channel_activity.batches", "channel_activity.batches_per_s_by_interval"]
judge       = "any interval"
worst       = "lowest"
breach_when = "single and same_rate"
min_activity = "batches >= $batches_min"
leaves_out  = "intervals in which at most persistent_pct_min of the messages are persistent"
guards      = ["G1"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({channel_name}) BATCHINT BATCHLIM BATCHSZ NPMSPEED", "DISPLAY CHSTATUS({channel_name}) BATCHES MSGS NETTIME XBATCHSZ"]
do          = ["ALTER CHANNEL({channel_name}) CHLTYPE({channel_type}) BATCHINT(0)", "It applies from the next start of the channel; if a cluster or a queue sharing group owns the definition, alter it there."]
lowers      = ["BATCHINT"]
plans       = ["batch_size_advisor"]

[threshold.achieved_max]
value = 1.5
unit  = "count"
kind  = "judgement"
why   = "messages that arrive independently of each other fill a batch with two at this rate"

[threshold.rel_tol]
value = 0.2
unit  = "ratio"
kind  = "judgement"
why   = "the rate is that of one message per BATCHINT, with this tolerance"

[threshold.batches_min]
value = 20
unit  = "count"
kind  = "judgement"
why   = "fewer batches agree with BATCHINT by chance"

# NPMSPEED is not in SMF.
[threshold.persistent_pct_min]
value = 50
unit  = "percent"
kind  = "judgement"
why   = "with NPMSPEED(FAST), the default, nonpersistent messages arrive before the end of the batch, so that BATCHINT costs them nothing"

[clause.single]
when    = "observed < achieved_max"
measure = "message[s] per batch"

[clause.same_rate]
when    = "rate_apart < rel_tol"
measure = "difference between the message rate and one message per BATCHINT"

[source]
cite = "MP16, the notes about NPMSPEED(NORMAL) in 'Costs of Moving Messages To and From z/OS Images': 1 message per second with BATCHINT(1000), 1460 with BATCHINT(0)"

[advice]
summary = "Channel {channel_name} moved {channel_messages_per_s:.3g} message[s] per second in batches of {observed:.2f} (limit {achieved_max}): as many as batches of {batch_interval_ms} ms (BATCHINT). The sender seems to hold each batch open while the application waits for the message."
remedy  = "End the batch when the transmission queue is empty, or set BATCHSZ to the number of messages in flight. If nobody waits for these messages (transfer for later processing), switch the rule off for this channel."
report  = "channel/activity"
---*/
SELECT
  lpar, qmgr, channel_name, interval_start_utc, interval_seconds, record_id, fragment,
  'channel ' || channel_name AS subject,
  achieved_batch_size        AS observed,
  channel_type, batches, channel_messages_per_s, batch_interval_ms,
  abs(channel_messages_per_s - batches_per_s_by_interval) / batches_per_s_by_interval AS rate_apart
FROM channel_activity
WHERE is_sending_end AND 100 * persistent_channel_messages > $persistent_pct_min * channel_messages
