/*---
id      = "data_manager"
title   = "Data manager requests"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qist", "decoded.qmst", "interval_cut", "queue_sharing_group"]
classes = ["115.2"]

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
dm_gets = { unit = "count", kind = "counter", doc = "Message get requests to the data manager." }
dm_puts = { unit = "count", kind = "counter", doc = "Message put requests to the data manager." }
browse_locks = { unit = "count", kind = "counter", doc = "Browse-with-lock requests." }
object_creates = { unit = "count", kind = "counter", doc = "Object creates." }
object_puts = { unit = "count", kind = "counter", doc = "Object puts (updates)." }
object_deletes = { unit = "count", kind = "counter", doc = "Object deletes." }
object_gets = { unit = "count", kind = "counter", doc = "Object gets." }
object_locates = { unit = "count", kind = "counter", doc = "Object locates." }
message_counts = { unit = "count", kind = "counter", doc = "Message count requests." }
storage_class_changes = { unit = "count", kind = "counter", doc = "Storage class changes." }
marked_locks = { unit = "count", kind = "counter", doc = "Lock-marked-message requests." }
marked_deletes = { unit = "count", kind = "counter", doc = "Delete-marked-message requests." }
enumerates = { unit = "count", kind = "counter", doc = "Enumerate requests." }
gets_from_disk = { unit = "count", kind = "counter", doc = "Message gets that read the message from disk." }
gets_from_pool = { unit = "count", kind = "counter", doc = "Message gets that read the message from the buffer pool." }
mm_gets = { unit = "count", doc = "MQGET requests of the message manager in the same record." }
mm_puts = { unit = "count", doc = "MQPUT and MQPUT1 requests of the message manager in the same record." }
get_difference = { unit = "count", doc = "Get requests of the message manager minus gets of the data manager; negative if callbacks get messages." }
put_difference = { unit = "count", doc = "Put requests of the message manager minus puts of the data manager." }
dm_gets_per_mm_get = { unit = "ratio", doc = "Gets of the data manager per get request of the message manager." }
gets_from_disk_pct = { unit = "percent", doc = "Share of all gets that were read from disk. Gets from a pool are only partly counted." }
delete_create_ratio = { unit = "ratio", doc = "Objects deleted per object created." }
object_creates_per_s = { unit = "per_s", doc = "Objects created per second." }
---*/
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.startup_interval, i.suspect_first,
  q.dm_gets, q.dm_puts, q.browse_locks, q.object_creates, q.object_puts, q.object_deletes, q.object_gets,
  q.object_locates, q.message_counts, q.storage_class_changes, q.marked_locks, q.marked_deletes, q.enumerates,
  q.gets_from_disk, q.gets_from_pool,
  m.gets                                                             AS mm_gets,
  m.puts + m.put1s                                                   AS mm_puts,
  m.gets - q.dm_gets                                                 AS get_difference,
  m.puts + m.put1s - q.dm_puts                                       AS put_difference,
  q.dm_gets / nullif(m.gets, 0)                                      AS dm_gets_per_mm_get,
  pct(q.gets_from_disk, q.dm_gets)                                    AS gets_from_disk_pct,
  q.object_deletes / nullif(q.object_creates, 0)                     AS delete_create_ratio,
  per_s(q.object_creates, q.interval_us / 1e6)                       AS object_creates_per_s
FROM decoded.qist AS q
LEFT JOIN decoded.qmst AS m ON m.record_id = q.record_id
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
