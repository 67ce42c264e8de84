/*---
id      = "application_hour"
title   = "Work of applications by hour"
grain   = "one row per lpar, qmgr, application, connection type and hour"
needs   = ["task", "site_input"]
classes = ["116.1"]
note    = "All addresses of a channel are one application, and names of the site file replace it. A task interval belongs to the hour in which it ended."

[columns]
hour_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the hour; null for tasks without an end." }
hour_local = { unit = "ts_local", kind = "clock", doc = "The same in local time." }
task_records = { unit = "count", doc = "Accounting records of tasks.", over = "add" }
application = { doc = "Application; all clients of a channel are one application. Names of the site file replace it." }
---*/
WITH total AS (
  SELECT
    lpar, qmgr, application_group, connection_type_name,
    task_hour_start_utc              AS hour_start_utc,
    min(task_hour_start_local)       AS hour_local,
    count(*)                         AS task_records,
    sum(mq_calls)::BIGINT            AS mq_calls,
    sum(mq_cpu_us)::BIGINT           AS mq_cpu_us,
    sum(queue_cpu_us)::BIGINT        AS queue_cpu_us,
    sum(other_verbs_cpu_us)::BIGINT  AS other_verbs_cpu_us,
    sum(mq_et_us)::BIGINT            AS mq_et_us,
    sum(task_puts)::BIGINT           AS task_puts,
    sum(task_gets)::BIGINT           AS task_gets,
    sum(put_bytes)::BIGINT           AS put_bytes,
    sum(get_bytes)::BIGINT           AS get_bytes,
    sum(task_messages)::BIGINT       AS task_messages,
    sum(commits)::BIGINT             AS commits,
    sum(task_log_bytes)::BIGINT      AS task_log_bytes
  FROM task
  GROUP BY lpar, qmgr, application_group, connection_type_name, task_hour_start_utc
),
named AS (
  SELECT
    t.* EXCLUDE (application_group),
    coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: t.application_group GLOB replace(p.key, '[', '[[]'))[1].value,
      t.application_group) AS application
  FROM total AS t
  LEFT JOIN site_input AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr
)
-- Several applications may have one name in the site file.
SELECT
  lpar, qmgr, connection_type_name, hour_start_utc,
  min(hour_local)                    AS hour_local,
  sum(task_records)::BIGINT          AS task_records,
  sum(mq_calls)::BIGINT              AS mq_calls,
  sum(mq_cpu_us)::BIGINT             AS mq_cpu_us,
  sum(queue_cpu_us)::BIGINT          AS queue_cpu_us,
  sum(other_verbs_cpu_us)::BIGINT    AS other_verbs_cpu_us,
  sum(mq_et_us)::BIGINT              AS mq_et_us,
  sum(task_puts)::BIGINT             AS task_puts,
  sum(task_gets)::BIGINT             AS task_gets,
  sum(put_bytes)::BIGINT             AS put_bytes,
  sum(get_bytes)::BIGINT             AS get_bytes,
  sum(task_messages)::BIGINT         AS task_messages,
  sum(commits)::BIGINT               AS commits,
  sum(task_log_bytes)::BIGINT        AS task_log_bytes,
  application
FROM named
GROUP BY lpar, qmgr, application, connection_type_name, hour_start_utc
