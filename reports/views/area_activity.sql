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
  SELECT lpar, qmgr, '115.2' AS record_class, count(v.lpar) AS activity_rows, MAP {
    'message_manager': MAP {'puts': sum(v.total_puts), 'gets': sum(v.gets), 'MQI calls': sum(v.mqi_calls),
      'callbacks': sum(v.callbacks)},
    'opentelemetry': MAP {'spans': sum(v.otel_spans_ok + v.otel_spans_lost),
      'trace contexts': sum(v.otel_contexts)}} AS areas
  FROM qmgr LEFT JOIN message_manager AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.2', count(v.lpar), MAP {
    'data_manager': MAP {'gets': sum(v.dm_gets), 'puts': sum(v.dm_puts),
      'objects created or deleted': sum(v.object_creates + v.object_deletes),
      'other object requests': sum(v.object_puts + v.object_gets + v.object_locates)}}
  FROM qmgr LEFT JOIN data_manager AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.2', count(v.lpar), MAP {'lock_manager': MAP {'locks requested': sum(v.lock_gets)}}
  FROM qmgr LEFT JOIN lock_manager AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.2', count(v.lpar), MAP {
    'topic': MAP {'publishes': sum(v.publishes), 'messages to subscribers': sum(v.messages_to_subscribers),
      'subscription requests': sum(v.subscription_requests_total)}}
  FROM qmgr LEFT JOIN topic AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.215', count(v.lpar), MAP {
    'buffer_pool': MAP {'page gets': sum(v.page_gets_old + v.page_gets_new), 'page updates': sum(v.set_writes),
      'pages read': sum(v.pages_read), 'pages written': sum(v.pages_written)},
    'page_set': MAP {'pages read and writes of buffer pools': sum(v.page_set_ios)}}
  FROM qmgr LEFT JOIN buffer_pool AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.201', count(v.lpar), MAP {
    'page_set': MAP {'page set I/Os': sum(v.page_set_io_count), 'expansions': sum(v.expansions)}}
  FROM qmgr LEFT JOIN page_set AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.1', count(v.lpar), MAP {
    'log': MAP {'log writes': sum(v.log_writes), 'log reads': sum(v.log_reads),
      'checkpoints': sum(v.checkpoints)}}
  FROM qmgr LEFT JOIN log AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.2', count(v.lpar), MAP {'cf': MAP {'CF calls': sum(v.cf_calls)}}
  FROM qmgr LEFT JOIN cf_structure AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.2', count(v.lpar), MAP {
    'smds': MAP {'SMDS requests': sum(v.smds_allocate_requests + v.smds_release_requests + v.smds_read_requests + v.smds_write_requests),
      'SMDS I/Os': sum(v.smds_write_ios + v.smds_read_ios + v.remote_read_ios + v.format_ios),
      'SMDS buffer requests': sum(v.buffer_gets)}}
  FROM qmgr LEFT JOIN smds AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.2', count(v.lpar), MAP {'db2': MAP {'Db2 requests': sum(v.db2_requests)}}
  FROM qmgr LEFT JOIN db2 AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.1', count(v.lpar), MAP {
    'storage': MAP {'storage requests': sum(v.getmains + v.freemains)}}
  FROM qmgr LEFT JOIN storage AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.7', count(v.lpar), MAP {
    'storage': MAP {'intervals with storage in use': nullif(count(v.lpar), 0)}}
  FROM qmgr LEFT JOIN storage_region AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.231', count(v.lpar), MAP {
    'channel_initiator': MAP {'dispatcher requests': sum(v.dispatcher_requests),
      'adapter requests': sum(v.adapter_requests), 'name lookups': sum(v.dns_requests)},
    'channel': MAP {'active channels at most': max(v.active_channels)}}
  FROM qmgr LEFT JOIN channel_initiator AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '116.10', count(v.lpar), MAP {
    'channel': MAP {'messages on channels': sum(v.channel_messages), 'batches': sum(v.batches),
      'bytes on channels': sum(v.bytes_sent + v.bytes_received)}}
  FROM qmgr LEFT JOIN channel AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '116.10', count(v.lpar), MAP {
    'encryption': MAP {'channel instances': sum(v.channel_instances)}}
  FROM qmgr LEFT JOIN channel_cipher AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '116.1', count(v.lpar), MAP {
    'message_manager': MAP {'puts in accounting': sum(v.task_puts), 'gets in accounting': sum(v.task_gets),
      'MQI calls in accounting': sum(v.mq_calls)},
    'task': MAP {'MQI calls': sum(v.mq_calls), 'commits': sum(v.commits), 'backouts': sum(v.backouts)},
    'application': MAP {'MQI calls': sum(v.mq_calls)},
    'cf': MAP {'CF calls in accounting': sum(v.cf_calls)},
    'db2': MAP {'Db2 requests in accounting': sum(v.db2_calls)},
    'log': MAP {'log writes in accounting': sum(v.task_log_writes)},
    'latch': MAP {'latch waits': sum(v.latch_waits)}}
  FROM qmgr LEFT JOIN task AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '116.0', count(v.lpar), MAP {
    'message_manager': MAP {'puts in class 1 accounting': sum(v.class1_puts),
      'gets in class 1 accounting': sum(v.class1_gets)},
    'application': MAP {'puts and gets in class 1 accounting': sum(v.class1_puts + v.class1_gets)}}
  FROM qmgr LEFT JOIN connection AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.216', count(v.lpar), MAP {
    'queue': MAP {'puts': sum(v.messages_put), 'gets': sum(v.destructive_gets), 'browses': sum(v.browses),
      'opens': sum(v.opens), 'messages on a queue at most': max(v.depth_high)},
    'queue_statistics': MAP {'puts': sum(v.messages_put), 'gets': sum(v.destructive_gets),
      'browses': sum(v.browses), 'opens': sum(v.opens), 'messages on a queue at most': max(v.depth_high)},
    'cf': MAP {'puts and gets of shared queues': sum(CASE WHEN v.lpar IS NOT NULL AND v.cf_structure IS NULL THEN 0 ELSE v.messages_put + v.destructive_gets END)},
    'opentelemetry': MAP {'spans of queues': sum(v.otel_spans)}}
  FROM qmgr LEFT JOIN queue_statistics AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '116.1', count(v.lpar), MAP {
    'queue': MAP {'puts in accounting': sum(v.valid_puts), 'gets in accounting': sum(v.valid_gets),
      'calls in accounting': sum(v.queue_calls)}}
  FROM qmgr LEFT JOIN queue_use AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.1', count(v.lpar), MAP {
    'encryption': MAP {'data sets': sum(v.data_sets_encrypted + v.data_sets_plain)}}
  FROM qmgr LEFT JOIN encryption_period AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, '115.216', count(v.lpar), MAP {
    'ims': MAP {'messages to the IMS bridge': sum(v.messages_put)}}
  FROM qmgr LEFT JOIN ims_bridge AS v USING (lpar, qmgr) GROUP BY lpar, qmgr
),
in_area AS (
  SELECT lpar, qmgr, record_class, activity_rows, unnest(map_keys(areas)) AS area, unnest(map_values(areas)) AS counters
  FROM counted
  UNION ALL
  SELECT lpar, qmgr, NULL, 1, unnest(['data_quality', 'coverage', 'overview', 'collection', 'qsg']), MAP {'records': sum(records)}
  FROM collection
  GROUP BY lpar, qmgr
),
counter AS (
  SELECT
    lpar, qmgr, record_class, activity_rows, area,
    unnest(map_keys(counters)) AS activity_counter, unnest(map_values(counters))::DOUBLE AS activity_value
  FROM in_area
),
-- A class without such an object has records and no rows: nothing happened.
known AS (
  SELECT
    c.lpar, c.qmgr, c.area, c.activity_counter,
    CASE WHEN c.activity_rows = 0 AND k.records > 0 THEN 0 ELSE c.activity_value END AS activity_value
  FROM counter AS c
  LEFT JOIN collection AS k ON k.lpar = c.lpar AND k.qmgr = c.qmgr AND k.record_class = c.record_class
)
SELECT
  lpar, qmgr, area, activity_counter, activity_value, activity_value IS NOT NULL AS is_collected
FROM known
