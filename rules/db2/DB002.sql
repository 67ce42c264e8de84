/*---
id          = "DB002"
name        = "db2-deadlocks"
title       = "Db2 deadlocks or timeouts on MQ tables"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["db2.db2_deadlocks", "db2.db2_requeues"]
prints      = ["db2.db2_requests"]
judge       = "any interval"
worst       = "highest"
culprits    = []
breach_when = "deadlocks or requeues"
look        = ["DISPLAY GROUP"]

[threshold.deadlocks_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "each one is a request that Db2 rolled back and that must be repeated"

[threshold.requeues_max]
value = 10
unit  = "count"
kind  = "judgement"
why   = "requests go back to the queue now and then"

[clause.deadlocks]
when    = "observed > deadlocks_max"
measure = "Db2 deadlock[s] or timeout[s]"

[clause.requeues]
when    = "db2_requeues > requeues_max"
measure = "request[s] put back on the queue"

[source]
cite = "MP16, 'Is Db2 tuning important?' and 'Why does IBM MQ produce more Db2 rollbacks than I expect?'; definition of the fields"

[advice]
summary = "Db2 reported {db2_deadlocks} deadlock[s] or timeout[s] (limit {deadlocks_max}) and {db2_requeues} request[s] went back to the request queue (limit {requeues_max}), of {db2_requests} request[s] in the interval. These requests are repeated, so everything that needs shared definitions takes longer."
remedy  = "Trace Db2 locks on the CSQ tables; keep utilities and reorganisations away from the peak; run RUNSTATS and rebind. A short burst while a member starts is usual. Rollbacks of plans CSQ5* are normal and not counted here."
report  = "db2/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'Db2 requests' AS subject,
  db2_deadlocks  AS observed,
  db2_deadlocks, db2_requeues, db2_requests
FROM db2
WHERE group_member
