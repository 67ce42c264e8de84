/*---
id      = "measured_setting"
title   = "Subjects and their settings, as recorded in SMF"
grain   = "one row per lpar, qmgr, subject, setting and value"
needs   = ["record_count", "interval_cut", "queue_sharing_group", "buffer_pool", "page_set", "cf_structure", "smds", "channel_initiator", "db2", "storage_region"]
keep    = false                          # read only once
note    = "Setting 'there' means that the subject exists. Settings that are not in SMF records (LOGLOAD, OUTBUFF) are not included."

[columns]
subject_kind = { unit = "text", doc = "queue manager, records, buffer pool, page set, structure, SMDS, channel initiator, Db2, storage or channel." }
subject = { unit = "text", doc = "Subject of the figure: a pool, page set, structure, application, queue or channel; empty for the queue manager itself." }
setting = { unit = "text", doc = "Name of the setting; 'there' means that the subject exists." }
setting_unit = { unit = "text", doc = "Unit of the setting." }
setting_value = { unit = "text", doc = "Value of the setting." }
setting_number = { unit = "number", doc = "Value of a numeric setting.", over = "none", why = "Each row is another setting." }
first_seen_local = { unit = "ts_local", doc = "Start of the first interval with this value." }
last_seen_local = { unit = "ts_local", doc = "Start of the last interval with this value." }
---*/
WITH
-- Each record is reduced to its distinct settings first: a month has a few of them and many intervals.
cut AS (
  SELECT i.lpar, i.qmgr, i.mq_version, min(i.interval_start_local) AS first_local, max(i.interval_start_local) AS last_local
  FROM interval_cut AS i
  GROUP BY i.lpar, i.qmgr, i.mq_version
),
class AS (
  SELECT lpar, qmgr, record_class, min(first_written_local) AS first_local, max(last_written_local) AS last_local
  FROM record_count
  WHERE record_class IN ('115.1', '115.2', '115.201', '115.215', '115.216', '115.231', '116.0', '116.1', '116.10')
  GROUP BY lpar, qmgr, record_class
),
pool AS (
  SELECT lpar, qmgr, pool_id, buffers, above_bar, page_fixed, min(interval_start_local) AS first_local, max(interval_start_local) AS last_local
  FROM buffer_pool
  WHERE buffers > 0
  GROUP BY lpar, qmgr, pool_id, buffers, above_bar, page_fixed
),
file AS (
  SELECT
    lpar, qmgr, page_set_id, pool_id, expansion_method, encrypted,
    min(interval_start_local) AS first_local, max(interval_start_local) AS last_local
  FROM page_set
  GROUP BY lpar, qmgr, page_set_id, pool_id, expansion_method, encrypted
),
structure AS (
  SELECT lpar, qmgr, cf_structure, min(interval_start_local) AS first_local, max(interval_start_local) AS last_local
  FROM cf_structure
  GROUP BY lpar, qmgr, cf_structure
),
data_set AS (
  SELECT
    lpar, qmgr, cf_structure, smds_buffers, buffer_bytes, smds_encrypted,
    min(interval_start_local) AS first_local, max(interval_start_local) AS last_local
  FROM smds
  GROUP BY lpar, qmgr, cf_structure, smds_buffers, buffer_bytes, smds_encrypted
),
initiator AS (
  SELECT
    lpar, qmgr, adapters, dispatchers, ssl_tasks, max_channels, max_active_channels, max_tcp_channels, chinit_64_limit_mib,
    min(interval_start_local) AS first_local, max(interval_start_local) AS last_local
  FROM channel_initiator
  GROUP BY lpar, qmgr, adapters, dispatchers, ssl_tasks, max_channels, max_active_channels, max_tcp_channels, chinit_64_limit_mib
),
servers AS (
  SELECT lpar, qmgr, db2_servers, min(interval_start_local) AS first_local, max(interval_start_local) AS last_local
  FROM db2
  GROUP BY lpar, qmgr, db2_servers
),
region AS (
  SELECT lpar, qmgr, memlimit_mib, region_31_bytes, min(interval_start_local) AS first_local, max(interval_start_local) AS last_local
  FROM storage_region
  GROUP BY lpar, qmgr, memlimit_mib, region_31_bytes
),
found AS (
  SELECT lpar, qmgr, 'queue manager' AS subject_kind, '' AS subject, first_local, last_local,
    unnest([('there', '', 'yes', NULL::DOUBLE), ('MQ level', '', mq_version, NULL)]) AS s
  FROM cut
  UNION ALL
  SELECT c.lpar, c.qmgr, 'queue manager', '', c.first_local, c.last_local, ('queue-sharing group', '', g.qsg, NULL)
  FROM cut AS c
  JOIN queue_sharing_group AS g ON g.lpar = c.lpar AND g.qmgr = c.qmgr
  UNION ALL
  SELECT lpar, qmgr, 'records', 'records ' || record_class, first_local, last_local, ('there', '', 'yes', NULL)
  FROM class
  UNION ALL
  SELECT lpar, qmgr, 'buffer pool', 'buffer pool ' || pool_id, first_local, last_local,
    unnest([
      ('there', '', 'yes', NULL), ('buffers', 'buffers', buffers::VARCHAR, buffers::DOUBLE),
      ('above the bar', '', CASE WHEN above_bar THEN 'yes' WHEN NOT above_bar THEN 'no' END, NULL),
      ('page-fixed', '', CASE WHEN page_fixed THEN 'yes' WHEN NOT page_fixed THEN 'no' END, NULL)
    ])
  FROM pool
  UNION ALL
  SELECT lpar, qmgr, 'page set', 'page set ' || page_set_id, first_local, last_local,
    unnest([
      ('there', '', 'yes', NULL), ('buffer pool', '', pool_id::VARCHAR, NULL), ('expansion', '', expansion_method, NULL),
      ('encrypted', '', CASE WHEN encrypted THEN 'yes' WHEN NOT encrypted THEN 'no' END, NULL)
    ])
  FROM file
  UNION ALL
  SELECT lpar, qmgr, 'structure', 'structure ' || cf_structure, first_local, last_local, ('there', '', 'yes', NULL)
  FROM structure
  UNION ALL
  SELECT lpar, qmgr, 'SMDS', 'SMDS ' || cf_structure, first_local, last_local,
    unnest([
      ('there', '', 'yes', NULL), ('buffers', 'buffers', smds_buffers::VARCHAR, smds_buffers::DOUBLE),
      ('buffer size', 'bytes', buffer_bytes::VARCHAR, buffer_bytes::DOUBLE),
      ('encrypted', '', CASE WHEN smds_encrypted THEN 'yes' WHEN NOT smds_encrypted THEN 'no' END, NULL)
    ])
  FROM data_set
  UNION ALL
  SELECT lpar, qmgr, 'channel initiator', 'channel initiator', first_local, last_local,
    unnest([
      ('there', '', 'yes', NULL), ('adapters', 'count', adapters::VARCHAR, adapters::DOUBLE),
      ('dispatchers', 'count', dispatchers::VARCHAR, dispatchers::DOUBLE), ('TLS tasks', 'count', ssl_tasks::VARCHAR, ssl_tasks::DOUBLE),
      ('MAXCHL', 'count', max_channels::VARCHAR, max_channels::DOUBLE), ('ACTCHL', 'count', max_active_channels::VARCHAR, max_active_channels::DOUBLE),
      ('TCPCHL', 'count', max_tcp_channels::VARCHAR, max_tcp_channels::DOUBLE),
      ('MEMLIMIT', 'mib', chinit_64_limit_mib::BIGINT::VARCHAR, chinit_64_limit_mib::DOUBLE)
    ])
  FROM initiator
  UNION ALL
  SELECT lpar, qmgr, 'Db2', 'Db2', first_local, last_local, ('Db2 servers', 'count', db2_servers::VARCHAR, db2_servers::DOUBLE)
  FROM servers
  UNION ALL
  SELECT lpar, qmgr, 'storage', 'storage', first_local, last_local,
    unnest([
      ('MEMLIMIT', 'mib', memlimit_mib::BIGINT::VARCHAR, memlimit_mib::DOUBLE),
      ('31-bit region', 'bytes', region_31_bytes::VARCHAR, region_31_bytes::DOUBLE)
    ])
  FROM region
)
SELECT
  lpar, qmgr, subject_kind, subject, s[1] AS setting, s[2] AS setting_unit, s[3] AS setting_value, s[4] AS setting_number,
  min(first_local) AS first_seen_local, max(last_local) AS last_seen_local
FROM found
WHERE s[3] IS NOT NULL AND lpar IS NOT NULL AND qmgr IS NOT NULL
GROUP BY lpar, qmgr, subject_kind, subject, s[1], s[2], s[3], s[4]
