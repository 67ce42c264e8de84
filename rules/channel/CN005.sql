/*---
id          = "CN005"
name        = "full-batches-on-slow-link"
title       = "Every batch is full and the network is slow"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "channel_name"]
over        = "all"
needs       = ["channel_period.full_batch_pct"]
prints      = ["channel_period.channel_type", "channel_period.batches", "channel_period.batch_size_limit", "channel_period.network_average_high_us"]
judge       = "whole period"
worst       = "highest"
breach_when = "full and slow"
leaves_out  = "channels with a BATCHSZ of batch_size_max or more"
min_activity = "batches >= $batches_min"
caused_by   = ["CN011"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({channel_name}) BATCHINT BATCHLIM BATCHSZ NPMSPEED", "DISPLAY CHSTATUS({channel_name}) BATCHES MSGS NETTIME XBATCHSZ"]
raises      = ["BATCHSZ"]
do_of_plan  = "batch_size_advisor"
plans       = ["batch_size_advisor"]

[threshold.full_pct]
value = 95.0
unit  = "percent"
kind  = "judgement"
why   = "nearly every batch ends because it is full: more messages are waiting"

[threshold.network_us]
value = 10000
unit  = "us"
kind  = "judgement"
why   = "each batch waits for its confirmation; IBM measured 10 ms on a link with 5 ms latency"

[threshold.batches_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "fewer batches give no reliable share"

[threshold.batch_size_max]
value = 100
unit  = "count"
kind  = "documented"
why   = "MP16 recommends no BATCHSZ above 100"
cite  = "MP16, 'Setting BATCHSZ and BATCHINT'"

[clause.full]
when    = "observed > full_pct"
measure = "full batches"

[clause.slow]
when    = "network_average_high_us > network_us"
measure = "average network time"

[source]
cite = "V92, 'Mitigating impact of BATCHSZ on fasp.io gateway'; MP16, 'Setting BATCHSZ and BATCHINT'"

[advice]
summary = "{observed:.1f} % (limit {full_pct} %) of the {batches} batches of channel {channel_name} reached BATCHSZ {batch_size_limit}, and a round trip takes up to {network_average_high_us:.0f} µs on average: the confirmation of each batch limits the throughput."
remedy  = "Raise the batch size at both ends, at most to 100 unless all messages are nonpersistent, with BATCHLIM as a bound for large messages, or use more channels. In IBM's test 50 instead of 34 messages per batch raised the rate 2.25 times on a link with 50 ms latency."
report  = "channel/batches"
---*/
SELECT
  lpar, qmgr, channel_name, record_id,
  'channel ' || channel_name AS subject,
  full_batch_pct             AS observed,
  channel_type, batches, batch_size_limit, network_average_high_us
FROM channel_period
WHERE batches_judged_here AND batch_size_limit < $batch_size_max
