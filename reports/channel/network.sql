/*---
id         = "channel/network"
title      = "Network and exit time"
question   = "Is a channel slow because of the network, an exit or the partner?"
needs      = ["channel", "channel_site"]
rules      = ["CN010", "CN011", "CN016"]
grain      = ["lpar", "qmgr", "channel_name", "connection_name"]
unmarked   = "A row is a channel with one partner over the period; the rules judge intervals of instances or whole channels."
drill_down = ["overview/compare", "channel/batches"]
site_input = ["latency_us"]
mq_since   = "8.0.0"
note       = "Microseconds are assumed, as in DISPLAY CHSTATUS. With AT-TLS the network time includes encryption."

[columns]
channel_name = { label = "channel", screen = 1 }
connection_name = { label = "connection", screen = 1 }
channel_type_name = { screen = 3 }
intervals = { unit = "count", label = "intervals", screen = 3, doc = "Rows of the channel with this partner.", over = "max" }
network_average_us = { screen = 1, doc = "Average network time, weighted by batches; microseconds assumed." }
network_shortest_us = { label = "network min µs", screen = 2 }
network_longest_us = { label = "network max µs", screen = 1 }
network_longest_at_utc = { label = "network max at", screen = 2 }
exit_average_us = { screen = 1, doc = "Average time in exits, weighted by batches; microseconds assumed." }
exit_longest_us = { label = "exit max µs", screen = 1 }
exit_longest_at_utc = { label = "exit max at", screen = 3 }
transmission_queue_empty = { screen = 3 }
peak_mib_per_s = { unit = "mib_per_s", label = "peak MiB/s", screen = 2, doc = "Highest rate of data sent and received in an interval.", over = "max" }
compression_rate_pct = { screen = 2, doc = "Mean of the compression rates, weighted by batches; percent assumed.", ratio = { numerator = "compression_rate_pct * greatest(batches, 1)", denominator = "greatest(batches, 1)" }, why = "A row is the mean of the period, not the rate at its end." }
compression_wasted = { unit = "flag", label = "compression wasted", screen = 3, doc = "Compression is on and never saved 10 %." }
batches_per_s_possible = { unit = "per_s", label = "batches/s possible", screen = 3, doc = "Batches per second if the round trip of each is the only limit.", over = "min" }
expected_network_us = { unit = "us", label = "expected µs", screen = 2, doc = "Network time that the latency of the site file explains: one way and back.", over = "same" }
---*/
WITH total AS (
  SELECT
    lpar, qmgr, channel_name, connection_name,
    max(channel_type_name)                        AS channel_type_name,
    count(*)                                      AS intervals,
    sum(batches) FILTER (network_average_us > 0)  AS batches,
    sum(network_average_us::DOUBLE * batches) / nullif(sum(batches) FILTER (network_average_us > 0), 0) AS network_average_us,
    min(network_shortest_us)                      AS network_shortest_us,
    max(network_longest_us)                       AS network_longest_us,
    arg_max(network_longest_at_utc, (network_longest_us, -epoch_us(interval_start_utc))) AS network_longest_at_utc,
    sum(exit_average_us::DOUBLE * greatest(batches, 1)) / sum(greatest(batches, 1)) FILTER (exit_average_us IS NOT NULL) AS exit_average_us,
    min(exit_shortest_us)                         AS exit_shortest_us,
    max(exit_longest_us)                          AS exit_longest_us,
    arg_max(exit_longest_at_utc, (exit_longest_us, -epoch_us(interval_start_utc))) AS exit_longest_at_utc,
    max(dns_resolution_time)                      AS dns_resolution_time,
    sum(put_retries)::BIGINT                      AS put_retries,
    sum(transmission_queue_empty)::BIGINT         AS transmission_queue_empty,
    max(sent_mib_per_s + received_mib_per_s)      AS peak_mib_per_s,
    sum(compression_rate_pct::DOUBLE * greatest(batches, 1)) / sum(greatest(batches, 1)) FILTER (compression_rate_pct IS NOT NULL) AS compression_rate_pct,
    max(compression_rate_pct) > 0 AND max(compression_rate_pct) < 10 AS compression_wasted
  FROM channel
  WHERE channel_name IS NOT NULL
  GROUP BY lpar, qmgr, channel_name, connection_name
)
SELECT
  t.lpar, t.qmgr, t.channel_name, t.connection_name, t.channel_type_name, t.intervals, t.network_average_us, t.network_shortest_us,
  t.network_longest_us, t.network_longest_at_utc, t.network_longest_us / nullif(t.network_average_us, 0) AS network_spread, t.exit_average_us, t.exit_shortest_us, t.exit_longest_us,
  t.exit_longest_at_utc, t.dns_resolution_time, t.put_retries, t.transmission_queue_empty, t.peak_mib_per_s, t.compression_rate_pct,
  t.compression_wasted, 1e6 / nullif(t.network_average_us, 0) AS batches_per_s_possible,
  2 * s.latency_us AS expected_network_us
FROM total AS t
LEFT JOIN channel_site AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr AND s.channel_name = t.channel_name
  AND s.connection_name IS NOT DISTINCT FROM t.connection_name
ORDER BY network_average_us DESC NULLS LAST, lpar, qmgr, channel_name, connection_name
