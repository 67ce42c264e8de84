/*---
id      = "task_span"
title   = "Tasks, joined over their accounting intervals"
grain   = "one row per lpar, qmgr and task"
needs   = ["task"]
keep    = false                          # one row for each of millions of tasks
classes = ["116.1"]
note    = "A task that lives long has a record 116.1 for each accounting interval; each interval begins where the one before ended, and its counters are those of the interval."

[columns]
application_group = { doc = "Application in the last record of the task; all clients of a channel are one application." }
records_of_task = { unit = "count", doc = "Accounting records of the task.", over = "max" }
span_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of its first accounting interval." }
span_end_utc = { unit = "ts_utc", kind = "clock", doc = "End of its last accounting interval." }
span_us = { unit = "us", doc = "Time between them.", over = "add" }
missing_us = { unit = "us", doc = "Part of that time without an accounting interval: more than a few microseconds mean lost records.", over = "add" }
task_ended = { doc = "The task ended." }
span_cpu_us = { unit = "us", doc = "CPU time in MQ calls.", over = "add" }
---*/
SELECT
  lpar, qmgr, task_correlator,
  arg_max(connection_job, (task_interval_start_utc, record_id))          AS connection_job,
  arg_max(thread_reference, (task_interval_start_utc, record_id))        AS thread_reference,
  arg_max(application_group, (task_interval_start_utc, record_id))       AS application_group,
  count(*)                                    AS records_of_task,
  min(task_interval_start_utc)                AS span_start_utc,
  max(task_interval_end_utc)                  AS span_end_utc,
  epoch_us(max(task_interval_end_utc) - min(task_interval_start_utc)) AS span_us,
  greatest(epoch_us(max(task_interval_end_utc) - min(task_interval_start_utc)) - sum(task_interval_us), 0)::BIGINT AS missing_us,
  bool_or(task_ended)                         AS task_ended,
  sum(mq_cpu_us)::BIGINT                      AS span_cpu_us
FROM task
GROUP BY lpar, qmgr, task_correlator
