/*---
id          = "DB003"
name        = "db2-server-task-abended"
title       = "A Db2 server task of the queue manager abended"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["db2.db2_server_abends"]
prints      = ["db2.db2_servers", "db2.db2_servers_active", "db2.db2_disconnects"]
judge       = "any interval"
worst       = "highest"
culprits    = []
measure     = "abend[s] of Db2 server tasks"
when        = "observed > abends_max"
look        = ["DISPLAY GROUP"]

[threshold.abends_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "a server task does not abend in normal work"

[source]
cite = "definition of the field; MP16, 'Is Db2 tuning important?' (what depends on Db2)"

[advice]
summary = "{observed:.0f} Db2 server task[s] abended (limit {abends_max}); {db2_servers_active} of {db2_servers} configured task[s] were active at the end of the interval, which had {db2_disconnects} disconnect[s]. While Db2 is not connected, shared objects and large messages in Db2 are not available."
remedy  = "Check the CSQ5 messages of the queue manager and the state of Db2 at this time. Stopping Db2 without MODE(QUIESCE) explains it."
report  = "db2/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'Db2 server tasks' AS subject,
  db2_server_abends  AS observed,
  db2_servers, db2_servers_active, db2_disconnects
FROM db2
WHERE group_member
