/*---
id      = "application_use"
title   = "Applications by hour, from accounting"
grain   = "one row per lpar, qmgr, application, connection type and hour"
needs   = ["task", "site_input"]
classes = ["116.1"]
keep    = false                          # one row per application and hour
note    = "An accounting interval belongs to the hour in which it ended; one that ended exactly on the hour belongs to the previous hour. Times and calls of queues are included in those of the task."

[columns]
application = { doc = "Name of the application: the channel for clients, otherwise the transaction, program or job." }
application_group = { doc = "The same without the address of the partner: all clients of a channel are one application. Names of the site file replace it." }
hour_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the hour in GMT." }
hour_local = { unit = "ts_local", kind = "clock", doc = "Start of the local hour." }
task_records = { unit = "count", doc = "Accounting intervals of tasks that ended in the hour.", over = "add" }
tasks = { unit = "count", doc = "Tasks that they belong to.", over_time = "max", across = "add" }
tasks_ended = { unit = "count", doc = "Tasks that ended in the hour.", over = "add" }
calls_per_message = { unit = "ratio", doc = "Calls per message put or got.", ratio = { numerator = "mq_calls", denominator = "task_messages" } }
---*/
WITH
total AS (
  SELECT
    t.lpar, t.qmgr, t.qsg, t.application, t.application_group, t.connection_type_name,
    t.task_hour_start_utc                   AS hour_start_utc,
    min(t.task_hour_start_local)            AS hour_local,
    count(*)                                AS task_records,
    count(DISTINCT t.task_correlator)       AS tasks,
    count(*) FILTER (t.task_ended)          AS tasks_ended,
    sum(t.mq_calls)::BIGINT                 AS mq_calls,
    sum(t.mq_cpu_us)::BIGINT                AS mq_cpu_us,
    sum(t.mq_et_us)::BIGINT                 AS mq_et_us,
    sum(t.other_verbs_cpu_us)::BIGINT       AS other_verbs_cpu_us,
    sum(t.queue_cpu_us)::BIGINT             AS queue_cpu_us,
    sum(t.task_puts)::BIGINT                AS task_puts,
    sum(t.task_gets)::BIGINT                AS task_gets,
    sum(t.task_messages)::BIGINT            AS task_messages,
    sum(t.put_bytes)::BIGINT                AS put_bytes,
    sum(t.get_bytes)::BIGINT                AS get_bytes,
    sum(t.commits)::BIGINT                  AS commits,
    sum(t.task_log_bytes)::BIGINT           AS task_log_bytes,
    sum(t.task_log_force_us)::BIGINT        AS task_log_force_us,
    sum(t.latch_wait_us)::BIGINT            AS latch_wait_us,
    sum(t.cf_calls)::BIGINT                 AS cf_calls,
    sum(t.db2_calls)::BIGINT                AS db2_calls
  FROM task AS t
  WHERE t.task_interval_end_utc IS NOT NULL
  GROUP BY t.lpar, t.qmgr, t.qsg, t.application, t.application_group, t.connection_type_name, t.task_hour_start_utc
)
SELECT
  t.* REPLACE (coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: t.application_group GLOB replace(p.key, '[', '[[]'))[1].value,
    t.application_group) AS application_group),
  t.mq_cpu_us / nullif(t.task_messages, 0) AS cpu_per_message_us,
  t.mq_calls / nullif(t.task_messages, 0)  AS calls_per_message,
  t.task_messages / nullif(t.commits, 0)   AS messages_per_commit
FROM total AS t
LEFT JOIN site_input AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr
