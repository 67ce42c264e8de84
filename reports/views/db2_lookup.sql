/*---
id      = "db2_lookup"
title   = "Db2 work of tasks by application and user over the period"
grain   = "one row per lpar, qmgr, application, connection type and user with calls to Db2"
needs   = ["decoded.wtas", "decoded.wq", "task_identity", "task_continuation", "site_input"]
classes = ["116.1"]

[columns]
application = { doc = "Application; all clients of a channel are one application. Names of the site file replace it.", label = "" }
task_records = { unit = "count", doc = "Accounting records with calls to Db2.", over = "add", label = "records", screen = 1 }
db2_longest_us = { unit = "us", kind = "high", doc = "Longest Db2 elapsed time of a thread.", label = "longest µs", screen = 1 }
tasks_without_queue = { unit = "count", doc = "Records with calls to Db2 and other calls, but without a queue.", over = "add", label = "without queue", screen = 1 }
suspected_undefined_opens = { unit = "count", doc = "Db2 requests of the records without a queue; 0 for the command server and for tasks of the channel initiator without a channel, which read Db2 for shared channels.", over = "add", label = "undefined opens", screen = 1 }
shared_dynamic_queues = { unit = "count", doc = "Records with an open of a model queue that created a shared queue.", over = "add", label = "shared dynamic", screen = 2 }
---*/
WITH
dynamic AS (
  SELECT DISTINCT CASE WHEN f.record_id IS NULL THEN q.record_id ELSE f.task_record_id END AS task_record_id
  FROM decoded.wq AS q
  LEFT JOIN task_continuation AS f ON f.record_id = q.record_id
  WHERE q.open_name <> q.base_name AND q.queue_type_code IN (1, 2) AND NOT coalesce(q.is_topic, false)
    AND (coalesce(q.queue_disposition_code = 2, false) OR q.cf_structure IS NOT NULL)
),
used AS (
  SELECT
    w.lpar, w.qmgr, t.application_group, t.connection_type_name, t.operator_id,
    count(*)                                        AS task_records,
    sum(w.db2_calls)::BIGINT                        AS db2_calls,
    sum(w.db2_thread_us)::BIGINT                    AS db2_thread_us,
    sum(w.db2_server_us)::BIGINT                    AS db2_server_us,
    max(believed(w.db2_thread_longest_us, w.db2_thread_us, NULL)) AS db2_longest_us,
    sum(w.db2_bytes_written)::BIGINT                AS db2_bytes_written,
    sum(w.db2_bytes_read)::BIGINT                   AS db2_bytes_read,
    sum(w.other_calls)::BIGINT                      AS other_calls,
    count(*) FILTER (w.queue_blocks = 0 AND w.other_calls > 0) AS tasks_without_queue,
    coalesce(sum(w.db2_calls) FILTER (
      w.queue_blocks = 0 AND w.other_calls > 0 AND (t.connection_type_name NOT IN ('command server', 'channel initiator') OR t.channel_name IS NOT NULL)
    ), 0)::BIGINT                                   AS suspected_undefined_opens,
    count(d.task_record_id)                         AS shared_dynamic_queues
  FROM decoded.wtas AS w
  JOIN task_identity AS t ON t.record_id = w.record_id
  LEFT JOIN dynamic AS d ON d.task_record_id = w.record_id
  WHERE w.db2_calls > 0
  GROUP BY w.lpar, w.qmgr, t.application_group, t.connection_type_name, t.operator_id
)
SELECT
  u.lpar, u.qmgr,
  coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: u.application_group GLOB replace(p.key, '[', '[[]'))[1].value,
    u.application_group)                            AS application,
  u.connection_type_name, u.operator_id,
  sum(u.task_records)::BIGINT                       AS task_records,
  sum(u.db2_calls)::BIGINT                          AS db2_calls,
  sum(u.db2_thread_us)::BIGINT                      AS db2_thread_us,
  sum(u.db2_server_us)::BIGINT                      AS db2_server_us,
  max(u.db2_longest_us)                             AS db2_longest_us,
  sum(u.db2_bytes_written)::BIGINT                  AS db2_bytes_written,
  sum(u.db2_bytes_read)::BIGINT                     AS db2_bytes_read,
  sum(u.other_calls)::BIGINT                        AS other_calls,
  sum(u.tasks_without_queue)::BIGINT                AS tasks_without_queue,
  sum(u.suspected_undefined_opens)::BIGINT          AS suspected_undefined_opens,
  sum(u.shared_dynamic_queues)::BIGINT              AS shared_dynamic_queues
FROM used AS u
LEFT JOIN site_input AS s ON s.lpar = u.lpar AND s.qmgr = u.qmgr
GROUP BY u.lpar, u.qmgr, application, u.connection_type_name, u.operator_id
