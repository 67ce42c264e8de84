/*---
id         = "channel/clients"
title      = "Client channels"
question   = "How much do client channels carry, with how many conversations, and how many calls are wasted?"
needs      = ["channel", "channel_task"]
grain      = ["lpar", "qmgr", "interval_start_utc", "channel_name"]
drill_down = ["channel/short_lived"]
mq_since   = "8.0.0"
note       = "Calls are those of channel accounting. Messages, CPU time and gets without a message are those of the class 3 tasks that name the channel; reports by application or user show the same work again. Storage is estimated for messages of 1 KB: 22 KB for a conversation and 86 KB for an instance."

[columns]
interval_seconds = { screen = 3 }
instances = { unit = "count", label = "instances", screen = 1, doc = "Instances of the channel.", over_time = "max", across = "add" }
clients = { unit = "count", label = "clients", screen = 1, doc = "Addresses of clients.", over = "max" }
conversations = { unit = "count", label = "conversations", screen = 1, doc = "Conversations of the instances, added together.", over = "add" }
calls = { unit = "count", label = "calls", screen = 1, doc = "MQI calls of the clients.", over = "add" }
calls_per_s = { unit = "per_s", label = "calls/s", screen = 2, doc = "MQI calls per second of the interval.", over_time = "mean", across = "add" }
sent_mib_per_s = { doc = "Data sent per second of the interval.", over_time = "mean", across = "add", why = "Rates of all instances, by the time of the interval." }
received_mib_per_s = { doc = "Data received per second of the interval.", over_time = "mean", across = "add", why = "Rates of all instances, by the time of the interval." }
busiest_instance_mib_per_s = { unit = "mib_per_s", label = "busiest MiB/s", screen = 3, over = "max", doc = "Data sent and received per second by the busiest instance while it ran." }
messages = { unit = "count", label = "messages", screen = 1, doc = "Messages put and got by the class 3 tasks of the channel; null without class 3.", over = "add" }
calls_per_message = { unit = "ratio", label = "calls/message", screen = 2, doc = "MQI calls per message.", ratio = { numerator = "calls", denominator = "messages" } }
gets_without_message = { doc = "Gets of the class 3 tasks of the channel that returned no message." }
mq_cpu_us = { screen = 2, doc = "CPU time in MQ calls of the class 3 tasks of the channel." }
persistent_pct = { unit = "percent", label = "persistent %", doc = "Share of the messages that were persistent.", ratio = { numerator = "w.persistent_messages", denominator = "w.messages", scale = 100 } }
storage_estimate_kib = { unit = "kib", label = "storage KiB", screen = 3, over = "max", doc = "31-bit storage of the channel initiator, estimated by rule of thumb." }
---*/
WITH
moved AS (
  SELECT
    lpar, qmgr, interval_start_utc, max(interval_seconds) AS interval_seconds, channel_name,
    count(DISTINCT (connection_name, channel_start_utc))    AS instances,
    count(DISTINCT connection_name)                         AS clients,
    sum(shared_conversations)::BIGINT                       AS conversations,
    sum(channel_messages)::BIGINT                           AS calls,
    sum(bytes_sent)::BIGINT                                 AS bytes_sent,
    sum(bytes_received)::BIGINT                             AS bytes_received,
    max(sent_mib_per_s + received_mib_per_s)                AS busiest_instance_mib_per_s
  FROM channel
  WHERE is_client
  GROUP BY lpar, qmgr, interval_start_utc, channel_name
),
worked AS (
  SELECT
    lpar, qmgr, interval_start_utc, channel_name,
    sum(task_messages)::BIGINT        AS messages,
    sum(persistent_messages)::BIGINT  AS persistent_messages,
    sum(gets_without_message)::BIGINT AS gets_without_message,
    sum(mq_cpu_us)::BIGINT            AS mq_cpu_us
  FROM channel_task
  GROUP BY lpar, qmgr, interval_start_utc, channel_name
)
SELECT
  m.lpar, m.qmgr, m.interval_start_utc, m.interval_seconds, m.channel_name, m.instances, m.clients, m.conversations, m.calls,
  per_s(m.calls, m.interval_seconds)                          AS calls_per_s,
  per_s(m.bytes_sent / 1048576, m.interval_seconds)           AS sent_mib_per_s,
  per_s(m.bytes_received / 1048576, m.interval_seconds)       AS received_mib_per_s,
  m.busiest_instance_mib_per_s,
  w.messages,
  m.calls / nullif(w.messages, 0)                             AS calls_per_message,
  w.gets_without_message, w.mq_cpu_us,
  pct(w.persistent_messages, w.messages)                      AS persistent_pct,
  22 * m.conversations + 86 * m.instances                     AS storage_estimate_kib
FROM moved AS m
LEFT JOIN worked AS w ON w.lpar = m.lpar AND w.qmgr = m.qmgr AND w.interval_start_utc = m.interval_start_utc AND w.channel_name = m.channel_name
ORDER BY calls DESC, lpar, qmgr, interval_start_utc, channel_name
