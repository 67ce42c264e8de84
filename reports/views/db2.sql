/*---
id      = "db2"
title   = "Db2 requests"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.q5st", "interval_cut", "sharing_member"]
classes = ["115.2"]
note    = "Queue managers outside a queue-sharing group write the section with zeros."

[columns]
db2_servers_active = { over = "min", label = "active", screen = 1 }
db2_definition_requests = { unit = "count", doc = "Requests for object definitions.", over = "add", label = "definition requests", screen = 2 }
db2_channel_requests = { unit = "count", doc = "Requests for shared channel status and synchronisation keys.", over = "add", label = "channel requests", screen = 2 }
db2_blob_requests = { unit = "count", doc = "Requests for large messages kept in Db2.", over = "add", label = "BLOB requests", screen = 2 }
db2_requests = { unit = "count", doc = "All Db2 requests.", over = "add", label = "requests", screen = 1 }
db2_requests_per_s = { unit = "per_s", doc = "Db2 requests per second.", over_time = "mean", across = "add", label = "requests/s", screen = 2 }
blob_messages_net = { unit = "count", doc = "Large messages inserted minus those deleted.", over = "add", label = "net", screen = 2 }
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
  i.fragment, i.startup_interval, i.suspect_first,
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
