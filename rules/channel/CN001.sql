/*---
id          = "CN001"
name        = "channels-at-configured-limit"
title       = "Channels nearly fill a configured limit"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["chinit_channel_limit.nearest_limit_pct"]
prints      = ["chinit_channel_limit.chinit_31_mib", "chinit_channel_limit.nearest_limit", "chinit_channel_limit.nearest_limit_value", "chinit_channel_limit.nearest_limit_channels"]
judge       = "any interval"
worst       = "highest"
measure     = "channels as a share of the limit"
when        = "observed >= pct_max"
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT", "DISPLAY QMGR ACTCHL LU62CHL MAXCHL TCPCHL"]
do          = ["ALTER QMGR<< MAXCHL({maxchl})>><< ACTCHL({actchl})>><< TCPCHL({tcpchl})>>"]
raises      = ["MAXCHL", "ACTCHL", "TCPCHL"]
do_unless   = { CH013 = "No limit of channels is raised: the 31-bit storage of the channel initiator does not hold more channels (CH013). Get storage first." }

[size.maxchl]
when      = "CASE WHEN channels_at_most IS NOT NULL THEN false WHEN maxchl_binds IS NOT NULL AND actchl_binds IS NOT NULL AND tcpchl_binds IS NOT NULL THEN true END"
formula   = "CASE WHEN maxchl_binds THEN channels_wanted END"
cost      = "That is {more_pct:.0f} % more than the {nearest_limit_value} of {nearest_limit}. The lowest of MAXCHL, ACTCHL and TCPCHL decides, and LU62CHL for channels of LU 6.2<<; the channel initiator uses {chinit_31_mib:,.0f} MB of 31-bit storage for the channels that it has now>>. Restart the channel initiator to use it; that ends all its channels."
otherwise = "The limit {nearest_limit} cannot be raised: {channels_at_most} is its largest value. Divide the channels between queue managers."
unknown   = "The records do not show each limit of channels: check MAXCHL, ACTCHL and TCPCHL with DISPLAY QMGR."

[size.actchl]
when      = "CASE WHEN channels_at_most IS NOT NULL THEN false WHEN maxchl_binds IS NOT NULL AND actchl_binds IS NOT NULL AND tcpchl_binds IS NOT NULL THEN true END"
formula   = "CASE WHEN actchl_binds THEN channels_wanted END"
cost      = "That is {more_pct:.0f} % more than the {nearest_limit_value} of {nearest_limit}. The lowest of MAXCHL, ACTCHL and TCPCHL decides, and LU62CHL for channels of LU 6.2<<; the channel initiator uses {chinit_31_mib:,.0f} MB of 31-bit storage for the channels that it has now>>. Restart the channel initiator to use it; that ends all its channels."
otherwise = "The limit {nearest_limit} cannot be raised: {channels_at_most} is its largest value. Divide the channels between queue managers."
unknown   = "The records do not show each limit of channels: check MAXCHL, ACTCHL and TCPCHL with DISPLAY QMGR."

[size.tcpchl]
when      = "CASE WHEN channels_at_most IS NOT NULL THEN false WHEN maxchl_binds IS NOT NULL AND actchl_binds IS NOT NULL AND tcpchl_binds IS NOT NULL THEN true END"
formula   = "CASE WHEN tcpchl_binds THEN channels_wanted END"
cost      = "That is {more_pct:.0f} % more than the {nearest_limit_value} of {nearest_limit}. The lowest of MAXCHL, ACTCHL and TCPCHL decides, and LU62CHL for channels of LU 6.2<<; the channel initiator uses {chinit_31_mib:,.0f} MB of 31-bit storage for the channels that it has now>>. Restart the channel initiator to use it; that ends all its channels."
otherwise = "The limit {nearest_limit} cannot be raised: {channels_at_most} is its largest value. Divide the channels between queue managers."
unknown   = "The records do not show each limit of channels: check MAXCHL, ACTCHL and TCPCHL with DISPLAY QMGR."

[threshold.pct_max]
value = 90.0
unit  = "percent"
kind  = "guidance"
why   = "the usual limit of monitors for a critical state; the counts can miss a peak between two records"

[source]
cite = "IBM documentation, channel initiator statistics and queue manager attributes MAXCHL, ACTCHL and TCPCHL; OMEGAMON, channel health (90 % critical)"

[advice]
summary = "{nearest_limit_channels} channel[s] of {nearest_limit_value} allowed by {nearest_limit} ({observed:.1f} %, limit {pct_max} %): further channels cannot start when the limit is reached, and clients are refused."
remedy  = "Find out who connects (report channel/short_lived) and close what is not used. Before raising {nearest_limit}, check the 31-bit storage of the channel initiator (CH013)."
report  = "channel_initiator/summary"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'channels'                AS subject,
  nearest_limit_pct         AS observed,
  nearest_limit, nearest_limit_value, nearest_limit_channels, chinit_31_mib,
  channels_wanted, more_pct, channels_at_most, maxchl_binds, actchl_binds, tcpchl_binds
FROM chinit_channel_limit
