/*---
id       = "db2/activity"
title    = "Db2 manager activity"
question = "How busy are the Db2 servers, do requests queue, and did anything abend or deadlock?"
needs    = ["db2"]
rules    = ["DB001", "DB002", "DB003", "DB004"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["DB2"]
drill_down = ["db2/requests", "db2/large_messages"]
note     = "Healthy queue managers have one more active server task than configured. Queue managers outside a queue-sharing group are not listed."

[columns]
qsg = { screen = 3 }
db2_servers = { label = "servers", screen = 1 }
db2_connects = { label = "connects", screen = 3 }
db2_disconnects = { label = "disconnects", screen = 3 }
db2_queue_high = { label = "queue high", screen = 1 }
db2_server_abends = { label = "abends", screen = 1 }
db2_requeues = { label = "requeues", screen = 1 }
db2_deadlocks = { label = "deadlocks", screen = 1 }
db2_reads = { label = "reads" }
db2_lists = { label = "lists" }
db2_writes = { label = "writes" }
db2_updates = { label = "updates" }
db2_deletes = { label = "deletes" }
scst_selects = { label = "SCST selects" }
scst_inserts = { label = "SCST inserts" }
scst_updates = { label = "SCST updates" }
scst_deletes = { label = "SCST deletes" }
sskt_selects = { label = "SSKT selects" }
sskt_inserts = { label = "SSKT inserts" }
sskt_deletes = { label = "SSKT deletes" }
scst_buffer_too_small = { label = "SCST buffer too small" }
scst_max_rows = { label = "SCST most rows" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, db2_servers, db2_servers_active, db2_connects, db2_disconnects, db2_queue_high,
  db2_server_abends, db2_requeues, db2_deadlocks, db2_definition_requests, db2_channel_requests, db2_blob_requests, db2_requests,
  db2_requests_per_s, db2_reads, db2_lists, db2_writes, db2_updates, db2_deletes, scst_selects, scst_inserts, scst_updates, scst_deletes,
  sskt_selects, sskt_inserts, sskt_deletes, scst_buffer_too_small, scst_max_rows
FROM db2
WHERE group_member
ORDER BY lpar, qmgr, interval_start_utc
