/*---
id          = "CN012"
name        = "short-lived-client-connections"
title       = "Clients connect for a handful of calls"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "channel_name", "connection_name"]
needs       = ["client_connection.connection_calls"]
prints      = ["client_connection.partner_name", "client_connection.accounted_h", "client_connection.uses_tls"]
judge       = "whole period"
worst       = "highest"
measure     = "short connections per hour"
when        = "observed > per_hour_max"
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({channel_name}) MAXINST MAXINSTC SHARECNV", "DISPLAY CHSTATUS({channel_name}) CONNAME CURSHCNV RAPPLTAG"]
plans       = ["client_connect_cost"]

[threshold.per_hour_max]
value = 100.0
unit  = "per_h"
kind  = "judgement"
why   = "less often the CPU time of the connections is small"

[threshold.life_us]
value = 10000000
unit  = "us"
kind  = "judgement"
why   = "a connection that ends within ten seconds was not kept for later calls"

[threshold.calls_max]
value = 10
unit  = "count"
kind  = "judgement"
why   = "with fewer calls the connection costs more than the calls"

[source]
cite = "Z17, 'Client Channel start rate' (365 to 795 µs of CPU time to connect and disconnect, 350 to 490 µs more with TLS); MP16, 'Two / Three Tier configurations' (905 µs per message with one message per connection, 165 µs with fifty)"

[advice]
summary = "Clients at {connection_name} connected {short_connections} time[s] on channel {channel_name} with fewer than {calls_max} call[s] and for less than {life_s:.0f} s: {observed:.0f} per hour (limit {per_hour_max:.0f}) in {accounted_h:.1f} h; {calls_per_connection:.1f} calls per connection, programs such as {partner_name}."
remedy  = "Keep connections open or pool them in the application, let conversations share a channel (SHARECNV), or concentrate the clients on a queue manager near them. Connecting costs about 0.4 to 0.8 ms of CPU time, with TLS about 0.7 to 1.3 ms. Health checks of a load balancer may be intentional."
report  = "channel/short_lived"
---*/
SELECT
  lpar, qmgr, channel_name, connection_name,
  min(record_id)                                                     AS record_id,
  'channel ' || channel_name || ' from ' || connection_name          AS subject,
  count(*) FILTER (connection_life_s < $life_us / 1e6 AND connection_calls < $calls_max) / max(accounted_h) AS observed,
  count(*) FILTER (connection_life_s < $life_us / 1e6 AND connection_calls < $calls_max) AS short_connections,
  sum(connection_calls) / count(*)                                   AS calls_per_connection,
  max(accounted_h)                                                   AS accounted_h,
  max(partner_name)                                                  AS partner_name,
  $life_us / 1e6                                                     AS life_s
FROM client_connection
WHERE connection_ended
GROUP BY lpar, qmgr, channel_name, connection_name
