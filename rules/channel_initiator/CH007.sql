/*---
id          = "CH007"
name        = "too-many-channels-per-dispatcher"
title       = "Many channels for each dispatcher"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.channels_per_dispatcher"]
prints      = ["channel_initiator.dispatchers", "channel_initiator.current_channels", "channel_initiator.dispatcher_busiest_pct"]
judge       = "share >= 25 %"
weighted_by = "interval_seconds"
weighted_min = 14400
worst       = "highest"
culprits    = ["channels"]
breach_when = "many and few"
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
raises      = ["CHIDISPS"]
do_of_plan  = "chinit_dispatchers"
plans       = ["chinit_dispatchers"]

[threshold.channels_per_dispatcher_max]
value = 50
unit  = "count"
kind  = "documented"
why   = "the IBM documentation advises one dispatcher per 50 channels"
cite  = "IBM documentation, channel initiator dispatchers"

[threshold.dispatchers_enough]
value = 20
unit  = "count"
kind  = "documented"
why   = "IBM advises 20 for many channels and has seen no need for more than that"
cite  = "MP16, 'CHIDISPS and MAXCHL'"

[clause.many]
when    = "observed > channels_per_dispatcher_max"
measure = "channel[s] per dispatcher"

[clause.few]
when    = "dispatchers < dispatchers_enough"
measure = "dispatcher[s]"

[source]
cite = "IBM documentation, channel initiator dispatchers; MP16, 'CHIDISPS and MAXCHL'"

[advice]
summary = "Each dispatcher has {observed:.0f} channel[s] on average (limit {channels_per_dispatcher_max}): {current_channels} channel[s] on {dispatchers} dispatcher[s]; the busiest one was {dispatcher_busiest_pct:.1f} % busy."
remedy  = "A large message or a burst of handshakes delays all channels of its dispatcher. If most channels are idle, leave the number of dispatchers ({dispatchers_enough} are enough) unchanged: use the fewest dispatchers that stay below capacity."
report  = "channel_initiator/dispatchers"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'dispatchers'             AS subject,
  channels_per_dispatcher   AS observed,
  dispatchers, current_channels, dispatcher_busiest_pct
FROM channel_initiator
WHERE dispatchers > 0
