/*---
id       = "task/summary"
title    = "Task summary"
question = "Which connection types and jobs make how many calls, and what do they cost?"
dd       = ["TASKSUM"]
needs    = ["application_work", "coverage_task_rate"]
grain    = ["lpar", "qmgr", "connection_type_name", "connection_job"]
drill_down = ["application/cpu", "task/list"]
note     = "A task that changed its channel counts once for each of them. Rates are over the time from the first to the last accounting record."

[columns]
lpar = { screen = 2 }
connection_type_name = { label = "type", screen = 1 }
connection_job = { label = "job", screen = 1 }
task_records = { from = "application_work", label = "records", screen = 2 }
mq_et_us = { screen = 2 }
share_of_cpu_pct = { unit = "percent", label = "CPU %", screen = 1, doc = "Share of the CPU time of all tasks of the queue manager.", ratio = { numerator = "j.mq_cpu_us", denominator = "sum(j.mq_cpu_us) OVER (PARTITION BY j.lpar, j.qmgr)", scale = 100, whole = ["lpar", "qmgr"] } }
calls_per_task = { unit = "ratio", label = "calls/task", screen = 1, doc = "MQ calls per task.", ratio = { numerator = "mq_calls", denominator = "tasks" } }
messages_per_task = { unit = "ratio", label = "messages/task", screen = 2, doc = "Messages put and got per task.", ratio = { numerator = "j.task_messages", denominator = "j.tasks" } }
tasks_per_s = { unit = "per_s", label = "tasks/s", screen = 1, doc = "Tasks that ended per second; null if the records cover less than 10 seconds.", across = "add", ratio = { numerator = "j.tasks_ended", denominator = "r.span_seconds" } }
cpu_per_message_us = { unit = "us", label = "CPU µs/message", screen = 2, doc = "CPU time in MQ calls per message put or got.", ratio = { numerator = "j.mq_cpu_us", denominator = "j.task_messages" } }
log_mib = { unit = "mib", label = "log MiB", screen = 3, doc = "Data written to the log, in units of 1048576 bytes.", over = "add" }
---*/
WITH job AS (
  SELECT
    lpar, qmgr, connection_type_name, connection_job,
    sum(task_records)::BIGINT AS task_records, sum(tasks)::BIGINT AS tasks, sum(tasks_ended)::BIGINT AS tasks_ended, sum(mq_calls)::BIGINT AS mq_calls,
    sum(mq_cpu_us)::BIGINT AS mq_cpu_us, sum(mq_et_us)::BIGINT AS mq_et_us, sum(task_puts)::BIGINT AS task_puts, sum(task_gets)::BIGINT AS task_gets,
    sum(task_messages)::BIGINT AS task_messages, sum(commits)::BIGINT AS commits, sum(rollbacks)::BIGINT AS rollbacks,
    sum(task_log_bytes)::BIGINT AS task_log_bytes, sum(latch_wait_us)::BIGINT AS latch_wait_us
  FROM application_work
  GROUP BY lpar, qmgr, connection_type_name, connection_job
)
SELECT
  j.lpar, j.qmgr, j.connection_type_name, j.connection_job, j.task_records, j.tasks, j.tasks_ended, j.mq_calls, j.mq_cpu_us, j.mq_et_us,
  pct(j.mq_cpu_us, sum(j.mq_cpu_us) OVER (PARTITION BY j.lpar, j.qmgr)) AS share_of_cpu_pct,
  j.task_puts, j.task_gets, j.commits, j.rollbacks,
  j.mq_calls / nullif(j.tasks, 0)             AS calls_per_task,
  j.task_messages / nullif(j.tasks, 0)        AS messages_per_task,
  j.tasks_ended / r.span_seconds              AS tasks_per_s,
  j.mq_cpu_us / nullif(j.task_messages, 0)    AS cpu_per_message_us,
  j.task_log_bytes / 1048576                  AS log_mib,
  j.latch_wait_us
FROM job AS j
LEFT JOIN coverage_task_rate AS r ON r.lpar = j.lpar AND r.qmgr = j.qmgr
ORDER BY mq_cpu_us DESC NULLS LAST, lpar, qmgr, connection_type_name, connection_job
