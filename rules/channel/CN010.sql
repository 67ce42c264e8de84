/*---
id          = "CN010"
name        = "channel-network-or-exit-spikes"
title       = "The longest network or exit time is far above the average"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "channel_name"]
mark_by     = ["connection_name", "channel_start_utc"]
needs_any   = [["channel_delay.network_longest_us", "channel_delay.exit_longest_us"]]
prints      = ["channel_delay.network_average_us", "channel_delay.network_spread", "channel_delay.network_longest_at_utc", "channel_delay.exit_average_us", "channel_delay.exit_longest_at_utc"]
judge       = "share >= 10 %"
worst       = "highest"
breach_when = "(network_long and network_spike) or (exit_long and exit_spike)"
mq_since    = "8.0.0"
look        = ["DISPLAY CHSTATUS({channel_name}) CONNAME EXITTIME NETTIME XQTIME"]

[threshold.network_us]
value = 1000000
unit  = "us"
kind  = "judgement"
why   = "a round trip of one second is noticed on any link, microseconds assumed as in DISPLAY CHSTATUS"

[threshold.exit_us]
value = 100000
unit  = "us"
kind  = "judgement"
why   = "an exit holds up its channel"

[threshold.factor]
value = 10.0
unit  = "ratio"
kind  = "judgement"
why   = "far links have long times, but even ones"

[clause.network_long]
when    = "observed > network_us"
measure = "longest network time"
summary = "The longest network time of channel {channel_name} with {connection_name} was {network_longest_us:,.0f} µs (limit {network_us:,} µs; average {network_average_us:,.0f} µs), at {network_longest_at_utc}."
remedy  = "Check retransmissions (NETSTAT) and the partner at that time. With AT-TLS the network time includes encryption."

[clause.network_spike]
when    = "network_spread > factor"
missing = "fails"
measure = "longest network time as a multiple of the average"

[clause.exit_long]
when    = "exit_longest_us > exit_us"
measure = "longest exit time"
summary = "The longest exit time of channel {channel_name} with {connection_name} was {exit_longest_us:,.0f} µs (limit {exit_us:,} µs; average {exit_average_us:,.0f} µs), at {exit_longest_at_utc}."
remedy  = "Check what the exit of the channel waits for. If channels start often, add the CSQXLIB libraries to LLA with FREEZE, so that loading exits needs no I/O."

[clause.exit_spike]
when    = "exit_spread > factor"
missing = "fails"
measure = "longest exit time as a multiple of the average"

[source]
cite = "IBM documentation, channel accounting data; V92, 'Does achieved batch size affect Aspera fasp.io gateway performance?'; MP16, 'Performance comparison' of AT-TLS, 'Frequent loading of exits - for example, channel start or restart after failure' and 'Troubleshooting network issues'"

[advice]
summary = "The longest network time of channel {channel_name} was {network_longest_us:,.0f} µs (limit {network_us:,} µs), the longest exit time {exit_longest_us:,.0f} µs (limit {exit_us:,} µs); a spike is above the average multiplied by {factor:.0f}."
remedy  = "Check the network, the partner and the exits of the channel at that time."
report  = "channel/network"
---*/
SELECT
  lpar, qmgr, channel_name, connection_name, channel_start_utc, interval_start_utc, interval_seconds, record_id,
  'channel ' || channel_name AS subject,
  network_longest_us         AS observed,
  network_longest_us, network_average_us, network_spread, network_longest_at_utc,
  exit_longest_us, exit_average_us, exit_spread, exit_longest_at_utc
FROM channel_delay
