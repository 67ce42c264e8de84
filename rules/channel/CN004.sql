/*---
id          = "CN004"
name        = "channel-batches-hardly-filled"
title       = "A busy channel with persistent messages sends hardly any messages per batch"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "channel_name"]
over        = "all"
needs       = ["channel_period.achieved_batch_size"]
prints      = ["channel_period.channel_type", "channel_period.channel_messages", "channel_period.persistent_channel_pct", "channel_period.batches", "channel_period.batch_size_limit", "channel_period.batch_interval_ms"]
judge       = "whole period"
worst       = "lowest"
breach_when = "few and persistent"
min_activity = "channel_messages >= $messages_min"
silenced_by = ["CN006", "CN009"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({channel_name}) BATCHINT BATCHLIM BATCHSZ NPMSPEED", "DISPLAY CHSTATUS({channel_name}) BATCHES MSGS NETTIME XBATCHSZ"]
raises      = ["BATCHINT"]
do_of_plan  = "batch_size_advisor"
plans       = ["batch_size_advisor", "channel_cost_per_message"]

[threshold.achieved_min]
value = 2.0
unit  = "count"
kind  = "judgement"
why   = "each end of a batch costs log writes at both ends and a round trip; four messages per batch can halve the cost of small messages"

[threshold.persistent_share]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "nonpersistent messages on a channel with NPMSPEED(FAST) need no log write at the end of a batch"

[threshold.messages_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "below it the cost is small"

[clause.few]
when    = "observed < achieved_min"
measure = "message[s] per batch"

[clause.persistent]
when    = "persistent_channel_pct > persistent_share"
measure = "persistent messages"

[source]
cite = "MP16, 'Tuning channels - BATCHSZ, BATCHINT, and NPMSPEED', 'How batching is implemented' and 'Setting BATCHSZ and BATCHINT'; V92, 'Mitigating impact of BATCHSZ on fasp.io gateway'"

[advice]
summary = "Channel {channel_name} moved {channel_messages} message[s] in {batches} batch[es], {observed:.2f} per batch (limit {achieved_min}), {persistent_channel_pct:.0f} % of them persistent; BATCHSZ is {batch_size_limit}, BATCHINT {batch_interval_ms} ms."
remedy  = "If the answer time allows, raise BATCHINT so that several messages share the end of a batch. For request and reply with one message at a time, a batch size of 1 saves the separate flow at the end of a batch, up to 20 % of the CPU time."
report  = "channel/batches"
---*/
SELECT
  lpar, qmgr, channel_name, record_id,
  'channel ' || channel_name AS subject,
  achieved_batch_size        AS observed,
  channel_type, channel_messages, persistent_channel_pct, batches, batch_size_limit, batch_interval_ms
FROM channel_period
WHERE batches_judged_here AND batch_size_limit IS DISTINCT FROM 1
