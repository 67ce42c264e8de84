/*---
id          = "CN003"
name        = "channel-count-near-practical-ceiling"
title       = "The number of channels approaches what one channel initiator can hold"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["chinit_channel_limit.current_channels"]
prints      = ["chinit_channel_limit.chinit_31_mib"]
judge       = "any interval"
worst       = "highest"
measure     = "current channel[s]"
when        = "observed >= channels_from"
silenced_by = ["CN001", "CN002"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT", "DISPLAY QMGR ACTCHL LU62CHL MAXCHL TCPCHL"]
plans       = ["chinit_max_channels"]

[threshold.practical_max]
value = 9000
unit  = "count"
kind  = "documented"
why   = "about as many channels fit in the 31-bit storage of many systems; 9999 is the highest MAXCHL"
cite  = "MP16, 'What limits the maximum number of channels?'"

[threshold.pct]
value = 80.0
unit  = "percent"
kind  = "documented"
why   = "IBM recommends that the storage of the channel initiator is not used above 80 %"
cite  = "MP16, 'Rule of Thumb for channel initiator storage usage'"

[source]
cite = "MP16, 'What limits the maximum number of channels?' and 'Rule of Thumb for channel initiator storage usage'"
kind = "documented"

[advice]
summary = "{observed:.0f} current channel[s]; about {practical_max} fit in one channel initiator (limit {pct} % of these). It uses {chinit_31_mib:.0f} MB of 31-bit storage."
remedy  = "Spread the clients over a second queue manager, let several conversations share a channel (SHARECNV), and move clients with large messages to MQ 9.4, which keeps their buffers in 64-bit storage. Clients with SHARECNV(0) and small messages can reach 9999."
report  = "channel_initiator/summary"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'channels'                    AS subject,
  current_channels              AS observed,
  chinit_31_mib,
  $pct * $practical_max / 100.0 AS channels_from
FROM chinit_channel_limit
