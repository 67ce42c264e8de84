/*---
id      = "ims_bridge"
title   = "IMS bridge queues and IMS regions"
grain   = "one row per lpar, qmgr, interval and bridge queue, and one per lpar, qmgr, hour and IMS region"
needs   = ["queue_statistics", "message_manager", "task", "queue_use"]
classes = ["115.216", "116.1"]
note    = "Bridge queues are those that the site file names (ims_bridge_queues). A region counts for the hour in which its accounting intervals ended; interval_start_utc is then the start of that hour. Partial queue records are ignored."

[columns]
queue = { doc = "Bridge queue; null in rows of regions.", label = "bridge queue" }
destructive_gets_per_s = { doc = "Destructive gets per second, which are the messages that the bridge task passed to IMS." }
depth_high = { from = "queue_statistics", label = "depth high", screen = 1 }
intervals_with_backlog = { unit = "count", doc = "Intervals of the period in which the queue held more than one message.", over = "max", label = "intervals with backlog", screen = 2 }
bridge_task_limit = { unit = "text", doc = "Set if messages wait although the bridge task gets messages: this task or IMS is the limit.", label = "limit", screen = 3 }
ims_region = { unit = "text", doc = "IMS region, by its connection name; null in rows of queues.", label = "IMS region", screen = 1 }
ims_tasks = { unit = "count", doc = "Tasks of the region.", over_time = "max", across = "add", label = "tasks", screen = 2 }
ims_mq_cpu_us = { unit = "us", doc = "CPU time of the region in MQ calls.", over = "add", label = "MQ CPU µs", screen = 2 }
ims_messages = { unit = "count", doc = "Messages that the region put and got.", over = "add", label = "messages", screen = 1 }
reply_queue_index = { unit = "text", doc = "Index types of the queues that the region puts to.", label = "reply index", screen = 3 }
otel_bridge_spans = { over_time = "add", across = "max", label = "bridge spans" }
otel_bridge_discarded = { over_time = "add", across = "max", label = "spans discarded" }
---*/
WITH
bridge AS (
  SELECT *
  FROM queue_statistics
  WHERE queue_kind = 'IMS bridge' AND NOT depth_unknown
),
spans AS (
  SELECT
    lpar, qmgr, interval_start_utc, max(otel_bridge_spans) AS otel_bridge_spans, max(otel_bridge_discarded) AS otel_bridge_discarded
  FROM message_manager
  GROUP BY lpar, qmgr, interval_start_utc
),
region_task AS (
  SELECT record_id, lpar, qmgr, qsg, task_hour_start_utc, connection_job, task_correlator, mq_cpu_us, task_messages
  FROM task
  WHERE connection_type_name IN ('IMS control', 'IMS MPP/BMP')
),
block AS (
  SELECT task_record_id, sum(igq_puts)::BIGINT AS igq_puts, list(DISTINCT index_type) FILTER (puts + put1s > 0) AS index_types
  FROM queue_use
  WHERE task_record_id IN (SELECT record_id FROM region_task)
  GROUP BY task_record_id
),
region AS (
  SELECT
    t.lpar, t.qmgr, max(t.qsg) AS qsg, min(t.record_id) AS record_id, t.task_hour_start_utc, t.connection_job,
    count(DISTINCT t.task_correlator)          AS ims_tasks,
    sum(t.mq_cpu_us)::BIGINT                   AS ims_mq_cpu_us,
    sum(t.task_messages)::BIGINT               AS ims_messages,
    sum(b.igq_puts)::BIGINT                    AS igq_puts,
    list_aggregate(list_sort(list_distinct(flatten(list(b.index_types)))), 'string_agg', ', ') AS reply_queue_index
  FROM region_task AS t
  LEFT JOIN block AS b ON b.task_record_id = t.record_id
  GROUP BY t.lpar, t.qmgr, t.task_hour_start_utc, t.connection_job
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.record_id, q.interval_start_utc, q.interval_seconds, q.queue, q.shared_queue, q.messages_put, q.puts_per_s,
  q.destructive_gets_per_s, q.depth, q.depth_high, q.oldest_message_s, q.input_handles,
  count(*) FILTER (coalesce(q.depth_high, q.depth) > 1) OVER (PARTITION BY q.lpar, q.qmgr, q.queue)   AS intervals_with_backlog,
  CASE WHEN q.depth_high > 1 AND q.destructive_gets_per_s > 0 THEN 'bridge queue task may be the limit' END AS bridge_task_limit,
  NULL::VARCHAR AS ims_region, NULL::BIGINT AS ims_tasks, NULL::BIGINT AS ims_mq_cpu_us, NULL::BIGINT AS ims_messages, NULL::BIGINT AS igq_puts,
  NULL::VARCHAR AS reply_queue_index,
  s.otel_bridge_spans, s.otel_bridge_discarded
FROM bridge AS q
LEFT JOIN spans AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.interval_start_utc = q.interval_start_utc
UNION ALL
SELECT
  lpar, qmgr, qsg, record_id, task_hour_start_utc, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  connection_job, ims_tasks, ims_mq_cpu_us, ims_messages, igq_puts, reply_queue_index, NULL, NULL
FROM region
