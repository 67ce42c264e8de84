/*---
id          = "CN008"
name        = "batch-size-wrong-for-message-size"
title       = "The batch size is too large for the messages it carries"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "channel_name"]
over        = "all"
needs       = ["channel_period.batch_size_limit", "channel_period.average_channel_message_bytes"]
prints      = ["channel_period.channel_type", "channel_period.channel_messages", "channel_period.achieved_batch_size"]
judge       = "whole period"
worst       = "highest"
breach_when = "above or (large_batch and large) or (huge_batch and huge)"
min_activity = "channel_messages >= $messages_min"
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({channel_name}) BATCHINT BATCHLIM BATCHSZ NPMSPEED", "DISPLAY CHSTATUS({channel_name}) BATCHES MSGS NETTIME XBATCHSZ"]
lowers      = ["BATCHSZ"]
do_of_plan  = "batch_size_advisor"
plans       = ["batch_size_advisor"]

[threshold.batch_size_max]
value = 100
unit  = "count"
kind  = "documented"
why   = "MP16 recommends no BATCHSZ above 100, even for messages of up to 5 KB"

[threshold.large_bytes]
value = 100000
unit  = "bytes"
kind  = "documented"
why   = "MP16 recommends a smaller batch size, such as 10, for messages over 100,000 bytes"

[threshold.large_batch_size]
value = 10
unit  = "count"
kind  = "documented"
why   = "MP16 gives 10 as an example of a smaller batch size"

[threshold.huge_bytes]
value = 1048576
unit  = "bytes"
kind  = "documented"
why   = "MP16 recommends BATCHSZ(1) for messages of 1 MB and more: larger batches cost CPU time and hinder other work"

[threshold.messages_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "fewer messages give no reliable average"

[clause.above]
when    = "observed > batch_size_max"
measure = "BATCHSZ"
text    = "BATCHSZ {value}"

[clause.large_batch]
when    = "observed > large_batch_size"
measure = "BATCHSZ"
text    = "BATCHSZ {value}"

[clause.large]
when    = "average_channel_message_bytes > large_bytes"
measure = "average message length"

[clause.huge_batch]
when    = "observed > 1"
measure = "BATCHSZ"
text    = "BATCHSZ {value}"

[clause.huge]
when    = "average_channel_message_bytes >= huge_bytes"
measure = "average message length"

[source]
cite = "MP16, 'Tuning channels - BATCHSZ, BATCHINT, and NPMSPEED' and 'Setting BATCHSZ and BATCHINT'"
kind = "documented"

[advice]
summary = "Channel {channel_name} has BATCHSZ {observed:.0f}; it moved {channel_messages} message[s] with an average length of {average_channel_message_bytes:,.0f} byte[s], {achieved_batch_size:.2f} per batch. A batch that fails is sent again in full."
remedy  = "Use a batch size of 1 for messages of 1 MB and more, about 10 for those above {large_bytes:,} byte[s], and at most {batch_size_max} for all others, or bound the batch by BATCHLIM. Large batches tested over a link with high latency may be intentional."
report  = "channel/batches"
---*/
SELECT
  lpar, qmgr, channel_name, record_id,
  'channel ' || channel_name AS subject,
  batch_size_limit           AS observed,
  channel_type, channel_messages, average_channel_message_bytes, achieved_batch_size,
  CASE
    WHEN average_channel_message_bytes >= $huge_bytes THEN 1
    WHEN average_channel_message_bytes > $large_bytes THEN $large_batch_size
    ELSE $batch_size_max
  END                        AS batch_size_advised
FROM channel_period
-- Only nonpersistent messages may use large batches. BATCHLIM can end each batch after one message anyway.
WHERE batches_judged_here AND persistent_channel_messages > 0
  AND (average_channel_message_bytes < 1024 * batch_limit_kib OR coalesce(batch_limit_kib, 0) = 0)
