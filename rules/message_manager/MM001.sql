/*---
id           = "MM001"
name         = "more-data-manager-gets-than-mqgets"
title        = "The data manager searches more messages than applications ask for"
severity     = "info"
weight       = "waste"
grain        = ["lpar", "qmgr"]
needs        = ["message_balance.dm_gets_per_mm_get"]
prints       = ["message_balance.dm_gets", "message_balance.mm_gets"]
judge        = "share >= 10 %"
worst        = "highest"
measure      = "data manager gets per MQGET"
when         = "observed > ratio_max"
guards       = ["G1"]
min_activity = "callback_calls = 0 AND mm_gets >= $gets_min"
look        = ["DISPLAY TRACE(ACCTG)"]
do          = ["START TRACE(ACCTG) CLASS(3)", "It costs 3 to 7 % of CPU time while it runs."]

[threshold.ratio_max]
value = 1.2
unit  = "ratio"
kind  = "judgement"
why   = "a busy healthy queue manager shows 0.99; 20 % more means that messages are searched but not got"

[threshold.gets_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "with fewer MQGETs, the queue manager's own gets outweigh them"

[source]
cite = "WSC sample query 3 (message manager against data manager gets)"

[advice]
summary = "The data manager made {dm_gets} get[s] for {mm_gets} MQGET[s] ({observed:.2f} per MQGET, limit {ratio_max}), and neither MQCB nor MQCTL was called. Likely causes are selectors, gets of a specific message without an index, or callback consumers that started earlier."
remedy  = "Class 3 accounting for an hour shows callbacks and the queues whose gets skip messages. Define an INDXTYPE for those queues, or use one queue per selector. Gets by channels and agents on behalf of others count too."
report  = "data_manager/message_balance"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment,
  'message gets'            AS subject,
  dm_gets_per_mm_get        AS observed,
  dm_gets, mm_gets, callback_calls
FROM message_balance
