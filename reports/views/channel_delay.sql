/*---
id      = "channel_delay"
title   = "Network and exit times of channels"
grain   = "one row per lpar, qmgr, accounting interval and channel instance with a network or exit time"
needs   = ["channel", "channel_site"]
classes = ["116.10"]
mq_since = "8.0.0"
note    = "The longest time is kept until a longer one occurs: it is shown only in the first interval that has its time stamp. Microseconds are assumed, as in DISPLAY CHSTATUS."

[columns]
channel_name = { label = "", screen = 0 }
network_longest_us = { doc = "Longest network time if it is new in this interval, else null." }
exit_longest_us = { doc = "Longest time in exits if it is new in this interval, else null." }
exit_spread = { unit = "ratio", doc = "Longest exit time as a multiple of the average.", over = "max" }
expected_network_us = { unit = "us", doc = "Network time that the latency explains: one way and back.", over_time = "last", across = "same" }
---*/
WITH
measured AS (
  SELECT
    lpar, qmgr, source_id, record_id, interval_start_utc, interval_seconds, channel_name, connection_name, channel_start_utc, batches,
    network_average_us, network_longest_us, network_longest_at_utc, network_spread, exit_average_us, exit_longest_us, exit_longest_at_utc,
    lag(network_longest_at_utc) OVER instance AS network_before_utc,
    lag(exit_longest_at_utc) OVER instance    AS exit_before_utc
  FROM channel
  WHERE channel_name IS NOT NULL AND (network_longest_us > 0 OR exit_longest_us > 0 OR network_average_us > 0 OR exit_average_us > 0)
  WINDOW instance AS (PARTITION BY lpar, qmgr, channel_name, connection_name, channel_start_utc ORDER BY interval_start_utc)
)
SELECT
  q.lpar, q.qmgr, q.source_id, q.record_id, q.interval_start_utc, q.interval_seconds, q.channel_name, q.connection_name, q.channel_start_utc,
  q.batches, q.network_average_us,
  CASE WHEN q.network_before_utc IS NULL OR q.network_longest_at_utc <> q.network_before_utc THEN nullif(q.network_longest_us, 0) END AS network_longest_us,
  q.network_longest_at_utc, q.network_spread,
  q.exit_average_us,
  CASE WHEN q.exit_before_utc IS NULL OR q.exit_longest_at_utc <> q.exit_before_utc THEN nullif(q.exit_longest_us, 0) END AS exit_longest_us,
  q.exit_longest_at_utc,
  q.exit_longest_us / nullif(q.exit_average_us, 0) AS exit_spread,
  s.latency_us,
  2 * s.latency_us                                 AS expected_network_us
FROM measured AS q
LEFT JOIN channel_site AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.channel_name = q.channel_name
  AND s.connection_name IS NOT DISTINCT FROM q.connection_name
