/*---
id      = "client_connection"
title   = "Connections of clients"
grain   = "one row per lpar, qmgr, client channel, connection name and start time"
needs   = ["channel"]
classes = ["116.10"]
mq_since = "8.0.0"
note    = "The rows of an instance in several intervals added together. The hours are those of the channel accounting of the queue manager, at least one."

[columns]
connection_ended = { unit = "flag", doc = "The connection ended in the period." }
started_in_period = { unit = "flag", doc = "The connection started in an interval of the data." }
start_interval_utc = { unit = "ts_utc", doc = "Start of the interval in which the connection started; null if it started before the data." }
start_interval_seconds = { unit = "s", doc = "Length of that interval.", over = "max" }
connection_life_s = { unit = "s", doc = "Time from start to end, or to the last collection.", over = "max" }
connection_calls = { unit = "count", doc = "MQI calls in the period.", over = "add" }
connection_bytes = { unit = "bytes", doc = "Bytes sent and received in the period.", over = "add" }
connect_cpu_us = { unit = "us", doc = "CPU time to connect and disconnect on z17 with SHARECNV(0) and a private listener: 365 µs, with TLS 1.2 350 and with TLS 1.3 470 µs more.", over_time = "last", across = "same" }
accounted_min = { unit = "min", doc = "Minutes of channel accounting of the queue manager.", over = "add" }
accounted_h = { unit = "h", doc = "Hours of channel accounting of the queue manager; at least 1.", over = "add" }
---*/
WITH
accounted AS (
  SELECT lpar, qmgr, sum(interval_seconds) / 60 AS accounted_min, greatest(1, sum(interval_seconds) / 3600) AS accounted_h
  FROM (SELECT DISTINCT lpar, qmgr, interval_start_utc, interval_seconds FROM channel)
  GROUP BY lpar, qmgr
),
instance AS (
  SELECT
    lpar, qmgr, channel_name, connection_name, channel_start_utc,
    min(record_id)                                               AS record_id,
    max(partner_name)                                            AS partner_name,
    bool_or(ended_in_interval)                                   AS connection_ended,
    max(interval_start_utc) FILTER (started_in_interval)         AS start_interval_utc,
    max(interval_seconds) FILTER (started_in_interval)           AS start_interval_seconds,
    max(channel_life_s)                                          AS connection_life_s,
    sum(channel_messages)::BIGINT                                AS connection_calls,
    sum(bytes_sent + bytes_received)::BIGINT                     AS connection_bytes,
    max(channel_disposition)                                     AS channel_disposition,
    max(shared_conversations)                                    AS shared_conversations,
    bool_or(uses_tls)                                            AS uses_tls,
    bool_or(tls13)                                               AS uses_tls13
  FROM channel
  WHERE is_client
  GROUP BY lpar, qmgr, channel_name, connection_name, channel_start_utc
)
SELECT
  i.lpar, i.qmgr, i.record_id, i.channel_name, i.connection_name, i.partner_name, i.channel_start_utc, i.connection_ended,
  i.start_interval_utc IS NOT NULL AS started_in_period,
  i.start_interval_utc, i.start_interval_seconds, i.connection_life_s, i.connection_calls, i.connection_bytes, i.uses_tls, i.channel_disposition, i.shared_conversations,
  365 + CASE WHEN i.uses_tls13 THEN 470 WHEN i.uses_tls THEN 350 ELSE 0 END AS connect_cpu_us,
  a.accounted_min, a.accounted_h
FROM instance AS i
JOIN accounted AS a ON a.lpar = i.lpar AND a.qmgr = i.qmgr
