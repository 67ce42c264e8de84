/*---
id         = "channel/short_lived"
title      = "Short-lived client connections"
question   = "Which clients connect and disconnect all the time, and what does it cost?"
needs      = ["client_connection", "channel_task"]
rules      = ["CN012"]
grain      = ["lpar", "qmgr", "channel_name", "connection_name", "partner_name"]
unmarked   = "A row is finer than what CN012 judges: the findings name their subjects."
drill_down = ["channel/clients"]
mq_since   = "8.0.0"
note       = "CPU times are IBM's figures for z17 with SHARECNV(0) and a private listener: 365 µs to connect and disconnect, 350 µs more with TLS 1.2 and 470 µs more with TLS 1.3. Users are those of the class 3 tasks of the channel and address."

[columns]
connection_name = { label = "connection", screen = 1 }
partner_name = { label = "program", screen = 1 }
instances = { unit = "count", label = "connections", screen = 1, doc = "Connections by start time.", over = "add" }
instances_per_min = { unit = "per_min", label = "per minute", screen = 1, doc = "Connections per minute of the channel accounting of the queue manager.", across = "add", ratio = { numerator = "t.instances", denominator = "t.accounted_min" } }
peak_starts_per_min = { unit = "per_min", label = "peak starts/min", screen = 2, doc = "Most connections started per minute in an interval.", over = "max" }
median_life_s = { unit = "s", label = "median life s", screen = 1, doc = "Median life of the connections that ended.", over = "none", why = "A median or percentile does not follow from those of the rows." }
shortest_life_s = { unit = "s", label = "shortest s", screen = 3, doc = "Shortest life of a connection that ended.", over = "min" }
calls = { unit = "count", label = "calls", screen = 1, doc = "MQI calls.", over = "add" }
calls_per_connection = { unit = "ratio", label = "calls/connection", screen = 1, doc = "MQI calls per connection.", ratio = { numerator = "calls", denominator = "instances" } }
bytes_per_call = { unit = "bytes", label = "bytes/call", screen = 3, doc = "Bytes sent and received per MQI call.", ratio = { numerator = "t.bytes", denominator = "t.calls" } }
tls_share_pct = { unit = "percent", label = "TLS %", screen = 2, ratio = { numerator = "tls_share_pct * instances", denominator = "instances" }, doc = "Share of the connections that use TLS." }
connect_cpu_us_each = { unit = "us", label = "connect µs", screen = 3, ratio = { numerator = "connect_cpu_us_each * instances", denominator = "instances" }, doc = "CPU time to connect and disconnect once, estimated by IBM's figures for z17." }
connect_cpu_s = { unit = "s", label = "connect CPU s", screen = 1, doc = "CPU time of all connects and disconnects, estimated.", over = "add" }
saving_cpu_s = { unit = "s", label = "saving s", screen = 2, doc = "CPU time saved if there were one connection, estimated.", over = "add" }
users = { unit = "count", label = "users", screen = 3, over = "max", doc = "User IDs of the class 3 tasks of the channel and address; null without class 3." }
pooling_candidate = { unit = "flag", label = "pool them", screen = 1, doc = "Fewer than 10 calls per connection and more than 6 connections per minute." }
---*/
WITH
started AS (
  SELECT
    lpar, qmgr, channel_name, connection_name, partner_name,
    60 * count(*) / nullif(max(start_interval_seconds), 0) AS starts_per_min
  FROM client_connection
  WHERE started_in_period
  GROUP BY lpar, qmgr, channel_name, connection_name, partner_name, start_interval_utc
),
peak AS (
  SELECT lpar, qmgr, channel_name, connection_name, partner_name, max(starts_per_min) AS peak_starts_per_min
  FROM started
  GROUP BY lpar, qmgr, channel_name, connection_name, partner_name
),
named AS (
  SELECT lpar, qmgr, channel_name, connection_name, unnest(operator_ids) AS operator_id FROM channel_task
),
known AS (
  SELECT lpar, qmgr, channel_name, connection_name, count(DISTINCT operator_id) AS users
  FROM named
  GROUP BY lpar, qmgr, channel_name, connection_name
),
total AS (
  SELECT
    lpar, qmgr, channel_name, connection_name, partner_name,
    count(*)                                              AS instances,
    max(accounted_min)                                    AS accounted_min,
    median(connection_life_s) FILTER (connection_ended)   AS median_life_s,
    min(connection_life_s) FILTER (connection_ended)      AS shortest_life_s,
    sum(connection_calls)::BIGINT                         AS calls,
    sum(connection_bytes)::BIGINT                         AS bytes,
    100 * count(*) FILTER (uses_tls) / count(*)           AS tls_share_pct,
    avg(connect_cpu_us)                                   AS connect_cpu_us_each
  FROM client_connection
  GROUP BY lpar, qmgr, channel_name, connection_name, partner_name
)
SELECT
  t.lpar, t.qmgr, t.channel_name, t.connection_name, t.partner_name, t.instances,
  t.instances / nullif(t.accounted_min, 0)                 AS instances_per_min,
  p.peak_starts_per_min, t.median_life_s, t.shortest_life_s, t.calls,
  t.calls / t.instances                                    AS calls_per_connection,
  t.bytes / nullif(t.calls, 0)                             AS bytes_per_call,
  t.tls_share_pct, t.connect_cpu_us_each,
  t.instances * t.connect_cpu_us_each / 1e6                AS connect_cpu_s,
  (t.instances - 1) * t.connect_cpu_us_each / 1e6          AS saving_cpu_s,
  k.users,
  t.calls / t.instances < 10 AND t.instances / nullif(t.accounted_min, 0) > 6 AS pooling_candidate
FROM total AS t
LEFT JOIN peak AS p ON p.lpar = t.lpar AND p.qmgr = t.qmgr AND p.channel_name = t.channel_name
  AND p.connection_name IS NOT DISTINCT FROM t.connection_name AND p.partner_name IS NOT DISTINCT FROM t.partner_name
LEFT JOIN known AS k ON k.lpar = t.lpar AND k.qmgr = t.qmgr AND k.channel_name = t.channel_name
  AND k.connection_name IS NOT DISTINCT FROM t.connection_name
ORDER BY connect_cpu_s DESC, lpar, qmgr, channel_name, connection_name, partner_name
