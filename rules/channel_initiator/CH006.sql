/*---
id          = "CH006"
name        = "dispatcher-load-skewed"
title       = "One dispatcher was busy while another was idle"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.dispatcher_busiest_pct", "channel_initiator.dispatcher_least_busy_pct"]
prints      = ["channel_initiator.dispatchers", "channel_initiator.active_channels", "channel_initiator.max_channels", "channel_initiator.expected_first_group"]
judge       = "share >= 25 %"
weighted_by = "interval_seconds"
weighted_min = 14400
worst       = "highest"
key_figure  = "dispatcher_busiest_pct"
culprits    = ["channel time"]
caused_by   = ["CN012", "CN014"]
breach_when = "busy and idle"
guards      = ["G1", "G2"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
lowers      = ["MAXCHL"]
plans       = ["chinit_dispatchers"]

[threshold.busy_pct]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "below it an uneven spread does no harm; in IBM's test throughput stopped growing at 58 %"

[threshold.idle_pct]
value = 5.0
unit  = "percent"
kind  = "judgement"
why   = "the dispatcher does next to nothing"

[clause.busy]
when    = "observed > busy_pct"
measure = "busy time of the busiest dispatcher"

[clause.idle]
when    = "dispatcher_least_busy_pct < idle_pct"
measure = "busy time of the least busy dispatcher"

[source]
cite = "MP16, 'CHIDISPS and MAXCHL'"

[advice]
summary = "The busiest dispatcher was {observed:.1f} % busy (limit {busy_pct} %) while the least busy of the {dispatchers} was {dispatcher_least_busy_pct:.1f} % busy (limit {idle_pct} %), with {active_channels} active channel[s]. The first {expected_first_group} channel[s] to start share one dispatcher (MAXCHL is {max_channels})."
remedy  = "A channel stays on the dispatcher it started on. Lower MAXCHL to the number of channels you need, so that fewer of them start on the same dispatcher, and restart busy channels. In IBM's test, spreading them raised throughput by 50 %."
report  = "channel_initiator/task_balance"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'dispatchers'             AS subject,
  dispatcher_busiest_pct    AS observed,
  dispatchers, dispatcher_least_busy_pct, active_channels, max_channels, expected_first_group
FROM channel_initiator
-- Fewer channels than dispatchers cannot keep all dispatchers busy.
WHERE dispatchers > 1 AND active_channels >= dispatchers
