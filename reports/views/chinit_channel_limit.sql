/*---
id      = "chinit_channel_limit"
title   = "The channel limit that is nearest"
grain   = "one row per lpar, qmgr and channel initiator interval"
needs   = ["channel_initiator"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "Of MAXCHL, ACTCHL and TCPCHL the one with the highest share in use. TCP/IP channels are not counted separately: all active channels are compared with TCPCHL."

[columns]
nearest_limit = { unit = "text", doc = "Name of the limit: MAXCHL, ACTCHL or TCPCHL." }
nearest_limit_value = { unit = "count", doc = "The limit.", over_time = "last", across = "same" }
nearest_limit_channels = { unit = "count", doc = "Channels that count against it.", over = "max" }
nearest_limit_pct = { unit = "percent", doc = "Channels as a share of the limit.", over = "max" }
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  current_channels, active_channels, chinit_31_mib,
  CASE greatest(current_channels_pct, active_channels_pct, tcp_channels_pct)
    WHEN current_channels_pct THEN 'MAXCHL' WHEN active_channels_pct THEN 'ACTCHL' WHEN tcp_channels_pct THEN 'TCPCHL' END AS nearest_limit,
  CASE greatest(current_channels_pct, active_channels_pct, tcp_channels_pct)
    WHEN current_channels_pct THEN max_channels WHEN active_channels_pct THEN max_active_channels WHEN tcp_channels_pct THEN max_tcp_channels
  END                                                                    AS nearest_limit_value,
  CASE greatest(current_channels_pct, active_channels_pct, tcp_channels_pct)
    WHEN current_channels_pct THEN current_channels WHEN active_channels_pct THEN active_channels WHEN tcp_channels_pct THEN active_channels
  END                                                                    AS nearest_limit_channels,
  greatest(current_channels_pct, active_channels_pct, tcp_channels_pct)  AS nearest_limit_pct
FROM channel_initiator
