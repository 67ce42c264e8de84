/*---
id          = "DB001"
name        = "db2-request-queue-deep"
title       = "Requests queued for Db2 server tasks"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["db2.db2_queue_high"]
prints      = ["db2.db2_servers", "db2.db2_servers_active", "db2.db2_requests"]
judge       = "any interval"
worst       = "highest"
key_figure  = "db2_queue_high"
culprits    = ["Db2 requests"]
measure     = "request[s] in the queue for Db2 server tasks"
when        = "observed > queue_high_max"
caused_by   = ["DB003", "DB004", "DB006", "DB007"]
look        = ["DISPLAY GROUP"]
do          = ["QSGDATA in CSQ6SYSP: raise the number of Db2 servers, its fourth value; the fifth is for large messages."]
raises      = ["QSGDATA"]

[threshold.queue_high_max]
value = 10
unit  = "count"
kind  = "guidance"
why   = "a queue of 1 or 2 is usual; ten requests are more than the usual number of servers can take at once"
cite  = "presentations of IBM consultants on the DB2 report of MP1B"

[source]
cite = "presentations of IBM consultants on the DB2 report of MP1B; MP16, 'Is Db2 tuning important?'; the number is from there"

[advice]
summary = "Up to {observed:.0f} request[s] waited for the {db2_servers_active} active Db2 server task[s] (limit {queue_high_max}; {db2_servers} configured) in an interval with {db2_requests} request[s]. Opens of shared objects, channel starts and large messages in Db2 wait meanwhile."
remedy  = "If Db2 itself is slow, check its buffer pools and group buffer pools, run RUNSTATS after mass definitions and rebind the plans (CSQ45BPL). The start of a queue manager or of many channels explains a single peak."
report  = "db2/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'Db2 requests'  AS subject,
  db2_queue_high  AS observed,
  db2_servers, db2_servers_active, db2_requests
FROM db2
WHERE group_member
