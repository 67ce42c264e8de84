/*---
id          = "CH004"
name        = "adapters-waiting-not-working"
title       = "Adapter requests take much longer than their CPU time"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.adapter_average_wait_us", "channel_initiator.wait_share_pct"]
prints      = ["channel_initiator.adapters", "channel_initiator.adapter_requests", "channel_initiator.adapter_average_et_us", "channel_initiator.adapter_average_cpu_us"]
judge       = "share >= 10 %"
weighted_by = "adapter_requests"
weighted_min = 100000
worst       = "highest"
victims     = ["adapter time", "channel calls"]
breach_when = "wait and share"
min_activity = "adapter_requests >= $min_requests"
caused_by   = ["BP001", "BP002", "LG001", "LG002", "LG004"]
mq_since    = "8.0.0"
default_on  = false
look        = ["DISPLAY CHINIT"]

[threshold.wait_us_max]
value = 300
unit  = "us"
kind  = "judgement"
why   = "IBM measured about 320 µs of wait per request when two thirds of an AMS Privacy load failed"

[threshold.wait_pct_min]
value = 50
unit  = "percent"
kind  = "judgement"
why   = "the request waits longer than it works"

[threshold.min_requests]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "an average over fewer requests is not reliable"

[clause.wait]
when    = "observed > wait_us_max"
measure = "wait per adapter request"

[clause.share]
when    = "wait_share_pct > wait_pct_min"
measure = "share of the request time spent waiting"

[source]
cite = "V92, 'Why might the adapter elapsed time be significantly larger than the CPU time?'; AMSI, 'Why might the adapter elapsed time be significantly larger than the CPU time?'"

[advice]
summary = "The {adapter_requests} adapter request[s] waited {observed:.0f} µs on average (limit {wait_us_max} µs), {wait_share_pct:.0f} % of their {adapter_average_et_us:.0f} µs (limit {wait_pct_min} %); CPU time was {adapter_average_cpu_us:.0f} µs."
remedy  = "Check what the adapters wait for: log writes of persistent messages, message selectors, immediate writes of a full buffer pool, or AMS interception (locks and cryptography; see RMF). Persistent work always waits for the log to some extent."
report  = "channel_initiator/adapter_wait"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'adapters'                AS subject,
  adapter_average_wait_us   AS observed,
  adapters, adapter_requests, adapter_average_et_us, adapter_average_cpu_us, wait_share_pct
FROM channel_initiator
