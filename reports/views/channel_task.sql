/*---
id      = "channel_task"
title   = "Class 3 accounting of channels by interval"
grain   = "one row per lpar, qmgr, interval of channel accounting, channel and connection name"
needs   = ["channel", "task", "queue_use"]
classes = ["116.1", "116.10"]
mq_since = "8.0.0"
note    = "Tasks of the channel initiator that name a channel, by the interval in which their accounting interval ended. The work of a channel is also that of its users: do not add both."

[columns]
channel_name = { from = "channel" }
connection_name = { from = "channel" }
operator_ids = { unit = "texts", doc = "User IDs of the tasks." }
---*/
WITH
accounted AS (
  SELECT DISTINCT lpar, qmgr, interval_start_utc, interval_end_utc FROM channel
),
waste AS (
  SELECT task_record_id, sum(gets_without_message)::BIGINT AS gets_without_message
  FROM queue_use
  WHERE channel_name IS NOT NULL AND task_record_id IS NOT NULL
  GROUP BY task_record_id
),
work AS (
  SELECT
    t.lpar, t.qmgr, t.channel_name, t.connection_name, t.operator_id, t.task_interval_end_utc,
    t.task_messages, t.persistent_messages, t.mq_cpu_us,
    coalesce(w.gets_without_message, 0) AS gets_without_message
  FROM task AS t
  LEFT JOIN waste AS w ON w.task_record_id = t.record_id
  WHERE t.channel_name IS NOT NULL AND t.task_interval_end_utc IS NOT NULL
)
SELECT
  w.lpar, w.qmgr, a.interval_start_utc, w.channel_name, w.connection_name,
  list_sort(list_distinct(list(w.operator_id))) AS operator_ids,
  sum(w.task_messages)::BIGINT          AS task_messages,
  sum(w.persistent_messages)::BIGINT    AS persistent_messages,
  sum(w.gets_without_message)::BIGINT   AS gets_without_message,
  sum(w.mq_cpu_us)::BIGINT              AS mq_cpu_us
FROM work AS w
-- The first interval that ends at or after the task interval, if it has begun before.
ASOF JOIN accounted AS a ON a.lpar = w.lpar AND a.qmgr = w.qmgr AND w.task_interval_end_utc <= a.interval_end_utc
WHERE a.interval_start_utc < w.task_interval_end_utc
GROUP BY w.lpar, w.qmgr, a.interval_start_utc, w.channel_name, w.connection_name
