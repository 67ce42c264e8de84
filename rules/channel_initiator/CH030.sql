/*---
id          = "CH030"
name        = "tls-requests-wait-outside"
title       = "TLS requests wait outside the queue manager"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "task_index"]
needs       = ["chinit_task_service.request_us"]
prints      = ["chinit_task_service.task_index", "chinit_task_service.task_requests", "chinit_task_service.task_busy_pct", "chinit_task_service.cpu_times_more"]
judge       = "3 consecutive"
worst       = "highest"
victims     = ["TLS starts"]
breach_when = "slow and longer and same_work"
judged_when = "slots_compared >= $slots_min"
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
do          = ["Check the cryptographic coprocessors and accelerators (RMF crypto hardware activity) and ICSF, then the CRL and OCSP servers and the CPU delay of the channel initiator."]

[threshold.times_longer_min]
value = 5.0
unit  = "ratio"
kind  = "judgement"
why   = "the mix of requests changes the average by a factor of two or three; five times the median is another state"

[threshold.longer_us_min]
value = 1000
unit  = "us"
kind  = "judgement"
why   = "a task is bound to its channels: each message waits that much longer"

[threshold.cpu_times_max]
value = 1.5
unit  = "ratio"
kind  = "judgement"
why   = "with as much CPU time per request as usual, the requests do the same work and only wait longer"

[threshold.slots_min]
value = 8
unit  = "count"
kind  = "judgement"
why   = "the median of fewer intervals with at least 100 requests is not what is usual"

[clause.slow]
when    = "observed >= times_longer_min"
measure = "time per request, compared with its median"

[clause.longer]
when    = "request_longer_us >= longer_us_min"
measure = "more time per request"

[clause.same_work]
when    = "cpu_times_more <= cpu_times_max"
measure = "CPU time per request, compared with its median"

[source]
cite = "MP16, 'SSLTASK statistics'; V92, 'Secret key (re-)negotiation costs'"

[advice]
summary = "Requests of TLS task {task_index} wait outside MQ: they took {request_us:,.0f} µs, {observed:.1f} times their median of {usual_request_us:,.0f} µs (limit {times_longer_min}), with as much CPU time as usual ({request_cpu_us:,.0f} µs); the task was {task_busy_pct:.1f} % busy."
remedy  = "More TLS tasks do not shorten a wait outside MQ."
report  = "channel_initiator/ssl_tasks"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  task_index,
  'TLS task ' || task_index AS subject,
  request_times_longer      AS observed,
  task_requests, task_busy_pct, request_us, usual_request_us, request_longer_us, request_cpu_us, cpu_times_more, slots_compared
FROM chinit_task_service
WHERE task_type = 'ssl'
