/*---
id       = "task/list"
title    = "Task list and search"
question = "Which tasks of one job, transaction, channel or user are there, ended or running?"
dd       = ["TASKCSV", "EOJ"]
needs    = ["task", "task_span"]
grain    = ["record_id"]
drill_down = ["task/detail"]
note     = "One row per task and accounting interval; --task connection_job=PAY* selects tasks. record_id leads back to the record (mqstat trace)."

[columns]
lpar = { screen = 2 }
connection_type_name = { label = "type", screen = 2 }
connection_job = { label = "job", screen = 2 }
cics_task_number = { label = "task number", screen = 3 }
user_or_transaction = { label = "user or transaction", screen = 3 }
connection_name = { label = "partner", screen = 3 }
application = { label = "" }
task_correlator = { label = "correlator", screen = 3 }
network_id = { label = "network id", screen = 3 }
unit_of_work_id = { label = "unit of work id", screen = 3 }
task_start_utc = { label = "task start", screen = 2 }
task_interval_end_utc = { label = "interval end", screen = 2 }
task_ended = { from = "task", label = "ended", screen = 1 }
queue_blocks = { label = "queues", screen = 2 }
mq_wait_us = { label = "wait µs", screen = 2 }
commits = { screen = 1 }
task_log_bytes = { label = "log bytes", screen = 2 }
task_log_force_us = { label = "log force µs", screen = 3 }
longest_latch_wait_us = { label = "longest latch µs", screen = 3 }
db2_calls = { label = "Db2 calls", screen = 3 }
mq_busy_pct = { screen = 2 }
record_id = { screen = 2 }
records_of_task = { label = "records of task", screen = 2, doc = "Accounting records of the task in the selected data." }
long_running = { unit = "flag", label = "long", screen = 2, doc = "The task has several accounting records, or is older than an hour.", over = "max" }
---*/
WITH repeated AS (
  -- Most tasks have one record: a window over all of them would take most of the time.
  SELECT lpar, qmgr, task_correlator, records_of_task
  FROM task_span
  WHERE records_of_task > 1
)
SELECT
  t.lpar, t.qmgr, t.connection_type_name, t.connection_job, t.transaction, t.cics_task_number, t.operator_id, t.user_or_transaction, t.channel_name,
  t.connection_name, t.application, t.task_correlator, t.network_id, t.unit_of_work_id, t.task_start_utc, t.task_interval_start_utc,
  t.task_interval_end_utc, t.task_ended, t.task_age_s, t.queue_blocks, t.mq_calls, t.task_puts, t.task_gets, t.mq_cpu_us, t.mq_et_us, t.mq_wait_us,
  t.commits, t.rollbacks, t.task_log_bytes, t.task_log_force_us, t.latch_wait_us, t.longest_latch_wait_us, t.db2_calls, t.cf_calls, t.mq_busy_pct,
  t.record_id,
  coalesce(r.records_of_task, 1)                            AS records_of_task,
  r.records_of_task IS NOT NULL OR t.task_age_s > 3600      AS long_running
FROM task AS t
LEFT JOIN repeated AS r ON r.lpar = t.lpar AND r.qmgr = t.qmgr AND r.task_correlator = t.task_correlator
ORDER BY task_interval_start_utc, lpar, qmgr, task_correlator, record_id
