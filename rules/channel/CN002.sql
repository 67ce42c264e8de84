/*---
id          = "CN002"
name        = "channels-near-configured-limit"
title       = "The channels are close to a configured limit"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["chinit_channel_limit.nearest_limit_pct"]
prints      = ["chinit_channel_limit.nearest_limit", "chinit_channel_limit.nearest_limit_value", "chinit_channel_limit.nearest_limit_channels"]
judge       = "any interval"
worst       = "highest"
measure     = "channels as a share of the limit"
when        = "observed >= pct_max"
silenced_by = ["CN001"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT", "DISPLAY QMGR ACTCHL LU62CHL MAXCHL TCPCHL"]

[threshold.pct_max]
value = 80.0
unit  = "percent"
kind  = "guidance"
why   = "the usual limit of monitors for a warning; MP1B warns at 50 % of the active channels (MQCHIN001W)"

[source]
cite = "OMEGAMON, channel health (80 % warning); MP1B, channel initiator summary; IBM documentation, channel initiator statistics"

[advice]
summary = "{nearest_limit_channels} channel[s] of {nearest_limit_value} allowed by {nearest_limit} ({observed:.1f} %, limit {pct_max} %): there is little room if many clients reconnect at once."
remedy  = "Find out who connects (report channel/short_lived), and raise {nearest_limit} with ALTER QMGR before it is reached; check the 31-bit storage of the channel initiator first (CH013)."
report  = "channel_initiator/summary"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'channels'                AS subject,
  nearest_limit_pct         AS observed,
  nearest_limit, nearest_limit_value, nearest_limit_channels
FROM chinit_channel_limit
