/*---
id          = "CH001"
name        = "every-adapter-in-use"
title       = "No adapter task was left idle"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.adapter_least_busy_pct"]
prints      = ["channel_initiator.adapters", "channel_initiator.adapter_average_pct", "channel_initiator.adapter_requests"]
judge       = "any interval"
worst       = "highest"
culprits    = ["adapter time", "channel calls"]
measure     = "busy time of the least busy adapter"
when        = "observed >= idle_busy_pct"
guards      = ["G1", "G2"]
caused_by   = ["CH031", "CH004", "BP001", "BP002", "LG001", "LG002", "LG004", "CF006", "DB001"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
raises      = ["CHIADAPS"]
do_of_plan  = "chinit_adapters"
plans       = ["chinit_adapters"]

[threshold.idle_busy_pct]
value = 1.0
unit  = "percent"
kind  = "documented"
why   = "the first free adapter takes each request, so an adapter below 1 % busy was not needed; idle tasks still show some requests"
cite  = "IBM documentation, adapter tasks"

[source]
cite = "MP16, 'CHIADAPS'; V92, 'Channel initiator tasks and local lock' (one unused adapter); IBM documentation, adapter tasks"

[advice]
summary = "All {adapters} adapter[s] [were|was] in use: the least busy one was {observed:.1f} % busy (an adapter below {idle_busy_pct} % counts as idle), the average was {adapter_average_pct:.1f} %."
remedy  = "Requests may have had to wait. If channels only do AMS interception, more adapters may only increase the time for local locks."
report  = "channel_initiator/adapters"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'adapters'                AS subject,
  adapter_least_busy_pct    AS observed,
  adapters, adapter_average_pct
FROM channel_initiator
WHERE adapters > 0
