/*---
id         = "channel/type_summary"
title      = "Channels by type"
question   = "How many channels of each type ran and how much did they carry?"
needs      = ["channel"]
rules      = ["CN001", "CN002", "CN003"]
grain      = ["lpar", "qmgr", "interval_start_utc", "channel_type_name"]
left_out   = "channel_type_name IS NULL"
unmarked   = "A row is finer than what CN001, CN002, CN003 judge: the findings name their subjects."
dd         = ["DCHSSUM"]
drill_down = ["channel/activity"]
mq_since   = "8.0.0"
note       = "The last row of each interval, without a type, is the total. Messages of client channels are MQI calls. Only channels with STATCHL on are in the records: the limits are compared with the channels of the channel initiator (channel_initiator/summary)."

[columns]
interval_seconds = { screen = 3 }
channel_type_name = { null = "all" }
instances = { unit = "count", label = "instances", screen = 1, doc = "Channel instances.", over_time = "max", across = "add" }
channels = { unit = "count", label = "channels", screen = 1, doc = "Channels by name.", over_time = "max", across = "add" }
running_instances = { unit = "count", label = "not ended", screen = 2, doc = "Instances that had not ended when the record was written.", over_time = "last", across = "add" }
persistent_channel_messages = { label = "persistent", screen = 1 }
persistent_per_s = { unit = "per_s", label = "persistent/s", screen = 2, doc = "Persistent messages per second of the interval.", over_time = "mean", across = "add" }
nonpersistent_per_s = { unit = "per_s", label = "nonpersistent/s", screen = 2, doc = "Nonpersistent messages, or MQI calls of clients, per second of the interval.", over_time = "mean", across = "add" }
mib_per_s = { unit = "mib_per_s", label = "MiB/s", screen = 1, doc = "Bytes sent and received per second of the interval.", over_time = "mean", across = "add" }
batches = { screen = 3 }
achieved_batch_size = { ratio = { numerator = "batched_messages", denominator = "batches" }, why = "Messages of message channels, which have batches." }
tls_instances = { unit = "count", label = "TLS", screen = 2, doc = "Instances that use TLS.", over_time = "max", across = "add" }
---*/
WITH total AS (
  SELECT
    lpar, qmgr, max(qsg) AS qsg, interval_start_utc, max(interval_seconds) AS interval_seconds, max(mq_version) AS mq_version,
    channel_type_name, grouping(channel_type_name) AS is_total,
    count(*)                                                AS instances,
    count(DISTINCT channel_name)                            AS channels,
    count(*) FILTER (running)                               AS running_instances,
    sum(persistent_channel_messages)::BIGINT                AS persistent_channel_messages,
    sum(nonpersistent_channel_messages)::BIGINT             AS nonpersistent_channel_messages,
    sum(bytes_sent)::BIGINT                                 AS bytes_sent,
    sum(bytes_received)::BIGINT                             AS bytes_received,
    sum(batches)::BIGINT                                    AS batches,
    sum(channel_messages) FILTER (is_message_channel)       AS batched_messages,
    count(*) FILTER (uses_tls)                              AS tls_instances
  FROM channel
  GROUP BY GROUPING SETS ((lpar, qmgr, interval_start_utc, channel_type_name), (lpar, qmgr, interval_start_utc))
)
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, mq_version,
  CASE WHEN is_total = 0 THEN coalesce(channel_type_name, 'unknown') END AS channel_type_name,
  instances, channels, running_instances, persistent_channel_messages, nonpersistent_channel_messages,
  per_s(persistent_channel_messages, interval_seconds)         AS persistent_per_s,
  per_s(nonpersistent_channel_messages, interval_seconds)      AS nonpersistent_per_s,
  bytes_sent, bytes_received,
  per_s((bytes_sent + bytes_received) / 1048576, interval_seconds) AS mib_per_s,
  batches,
  batched_messages / nullif(batches, 0)                        AS achieved_batch_size,
  tls_instances
FROM total
ORDER BY lpar, qmgr, interval_start_utc, channel_type_name NULLS LAST
