/*---
id          = "QU018"
name        = "open-for-each-put"
title       = "One MQOPEN and MQCLOSE per put"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue_group", "application_group"]
needs       = ["queue_application.opens", "queue_application.puts"]
prints      = ["queue_application.open_cpu_us", "queue_application.close_cpu_us", "queue_application.connection_type_name"]
judge       = "whole period"
worst       = "lowest"
measure     = "MQPUT calls per MQOPEN"
when        = "observed <= puts_per_open_max"
min_activity = "opens >= $opens_min"
look        = ["DISPLAY QSTATUS({queue_group}) TYPE(HANDLE) ALL"]
plans       = ["shared_open_cost"]

[threshold.puts_per_open_max]
value = 1.5
unit  = "ratio"
kind  = "judgement"
why   = "nearly every put has an open of its own"

[threshold.opens_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "fewer opens of about 30 µs cost too little to act on"

[source]
cite = "MP16, 'Application level performance considerations' (MQPUT1 only for single puts); IBM consultants' reviews of accounting data (MQOPEN and MQCLOSE take 30 µs)"

[advice]
summary = "{application_group} opened queue {queue_group} {opens} time[s] for {puts} put[s], {observed:.1f} each (limit {puts_per_open_max}); MQOPEN and MQCLOSE took {open_close_cpu_s:.1f} s of CPU time."
remedy  = "{what_to_do} A task that processes many requests should keep the queue open."
report  = "queue/open_patterns"
---*/
SELECT
  lpar, qmgr, queue_group, application_group,
  'queue ' || queue_group || ' by ' || application_group AS subject,
  puts / nullif(opens, 0)   AS observed,
  opens, puts,
  (open_cpu_us + close_cpu_us) / 1e6 AS open_close_cpu_s,
  CASE
    WHEN connection_type_name = 'CICS' THEN 'A transaction with a single put should use MQPUT1, which costs less than MQOPEN, MQPUT and MQCLOSE.'
    ELSE 'Use MQPUT1 for single puts.'
  END                       AS what_to_do
FROM queue_application
WHERE puts > 0 AND gets = 0 AND NOT coalesce(is_temporary_dynamic, false)
