/*---
id          = "CN013"
name        = "channel-put-retries"
title       = "A channel had to retry puts"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "channel_name"]
needs       = ["channel_activity.put_retries"]
prints      = ["channel_activity.partner_name", "channel_activity.channel_messages"]
judge       = "any interval"
worst       = "highest"
measure     = "put retr[ies|y]"
when        = "observed > retries_max"
mq_since    = "8.0.0"
look        = ["DISPLAY CHSTATUS({channel_name}) ALL", "DISPLAY CHANNEL({channel_name}) MRRTY MRTMR"]

[threshold.retries_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "a put is retried only if the target queue did not accept the message"

[source]
cite = "IBM documentation, channel accounting data and channel attributes MRRTY and MRTMR; V92, 'Channel throughput' of AMS interception"

[advice]
summary = "Channel {channel_name} from {partner_name} retried {observed:.0f} put[s] and moved {channel_messages} message[s]: a target queue was full or inhibited, so messages waited or went to the dead-letter queue."
remedy  = "Find the queue that was full or inhibited (reports of area queue_statistics, and the dead-letter queue), restart the application that gets its messages, or raise MAXDEPTH. MRRTY and MRTMR of the channel bound the wait."
report  = "channel/activity"
---*/
SELECT
  lpar, qmgr, channel_name, interval_start_utc, interval_seconds, record_id,
  'channel ' || channel_name AS subject,
  put_retries                AS observed,
  coalesce(partner_name, 'an unnamed partner') AS partner_name,
  channel_messages
FROM channel_activity
