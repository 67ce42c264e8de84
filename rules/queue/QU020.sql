/*---
id          = "QU020"
name        = "dynamic-queue-opens-wait-for-log"
title       = "Opens of a model queue spend their time suspended"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "queue_group", "application_group"]
needs       = ["queue_application.open_suspend_us", "queue_application.open_et_us"]
prints      = ["queue_application.model_queue", "queue_application.opens"]
judge       = "whole period"
worst       = "highest"
measure     = "time of the opens that was suspended"
when        = "observed > suspended_pct_max"
min_activity = "opens >= $opens_min"
look        = ["DISPLAY QMODEL({model_queue}) DEFTYPE"]

[threshold.suspended_pct_max]
value = 80.0
unit  = "percent"
kind  = "judgement"
why   = "MP16 shows 225 µs for an open, 211 µs of them suspended, where an open of a permanent queue takes 2 µs"

[threshold.opens_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "fewer opens cost too little to act on"

[source]
cite = "MP16, 'TEMPDYN queues - MQOPEN' (its text has the 211 µs as CPU time; the field is elapsed time suspended)"

[advice]
summary = "{application_group} created temporary dynamic queues {queue_group} from {model_queue} with {opens} open[s] of {average_open_et_us:.0f} µs; {observed:.0f} % of this time was suspended (limit {suspended_pct_max} %)."
remedy  = "MQ hardens the definition of each temporary dynamic queue with a log write. Use permanent reply queues and get by correlation id, or keep the dynamic queue for the life of the connection. Interactive tools that connect rarely can stay as they are."
report  = "queue/temporary_dynamic"
---*/
SELECT
  lpar, qmgr, queue_group, application_group,
  'queue ' || queue_group || ' by ' || application_group AS subject,
  100 * open_suspend_us / nullif(open_et_us, 0) AS observed,
  opens, model_queue,
  open_et_us / nullif(opens, 0) AS average_open_et_us
FROM queue_application
WHERE is_temporary_dynamic
