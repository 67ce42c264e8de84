/*---
id      = "channel"
title   = "Channels"
grain   = "one row per lpar, qmgr, accounting interval and channel instance (channel, connection name, start time)"
needs   = ["decoded.qcst", "channel_interval", "interval_cut", "queue_sharing_group"]
classes = ["116.10"]
mq_since = "8.0.0"
note    = "A channel has one row in each interval in which it ran, and one after its end; its counters are those of the interval."

[columns]
channel_name = { label = "channel", screen = 1 }
channel_messages = { label = "messages", screen = 1 }
batches = { label = "batches", screen = 2 }
full_batches = { label = "full batches" }
bytes_sent = { label = "sent" }
bytes_received = { label = "received" }
compression_rate_pct = { over_time = "last", across = "max", label = "compression %" }
exit_average_us = { ratio = { numerator = "exit_average_us * greatest(batches, 1)", denominator = "greatest(batches, 1)" }, label = "exit avg µs" }
exit_shortest_us = { label = "exit min µs" }
dns_resolution_time = { over_time = "last", across = "max", label = "DNS time", screen = 3 }
network_average_us = { ratio = { numerator = "network_average_us * greatest(batches, 1)", denominator = "greatest(batches, 1)" }, label = "network avg µs", screen = 2 }
partner_name = { label = "partner", screen = 3 }
put_retries = { label = "put retries", screen = 2 }
transmission_queue_empty = { label = "XMITQ empty" }
partner_version = { label = "version", screen = 3 }
channel_type_name = { unit = "text", doc = "Channel type as text; the same as channel_type.", label = "type", screen = 1 }
is_client = { unit = "flag", doc = "A server-connection channel: its messages are MQI calls." }
is_message_channel = { unit = "flag", doc = "A sender, server, receiver, requester or cluster channel." }
running = { unit = "flag", doc = "The channel had not ended when the record was written." }
channel_life_s = { unit = "s", doc = "Time since the channel started, up to its end or the collection.", over = "max", label = "life s", screen = 3 }
observed_s = { unit = "s", doc = "Part of the interval in which the channel ran; at least 0.", over = "add", label = "ran s" }
started_in_interval = { unit = "flag", doc = "The channel started in the interval.", label = "started here" }
ended_in_interval = { unit = "flag", doc = "The channel ended in the interval.", label = "ended here" }
channel_messages_per_s = { unit = "per_s", doc = "Messages, or MQI calls of a client, per second while the channel ran.", across = "add", ratio = { numerator = "channel_messages", denominator = "observed_s" }, label = "messages/s", screen = 1 }
nonpersistent_channel_messages = { unit = "count", doc = "Nonpersistent messages moved.", over = "add", label = "nonpersistent", screen = 1 }
persistent_channel_pct = { unit = "percent", doc = "Share of the messages that were persistent.", ratio = { numerator = "persistent_channel_messages", denominator = "channel_messages", scale = 100 }, label = "persistent %", screen = 1 }
average_channel_message_bytes = { unit = "bytes", doc = "Bytes per message; null for clients.", ratio = { numerator = "CASE WHEN is_message_channel THEN channel_message_bytes END", denominator = "channel_messages" }, label = "bytes/message", screen = 1 }
achieved_batch_size = { unit = "count", doc = "Messages per batch; null for clients.", ratio = { numerator = "CASE WHEN is_message_channel THEN channel_messages END", denominator = "batches" }, label = "messages/batch", screen = 1 }
full_batch_pct = { unit = "percent", doc = "Share of the batches that reached BATCHSZ.", ratio = { numerator = "full_batches", denominator = "batches", scale = 100 }, label = "full %", screen = 1 }
batch_kib = { unit = "kib", doc = "Message data per batch.", ratio = { numerator = "channel_message_bytes / 1024", denominator = "batches" }, label = "KiB/batch", screen = 3 }
batches_per_s = { unit = "per_s", doc = "Batches per second while the channel ran.", across = "add", ratio = { numerator = "batches", denominator = "observed_s" } }
predicted_batch_size = { unit = "count", doc = "Messages that arrive in a batch interval, at least 1 and at most BATCHSZ.", over_time = "last", across = "same" }
sent_mib_per_s = { unit = "mib_per_s", doc = "Data sent per second while the channel ran.", across = "add", ratio = { numerator = "bytes_sent / 1048576", denominator = "observed_s" }, label = "sent MiB/s", screen = 2 }
received_mib_per_s = { unit = "mib_per_s", doc = "Data received per second while the channel ran.", across = "add", ratio = { numerator = "bytes_received / 1048576", denominator = "observed_s" }, label = "received MiB/s", screen = 2 }
overhead_bytes_per_message = { unit = "bytes", doc = "Bytes on the line beyond the message data, per message; null for clients.", ratio = { numerator = "CASE WHEN is_message_channel THEN greatest(bytes_sent, bytes_received) - channel_message_bytes END", denominator = "channel_messages" } }
bytes_per_call = { unit = "bytes", doc = "Bytes in both directions per MQI call; clients only.", ratio = { numerator = "CASE WHEN is_client THEN bytes_sent + bytes_received END", denominator = "channel_messages" } }
network_spread = { unit = "ratio", doc = "Longest network time as a multiple of the average.", over = "max", label = "max/avg", screen = 2 }
uses_tls = { unit = "flag", doc = "The channel uses TLS.", label = "TLS", screen = 1 }
cipher_hex = { unit = "text", doc = "CipherSpec as four hexadecimal digits.", label = "cipher", screen = 2 }
cipher_name = { unit = "text", doc = "Name of the CipherSpec; null if it is not in the list.", label = "cipher name", screen = 1 }
tls13 = { unit = "flag", doc = "The CipherSpec is one of TLS 1.3.", label = "TLS 1.3", screen = 2 }
cipher_weakness = { unit = "text", doc = "Why the CipherSpec is weak: no encryption, an export key, RC4, DES or 3DES; null if it is not." }
channel_log_bytes = { unit = "bytes", doc = "Log data that the persistent messages of a message channel cause, estimated from its batches.", over = "add" }
predicted_cost_us = { unit = "us", doc = "CPU time of both ends, estimated by rule of thumb; for planning only.", over = "add" }
---*/
WITH
instance AS (
  SELECT
    *,
    interval_us / 1e6                     AS seconds,
    channel_type_code = 7                 AS is_client,
    channel_type_code IN (1, 2, 3, 4, 8, 9) AS is_message_channel,
    greatest(0, epoch_us(coalesce(channel_stop_utc, interval_end_utc) - greatest(channel_start_utc, interval_start_utc))) / 1e6 AS observed_s
  FROM decoded.qcst
),
measured AS (
  SELECT
    *,
    per_s(channel_messages, observed_s)                                 AS channel_messages_per_s,
    pct(persistent_channel_messages, channel_messages)                  AS persistent_channel_pct,
    CASE WHEN is_message_channel THEN channel_message_bytes / nullif(channel_messages, 0) END AS average_channel_message_bytes,
    CASE WHEN is_message_channel THEN channel_messages / nullif(batches, 0) END AS achieved_batch_size,
    upper(printf('%04x', cipher_code))                                  AS cipher_hex
  FROM instance
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.seconds AS interval_seconds, q.interval_us,
  q.seconds < i.shortest_judged_seconds AS fragment, i.startup_interval, i.suspect_first,
  q.collected_utc, q.channel_name, q.channel_disposition, q.channel_type, q.channel_status, q.statistics_setting,
  q.connection_name, q.channel_start_utc, q.channel_stop_utc, q.last_message_utc, q.batch_size_limit,
  q.channel_messages, q.persistent_channel_messages, q.batches, q.full_batches, q.buffers_sent, q.buffers_received,
  q.shared_conversations, q.channel_message_bytes, q.persistent_channel_bytes, q.bytes_sent, q.bytes_received,
  q.compression_rate_pct, q.exit_average_us, q.exit_shortest_us, q.exit_longest_us, q.exit_longest_at_utc,
  q.dns_resolution_time, q.network_average_us, q.network_shortest_us, q.network_longest_us, q.network_longest_at_utc,
  q.partner_name, q.certificate_serial, q.certificate_issuer_cn, q.cipher_code, q.put_retries,
  q.transmission_queue_empty, q.batch_interval_ms, q.batch_limit_kib, q.dispatcher_number, q.partner_product, q.partner_version,
  q.channel_type                                                        AS channel_type_name,
  q.is_client,
  q.is_message_channel,
  q.channel_stop_utc IS NULL                                            AS running,
  epoch_us(coalesce(q.channel_stop_utc, q.collected_utc) - q.channel_start_utc) / 1e6 AS channel_life_s,
  q.observed_s,
  q.channel_start_utc >= q.interval_start_utc                           AS started_in_interval,
  q.channel_stop_utc IS NOT NULL                                        AS ended_in_interval,
  q.channel_messages_per_s,
  q.channel_messages - q.persistent_channel_messages                    AS nonpersistent_channel_messages,
  q.persistent_channel_pct,
  q.average_channel_message_bytes,
  q.achieved_batch_size,
  pct(q.full_batches, q.batches)                                        AS full_batch_pct,
  q.channel_message_bytes / 1024 / nullif(q.batches, 0)                 AS batch_kib,
  per_s(q.batches, q.observed_s)                                        AS batches_per_s,
  -- least() and greatest() ignore nulls, so nulls are handled explicitly.
  CASE WHEN q.batch_size_limit IS NOT NULL AND q.channel_messages_per_s * q.batch_interval_ms IS NOT NULL
    THEN least(q.batch_size_limit, greatest(1, q.channel_messages_per_s * q.batch_interval_ms / 1000)) END AS predicted_batch_size,
  per_s(q.bytes_sent / 1048576, q.observed_s)                           AS sent_mib_per_s,
  per_s(q.bytes_received / 1048576, q.observed_s)                       AS received_mib_per_s,
  CASE WHEN q.is_message_channel
    THEN (greatest(q.bytes_sent, q.bytes_received) - q.channel_message_bytes) / nullif(q.channel_messages, 0) END AS overhead_bytes_per_message,
  CASE WHEN q.is_client THEN (q.bytes_sent + q.bytes_received) / nullif(q.channel_messages, 0) END AS bytes_per_call,
  q.network_longest_us / nullif(q.network_average_us, 0)                AS network_spread,
  q.cipher_code <> 0                                                    AS uses_tls,
  q.cipher_hex,
  CASE q.cipher_hex
    WHEN '1301' THEN 'TLS_AES_128_GCM_SHA256'
    WHEN '1302' THEN 'TLS_AES_256_GCM_SHA384'
    WHEN '1303' THEN 'TLS_CHACHA20_POLY1305_SHA256'
    WHEN '003B' THEN 'TLS_RSA_WITH_NULL_SHA256'
    WHEN '003C' THEN 'TLS_RSA_WITH_AES_128_CBC_SHA256'
    WHEN '003D' THEN 'TLS_RSA_WITH_AES_256_CBC_SHA256'
    WHEN '009C' THEN 'TLS_RSA_WITH_AES_128_GCM_SHA256'
    WHEN '009D' THEN 'TLS_RSA_WITH_AES_256_GCM_SHA384'
    WHEN 'C023' THEN 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256'
    WHEN 'C024' THEN 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384'
    WHEN 'C027' THEN 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256'
    WHEN 'C028' THEN 'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384'
    WHEN 'C02F' THEN 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'
    WHEN 'C030' THEN 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'
  END                                                                   AS cipher_name,
  q.cipher_hex[1:2] = '13'                                              AS tls13,
  CASE
    WHEN q.cipher_hex IN ('0001', '0002', '003B', 'C006', 'C010') THEN 'no encryption'
    WHEN q.cipher_hex IN ('0003', '0006', '0008', '0062', '0064') THEN 'export key'
    WHEN q.cipher_hex IN ('0004', '0005', 'C007', 'C011') THEN 'RC4'
    WHEN q.cipher_hex IN ('0009', 'FEFE') THEN 'DES'
    WHEN q.cipher_hex IN ('000A', 'C008', 'C012', 'FEFF') THEN '3DES'
  END                                                                   AS cipher_weakness,
  -- A sender logs 2.5 KB for a batch of one message and 3.7 KB for one of fifty, a receiver 1.3 KB.
  CASE WHEN q.is_message_channel AND q.persistent_channel_messages > 0
    THEN q.batches * CASE
      WHEN q.channel_type_code IN (1, 2, 9) THEN 2560 + 1229 * least(1, (q.achieved_batch_size - 1) / 49)
      ELSE 1331 END
  END                                                                   AS channel_log_bytes,
  CASE
    WHEN NOT q.is_message_channel THEN NULL
    WHEN q.persistent_channel_pct > 50 THEN (223 + 0.003 * q.average_channel_message_bytes) * q.channel_messages
    WHEN q.achieved_batch_size < 2 THEN (38.53 + 0.0007 * q.average_channel_message_bytes) * q.channel_messages
    ELSE (22.16 + 0.00058 * q.average_channel_message_bytes) * q.channel_messages
  END                                                                   AS predicted_cost_us
FROM measured AS q
LEFT JOIN channel_interval AS m ON m.record_id = q.record_id
LEFT JOIN interval_cut AS i ON i.lpar = m.lpar AND i.qmgr = m.qmgr AND i.interval_start_utc = m.cut_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
