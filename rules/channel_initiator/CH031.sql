/*---
id          = "CH031"
name        = "adapter-requests-wait-outside"
title       = "Adapter requests wait much longer than usual"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "task_index"]
needs       = ["chinit_task_service.request_us"]
prints      = ["chinit_task_service.task_index", "chinit_task_service.task_requests", "chinit_task_service.task_busy_pct", "chinit_task_service.cpu_times_more"]
judge       = "3 consecutive"
worst       = "highest"
victims     = ["adapter time", "channel calls"]
breach_when = "(slow and longer and same_work and outside) or (slow and longer and same_work and log)"
judged_when = "slots_compared >= $slots_min"
caused_by   = ["BP001", "BP002", "LG002", "LG004", "CF006", "DB001", "PS007"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
do          = ["Check {where_to_look}."]

[threshold.times_longer_min]
value = 5.0
unit  = "ratio"
kind  = "judgement"
why   = "the mix of requests changes the average by a factor of two or three; five times the median is another state"

[threshold.longer_us_min]
value = 5000
unit  = "us"
kind  = "judgement"
why   = "calls of channels that wait for log writes or a get with wait differ by milliseconds"

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

[clause.outside]
when    = "waits_outside is true"
measure = "log and persistent share"
text    = "log and persistent share as usual"
clear   = "log or persistent share not as usual"

[clause.log]
when    = "log_as_much_longer is true"
measure = "log write time"
text    = "log writes as much longer"
clear   = "log writes not as much longer"

[source]
cite = "V92, 'Why might the adapter elapsed time be significantly larger than the CPU time?'; AMSI, 'Why might the adapter elapsed time be significantly larger than the CPU time?'"

[advice]
summary = "Requests of adapter {task_index} wait {waits_text}: they took {request_us:,.0f} µs, {observed:.1f} times their median of {usual_request_us:,.0f} µs (limit {times_longer_min}), with as much CPU time as usual ({request_cpu_us:,.0f} µs); the adapter was {task_busy_pct:.1f} % busy<<. A log write took {log_write_us:,.0f} µs>>."
remedy  = "More adapters do not shorten a wait outside MQ."
report  = "channel_initiator/adapter_wait"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  task_index,
  'adapter ' || task_index AS subject,
  request_times_longer      AS observed,
  task_requests, task_busy_pct, request_us, usual_request_us, request_longer_us, request_cpu_us, cpu_times_more, slots_compared, log_write_us, waits_outside, log_as_much_longer,
  CASE WHEN log_as_much_longer THEN 'for the log' ELSE 'outside MQ' END AS waits_text,
  CASE WHEN log_as_much_longer THEN 'the log volumes: report log/io and the RMF device activity'
    ELSE 'page set I/O (page_set/io), the coupling facility (cf/structures), Db2, cryptographic hardware if AMS intercepts, and the CPU delay of the channel initiator' END AS where_to_look
FROM chinit_task_service
WHERE task_type = 'adapter'
