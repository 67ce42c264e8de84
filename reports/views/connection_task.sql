/*---
id      = "connection_task"
title   = "Connections that ended, with the task that class 3 accounting has of them"
grain   = "one row per record 116.0"
needs   = ["connection", "task_span", "decoded.wtas", "decoded.qwac"]
keep    = false                          # one row for each of millions of connections
classes = ["116.0"]
note    = "Both records of a connection have the same job and thread reference, and class 3 is written within a second of class 1."

[columns]
connection_job = { from = "connection" }
application_group = { doc = "Application; of a client the channel, if class 3 has its task." }
date_local = { unit = "ts_local", kind = "clock", doc = "Local date on which the record was written." }
in_class3 = { unit = "flag", doc = "Class 3 has a task that ended with the connection." }
class3_whole = { unit = "flag", doc = "Class 3 has this task from the connect to the end; null without a task." }
class3_cpu_us = { unit = "us", doc = "CPU time in MQ calls of the task in class 3; null without a task.", over = "add" }
unattributed_cpu_us = { unit = "us", doc = "CPU time of class 1 minus that of class 3 of the same task, not less than 0; null unless class 3 has the whole task.", over = "add" }
---*/
WITH
first_written AS (
  SELECT lpar, qmgr, min(task_interval_end_utc) AS first_utc
  FROM decoded.wtas
  GROUP BY lpar, qmgr
),
-- ASOF takes any of several tasks that end at the same time; the one that began first is always the same one.
ended AS (
  SELECT
    lpar, qmgr, connection_job, thread_reference, span_end_utc,
    min({
      'start': span_start_utc, 'correlator': task_correlator, 'application': application_group, 'missing': missing_us, 'cpu': span_cpu_us
    }) AS task
  FROM task_span
  GROUP BY lpar, qmgr, connection_job, thread_reference, span_end_utc
),
nearest AS (
  SELECT
    c.*, t.task['correlator'] AS task_correlator, t.task['application'] AS task_application, t.task['start'] AS span_start_utc,
    t.task['missing'] AS missing_us, t.task['cpu'] AS span_cpu_us,
    epoch_us(t.span_end_utc - c.disconnect_utc) AS later_us
  FROM connection AS c
  ASOF LEFT JOIN ended AS t
    ON t.lpar = c.lpar AND t.qmgr = c.qmgr AND t.connection_job IS NOT DISTINCT FROM c.connection_job AND t.thread_reference = c.thread_reference
      AND t.span_end_utc >= c.disconnect_utc
),
-- Without the class 3 record of one connection, the task of the next one is the nearest for both.
best AS (
  SELECT lpar, qmgr, task_correlator, arg_min(record_id, (later_us, record_id)) AS record_id
  FROM nearest
  WHERE later_us < 1000000
  GROUP BY lpar, qmgr, task_correlator
),
paired AS (
  SELECT
    n.*, date_trunc('day', r.written_local)::TIMESTAMP AS date_local, b.record_id IS NOT NULL AS in_class3,
    -- All records of a connection that began after the first record was written are in the data. Intervals of pooled threads of the channel initiator may begin later.
    CASE WHEN b.record_id IS NOT NULL
      THEN (n.span_start_utc <= n.connect_utc + INTERVAL 1 SECOND OR coalesce(n.connect_utc >= f.first_utc, false)) AND n.missing_us < 1000000
    END AS class3_whole
  FROM nearest AS n
  JOIN decoded.qwac AS r ON r.record_id = n.record_id
  LEFT JOIN best AS b ON b.record_id = n.record_id
  LEFT JOIN first_written AS f ON f.lpar = n.lpar AND f.qmgr = n.qmgr
)
SELECT
  lpar, qmgr, record_id, connection_type_name, connection_job, operator_id,
  CASE WHEN in_class3 THEN task_application ELSE caller(connection_job, transaction, connection_type_name, operator_id) END AS application_group,
  connect_utc, disconnect_utc, date_local, class1_cpu_us, class1_puts, class1_gets, in_class3, class3_whole,
  CASE WHEN in_class3 THEN span_cpu_us END                                  AS class3_cpu_us,
  CASE WHEN class3_whole AND class1_cpu_us IS NOT NULL THEN greatest(class1_cpu_us - span_cpu_us, 0) END AS unattributed_cpu_us
FROM paired
