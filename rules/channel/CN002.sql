/*---
id          = "CN002"
name        = "channels-near-configured-limit"
title       = "The channels are close to a configured limit"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["chinit_channel_limit.nearest_limit_pct"]
prints      = ["chinit_channel_limit.chinit_31_mib", "chinit_channel_limit.nearest_limit", "chinit_channel_limit.nearest_limit_value", "chinit_channel_limit.nearest_limit_channels"]
judge       = "any interval"
worst       = "highest"
measure     = "channels as a share of the limit"
when        = "observed >= pct_max"
silenced_by = ["CN001"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT", "DISPLAY QMGR ACTCHL LU62CHL MAXCHL TCPCHL"]
do          = ["ALTER QMGR MAXCHL({maxchl})", "ALTER QMGR ACTCHL({actchl})", "ALTER QMGR TCPCHL({tcpchl})"]

[size.maxchl]
formula   = "CASE WHEN nearest_limit = 'MAXCHL' AND nearest_limit_value < 9999 THEN ceil(nearest_limit_value * 1.25 / 100) * 100 END"
at_most   = 9999
cost      = "That is 25 % more, in whole hundreds. The lowest of MAXCHL, ACTCHL and TCPCHL decides<<; the channel initiator uses {chinit_31_mib:,.0f} MB of 31-bit storage for the channels that it has now>>. Restart the channel initiator to use it; that ends all its channels."
otherwise = ""

[size.actchl]
formula   = "CASE WHEN nearest_limit = 'ACTCHL' AND nearest_limit_value < 9999 THEN ceil(nearest_limit_value * 1.25 / 100) * 100 END"
at_most   = 9999
cost      = "That is 25 % more, in whole hundreds. The lowest of MAXCHL, ACTCHL and TCPCHL decides<<; the channel initiator uses {chinit_31_mib:,.0f} MB of 31-bit storage for the channels that it has now>>. Restart the channel initiator to use it; that ends all its channels."
otherwise = ""

[size.tcpchl]
formula   = "CASE WHEN nearest_limit = 'TCPCHL' AND nearest_limit_value < 9999 THEN ceil(nearest_limit_value * 1.25 / 100) * 100 END"
at_most   = 9999
cost      = "That is 25 % more, in whole hundreds. The lowest of MAXCHL, ACTCHL and TCPCHL decides<<; the channel initiator uses {chinit_31_mib:,.0f} MB of 31-bit storage for the channels that it has now>>. Restart the channel initiator to use it; that ends all its channels."
otherwise = ""

[threshold.pct_max]
value = 80.0
unit  = "percent"
kind  = "guidance"
why   = "the usual limit of monitors for a warning; MP1B warns at 50 % of the active channels (MQCHIN001W)"

[source]
cite = "OMEGAMON, channel health (80 % warning); MP1B, channel initiator summary; IBM documentation, channel initiator statistics"

[advice]
summary = "{nearest_limit_channels} channel[s] of {nearest_limit_value} allowed by {nearest_limit} ({observed:.1f} %, limit {pct_max} %): there is little room if many clients reconnect at once."
remedy  = "Find out who connects (report channel/short_lived); before raising {nearest_limit}, check the 31-bit storage of the channel initiator (CH013)."
report  = "channel_initiator/summary"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'channels'                AS subject,
  nearest_limit_pct         AS observed,
  nearest_limit, nearest_limit_value, nearest_limit_channels, chinit_31_mib
FROM chinit_channel_limit
