/*---
id      = "area_activity"
title   = "Activity of each area on each queue manager"
grain   = "one row per lpar, qmgr, area and activity_counter"
needs   = ["collection", "message_manager", "data_manager", "lock_manager", "topic", "buffer_pool", "page_set", "log", "cf_structure", "smds", "db2", "storage", "storage_region", "channel_initiator", "channel", "channel_cipher", "task", "connection", "queue_statistics", "queue_use", "encryption_period", "ims_bridge", "qmgr"]
note    = "Statistics and accounting both count: an area is idle if all of its counters that were collected are 0. Accounting covers the traced tasks and channels only."

[columns]
area = { unit = "text", doc = "Area of rules and reports." }
activity_counter = { unit = "text", doc = "What is counted." }
activity_value = { unit = "number", over = "add", doc = "Sum over the period; of a counter at most, the highest value; null if not collected." }
is_collected = { unit = "flag", doc = "The data has records with this counter." }
---*/
WITH
counted AS (
  SELECT
    q.lpar, q.qmgr, '115.2' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'message_manager', 'activity_counter': 'puts', 'activity_value': sum(v.total_puts)::DOUBLE},
      {'area': 'message_manager', 'activity_counter': 'gets', 'activity_value': sum(v.gets)::DOUBLE},
      {'area': 'message_manager', 'activity_counter': 'MQI calls', 'activity_value': sum(v.mqi_calls)::DOUBLE},
      {'area': 'message_manager', 'activity_counter': 'callbacks', 'activity_value': sum(v.callbacks)::DOUBLE},
      {'area': 'opentelemetry', 'activity_counter': 'spans', 'activity_value': sum(v.otel_spans_ok + v.otel_spans_lost)::DOUBLE},
      {'area': 'opentelemetry', 'activity_counter': 'trace contexts', 'activity_value': sum(v.otel_contexts)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN message_manager AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.2' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'data_manager', 'activity_counter': 'gets', 'activity_value': sum(v.dm_gets)::DOUBLE},
      {'area': 'data_manager', 'activity_counter': 'puts', 'activity_value': sum(v.dm_puts)::DOUBLE},
      {'area': 'data_manager', 'activity_counter': 'objects created or deleted', 'activity_value': sum(v.object_creates + v.object_deletes)::DOUBLE},
      {'area': 'data_manager', 'activity_counter': 'other object requests', 'activity_value': sum(v.object_puts + v.object_gets + v.object_locates)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN data_manager AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.2' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'lock_manager', 'activity_counter': 'locks requested', 'activity_value': sum(v.lock_gets)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN lock_manager AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.2' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'topic', 'activity_counter': 'publishes', 'activity_value': sum(v.publishes)::DOUBLE},
      {'area': 'topic', 'activity_counter': 'messages to subscribers', 'activity_value': sum(v.messages_to_subscribers)::DOUBLE},
      {'area': 'topic', 'activity_counter': 'subscription requests', 'activity_value': sum(v.subscription_requests_total)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN topic AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.215' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'buffer_pool', 'activity_counter': 'page gets', 'activity_value': sum(v.page_gets_old + v.page_gets_new)::DOUBLE},
      {'area': 'buffer_pool', 'activity_counter': 'page updates', 'activity_value': sum(v.set_writes)::DOUBLE},
      {'area': 'buffer_pool', 'activity_counter': 'pages read', 'activity_value': sum(v.pages_read)::DOUBLE},
      {'area': 'buffer_pool', 'activity_counter': 'pages written', 'activity_value': sum(v.pages_written)::DOUBLE},
      {'area': 'page_set', 'activity_counter': 'pages read and writes of buffer pools', 'activity_value': sum(v.page_set_ios)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN buffer_pool AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.201' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'page_set', 'activity_counter': 'page set I/Os', 'activity_value': sum(v.page_set_io_count)::DOUBLE},
      {'area': 'page_set', 'activity_counter': 'expansions', 'activity_value': sum(v.expansions)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN page_set AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.1' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'log', 'activity_counter': 'log writes', 'activity_value': sum(v.log_writes)::DOUBLE},
      {'area': 'log', 'activity_counter': 'log reads', 'activity_value': sum(v.log_reads)::DOUBLE},
      {'area': 'log', 'activity_counter': 'checkpoints', 'activity_value': sum(v.checkpoints)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN log AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.2' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'cf', 'activity_counter': 'CF calls', 'activity_value': sum(v.cf_calls)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN cf_structure AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.2' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'smds', 'activity_counter': 'SMDS requests', 'activity_value': sum(v.smds_allocate_requests + v.smds_release_requests + v.smds_read_requests + v.smds_write_requests)::DOUBLE},
      {'area': 'smds', 'activity_counter': 'SMDS I/Os', 'activity_value': sum(v.smds_write_ios + v.smds_read_ios + v.remote_read_ios + v.format_ios)::DOUBLE},
      {'area': 'smds', 'activity_counter': 'SMDS buffer requests', 'activity_value': sum(v.buffer_gets)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN smds AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.2' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'db2', 'activity_counter': 'Db2 requests', 'activity_value': sum(v.db2_requests)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN db2 AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.1' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'storage', 'activity_counter': 'storage requests', 'activity_value': sum(v.getmains + v.freemains)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN storage AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.7' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'storage', 'activity_counter': 'intervals with storage in use', 'activity_value': nullif(count(v.lpar), 0)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN storage_region AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.231' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'channel_initiator', 'activity_counter': 'dispatcher requests', 'activity_value': sum(v.dispatcher_requests)::DOUBLE},
      {'area': 'channel_initiator', 'activity_counter': 'adapter requests', 'activity_value': sum(v.adapter_requests)::DOUBLE},
      {'area': 'channel_initiator', 'activity_counter': 'name lookups', 'activity_value': sum(v.dns_requests)::DOUBLE},
      {'area': 'channel', 'activity_counter': 'active channels at most', 'activity_value': max(v.active_channels)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN channel_initiator AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '116.10' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'channel', 'activity_counter': 'messages on channels', 'activity_value': sum(v.channel_messages)::DOUBLE},
      {'area': 'channel', 'activity_counter': 'batches', 'activity_value': sum(v.batches)::DOUBLE},
      {'area': 'channel', 'activity_counter': 'bytes on channels', 'activity_value': sum(v.bytes_sent + v.bytes_received)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN channel AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '116.10' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'encryption', 'activity_counter': 'channel instances', 'activity_value': sum(v.channel_instances)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN channel_cipher AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '116.1' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'message_manager', 'activity_counter': 'puts in accounting', 'activity_value': sum(v.task_puts)::DOUBLE},
      {'area': 'message_manager', 'activity_counter': 'gets in accounting', 'activity_value': sum(v.task_gets)::DOUBLE},
      {'area': 'message_manager', 'activity_counter': 'MQI calls in accounting', 'activity_value': sum(v.mq_calls)::DOUBLE},
      {'area': 'task', 'activity_counter': 'MQI calls', 'activity_value': sum(v.mq_calls)::DOUBLE},
      {'area': 'task', 'activity_counter': 'commits', 'activity_value': sum(v.commits)::DOUBLE},
      {'area': 'task', 'activity_counter': 'backouts', 'activity_value': sum(v.backouts)::DOUBLE},
      {'area': 'application', 'activity_counter': 'MQI calls', 'activity_value': sum(v.mq_calls)::DOUBLE},
      {'area': 'cf', 'activity_counter': 'CF calls in accounting', 'activity_value': sum(v.cf_calls)::DOUBLE},
      {'area': 'db2', 'activity_counter': 'Db2 requests in accounting', 'activity_value': sum(v.db2_calls)::DOUBLE},
      {'area': 'log', 'activity_counter': 'log writes in accounting', 'activity_value': sum(v.task_log_writes)::DOUBLE},
      {'area': 'latch', 'activity_counter': 'latch waits', 'activity_value': sum(v.latch_waits)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN task AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '116.0' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'message_manager', 'activity_counter': 'puts in class 1 accounting', 'activity_value': sum(v.class1_puts)::DOUBLE},
      {'area': 'message_manager', 'activity_counter': 'gets in class 1 accounting', 'activity_value': sum(v.class1_gets)::DOUBLE},
      {'area': 'application', 'activity_counter': 'puts and gets in class 1 accounting', 'activity_value': sum(v.class1_puts + v.class1_gets)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN connection AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.216' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'queue', 'activity_counter': 'puts', 'activity_value': sum(v.messages_put)::DOUBLE},
      {'area': 'queue', 'activity_counter': 'gets', 'activity_value': sum(v.destructive_gets)::DOUBLE},
      {'area': 'queue', 'activity_counter': 'browses', 'activity_value': sum(v.browses)::DOUBLE},
      {'area': 'queue', 'activity_counter': 'opens', 'activity_value': sum(v.opens)::DOUBLE},
      {'area': 'queue', 'activity_counter': 'messages on a queue at most', 'activity_value': max(v.depth_high)::DOUBLE},
      {'area': 'queue_statistics', 'activity_counter': 'puts', 'activity_value': sum(v.messages_put)::DOUBLE},
      {'area': 'queue_statistics', 'activity_counter': 'gets', 'activity_value': sum(v.destructive_gets)::DOUBLE},
      {'area': 'queue_statistics', 'activity_counter': 'browses', 'activity_value': sum(v.browses)::DOUBLE},
      {'area': 'queue_statistics', 'activity_counter': 'opens', 'activity_value': sum(v.opens)::DOUBLE},
      {'area': 'queue_statistics', 'activity_counter': 'messages on a queue at most', 'activity_value': max(v.depth_high)::DOUBLE},
      {'area': 'cf', 'activity_counter': 'puts and gets of shared queues', 'activity_value': sum(CASE WHEN v.lpar IS NOT NULL AND v.cf_structure IS NULL THEN 0 ELSE v.messages_put + v.destructive_gets END)::DOUBLE},
      {'area': 'opentelemetry', 'activity_counter': 'spans of queues', 'activity_value': sum(v.otel_spans)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN queue_statistics AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '116.1' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'queue', 'activity_counter': 'puts in accounting', 'activity_value': sum(v.valid_puts)::DOUBLE},
      {'area': 'queue', 'activity_counter': 'gets in accounting', 'activity_value': sum(v.valid_gets)::DOUBLE},
      {'area': 'queue', 'activity_counter': 'calls in accounting', 'activity_value': sum(v.queue_calls)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN queue_use AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.1' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'encryption', 'activity_counter': 'data sets', 'activity_value': sum(v.data_sets_encrypted + v.data_sets_plain)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN encryption_period AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, '115.216' AS record_class, count(v.lpar) AS activity_rows,
    unnest([
      {'area': 'ims', 'activity_counter': 'messages to the IMS bridge', 'activity_value': sum(v.messages_put)::DOUBLE}
    ], recursive := true)
  FROM qmgr AS q LEFT JOIN ims_bridge AS v ON v.lpar = q.lpar AND v.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT lpar, qmgr, NULL, 1, unnest(['data_quality', 'coverage', 'overview', 'collection', 'qsg']), 'records', sum(records)::DOUBLE
  FROM collection
  GROUP BY lpar, qmgr
),
-- A class without such an object has records and no rows: nothing happened.
known AS (
  SELECT
    c.lpar, c.qmgr, c.area, c.activity_counter,
    CASE WHEN c.activity_rows = 0 AND k.records > 0 THEN 0 ELSE c.activity_value END AS activity_value
  FROM counted AS c
  LEFT JOIN collection AS k ON k.lpar = c.lpar AND k.qmgr = c.qmgr AND k.record_class = c.record_class
)
SELECT
  lpar, qmgr, area, activity_counter, activity_value, activity_value IS NOT NULL AS is_collected
FROM known
