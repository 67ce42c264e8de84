/*---
id          = "CN002"
like        = "CN001"
name        = "channels-near-configured-limit"
title       = "The channels are close to a configured limit"
severity    = "warning"
silenced_by = ["CN001"]

[threshold.pct_max]
value = 80.0
why   = "the usual limit of monitors for a warning; MP1B warns at 50 % of the active channels (MQCHIN001W)"

[source]
cite = "OMEGAMON, channel health (80 % warning); MP1B, channel initiator summary; IBM documentation, channel initiator statistics"

[advice]
summary = "{nearest_limit_channels} channel[s] of {nearest_limit_value} allowed by {nearest_limit} ({observed:.1f} %, limit {pct_max} %): there is little room if many clients reconnect at once."
remedy  = "Find out who connects (report channel/short_lived); before raising {nearest_limit}, check the 31-bit storage of the channel initiator (CH013)."
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'channels'                AS subject,
  nearest_limit_pct         AS observed,
  nearest_limit, nearest_limit_value, nearest_limit_channels, chinit_31_mib,
  channels_wanted, more_pct, channels_at_most, maxchl_binds, actchl_binds, tcpchl_binds
FROM chinit_channel_limit
