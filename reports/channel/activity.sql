/*---
id         = "channel/activity"
title      = "Channel activity"
question   = "What did each channel instance move in the interval, and in which state is it?"
needs      = ["channel"]
rules      = ["CN013", "CN014"]
grain      = ["lpar", "qmgr", "interval_start_utc", "channel_name", "connection_name", "channel_start_utc"]
unmarked   = "A row is an instance of a channel; CN013 and CN014 judge the channel."
dd         = ["DCHS", "DCHSCSV"]
drill_down = ["channel/batches", "channel/network"]
mq_since   = "8.0.0"
note       = "Messages of a client channel are MQI calls. A channel that ended has its last row in the interval of its end."

[columns]
interval_seconds = { screen = 3 }
connection_name = { label = "connection", screen = 1 }
channel_disposition = { label = "disposition" }
channel_status = { label = "state", screen = 1 }
statistics_setting = { label = "STATCHL" }
partner_name = { screen = 2 }
channel_start_utc = { label = "started", screen = 3 }
channel_stop_utc = { label = "ended" }
last_message_utc = { label = "last message" }
collected_utc = { label = "collected" }
persistent_channel_messages = { label = "persistent" }
persistent_channel_pct = { screen = 3 }
channel_message_bytes = { label = "message bytes" }
persistent_channel_bytes = { label = "persistent bytes" }
average_channel_message_bytes = { screen = 2 }
batch_size_limit = { label = "BATCHSZ" }
full_batch_pct = { screen = 3 }
batch_interval_ms = { label = "BATCHINT ms" }
batch_limit_kib = { label = "BATCHLIM KiB" }
buffers_sent = { label = "buffers sent" }
buffers_received = { label = "buffers received" }
shared_conversations = { label = "conversations" }
exit_longest_us = { label = "exit max µs" }
exit_longest_at_utc = { label = "exit max at" }
network_shortest_us = { label = "network min µs" }
network_longest_us = { label = "network max µs", screen = 3 }
network_longest_at_utc = { label = "network max at" }
dns_resolution_time = { screen = 0 }
uses_tls = { screen = 3 }
cipher_hex = { screen = 0 }
certificate_serial = { label = "certificate" }
certificate_issuer_cn = { label = "issuer" }
dispatcher_number = { label = "dispatcher" }
partner_product = { label = "product" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, channel_name, connection_name, channel_type_name, channel_disposition,
  channel_status, statistics_setting, partner_name, channel_start_utc, channel_stop_utc, last_message_utc, collected_utc,
  channel_life_s, observed_s, started_in_interval, ended_in_interval, channel_messages, persistent_channel_messages,
  persistent_channel_pct, channel_messages_per_s, channel_message_bytes, persistent_channel_bytes, average_channel_message_bytes,
  batches, full_batches, batch_size_limit, achieved_batch_size, full_batch_pct, batch_interval_ms, batch_limit_kib,
  bytes_sent, bytes_received, sent_mib_per_s, received_mib_per_s, buffers_sent, buffers_received, shared_conversations,
  compression_rate_pct, exit_average_us, exit_shortest_us, exit_longest_us, exit_longest_at_utc,
  network_average_us, network_shortest_us, network_longest_us, network_longest_at_utc, dns_resolution_time, put_retries,
  transmission_queue_empty, uses_tls, cipher_hex, certificate_serial, certificate_issuer_cn, dispatcher_number,
  partner_product, partner_version
FROM channel
ORDER BY lpar, qmgr, interval_start_utc, channel_name, connection_name, channel_start_utc
