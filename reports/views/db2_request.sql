/*---
id      = "db2_request"
title   = "Db2 requests by type"
grain   = "one row per lpar, qmgr, interval and Db2 request type"
needs   = ["decoded.q5st", "interval_cut", "sharing_member"]
classes = ["115.2"]
note    = "17 types: object definitions (definition delete, list, read, update, write), shared channel status (SCST), shared synchronisation keys (SSKT) and large messages (BLOB)."

[columns]
request_type = { unit = "text", kind = "key", doc = "What is requested of Db2.", label = "request", screen = 1 }
request_count = { unit = "count", doc = "Requests of this type.", over = "add", label = "requests", screen = 1 }
thread_total_us = { unit = "us", doc = "Elapsed time of the requests in the server task; whether it includes time in the request queue is not documented.", over = "add", label = "server µs" }
thread_max_us = { unit = "us", doc = "Longest elapsed time of one request in the server task.", over = "max", label = "longest server µs", screen = 1 }
sql_total_us = { unit = "us", doc = "Elapsed time of the requests in SQL calls.", over = "add", label = "SQL µs" }
sql_max_us = { unit = "us", doc = "Longest elapsed time of one request in SQL calls.", over = "max", label = "longest SQL µs", screen = 1 }
average_thread_us = { unit = "us", doc = "Mean elapsed time of a request in the server task.", ratio = { numerator = "thread_total_us", denominator = "request_count" }, label = "avg server µs", screen = 1 }
average_sql_us = { unit = "us", doc = "Mean elapsed time of a request in SQL calls.", ratio = { numerator = "sql_total_us", denominator = "request_count" }, label = "avg SQL µs", screen = 1 }
average_server_wait_us = { unit = "us", doc = "Mean elapsed time of a request in the server task outside SQL.", ratio = { numerator = "CASE WHEN thread_total_us >= sql_total_us THEN (thread_total_us - sql_total_us) ELSE (sql_total_us * 0) END", denominator = "request_count" }, label = "avg outside SQL µs", screen = 2 }
---*/
WITH listed AS (
  SELECT
    lpar, qmgr, mq_version, source_id, record_id, interval_start_utc, interval_end_utc, interval_start_local, interval_us,
    [
      db2_deletes, db2_lists, db2_reads, db2_updates, db2_writes, scst_selects, scst_inserts, scst_updates, scst_deletes, sskt_selects, sskt_inserts,
      sskt_deletes, blob_selects, blob_inserts, blob_updates, blob_deletes, blob_lists
    ] AS counts,
    [
      delete_thread_us, list_thread_us, read_thread_us, update_thread_us, write_thread_us, scst_select_thread_us, scst_insert_thread_us,
      scst_update_thread_us, scst_delete_thread_us, sskt_select_thread_us, sskt_insert_thread_us, sskt_delete_thread_us, blob_select_thread_us,
      blob_insert_thread_us, blob_update_thread_us, blob_delete_thread_us, blob_list_thread_us
    ] AS thread_us,
    [
      delete_thread_longest_us, list_thread_longest_us, read_thread_longest_us, update_thread_longest_us, write_thread_longest_us,
      scst_select_thread_longest_us, scst_insert_thread_longest_us, scst_update_thread_longest_us, scst_delete_thread_longest_us,
      sskt_select_thread_longest_us, sskt_insert_thread_longest_us, sskt_delete_thread_longest_us, blob_select_thread_longest_us,
      blob_insert_thread_longest_us, blob_update_thread_longest_us, blob_delete_thread_longest_us, blob_list_thread_longest_us
    ] AS thread_longest,
    [
      delete_sql_us, list_sql_us, read_sql_us, update_sql_us, write_sql_us, scst_select_sql_us, scst_insert_sql_us, scst_update_sql_us,
      scst_delete_sql_us, sskt_select_sql_us, sskt_insert_sql_us, sskt_delete_sql_us, blob_select_sql_us, blob_insert_sql_us, blob_update_sql_us,
      blob_delete_sql_us, blob_list_sql_us
    ] AS sql_us,
    [
      delete_sql_longest_us, list_sql_longest_us, read_sql_longest_us, update_sql_longest_us, write_sql_longest_us, scst_select_sql_longest_us,
      scst_insert_sql_longest_us, scst_update_sql_longest_us, scst_delete_sql_longest_us, sskt_select_sql_longest_us, sskt_insert_sql_longest_us,
      sskt_delete_sql_longest_us, blob_select_sql_longest_us, blob_insert_sql_longest_us, blob_update_sql_longest_us, blob_delete_sql_longest_us,
      blob_list_sql_longest_us
    ] AS sql_longest
  FROM decoded.q5st
),
ordered AS (
  -- Over the lists: a window over a row for each type takes longer.
  SELECT *, lag(thread_longest) OVER earlier AS previous_thread, lag(sql_longest) OVER earlier AS previous_sql
  FROM listed
  WINDOW earlier AS (PARTITION BY lpar, qmgr ORDER BY interval_start_utc, record_id)
),
requested AS (
  SELECT
    lpar, qmgr, mq_version, source_id, record_id, interval_start_utc, interval_end_utc, interval_start_local, interval_us,
    unnest([
      'definition delete', 'list', 'read', 'update', 'write', 'SCST select', 'SCST insert', 'SCST update', 'SCST delete', 'SSKT select',
      'SSKT insert', 'SSKT delete', 'BLOB select', 'BLOB insert', 'BLOB update', 'BLOB delete', 'BLOB list'
    ]) AS request_type,
    unnest(counts) AS request_count, unnest(thread_us) AS thread_total_us, unnest(thread_longest) AS thread_max_us, unnest(sql_us) AS sql_total_us,
    unnest(sql_longest) AS sql_max_us, unnest(previous_thread) AS previous_thread_us, unnest(previous_sql) AS previous_sql_us
  FROM ordered
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  coalesce(g.group_member, false)                 AS group_member,
  q.request_type, q.request_count, q.thread_total_us, believed(q.thread_max_us, q.thread_total_us, q.previous_thread_us) AS thread_max_us,
  q.sql_total_us, believed(q.sql_max_us, q.sql_total_us, q.previous_sql_us) AS sql_max_us,
  q.thread_total_us / nullif(q.request_count, 0)  AS average_thread_us,
  q.sql_total_us / nullif(q.request_count, 0)     AS average_sql_us,
  CASE WHEN q.thread_total_us >= q.sql_total_us THEN q.thread_total_us - q.sql_total_us ELSE q.sql_total_us * 0 END
    / nullif(q.request_count, 0)                  AS average_server_wait_us
FROM requested AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN sharing_member AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
