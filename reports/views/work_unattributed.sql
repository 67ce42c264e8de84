/*---
id      = "work_unattributed"
title   = "Work in MQ that class 3 accounting cannot attribute to an application"
grain   = "one row per lpar, qmgr and reason"
needs   = ["queue_use", "connection_task", "coverage_calls", "decoded.wtas"]
classes = ["116.1"]
empty_without = false
note    = "Measured against class 1 accounting and statistics where these are in the data; it has no row for what nothing counted."

[columns]
reason = { unit = "text", doc = "queue blocks without a task: continuations (116.2) whose record 116.1 is missing; class 1 above class 3: CPU time of connections that class 3 did not see; connections without class 3; calls without accounting: puts and gets that statistics count and accounting does not." }
unattributed_cpu_us = { doc = "CPU time in MQ calls; null if it is not known." }
unattributed_calls = { unit = "count", doc = "Calls; null if they are not known.", over = "add" }
unattributed_connections = { unit = "count", doc = "Connections that ended; null for the other reasons.", over = "add" }
---*/
WITH
span AS (
  SELECT lpar, qmgr, min(task_interval_start_utc) AS first_utc, max(task_interval_end_utc) AS last_utc
  FROM decoded.wtas
  GROUP BY lpar, qmgr
),
-- Connections are matched with their tasks once for both reasons.
total AS MATERIALIZED (
  SELECT
    c.lpar, c.qmgr,
    sum(c.unattributed_cpu_us) FILTER (c.class3_whole)::BIGINT          AS above_cpu_us,
    count(*) FILTER (c.class3_whole)                                    AS above_connections,
    sum(c.class1_cpu_us) FILTER (c.without_class3)::BIGINT              AS without_cpu_us,
    sum(c.class1_puts + c.class1_gets) FILTER (c.without_class3)::BIGINT AS without_calls,
    count(*) FILTER (c.without_class3)                                  AS without_connections
  FROM (
    SELECT
      t.*,
      NOT t.in_class3 AND t.disconnect_utc >= s.first_utc - INTERVAL 1 SECOND AND t.disconnect_utc <= s.last_utc + INTERVAL 1 SECOND AS without_class3
    FROM connection_task AS t
    LEFT JOIN span AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr
  ) AS c
  GROUP BY c.lpar, c.qmgr
)
SELECT
  lpar, qmgr, 'queue blocks without a task' AS reason, sum(queue_mq_cpu_us)::BIGINT AS unattributed_cpu_us, sum(queue_calls)::BIGINT AS unattributed_calls,
  NULL AS unattributed_connections
FROM queue_use
WHERE task_record_id IS NULL
GROUP BY lpar, qmgr
UNION ALL
SELECT lpar, qmgr, 'class 1 above class 3', above_cpu_us, NULL, above_connections
FROM total
WHERE above_connections > 0
UNION ALL
SELECT lpar, qmgr, 'connections without class 3', without_cpu_us, without_calls, without_connections
FROM total
WHERE without_connections > 0
UNION ALL
SELECT lpar, qmgr, 'calls without accounting', NULL, calls_counted - calls_seen, NULL
FROM coverage_calls
WHERE seen_by = 'task accounting' AND calls_counted > calls_seen
