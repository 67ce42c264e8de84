/*---
id      = "channel_period"
title   = "Message channels over the period"
grain   = "one row per lpar, qmgr and message channel"
needs   = ["channel"]
classes = ["116.10"]
mq_since = "8.0.0"
note    = "Client channels have no batches. The settings are those of the last interval; if instances differ there, the largest."

[columns]
is_sending_end = { unit = "flag", doc = "A sender, server or cluster-sender channel, whose definition has the batch settings." }
batches_judged_here = { unit = "flag", doc = "The sending end, or a receiving end whose sending end is not in the data." }
channel_instances = { unit = "count", doc = "Instances of the channel by start time.", over = "add" }
peak_messages_per_s = { unit = "per_s", doc = "Most messages per second of an instance in an interval.", over = "max", label = "peak messages/s" }
average_channel_message_bytes = { ratio = { numerator = "average_channel_message_bytes * channel_messages", denominator = "channel_messages" } }
achieved_batch_size = { ratio = { numerator = "channel_messages", denominator = "batches" } }
batch_kib = { ratio = { numerator = "batch_kib * batches", denominator = "batches" } }
network_mean_us = { unit = "us", doc = "Average network time, weighted by batches; microseconds assumed.", ratio = { numerator = "network_mean_us * batches", denominator = "batches" } }
network_average_high_us = { unit = "us", doc = "Highest average network time of an interval; microseconds assumed.", over = "max" }
compression_mean_pct = { unit = "percent", doc = "Mean of the compression rates, weighted by batches; percent assumed. The records do not have the bytes before compression.", ratio = { numerator = "compression_mean_pct * greatest(batches, 1)", denominator = "greatest(batches, 1)" } }
channel_log_mib = { unit = "mib", doc = "Log data that the persistent messages cause, estimated from the batches.", over = "add", label = "log MiB" }
predicted_cost_s = { unit = "s", doc = "CPU time of both ends, estimated by rule of thumb; for planning only.", over = "add", label = "CPU s (planned)" }
cost_saving_at_50_s = { unit = "s", doc = "CPU time that batches of 50 messages would save at both ends, for nonpersistent messages sent in batches of less than two; estimated by rule of thumb.", over = "add", label = "saving s at 50" }
---*/
WITH
total AS (
  SELECT
    lpar, qmgr, channel_name,
    min(record_id)                                        AS record_id,
    max(channel_type)                                     AS channel_type,
    max(channel_type) IN ('Sender', 'Server', 'ClusSdr')  AS is_sending_end,
    max(partner_name)                                     AS partner_name,
    count(DISTINCT (connection_name, channel_start_utc))  AS channel_instances,
    sum(channel_messages)::BIGINT                         AS channel_messages,
    sum(persistent_channel_messages)::BIGINT              AS persistent_channel_messages,
    sum(observed_s)                                       AS observed_s,
    max(channel_messages_per_s)                           AS peak_messages_per_s,
    sum(channel_message_bytes)::BIGINT                    AS channel_message_bytes,
    sum(batches)::BIGINT                                  AS batches,
    sum(full_batches)::BIGINT                             AS full_batches,
    arg_max(batch_size_limit, (interval_start_utc, batch_size_limit)) AS batch_size_limit,
    arg_max(batch_interval_ms, (interval_start_utc, batch_interval_ms)) AS batch_interval_ms,
    arg_max(batch_limit_kib, (interval_start_utc, batch_limit_kib)) AS batch_limit_kib,
    sum(transmission_queue_empty)::BIGINT                 AS transmission_queue_empty,
    sum(network_average_us::DOUBLE * batches) / nullif(sum(batches) FILTER (network_average_us > 0), 0) AS network_mean_us,
    max(network_average_us)                               AS network_average_high_us,
    sum(compression_rate_pct::DOUBLE * greatest(batches, 1)) / sum(greatest(batches, 1)) FILTER (compression_rate_pct IS NOT NULL) AS compression_mean_pct,
    sum(channel_log_bytes) / 1048576                      AS channel_log_mib,
    sum(predicted_cost_us) / 1e6                          AS predicted_cost_s,
    -- MP16: 38.53 us for a nonpersistent message in a batch of one, 22.16 us in a batch of fifty.
    (38.53 - 22.16) * sum(channel_messages) FILTER (persistent_channel_messages = 0 AND channel_messages < 2 * batches) / 1e6 AS cost_saving_at_50_s
  FROM channel
  WHERE is_message_channel AND channel_name IS NOT NULL
  GROUP BY lpar, qmgr, channel_name
),
sending AS (
  SELECT DISTINCT channel_name FROM total WHERE is_sending_end
)
SELECT
  t.lpar, t.qmgr, t.record_id, t.channel_name, t.channel_type, t.is_sending_end,
  t.is_sending_end OR s.channel_name IS NULL                            AS batches_judged_here,
  t.partner_name, t.channel_instances, t.channel_messages, t.persistent_channel_messages,
  pct(t.persistent_channel_messages, t.channel_messages)                AS persistent_channel_pct,
  t.observed_s,
  per_s(t.channel_messages, t.observed_s)                               AS channel_messages_per_s,
  t.peak_messages_per_s,
  t.channel_message_bytes / nullif(t.channel_messages, 0)               AS average_channel_message_bytes,
  t.batches, t.full_batches,
  pct(t.full_batches, t.batches)                                        AS full_batch_pct,
  t.channel_messages / nullif(t.batches, 0)                             AS achieved_batch_size,
  t.batch_size_limit, t.batch_interval_ms, t.batch_limit_kib,
  t.channel_message_bytes / 1024 / nullif(t.batches, 0)                 AS batch_kib,
  t.transmission_queue_empty, t.network_mean_us, t.network_average_high_us, t.compression_mean_pct,
  t.channel_log_mib, t.predicted_cost_s, t.cost_saving_at_50_s
FROM total AS t
LEFT JOIN sending AS s ON s.channel_name = t.channel_name
