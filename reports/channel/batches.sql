/*---
id         = "channel/batches"
title      = "Channel batch efficiency"
question   = "Are batches full, what ends them, and which batch settings would be better?"
unseen     = true
needs      = ["channel_period"]
rules      = ["CN004", "CN005", "CN008", "CN009"]
grain      = ["lpar", "qmgr", "channel_name"]
drill_down = ["channel/activity", "channel/network"]
mq_since   = "8.0.0"
note       = "NPMSPEED is not in SMF: nonpersistent messages of a channel with NPMSPEED(FAST), the default, do not wait for the end of a batch. BATCHSZ of the other end can be the lower one. Costs are IBM's figures for z16 and both ends."

[columns]
channel_type_name = { unit = "text", label = "type", screen = 2, doc = "Channel type." }
instances = { unit = "count", label = "instances", doc = "Instances of the channel by start time.", over = "add" }
channel_messages_per_s = { screen = 2 }
batch_size_limit = { label = "BATCHSZ", screen = 1 }
batch_interval_ms = { label = "BATCHINT ms", screen = 2 }
batch_limit_kib = { label = "BATCHLIM KiB", screen = 3 }
limited_by_bytes = { unit = "flag", label = "byte limit", doc = "Batches reach at least 90 % of BATCHLIM and less than 90 % of BATCHSZ." }
predicted_batch_size = { unit = "count", label = "predicted", doc = "Messages that arrive in a batch interval, at least 1 and at most BATCHSZ.", over = "max" }
batch_interval_throttles = { unit = "flag", label = "BATCHINT throttles", doc = "Batches of one persistent message follow each other once per batch interval." }
network_average_us = { unit = "us", kind = "gauge", label = "network avg µs", screen = 2, ratio = { numerator = "network_average_us * batches", denominator = "batches" }, doc = "Average network time; microseconds assumed." }
compression_rate_pct = { unit = "percent", kind = "derived", label = "compression %", doc = "Mean of the compression rates, weighted by batches; percent assumed.", ratio = { numerator = "compression_mean_pct * greatest(batches, 1)", denominator = "greatest(batches, 1)" } }
preset = { unit = "text", label = "IBM's setting", screen = 3, doc = "Batch settings that MP16 gives for the message size, persistence and rate of the channel." }
suggested_batch_interval_ms = { unit = "ms", label = "BATCHINT for full batches", doc = "Batch interval in which BATCHSZ messages arrive; null if it is five minutes or more.", over = "max" }
reading = { unit = "text", label = "likely cause", screen = 1, doc = "What limits the batches; null if nothing is conspicuous." }
---*/
WITH
advised AS (
  SELECT
    *,
    batch_kib >= 0.9 * nullif(batch_limit_kib, 0) AND achieved_batch_size < 0.9 * batch_size_limit AS limited_by_bytes,
    -- Nonpersistent messages do not wait for the end of the batch, unless NPMSPEED is NORMAL, which SMF does not show.
    achieved_batch_size < 1.5 AND batch_interval_ms > 0 AND persistent_channel_messages > 0
      AND channel_messages_per_s BETWEEN 0.8 * 1000 / nullif(batch_interval_ms, 0) AND 1.2 * 1000 / nullif(batch_interval_ms, 0)
                                                                   AS batch_interval_throttles,
    1000 * batch_size_limit / nullif(channel_messages_per_s, 0)    AS full_batch_ms
  FROM channel_period
)
SELECT
  lpar, qmgr, channel_name,
  channel_type                  AS channel_type_name,
  partner_name,
  channel_instances             AS instances,
  channel_messages, persistent_channel_pct, channel_messages_per_s, peak_messages_per_s, average_channel_message_bytes,
  batches, achieved_batch_size, full_batches, full_batch_pct, batch_size_limit, batch_interval_ms, batch_limit_kib, batch_kib,
  limited_by_bytes, transmission_queue_empty,
  CASE WHEN batch_size_limit IS NOT NULL AND channel_messages_per_s * batch_interval_ms IS NOT NULL
    THEN least(batch_size_limit, greatest(1, channel_messages_per_s * batch_interval_ms / 1000)) END AS predicted_batch_size,
  batch_interval_throttles, network_mean_us AS network_average_us, compression_mean_pct AS compression_rate_pct, channel_log_mib, predicted_cost_s, cost_saving_at_50_s,
  CASE
    WHEN average_channel_message_bytes >= 1048576 THEN 'BATCHSZ 1'
    WHEN average_channel_message_bytes > 100000 THEN 'BATCHSZ 10'
    WHEN persistent_channel_pct = 0 THEN 'BATCHSZ 50 BATCHINT 10000 (request/reply) or 0 (bulk)'
    WHEN channel_messages_per_s < 50 THEN 'BATCHSZ 1 BATCHINT 0, or 50 and 100 if 100 ms more are allowed'
    WHEN channel_messages_per_s IS NOT NULL THEN 'BATCHSZ 50'
  END                           AS preset,
  CASE WHEN full_batch_ms < 300000 THEN full_batch_ms END AS suggested_batch_interval_ms,
  CASE
    WHEN limited_by_bytes THEN 'byte limit ends batches'
    WHEN full_batch_pct > 80 THEN 'full batches: raise BATCHSZ if latency is high'
    WHEN batch_interval_throttles THEN 'BATCHINT throttles'
    WHEN achieved_batch_size < 2 AND channel_messages_per_s > 10 THEN 'single-message batches'
  END                           AS reading
FROM advised
ORDER BY channel_messages DESC, lpar, qmgr, channel_name
