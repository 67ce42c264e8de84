/*---
id      = "data_manager"
title   = "Data manager requests"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qist", "decoded.qmst", "interval_cut", "queue_sharing_group"]
classes = ["115.2"]

[columns]
object_creates = { label = "creates", screen = 1 }
object_puts = { label = "object puts", screen = 2 }
object_deletes = { label = "deletes", screen = 1 }
mm_gets = { unit = "count", doc = "MQGET requests of the message manager in the same record.", over = "add", label = "MQGETs", screen = 1 }
mm_puts = { unit = "count", doc = "MQPUT and MQPUT1 requests of the message manager in the same record.", over = "add", label = "puts", screen = 1 }
get_difference = { unit = "count", doc = "Get requests of the message manager minus gets of the data manager; negative if callbacks get messages.", over = "add", label = "difference", screen = 2 }
put_difference = { unit = "count", doc = "Put requests of the message manager minus puts of the data manager.", over = "add", label = "difference", screen = 2 }
dm_gets_per_mm_get = { unit = "ratio", doc = "Gets of the data manager per get request of the message manager.", ratio = { numerator = "dm_gets", denominator = "mm_gets" }, label = "DM gets/MQGET", format = ".2f", screen = 1 }
gets_from_disk_pct = { unit = "percent", doc = "Share of all gets that were read from disk. Gets from a pool are only partly counted.", ratio = { numerator = "gets_from_disk", denominator = "dm_gets", scale = 100 }, label = "from disk %", screen = 1 }
delete_create_ratio = { unit = "ratio", doc = "Objects deleted per object created.", ratio = { numerator = "object_deletes", denominator = "object_creates" }, label = "deletes/create", format = ".2f", screen = 1 }
object_creates_per_s = { unit = "per_s", doc = "Objects created per second.", over_time = "mean", across = "add", label = "creates/s", screen = 1 }
---*/
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
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
