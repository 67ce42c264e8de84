/*---
id       = "plan/client_connect_cost"
title    = "CPU of client connects"
question = "What do the connects of clients cost, and what would longer connections save?"
subject  = "channel"
needs    = ["client_connection"]
profiles = ["client_connect_costs"]
covers   = ["client_connection_use"]
holds    = "MQ 9.4 on z17; on z16 a connect costs 10 to 13 % more. The cost for each message is a line through two figures of z16, SHARECNV(0) and 2 KB messages."
source   = "Z17, 'Client Channel start rate'; MP16, 'Measurements'"
result   = "connect_cpu"
note     = "A message is a put and its get, so at least two MQI calls. TLS 1.3 is assumed where the records show TLS."

[parameter.connects]
unit     = "per_h"
measured = "connections that started in an interval of the data, in an hour"
doc      = "Connects of clients in an hour."
remedy   = "collect channel accounting (116.10), or set connects=20000/h"

[parameter.calls]
unit     = "number"
measured = "MQI calls of a connection"
doc      = "MQI calls of a connection."
optional = true

[parameter.messages]
unit     = "number"
doc      = "Messages (a put and its get) of a connection, to see the cost of each."
optional = true
least    = 1

[parameter.listener]
unit    = "text"
doc     = "Listener that the clients connect to."
choices = "client_connect_costs.listener"
default = "private"
source  = "Z17, 'Client Channel start rate': the first of the two listeners"

[parameter.sharecnv]
unit    = "text"
doc     = "Whether the channel has SHARECNV(0), or 1 and more."
choices = "client_connect_costs.sharecnv"
default = "shared"
source  = "MP16, 'How many SVRCONN channels can a channel initiator support?': the default definition shares conversations"

[parameter.protection]
unit     = "text"
measured = "TLS of the connections"
doc      = "Whether the channel uses TLS in MQ."
choices  = "client_connect_costs.protection"
default  = "plain"
source   = "Z17, 'Client Channel start rate': the basic figure has no TLS"

[parameter.suppressed]
unit    = "flag"
doc     = "Whether messages CSQX511I and CSQX512I are suppressed (EXCLMSG)."
default = false
source  = "Z17, 'Client Channel start rate': the figures are with these messages"

[parameter.message_saving]
unit    = "us"
doc     = "CPU time that suppressing these messages saves for each connect."
default = 110
source  = "Z17, 'Client Channel start rate'"

[step.connect_us]
unit    = "us"
label   = "CPU time of a connect and disconnect"
formula = "the published figure for listener, SHARECNV and TLS, - 110 µs with messages suppressed"

[step.connect_cpu]
unit    = "s"
label   = "CPU time of connects in an hour"
formula = "connects * CPU time of one"

[step.message_us]
unit    = "us"
label   = "CPU time of a message"
formula = "149.9 + 755.1 / messages of a connection"

[step.message_us_50]
unit    = "us"
label   = "the same with 50 messages for each connection"
formula = "149.9 + 755.1 / 50"

[step.saving]
unit    = "percent"
label   = "saving with 50 messages for each connection"
formula = "100 * (1 - cost with 50 messages / cost now), at least 0"

[answer.idle]
text = "No client connected in an hour of the data."

[answer.cost]
text = "{connects:,.1f} connects an hour cost about {connect_cpu:,.2f} CPU seconds, {connect_us:,.0f} µs each<<, for {calls:,.1f} MQI calls a connection>><<; with 50 messages for each connection a message would cost {saving:,.0f} % less>>."
do   = ["Keep connections open: a pool in the application, or XA connections of the application server, instead of a connect for each message."]
---*/
SELECT
  lpar, qmgr, channel_name AS subject,
  count(*) FILTER (started_in_period) / nullif(max(accounted_min) / 60, 0)  AS connects,
  avg(connection_calls)                                                     AS calls,
  CASE WHEN bool_or(uses_tls) THEN 'tls13' ELSE 'plain' END                 AS protection
FROM client_connection
GROUP BY lpar, qmgr, channel_name;

WITH priced AS (
  SELECT i.*, c.connect_us - CASE WHEN i.suppressed THEN i.message_saving ELSE 0 END AS connect_us
  FROM plan_input AS i
  LEFT JOIN client_connect_costs AS c ON c.listener = i.listener AND c.sharecnv = i.sharecnv AND c.protection = i.protection
),
shared AS (
  SELECT
    *,
    905 - (905 - 165) / (1 - 1 / 50)                                        AS fixed_us,
    (905 - 165) / (1 - 1 / 50)                                              AS connection_us
  FROM priced
)
SELECT
  lpar, qmgr, subject, connect_us, connects * connect_us / 1e6              AS connect_cpu,
  fixed_us + connection_us / nullif(messages, 0)                            AS message_us,
  fixed_us + connection_us / 50                                             AS message_us_50,
  CASE WHEN messages > 0 THEN greatest(0, 100 * (1 - (fixed_us + connection_us / 50) / (fixed_us + connection_us / messages))) END AS saving,
  CASE
    WHEN connects IS NULL OR connect_us IS NULL THEN NULL
    WHEN connects = 0 THEN 'idle'
    ELSE 'cost'
  END                                                                       AS answer
FROM shared;
