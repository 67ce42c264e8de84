/*---
id      = "db2"
title   = "Db2 requests"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.q5st", "interval_cut", "sharing_member"]
classes = ["115.2"]
note    = "Queue managers outside a queue-sharing group write the section with zeros."

[columns]
lpar = {}
qmgr = {}
qsg = {}
mq_version = {}
source_id = {}
record_id = {}
interval_start_utc = {}
interval_end_utc = {}
interval_start_local = {}
interval_seconds = {}
interval_us = {}
startup_interval = {}
suspect_first = {}
db2_servers = { unit = "count", kind = "setting", doc = "Db2 server tasks configured." }
db2_servers_active = { unit = "count", kind = "gauge", doc = "Db2 server tasks active." }
db2_connects = { unit = "count", kind = "counter", doc = "Connect requests to Db2." }
db2_disconnects = { unit = "count", kind = "counter", doc = "Disconnect requests to Db2." }
db2_queue_high = { unit = "count", kind = "high", doc = "Highest depth of the Db2 request queue." }
db2_server_abends = { unit = "count", kind = "counter", doc = "Abends of Db2 server tasks." }
db2_requeues = { unit = "count", kind = "counter", doc = "Requests put back on the request queue." }
db2_deadlocks = { unit = "count", kind = "counter", doc = "Deadlock timeouts." }
db2_deletes = { unit = "count", kind = "counter", doc = "Delete requests." }
db2_lists = { unit = "count", kind = "counter", doc = "List requests." }
db2_reads = { unit = "count", kind = "counter", doc = "Read requests." }
db2_updates = { unit = "count", kind = "counter", doc = "Update requests." }
db2_writes = { unit = "count", kind = "counter", doc = "Write requests." }
scst_selects = { unit = "count", kind = "counter", doc = "Selects on the shared-channel-status table (SCST)." }
scst_inserts = { unit = "count", kind = "counter", doc = "SCST inserts." }
scst_updates = { unit = "count", kind = "counter", doc = "SCST updates." }
scst_deletes = { unit = "count", kind = "counter", doc = "SCST deletes." }
sskt_selects = { unit = "count", kind = "counter", doc = "Selects on the shared-sync-key table (SSKT)." }
sskt_inserts = { unit = "count", kind = "counter", doc = "SSKT inserts." }
sskt_deletes = { unit = "count", kind = "counter", doc = "SSKT deletes." }
scst_buffer_too_small = { unit = "count", kind = "counter", doc = "Number of times the SCST buffer was too small." }
scst_max_rows = { unit = "count", kind = "high", doc = "Largest number of rows returned by an SCST query." }
blob_selects = { unit = "count", kind = "counter", doc = "Selects on the large-message BLOB table." }
blob_inserts = { unit = "count", kind = "counter", doc = "Inserts into the large-message BLOB table." }
blob_updates = { unit = "count", kind = "counter", doc = "Updates of the large-message BLOB table." }
blob_deletes = { unit = "count", kind = "counter", doc = "Deletes from the large-message BLOB table." }
blob_lists = { unit = "count", kind = "counter", doc = "List requests on the large-message BLOB table." }
db2_definition_requests = { unit = "count", doc = "Requests for object definitions." }
db2_channel_requests = { unit = "count", doc = "Requests for shared channel status and synchronisation keys." }
db2_blob_requests = { unit = "count", doc = "Requests for large messages kept in Db2." }
db2_requests = { unit = "count", doc = "All Db2 requests." }
db2_requests_per_s = { unit = "per_s", doc = "Db2 requests per second." }
group_member = { unit = "flag", doc = "The queue manager belongs to a queue-sharing group." }
blob_messages_net = { unit = "count", doc = "Large messages inserted minus those deleted." }
---*/
WITH requested AS (
  SELECT
    *,
    db2_deletes + db2_lists + db2_reads + db2_updates + db2_writes AS db2_definition_requests,
    scst_selects + scst_inserts + scst_updates + scst_deletes
      + sskt_selects + sskt_inserts + sskt_deletes                 AS db2_channel_requests,
    blob_selects + blob_inserts + blob_updates + blob_deletes + blob_lists AS db2_blob_requests
  FROM decoded.q5st
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.startup_interval, i.suspect_first,
  q.db2_servers, q.db2_servers_active, q.db2_connects, q.db2_disconnects, q.db2_queue_high, q.db2_server_abends,
  q.db2_requeues, q.db2_deadlocks, q.db2_deletes, q.db2_lists, q.db2_reads, q.db2_updates, q.db2_writes,
  q.scst_selects, q.scst_inserts, q.scst_updates, q.scst_deletes, q.sskt_selects, q.sskt_inserts, q.sskt_deletes,
  q.scst_buffer_too_small, q.scst_max_rows, q.blob_selects, q.blob_inserts, q.blob_updates, q.blob_deletes,
  q.blob_lists,
  q.db2_definition_requests,
  q.db2_channel_requests,
  q.db2_blob_requests,
  q.db2_definition_requests + q.db2_channel_requests + q.db2_blob_requests AS db2_requests,
  per_s(q.db2_definition_requests + q.db2_channel_requests + q.db2_blob_requests, q.interval_us / 1e6) AS db2_requests_per_s,
  q.blob_inserts - q.blob_deletes                                AS blob_messages_net,
  coalesce(g.group_member, false)                                AS group_member
FROM requested AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN sharing_member AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
