/*---
id      = "application_connect"
title   = "Connections of applications over the period"
grain   = "one row per lpar, qmgr, application and connection type"
needs   = ["connection", "task", "site_input"]
classes = ["116.0"]
empty_without = false
note    = "From class 1 accounting, or from tasks that ended in class 3 where a queue manager has no class 1; never both. Class 1 has one record for each unit of work of CICS and IMS, and no channel name."

[columns]
application = { doc = "Application; of class 1, tasks of the channel initiator are one application. Names of the site file replace it." }
connect_source = { unit = "text", doc = "class 1 or class 3." }
stays_connected = { unit = "flag", doc = "The system stays connected and writes a record for each unit of work (CICS, IMS), or the connection belongs to MQ itself or to channels." }
connects = { unit = "count", doc = "Connections that ended.", over = "add" }
connect_calls = { unit = "count", doc = "Their calls: puts and gets in class 1, all MQ calls in class 3.", over = "add" }
period_seconds = { unit = "s", doc = "Time from the first to the last end of a connection of the queue manager; null below 10 seconds.", over = "same" }
connects_per_s = { unit = "per_s", doc = "Connections that ended per second of that time.", across = "add", ratio = { numerator = "connects", denominator = "period_seconds" } }
calls_per_connect = { unit = "ratio", doc = "Calls per connection.", ratio = { numerator = "connect_calls", denominator = "connects" } }
---*/
WITH
ended AS (
  SELECT
    lpar, qmgr, caller(connection_job, transaction, connection_type_name, operator_id) AS application, connection_type_name, 'class 1' AS connect_source,
    count(*) AS connects, sum(class1_puts + class1_gets)::BIGINT AS connect_calls, min(disconnect_utc) AS first_utc, max(disconnect_utc) AS last_utc
  FROM connection
  GROUP BY ALL
  UNION ALL
  SELECT
    lpar, qmgr, application_group, connection_type_name, 'class 3',
    count(*), sum(mq_calls)::BIGINT, min(task_interval_end_utc), max(task_interval_end_utc)
  FROM task
  WHERE task_ended
  GROUP BY lpar, qmgr, application_group, connection_type_name
),
manager AS (
  SELECT
    lpar, qmgr, connect_source,
    nullif(greatest(epoch_us(max(last_utc) - min(first_utc)), 10000000), 10000000) / 1e6 AS period_seconds
  FROM ended
  GROUP BY lpar, qmgr, connect_source
),
-- By name, class 1 comes first.
source_of AS (
  SELECT lpar, qmgr, min(connect_source) AS connect_source
  FROM manager
  GROUP BY lpar, qmgr
),
named AS (
  SELECT
    e.lpar, e.qmgr, e.connection_type_name, e.connect_source, e.connects, e.connect_calls, m.period_seconds,
    coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: e.application GLOB replace(p.key, '[', '[[]'))[1].value, e.application) AS application
  FROM ended AS e
  JOIN source_of AS o ON o.lpar = e.lpar AND o.qmgr = e.qmgr AND o.connect_source = e.connect_source
  JOIN manager AS m ON m.lpar = e.lpar AND m.qmgr = e.qmgr AND m.connect_source = e.connect_source
  LEFT JOIN site_input AS s ON s.lpar = e.lpar AND s.qmgr = e.qmgr
)
SELECT
  lpar, qmgr, application, connection_type_name, connect_source,
  connection_type_name IN ('CICS', 'IMS control', 'IMS MPP/BMP', 'command server', 'intra-group queuing', 'channel initiator') AS stays_connected,
  sum(connects)::BIGINT                                    AS connects,
  sum(connect_calls)::BIGINT                               AS connect_calls,
  any_value(period_seconds)                                AS period_seconds,
  sum(connects) / any_value(period_seconds)                AS connects_per_s,
  sum(connect_calls) / nullif(sum(connects), 0)            AS calls_per_connect
FROM named
GROUP BY lpar, qmgr, application, connection_type_name, connect_source
