/*---
id          = "DB004"
name        = "db2-server-tasks-missing"
title       = "Fewer Db2 server tasks active than configured"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["db2.db2_servers", "db2.db2_servers_active"]
prints      = ["db2.db2_disconnects"]
judge       = "2 consecutive"
worst       = "lowest"
culprits    = []
unit        = "count"
measure     = "active Db2 server task[s]"
when        = "observed < db2_servers"
compared_with = "{limit} configured"
guards      = ["G2"]
caused_by   = ["DB003"]
look        = ["DISPLAY GROUP"]

[source]
cite = "real records: 9 tasks active for 8 configured in every interval of healthy members; the two intervals are ours"
kind = "judgement"

[advice]
summary = "{observed:.0f} Db2 server task[s] [were|was] active, {db2_servers} [are|is] configured; a healthy member has one more than configured. If none is active, Db2 is not connected."
remedy  = "Check the CSQ5 messages and the state of Db2. Server tasks restart when Db2 reconnects, or when the queue manager restarts. If Db2 was stopped on purpose, that explains it."
report  = "db2/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'Db2 server tasks' AS subject,
  db2_servers_active AS observed,
  db2_servers, db2_disconnects
FROM db2
WHERE group_member
