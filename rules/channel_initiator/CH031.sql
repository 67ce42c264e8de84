/*---
id          = "CH031"
like        = "CH030"
name        = "adapter-requests-wait-outside"
title       = "Adapter requests wait much longer than usual"
victims     = ["adapter time", "channel calls"]
breach_when = "(slow and longer and same_work and outside) or (slow and longer and same_work and log)"
caused_by   = ["BP001", "BP002", "LG002", "LG004", "CF006", "DB001", "PS007"]
do          = ["Check {where_to_look}."]

[threshold.longer_us_min]
value = 5000
why   = "calls of channels that wait for log writes or a get with wait differ by milliseconds"

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
  task_requests, task_busy_pct, request_us, usual_request_us, request_longer_us, request_cpu_us, cpu_times_more,
  slots_compared, log_write_us, waits_outside, log_as_much_longer,
  CASE WHEN log_as_much_longer THEN 'for the log' ELSE 'outside MQ' END AS waits_text,
  CASE WHEN log_as_much_longer THEN 'the log volumes: report log/io and the RMF device activity'
    ELSE 'page set I/O (page_set/io), the coupling facility (cf/structures), Db2, cryptographic hardware if AMS intercepts, '
      || 'and the CPU delay of the channel initiator'
  END AS where_to_look
FROM chinit_task_service
WHERE task_type = 'adapter'
