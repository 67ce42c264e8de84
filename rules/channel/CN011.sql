/*---
id          = "CN011"
name        = "network-time-above-link-latency"
title       = "The average network time exceeds what the distance explains"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "channel_name"]
mark_by     = ["connection_name", "channel_start_utc"]
needs       = ["site_input.latency_us_by_channel", "channel_delay.network_average_us"]
prints      = ["channel_delay.expected_network_us", "channel_delay.latency_us"]
judge       = "share >= 25 %"
worst       = "highest"
measure     = "average network time"
when        = "observed > network_us_max"
unit        = "us"
min_activity = "batches >= $batches_min"
mq_since    = "8.0.0"
default_on  = false                       # on if the site file gives latency_us
look        = ["DISPLAY CHSTATUS({channel_name}) CONNAME EXITTIME NETTIME XQTIME"]
plans       = ["nettime_expected"]

[threshold.factor]
value = 1.2
unit  = "ratio"
kind  = "judgement"
why   = "IBM measured twice the latency without loss, and up to 1.8 times as much with 0.5 % loss"

[threshold.batches_min]
value = 20
unit  = "count"
kind  = "judgement"
why   = "the network time is measured when batches are confirmed; fewer give no reliable average"

[source]
cite = "V92, 'Does achieved batch size affect Aspera fasp.io gateway performance?'"
kind = "judgement"

[advice]
summary = "The average network time of channel {channel_name} with {connection_name} is {observed:,.0f} µs; {expected_network_us:,.0f} µs are expected with a latency of {latency_us:,.0f} µs in each direction (limit: that time multiplied by {factor})."
remedy  = "Ask the network team about loss and queueing on this link. Larger batches, several channels or a gateway with fasp.io reduce the effect. AT-TLS and exits of the partner add to the network time."
report  = "channel/network"
---*/
SELECT
  q.lpar, q.qmgr, q.channel_name, q.connection_name, q.channel_start_utc, q.interval_start_utc, q.interval_seconds, q.record_id,
  'channel ' || q.channel_name     AS subject,
  q.network_average_us             AS observed,
  q.expected_network_us, q.latency_us, q.batches,
  $factor * q.expected_network_us  AS network_us_max
FROM channel_delay AS q
JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
WHERE q.network_average_us > 0
