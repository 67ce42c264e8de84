/*---
id       = "channel_initiator/channels"
title    = "Channels against their limits"
question = "How close are the channels to MAXCHL, ACTCHL and TCPCHL?"
kind     = "line"
unit     = "percent"
worst    = "highest"
report   = "channel_initiator/summary"
needs    = ["channel_initiator"]
rules    = ["CN001", "CN002"]
limits   = [
  { rule = "CN002", threshold = "pct_max", text = "close to a limit from" },
  { rule = "CN001", threshold = "pct_max", text = "at a limit from" },
  { column = "all_channels_pct", text = "no more can start at" },
]
note     = "The share of TCPCHL also counts LU 6.2 channels, so it is an upper bound."
---*/
SELECT lpar, qmgr, 'current, of MAXCHL' AS series, interval_start_utc, interval_seconds, current_channels_pct AS value, 100 AS all_channels_pct,
  CASE WHEN current_channels_pct >= greatest(current_channels_pct, active_channels_pct, tcp_channels_pct) THEN 'CN001 CN002' ELSE '' END AS judged_by
FROM channel_initiator
UNION ALL
SELECT lpar, qmgr, 'active, of ACTCHL' AS series, interval_start_utc, interval_seconds, active_channels_pct AS value, 100 AS all_channels_pct,
  CASE WHEN active_channels_pct >= greatest(current_channels_pct, active_channels_pct, tcp_channels_pct) THEN 'CN001 CN002' ELSE '' END AS judged_by
FROM channel_initiator
UNION ALL
SELECT lpar, qmgr, 'active, of TCPCHL' AS series, interval_start_utc, interval_seconds, tcp_channels_pct AS value, 100 AS all_channels_pct,
  CASE WHEN tcp_channels_pct >= greatest(current_channels_pct, active_channels_pct, tcp_channels_pct) THEN 'CN001 CN002' ELSE '' END AS judged_by
FROM channel_initiator
