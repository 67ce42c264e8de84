/*---
id      = "coverage_connection"
title   = "Connections by kind, for coverage rules"
grain   = "one row per lpar and qmgr with accounting records"
needs   = ["decoded.wtid", "decoded.qwhc"]
classes = ["116.1", "116.0"]
empty_without = false

[columns]
connections_accounted = { unit = "count", doc = "Task records of class 1 and class 3.", over = "add" }
channel_connections = { unit = "count", doc = "Those of the channel initiator.", over = "add" }
ams_connections = { unit = "count", doc = "Those of the address space of Advanced Message Security (the queue manager's name and AMSM).", over = "add" }
ams_record_id = { unit = "id", kind = "key", doc = "First record of such a connection in view record." }
---*/
WITH
named AS (
  SELECT lpar, qmgr, connection_type, connection_job, count(*) AS connections, min(record_id) AS record_id
  FROM decoded.wtid
  GROUP BY ALL
  UNION ALL
  SELECT lpar, qmgr, connection_type, connection_job, count(*), min(record_id)
  FROM decoded.qwhc
  WHERE connection_type IS NOT NULL
  GROUP BY ALL
)
SELECT
  lpar, qmgr,
  sum(connections)::BIGINT AS connections_accounted,
  coalesce(sum(connections) FILTER (connection_type = 'CHIN'), 0)::BIGINT            AS channel_connections,
  coalesce(sum(connections) FILTER (connection_job = trim(qmgr) || 'AMSM'), 0)::BIGINT AS ams_connections,
  min(record_id) FILTER (connection_job = trim(qmgr) || 'AMSM')                      AS ams_record_id
FROM named
GROUP BY lpar, qmgr
