/*---
id      = "storage_use"
title   = "Objects that take storage"
grain   = "one row per lpar, qmgr and item that the records count"
needs   = ["qmgr", "record_count", "channel_initiator", "channel", "queue_statistics", "queue_use", "buffer_pool", "smds", "cf_structure"]
note    = "Helper of view storage_estimate: counts of the last interval of each kind of record. Connections are channels: SMF does not count local connections. Channels that the channel accounting does not list are counted without their type."

[columns]
item_number = { unit = "id", kind = "key", doc = "Number of the item." }
quantity = { unit = "count", doc = "Objects in the last interval; 0 if there are none.", over_time = "last", across = "add" }
kib_of_one = { unit = "kib", doc = "Average storage of one object if the records contain it; otherwise null.", over = "same" }
quantity_bound = { unit = "text", doc = "at least or at most, if the count or its figure is a bound; otherwise null." }
quantity_at_utc = { unit = "ts_utc", doc = "Start of the interval of the count.", label = "counted at" }
---*/
WITH
chinit_last AS (
  SELECT
    lpar, qmgr,
    max({
      'at': interval_start_utc, 'record_id': record_id, 'channels': current_channels, 'adapters': adapters, 'dispatchers': dispatchers,
      'ssl_tasks': ssl_tasks
    }) AS last
  FROM channel_initiator
  GROUP BY lpar, qmgr
),
channel_last AS (
  SELECT lpar, qmgr, max(interval_start_utc) AS at_utc
  FROM channel
  GROUP BY lpar, qmgr
),
channel_kind AS (
  SELECT
    c.lpar, c.qmgr, c.interval_start_utc, c.running, c.is_message_channel, coalesce(c.is_client, false) AS is_client, c.uses_tls,
    coalesce(c.shared_conversations, 0) AS conversations, coalesce(c.average_channel_message_bytes, 0) AS message_bytes
  FROM channel AS c
  JOIN channel_last AS l ON l.lpar = c.lpar AND l.qmgr = c.qmgr AND l.at_utc = c.interval_start_utc
),
counted AS (
  SELECT
    lpar, qmgr, interval_start_utc AS at_utc,
    count(*) FILTER (running)                                                AS channels,
    count(*) FILTER (running AND (NOT is_client OR conversations = 0))       AS plain,
    count(*) FILTER (running AND is_client AND conversations = 0)            AS clients_alone,
    count(*) FILTER (running AND is_client AND conversations = 1)            AS clients_single,
    coalesce(sum(conversations) FILTER (running AND is_client AND conversations BETWEEN 2 AND 9), 0)::BIGINT AS shared_few,
    coalesce(sum(conversations) FILTER (running AND is_client AND conversations >= 10), 0)::BIGINT AS shared_many,
    count(*) FILTER (running AND is_message_channel AND message_bytes <= 1024) AS messages_1k,
    count(*) FILTER (running AND is_message_channel AND message_bytes > 1024 AND message_bytes <= 32768) AS messages_32k,
    count(*) FILTER (running AND is_message_channel AND message_bytes > 32768 AND message_bytes <= 65536) AS messages_64k,
    count(*) FILTER (running AND is_message_channel AND message_bytes > 65536) AS messages_4m,
    count(*) FILTER (running AND uses_tls)                                   AS tls
  FROM channel_kind
  GROUP BY lpar, qmgr, interval_start_utc
),
class3 AS (
  SELECT DISTINCT lpar, qmgr FROM record_count WHERE record_class = '116.1' AND lpar IS NOT NULL AND qmgr IS NOT NULL
),
connected AS (
  SELECT
    q.lpar, q.qmgr, coalesce(i.last['at'], c.at_utc) AS chinit_at_utc, c.at_utc AS channel_at_utc, i.last AS chinit, c AS kinds,
    -- Channels without accounting; the count of the channel initiator is a peak.
    greatest(0, coalesce(i.last['channels'], 0) - coalesce(c.channels, 0)) AS unknown_channels,
    CASE WHEN t.lpar IS NOT NULL THEN 1 ELSE 0 END AS class3
  FROM qmgr AS q
  LEFT JOIN chinit_last AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr
  LEFT JOIN counted AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr
  LEFT JOIN class3 AS t ON t.lpar = q.lpar AND t.qmgr = q.qmgr
  WHERE i.lpar IS NOT NULL OR c.lpar IS NOT NULL
),
connection_use AS (
  SELECT
    lpar, qmgr, chinit_at_utc AS at_utc,
    unnest([
      {'number': 2, 'quantity': coalesce(kinds['plain'], 0) + unknown_channels, 'bound': 'at least'},
      {'number': 3, 'quantity': coalesce(kinds['clients_single'], 0), 'bound': NULL},
      {'number': 4, 'quantity': coalesce(kinds['shared_few'], 0), 'bound': NULL},
      {'number': 5, 'quantity': coalesce(kinds['shared_many'], 0), 'bound': NULL},
      {'number': 7, 'quantity': coalesce(kinds['plain'], 0) + unknown_channels, 'bound': 'at least'},
      {'number': 8, 'quantity': coalesce(kinds['clients_single'], 0), 'bound': NULL},
      {'number': 9, 'quantity': coalesce(kinds['shared_few'], 0) + coalesce(kinds['shared_many'], 0), 'bound': NULL},
      {
        'number': 13,
        'quantity': class3 * (
          coalesce(kinds['plain'], 0) + unknown_channels + coalesce(kinds['clients_single'], 0) + coalesce(kinds['shared_few'], 0)
          + coalesce(kinds['shared_many'], 0)
        ),
        'bound': NULL
      },
      {'number': 30, 'quantity': unknown_channels, 'bound': 'at least'}
    ]) AS item
  FROM connected
),
channel_use AS (
  SELECT
    lpar, qmgr, at_utc,
    unnest([
      {'number': 23, 'quantity': messages_1k, 'bound': NULL},
      {'number': 24, 'quantity': messages_32k, 'bound': NULL},
      {'number': 25, 'quantity': messages_64k, 'bound': NULL},
      {'number': 26, 'quantity': messages_4m, 'bound': 'at most'},
      {'number': 27, 'quantity': clients_alone, 'bound': 'at least'},
      {'number': 28, 'quantity': clients_single, 'bound': 'at least'},
      {'number': 29, 'quantity': shared_few + shared_many, 'bound': 'at least'},
      {'number': 31, 'quantity': tls, 'bound': NULL}
    ]) AS item
  FROM counted
),
-- Without channel accounting all channels are items 2, 7 and 30; only the number of those with TLS is missing.
no_channel_use AS (
  SELECT
    q.lpar, q.qmgr, k.chinit_at_utc AS at_utc,
    unnest(CASE WHEN k.lpar IS NULL THEN [3, 4, 5, 8, 9, 23, 24, 25, 26, 27, 28, 29] ELSE [23, 24, 25, 26, 27, 28, 29] END) AS item_number,
    0 AS quantity
  FROM qmgr AS q
  LEFT JOIN connected AS k ON k.lpar = q.lpar AND k.qmgr = q.qmgr
  WHERE k.channel_at_utc IS NULL
),
task_use AS (
  SELECT
    lpar, qmgr, last['at'] AS at_utc,
    unnest([20, 21, 22]::BIGINT[])                                       AS item_number,
    unnest([last['adapters'], last['dispatchers'], last['ssl_tasks']])   AS quantity
  FROM chinit_last
),
queue_last AS (
  SELECT lpar, qmgr, max(interval_start_utc) AS at_utc
  FROM queue_statistics
  GROUP BY lpar, qmgr
),
indexed AS (
  SELECT lpar, qmgr, base_name, true AS has_index
  FROM queue_use
  WHERE index_type <> 'None'
  GROUP BY lpar, qmgr, base_name
),
queue AS (
  SELECT
    s.lpar, s.qmgr, l.at_utc, s.input_handles + s.output_handles AS handles, s.depth,
    x.has_index AND NOT s.shared_queue AS has_index
  FROM queue_statistics AS s
  JOIN queue_last AS l ON l.lpar = s.lpar AND l.qmgr = s.qmgr AND l.at_utc = s.interval_start_utc
  LEFT JOIN indexed AS x ON x.lpar = s.lpar AND x.qmgr = s.qmgr AND x.base_name = s.queue
),
queue_sum AS (
  SELECT
    lpar, qmgr, at_utc, sum(handles)::BIGINT AS handles, bool_or(handles IS NULL) AS partly,
    count(*) FILTER (has_index) AS indexed_queues, coalesce(sum(depth) FILTER (has_index), 0)::BIGINT AS indexed_messages
  FROM queue
  GROUP BY lpar, qmgr, at_utc
),
handle_use AS (
  SELECT lpar, qmgr, at_utc, 6 AS item_number, handles AS quantity, CASE WHEN partly THEN 'at least' END AS quantity_bound
  FROM queue_sum
),
index_use AS (
  SELECT
    q.lpar, q.qmgr, q.at_utc, unnest([14, 15]::BIGINT[]) AS item_number, unnest([q.indexed_messages, q.indexed_queues]) AS quantity,
    'at least' AS quantity_bound
  FROM queue_sum AS q
  JOIN class3 AS t ON t.lpar = q.lpar AND t.qmgr = q.qmgr
),
pool_last AS (
  SELECT lpar, qmgr, max(interval_start_utc) AS at_utc
  FROM buffer_pool
  GROUP BY lpar, qmgr
),
pool_sum AS (
  SELECT
    p.lpar, p.qmgr, p.interval_start_utc AS at_utc,
    coalesce(sum(p.buffers) FILTER (NOT coalesce(p.above_bar, false)), 0)::BIGINT AS below, coalesce(sum(p.buffers) FILTER (p.above_bar), 0)::BIGINT AS above
  FROM buffer_pool AS p
  JOIN pool_last AS l ON l.lpar = p.lpar AND l.qmgr = p.qmgr AND l.at_utc = p.interval_start_utc
  GROUP BY p.lpar, p.qmgr, p.interval_start_utc
),
pool_use AS (
  SELECT lpar, qmgr, at_utc, unnest([10, 16]::BIGINT[]) AS item_number, unnest([below, above]) AS quantity
  FROM pool_sum
),
group_record AS (
  SELECT DISTINCT lpar, qmgr FROM record_count WHERE record_class = '115.2' AND lpar IS NOT NULL AND qmgr IS NOT NULL
),
smds_last AS (
  SELECT lpar, qmgr, max(interval_start_utc) AS at_utc
  FROM smds
  GROUP BY lpar, qmgr
),
smds_sum AS (
  SELECT
    s.lpar, s.qmgr, l.at_utc, sum(s.smds_buffers)::BIGINT AS buffers,
    sum(s.smds_buffers * s.buffer_bytes) / 1024 / nullif(sum(s.smds_buffers), 0) AS kib_of_one
  FROM smds AS s
  JOIN smds_last AS l ON l.lpar = s.lpar AND l.qmgr = s.qmgr AND l.at_utc = s.interval_start_utc
  GROUP BY s.lpar, s.qmgr, l.at_utc
),
structure_last AS (
  SELECT lpar, qmgr, max(interval_start_utc) AS at_utc
  FROM cf_structure
  GROUP BY lpar, qmgr
),
structure_sum AS (
  SELECT s.lpar, s.qmgr, l.at_utc, count(DISTINCT s.cf_structure) FILTER (s.structure_number <> 0) AS structures
  FROM cf_structure AS s
  JOIN structure_last AS l ON l.lpar = s.lpar AND l.qmgr = s.qmgr AND l.at_utc = s.interval_start_utc
  GROUP BY s.lpar, s.qmgr, l.at_utc
),
smds_use AS (
  SELECT g.lpar, g.qmgr, s.at_utc, 17 AS item_number, coalesce(s.buffers, 0) AS quantity, s.kib_of_one
  FROM group_record AS g
  LEFT JOIN smds_sum AS s ON s.lpar = g.lpar AND s.qmgr = g.qmgr
),
structure_use AS (
  SELECT g.lpar, g.qmgr, s.at_utc, 12 AS item_number, coalesce(s.structures, 0) AS quantity
  FROM group_record AS g
  LEFT JOIN structure_sum AS s ON s.lpar = g.lpar AND s.qmgr = g.qmgr
),
member_use AS (
  SELECT lpar, qmgr, unnest([1, 11]::BIGINT[]) AS item_number, unnest([1, CASE WHEN qsg IS NOT NULL THEN 1 ELSE 0 END]) AS quantity
  FROM qmgr
),
every_use AS (
  SELECT lpar, qmgr, at_utc, item.number AS item_number, item.quantity AS quantity, item.bound AS quantity_bound FROM connection_use
  UNION ALL BY NAME SELECT lpar, qmgr, at_utc, item.number AS item_number, item.quantity AS quantity, item.bound AS quantity_bound FROM channel_use
  UNION ALL BY NAME SELECT * FROM no_channel_use
  UNION ALL BY NAME SELECT * FROM task_use
  UNION ALL BY NAME SELECT * FROM handle_use
  UNION ALL BY NAME SELECT * FROM index_use
  UNION ALL BY NAME SELECT * FROM pool_use
  UNION ALL BY NAME SELECT * FROM smds_use
  UNION ALL BY NAME SELECT * FROM structure_use
  UNION ALL BY NAME SELECT * FROM member_use
)
SELECT
  lpar, qmgr, item_number::BIGINT AS item_number, quantity::BIGINT AS quantity, kib_of_one::DOUBLE AS kib_of_one, quantity_bound,
  at_utc AS quantity_at_utc
FROM every_use
