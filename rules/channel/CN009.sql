/*---
id          = "CN009"
name        = "batches-cut-by-data-limit"
title       = "BATCHLIM ends batches before BATCHSZ is reached"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "channel_name"]
over        = "all"
needs       = ["channel_period.batch_kib", "channel_period.batch_limit_kib"]
prints      = ["channel_period.channel_type", "channel_period.batches", "channel_period.achieved_batch_size", "channel_period.batch_size_limit", "channel_period.average_channel_message_bytes"]
judge       = "whole period"
worst       = "highest"
breach_when = "near and short"
leaves_out  = "channels whose messages have huge_bytes or more on average"
min_activity = "batches >= $batches_min"
silenced_by = ["CN008"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({channel_name}) BATCHINT BATCHLIM BATCHSZ NPMSPEED", "DISPLAY CHSTATUS({channel_name}) BATCHES MSGS NETTIME XBATCHSZ"]
do          = ["ALTER CHANNEL({channel_name}) CHLTYPE({channel_type}) BATCHLIM({kib_wanted})"]
raises      = ["BATCHLIM"]
plans       = ["batch_size_advisor"]

[size.kib_wanted]
formula = "ceil(batch_kib * batch_size_limit / achieved_batch_size)"
at_most = 999999
cost    = "A full batch of {batch_size_limit} messages of the present size needs that much of the pool of the target queue. It applies from the next start of the channel; if a cluster or a queue sharing group owns the definition, alter it there."

[threshold.near_pct]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "the average batch has nearly the length at which BATCHLIM ends it"

[threshold.size_pct]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "batches that nearly reach BATCHSZ are not cut"

[threshold.batches_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "fewer batches give no reliable average"

[threshold.huge_bytes]
value = 1048576
unit  = "bytes"
kind  = "documented"
why   = "messages of 1 MB and more should travel alone"
cite  = "MP16, 'Setting BATCHSZ and BATCHINT'"

[clause.near]
when    = "observed >= near_pct"
measure = "data per batch as a share of BATCHLIM"

[clause.short]
when    = "achieved_pct < size_pct"
measure = "messages per batch as a share of BATCHSZ"

[source]
cite = "MP16, 'Channel option BATCHLIM'; V92, 'Mitigating impact of BATCHSZ on fasp.io gateway'"

[advice]
summary = "The {batches} batches of channel {channel_name} have {batch_kib:,.0f} KiB on average, {observed:.0f} % (limit {near_pct} %) of BATCHLIM {batch_limit_kib:,} KiB, and {achieved_batch_size:.1f} messages of BATCHSZ {batch_size_limit}: BATCHLIM ends them."
remedy  = "Raise BATCHLIM, or set it to 0, if the buffer pool of the target queue can hold a full batch. A limit that protects that pool may be intentional."
report  = "channel/batches"
---*/
SELECT
  lpar, qmgr, channel_name, record_id,
  'channel ' || channel_name           AS subject,
  100 * batch_kib / batch_limit_kib    AS observed,
  100 * achieved_batch_size / nullif(batch_size_limit, 0) AS achieved_pct,
  channel_type, batches, batch_kib, batch_limit_kib, achieved_batch_size, batch_size_limit
FROM channel_period
WHERE batches_judged_here AND batch_limit_kib > 0 AND average_channel_message_bytes < $huge_bytes
