/*---
id      = "channel_activity"
title   = "Channels by interval"
grain   = "one row per lpar, qmgr, accounting interval and channel"
needs   = ["channel", "channel_site"]
classes = ["116.10"]
mq_since = "8.0.0"
note    = "The instances of a channel added together. BATCHINT and BATCHLIM belong to the sending end."

[columns]
channel_name = { label = "", screen = 0 }
is_sending_end = { unit = "flag", doc = "A sender, server or cluster-sender channel, whose definition has the batch settings." }
channel_instances = { unit = "count", doc = "Instances of the channel.", over_time = "max", across = "add" }
instances_running = { unit = "count", doc = "Instances in state Running.", over = "add" }
instances_down = { unit = "count", doc = "Instances in state Retrying, Stopped or Paused.", over = "add" }
down_status = { unit = "text", doc = "State of one of these." }
down_connection = { unit = "text", doc = "Connection name of one of these." }
observed_s = { doc = "Time that the instances ran in the interval, added together." }
achieved_batch_size = { ratio = { numerator = "CASE WHEN is_message_channel THEN channel_messages END", denominator = "batches" } }
batches_per_s_by_interval = { unit = "per_s", doc = "Batches per second if each batch takes BATCHINT; null without BATCHINT.", over = "same" }
---*/
WITH total AS (
  SELECT
    q.lpar, q.qmgr,
    max(q.qsg)                                AS qsg,
    max(q.mq_version)                         AS mq_version,
    min(q.source_id)                          AS source_id,
    min(q.record_id)                          AS record_id,
    q.interval_start_utc,
    max(q.interval_end_utc)                   AS interval_end_utc,
    max(q.interval_seconds)                   AS interval_seconds,
    bool_and(q.fragment)                      AS fragment,
    q.channel_name,
    max(q.channel_type)                       AS channel_type,
    bool_or(q.is_client)                      AS is_client,
    bool_or(q.is_message_channel)             AS is_message_channel,
    count(*)                                  AS channel_instances,
    count(*) FILTER (q.channel_status = 'Running') AS instances_running,
    count(*) FILTER (q.channel_status IN ('Retrying', 'Stopped', 'Paused')) AS instances_down,
    min(q.channel_status) FILTER (q.channel_status IN ('Retrying', 'Stopped', 'Paused')) AS down_status,
    arg_min(q.connection_name, (q.channel_status, q.connection_name)) FILTER (q.channel_status IN ('Retrying', 'Stopped', 'Paused')) AS down_connection,
    max(q.last_message_utc)                   AS last_message_utc,
    bool_or(s.stopped_on_purpose)             AS stopped_on_purpose,
    max(q.partner_name)                       AS partner_name,
    sum(q.observed_s)                         AS observed_s,
    sum(q.channel_messages)::BIGINT           AS channel_messages,
    sum(q.persistent_channel_messages)::BIGINT AS persistent_channel_messages,
    sum(q.batches)::BIGINT                    AS batches,
    max(q.batch_interval_ms)                  AS batch_interval_ms,
    sum(q.put_retries)::BIGINT                AS put_retries
  FROM channel AS q
  LEFT JOIN channel_site AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.channel_name = q.channel_name
    AND s.connection_name IS NOT DISTINCT FROM q.connection_name
  WHERE q.channel_name IS NOT NULL
  GROUP BY q.lpar, q.qmgr, q.interval_start_utc, q.channel_name
)
SELECT
  lpar, qmgr, qsg, mq_version, source_id, record_id, interval_start_utc, interval_end_utc, interval_seconds, fragment,
  channel_name, channel_type, is_client, is_message_channel,
  channel_type IN ('Sender', 'Server', 'ClusSdr') AS is_sending_end,
  channel_instances, instances_running, instances_down, down_status, down_connection, last_message_utc, stopped_on_purpose,
  partner_name, observed_s, channel_messages, persistent_channel_messages,
  per_s(channel_messages, observed_s)         AS channel_messages_per_s,
  batches,
  CASE WHEN is_message_channel THEN channel_messages / nullif(batches, 0) END AS achieved_batch_size,
  batch_interval_ms,
  1000 / nullif(batch_interval_ms, 0)         AS batches_per_s_by_interval,
  put_retries
FROM total
