/*---
id          = "CH005"
name        = "dispatcher-saturated"
title       = "A dispatcher task was at capacity"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "task_index"]
needs       = ["chinit_dispatcher.task_busy_pct"]
prints      = ["chinit_dispatcher.task_index", "chinit_dispatcher.task_channels", "chinit_dispatcher.task_requests", "chinit_dispatcher.average_request_cpu_us"]
judge       = "2 consecutive"
worst       = "highest"
culprits    = ["channel time"]
measure     = "busy time of the dispatcher"
when        = "observed >= busy_pct"
guards      = ["G1", "G2"]
caused_by   = ["CH006", "CH011", "CN012", "CN014"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
do          = ["CHIDISPS of the queue manager: raise it if all dispatchers are busy, and restart the channel initiator; that ends all its channels."]
raises      = ["CHIDISPS"]
plans       = ["chinit_dispatchers"]

[threshold.busy_pct]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "IBM recommends keeping dispatchers below capacity but gives no number; the peaks in its tests are 58 and 60 %"

[source]
cite = "MP16, 'CHIDISPS and MAXCHL'; V92, 'Guidance for adapters and dispatchers with AMS Interception on z/OS'"

[advice]
summary = "Dispatcher {task_index} was {observed:.1f} % busy (limit {busy_pct} %) with {task_channels} channel[s] and {average_request_cpu_us:.0f} µs of CPU per request: all its channels slow down."
remedy  = "Restart the busiest of these channels, so that they start on another dispatcher. Look for software compression."
report  = "channel_initiator/dispatchers"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  task_index,
  'dispatcher ' || task_index AS subject,
  task_busy_pct             AS observed,
  task_channels, task_requests, average_request_cpu_us
FROM chinit_dispatcher
