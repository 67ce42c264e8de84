/*---
id           = "MM002"
name         = "object-opened-for-every-message"
title        = "Many MQOPENs compared with puts and gets"
severity     = "info"
weight       = "waste"
grain        = ["lpar", "qmgr"]
needs        = ["message_balance.opens_per_message_call"]
prints       = ["message_balance.opens", "message_balance.message_calls"]
judge        = "share >= 25 %"
worst        = "highest"
culprits     = ["opens"]
caused_by    = ["QU018", "TA005"]
measure      = "MQOPENs per put or get"
when         = "observed > opens_per_call_max"
guards       = ["G1"]
min_activity = "opens_per_s >= $opens_per_s_min"
look        = ["mqstat report --report message_manager/calls --qmgr {qmgr}"]

[threshold.opens_per_call_max]
value = 0.5
unit  = "ratio"
kind  = "judgement"
why   = "no document gives a number; a busy healthy queue manager shows 0.08"

[threshold.opens_per_s_min]
value = 50.0
unit  = "per_s"
kind  = "judgement"
why   = "fewer opens cost too little to act on"

[source]
cite = "MP16, 'Application level performance considerations' (keep queues open, MQPUT1 for single puts)"

[advice]
summary = "{opens} MQOPEN[s] for {message_calls} put and get call[s] ({observed:.2f} per call, limit {opens_per_call_max}), {opens_per_s:.0f} per second. Each open needs security checks and access to page set 0; for a shared queue, also to the coupling facility or Db2."
remedy  = "Keep connections and queues open, and use MQPUT1 where a single message is put. Accounting class 3 shows the applications. Monitors and short client connections cause this too."
report  = "message_manager/calls"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment,
  'queue opens'             AS subject,
  opens_per_message_call    AS observed,
  opens, message_calls, opens_per_s
FROM message_balance
