/*---
id       = "channel_initiator/channels"
title    = "Channels against their limits"
question = "How close are the channels to MAXCHL, ACTCHL and TCPCHL?"
kind     = "line"
unit     = "percent"
worst    = "highest"
report   = "channel_initiator/summary"
needs    = ["channel_initiator"]
limits   = [{ column = "all_channels_pct", text = "no more can start at" }]
note     = "The share of TCPCHL also counts LU 6.2 channels, so it is an upper bound."
---*/
SELECT lpar, qmgr, 'current, of MAXCHL' AS series, interval_start_utc, interval_seconds, current_channels_pct AS value, 100 AS all_channels_pct
FROM channel_initiator
UNION ALL
SELECT lpar, qmgr, 'active, of ACTCHL' AS series, interval_start_utc, interval_seconds, active_channels_pct AS value, 100 AS all_channels_pct
FROM channel_initiator
UNION ALL
SELECT lpar, qmgr, 'active, of TCPCHL' AS series, interval_start_utc, interval_seconds, tcp_channels_pct AS value, 100 AS all_channels_pct
FROM channel_initiator
