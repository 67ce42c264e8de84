/*---
id       = "task/detail"
title    = "Task detail"
question = "Everything one task did in one accounting interval: what were its identity, calls, times, log, latches, Db2, CF, SMDS and queues?"
dd       = ["TASK"]
needs    = ["task", "task_latch", "task_cf", "queue_use", "queue_use_cf"]
grain    = ["lpar", "qmgr", "task_correlator", "task_interval_start_utc", "detail", "record_id", "section", "latch_class", "cf_phase", "cf_operation_name", "verb_name"]
drill_down = ["latch/lens", "cf/verb_cost"]
note     = "Select the tasks with --task, such as --task task_correlator=..., connection_job=... or channel_name=... Times of calls leave out Advanced Message Security. Log, latch, Db2, CF, SMDS and suspension are parts of the times of calls and are never added."

[columns]
lpar = { screen = 0 }
qmgr = { screen = 2 }
detail = { unit = "text", label = "detail", screen = 1, doc = "What the row is about: task, latch, phase (CF requests of commit and prepare), queue, call on the queue, or request (CF requests of the call)." }
connection_type_name = { label = "connection type name" }
connection_job = { label = "connection job" }
application = { label = "" }
operator_id = { label = "operator id", screen = 0 }
user_or_transaction = { label = "user or transaction" }
transaction = { screen = 0 }
channel_name = { label = "channel name", screen = 0 }
connection_name = { label = "connection name" }
task_correlator = { label = "task correlator" }
thread_reference = { label = "thread reference" }
context_token = { label = "context token" }
network_id = { label = "network id" }
accounting_token = { label = "accounting token" }
unit_of_work_id = { label = "unit of work id" }
task_start_utc = { label = "task start utc" }
task_interval_start_utc = { label = "task interval start utc" }
task_interval_end_utc = { label = "task interval end utc" }
other_calls = { label = "other calls" }
other_average_et_us = { unit = "us", label = "other average et us", doc = "Mean elapsed time of an other call.", ratio = { numerator = "other_et_us", denominator = "other_calls" } }
other_average_cpu_us = { unit = "us", label = "other average cpu us", doc = "Mean CPU time of an other call.", ratio = { numerator = "other_cpu_us", denominator = "other_calls" } }
backouts = { label = "backouts" }
backout_average_et_us = { unit = "us", label = "backout average et us", doc = "Mean elapsed time of a backout.", ratio = { numerator = "backout_et_us", denominator = "backouts" } }
prepares = { label = "prepares" }
prepare_average_et_us = { unit = "us", label = "prepare average et us", doc = "Mean elapsed time of a prepare.", ratio = { numerator = "prepare_et_us", denominator = "prepares" } }
subscribes = { label = "subscribes" }
controls = { label = "controls" }
statuses = { label = "statuses" }
task_log_writes = { label = "task log writes" }
log_write_average_us = { unit = "us", label = "log write average us", doc = "Mean time of a log write.", ratio = { numerator = "task_log_write_us", denominator = "task_log_writes" } }
task_log_bytes = { label = "task log bytes" }
task_log_forces = { label = "task log forces" }
suspends = { label = "suspends" }
suspend_average_us = { unit = "us", label = "suspend average us", doc = "Mean time of a suspend.", ratio = { numerator = "suspend_us", denominator = "suspends" } }
page_gets_old = { label = "page gets old" }
page_gets_new = { label = "page gets new" }
page_set_0_logs = { label = "page set 0 logs" }
page_set_0_log_us = { label = "page set 0 log us" }
pool_latch_wait_us = { label = "pool latch wait us" }
pool_latch_held_us = { label = "pool latch held us" }
longest_latch_class = { label = "longest latch class" }
longest_latch_holder = { label = "longest latch holder" }
db2_calls = { label = "db2 calls" }
db2_average_thread_us = { unit = "us", label = "db2 average thread us", doc = "Mean Db2 elapsed time of the thread per request.", ratio = { numerator = "db2_thread_us", denominator = "db2_calls" } }
db2_average_server_us = { unit = "us", label = "db2 average server us", doc = "Mean Db2 elapsed time of the server per request.", ratio = { numerator = "db2_server_us", denominator = "db2_calls" } }
db2_thread_longest_us = { label = "db2 thread longest us" }
db2_server_longest_us = { label = "db2 server longest us" }
db2_bytes_written = { label = "db2 bytes written" }
db2_bytes_read = { label = "db2 bytes read" }
single_calls = { label = "single calls" }
average_single_us = { unit = "us", label = "average single us", doc = "Mean elapsed time of a CF single-entry call.", ratio = { numerator = "single_call_us", denominator = "single_calls" } }
single_redrives = { label = "single redrives" }
multiple_calls = { label = "multiple calls" }
average_multiple_us = { unit = "us", label = "average multiple us", doc = "Mean elapsed time of a CF multiple-entry call.", ratio = { numerator = "multiple_call_us", denominator = "multiple_calls" } }
multiple_redrives = { label = "multiple redrives" }
task_smds_write_blocks = { label = "task smds write blocks" }
task_smds_read_blocks = { label = "task smds read blocks" }
task_smds_write_pages = { label = "task smds write pages" }
task_smds_read_pages = { label = "task smds read pages" }
task_smds_saved_reads = { label = "task smds saved reads" }
task_smds_wait_us = { label = "task smds wait us" }
mq_cpu_us = { label = "mq cpu us" }
mq_et_us = { label = "mq et us" }
latch_class = { label = "latch class" }
latch_name = { label = "latch name" }
latch_class_waits = { label = "latch class waits", screen = 0 }
latch_class_wait_us = { label = "latch class wait us", screen = 2 }
latch_class_longest_us = { label = "latch class longest us" }
cf_operation_name = { label = "cf operation name" }
phase_cf_requests = { unit = "count", label = "phase cf requests", doc = "Requests of this CF operation that completed in the phase.", over = "add" }
phase_cf_sync_requests = { unit = "count", label = "phase cf sync requests", doc = "Those that ran synchronously.", over = "add" }
phase_cf_sync_us = { unit = "us", label = "phase cf sync us", doc = "Elapsed time of synchronous requests.", over = "add" }
phase_cf_async_requests = { unit = "count", label = "phase cf async requests", doc = "Those that ran asynchronously.", over = "add" }
phase_cf_async_us = { unit = "us", label = "phase cf async us", doc = "Elapsed time of asynchronous requests.", over = "add" }
open_name = { label = "open name" }
base_name = { label = "base name" }
queue_type = { label = "queue type" }
index_type = { label = "index type" }
opened_utc = { label = "opened utc" }
closed_utc = { label = "closed utc" }
page_set_id = { label = "page set id", screen = 0 }
cf_structure = { label = "cf structure" }
open_handles = { label = "open handles" }
total_requests = { label = "total requests" }
generated_messages = { label = "generated messages" }
persistent_gets = { label = "persistent gets" }
persistent_mqputs = { label = "persistent mqputs" }
persistent_mqput1s = { label = "persistent mqput1s" }
puts_to_waiting_getter = { label = "puts to waiting getter" }
valid_puts = { label = "valid puts", screen = 2 }
put_bytes_high = { label = "put bytes high" }
put_bytes_low = { label = "put bytes low" }
put_bytes = { label = "put bytes" }
valid_gets = { screen = 2 }
valid_destructive_gets = { label = "valid destructive gets" }
get_bytes_high = { label = "get bytes high" }
get_bytes_low = { label = "get bytes low" }
gets_specific = { label = "gets specific" }
gets_any = { label = "gets any" }
browses_specific = { label = "browses specific" }
browses_any = { label = "browses any" }
time_on_queue_high_us = { label = "time on queue high us" }
time_on_queue_low_us = { label = "time on queue low us" }
pages_skipped = { label = "pages skipped" }
messages_skipped = { label = "messages skipped", screen = 3 }
expired_messages = { label = "expired messages" }
depth_high = { label = "depth high" }
selector_opens = { label = "selector opens" }
selector_length = { label = "selector length" }
verb_name = { label = "verb name", doc = "MQ call on the queue." }
verb_calls = { doc = "Calls." }
verb_average_et_us = { unit = "us", label = "verb average et us", screen = 1, doc = "Mean elapsed time of a call.", ratio = { numerator = "verb_et_us", denominator = "verb_calls" } }
verb_average_cpu_us = { unit = "us", label = "verb average cpu us", screen = 1, doc = "Mean CPU time of a call.", ratio = { numerator = "verb_cpu_us", denominator = "verb_calls" } }
verb_suspend_us = { unit = "us", kind = "counter", label = "verb suspend us", doc = "Time suspended in the calls; null for verbs without this field." }
verb_log_write_us = { unit = "us", kind = "counter", label = "verb log write us", doc = "Elapsed time of log writes without force in the calls; null for verbs without this field." }
verb_log_force_us = { unit = "us", kind = "counter", label = "verb log force us", doc = "Elapsed time of forced log writes in the calls; null for verbs without this field." }
verb_page_set_us = { unit = "us", kind = "counter", label = "verb page set us", doc = "Elapsed time of page set access in the calls; null for verbs without this field." }
cf_requests = { label = "cf requests" }
cf_sync_requests = { label = "cf sync requests" }
average_cf_sync_us = { label = "average cf sync us" }
cf_async_requests = { label = "cf async requests" }
average_cf_async_us = { label = "average cf async us" }
record_id = { label = "record id" }
---*/
WITH
-- Computed once: a task is a sum over its queues, and five parts name it.
owner AS MATERIALIZED (
  SELECT record_id, lpar, qmgr, application, task_correlator, task_interval_start_utc FROM task
),
verb AS (
  SELECT
    q.record_id, q.section, q.base_name, t.lpar, t.qmgr, t.application, t.task_correlator, t.task_interval_start_utc, v.verb_name,
    CASE v.verb_name WHEN 'open' THEN opens WHEN 'close' THEN closes WHEN 'get' THEN gets WHEN 'put' THEN puts WHEN 'put1' THEN put1s
      WHEN 'inq' THEN inquires WHEN 'set' THEN sets WHEN 'cb' THEN callbacks END AS calls,
    CASE v.verb_name WHEN 'open' THEN open_et_us WHEN 'close' THEN close_et_us WHEN 'get' THEN get_et_us WHEN 'put' THEN put_et_us
      WHEN 'put1' THEN put1_et_us WHEN 'inq' THEN inquire_et_us WHEN 'set' THEN set_et_us WHEN 'cb' THEN callback_et_us END AS et_us,
    CASE v.verb_name WHEN 'open' THEN open_cpu_us WHEN 'close' THEN close_cpu_us WHEN 'get' THEN get_cpu_us WHEN 'put' THEN put_cpu_us
      WHEN 'put1' THEN put1_cpu_us WHEN 'inq' THEN inquire_cpu_us WHEN 'set' THEN set_cpu_us WHEN 'cb' THEN callback_cpu_us END AS cpu_us,
    CASE v.verb_name WHEN 'open' THEN open_suspend_us WHEN 'close' THEN close_suspend_us WHEN 'get' THEN get_suspend_us WHEN 'put' THEN put_suspend_us
      WHEN 'put1' THEN put1_suspend_us END AS suspend_us,
    CASE v.verb_name WHEN 'get' THEN get_log_write_us WHEN 'put' THEN put_log_write_us WHEN 'put1' THEN put1_log_write_us END AS log_write_us,
    CASE v.verb_name WHEN 'get' THEN get_log_force_us WHEN 'put' THEN put_log_force_us WHEN 'put1' THEN put1_log_force_us END AS log_force_us,
    CASE v.verb_name WHEN 'get' THEN get_page_set_us WHEN 'put' THEN put_page_set_us WHEN 'put1' THEN put1_page_set_us END AS page_set_us
  FROM queue_use AS q
  JOIN owner AS t ON t.record_id = q.task_record_id
  CROSS JOIN (VALUES ('open'), ('close'), ('get'), ('put'), ('put1'), ('inq'), ('set'), ('cb')) AS v (verb_name)
),
part AS (
  SELECT
    t.lpar, t.qmgr, 'task' AS detail, t.connection_type_name, t.connection_job, t.application, t.operator_id, t.user_or_transaction, t.transaction,
    t.cics_task_number, t.channel_name, t.connection_name, t.task_correlator, t.thread_reference, t.context_token, t.network_id, t.accounting_token,
    t.unit_of_work_id, t.task_start_utc, t.task_interval_start_utc, t.task_interval_end_utc, t.task_interval_us, t.task_ended,
    t.task_started_in_interval, t.queue_blocks, t.other_calls, t.other_et_us, t.other_cpu_us, t.other_et_us / nullif(t.other_calls, 0) AS other_average_et_us,
    t.other_cpu_us / nullif(t.other_calls, 0) AS other_average_cpu_us, t.commits, t.commit_et_us, t.commit_cpu_us, t.commit_average_et_us, t.commit_average_cpu_us, t.backouts, t.backout_et_us,
    t.backout_et_us / nullif(t.backouts, 0) AS backout_average_et_us, t.prepares, t.prepare_et_us, t.prepare_et_us / nullif(t.prepares, 0) AS prepare_average_et_us,
    t.subscribes, t.controls, t.statuses, t.task_log_writes, t.task_log_write_us, t.task_log_write_us / nullif(t.task_log_writes, 0) AS log_write_average_us,
    t.task_log_bytes, t.task_log_forces, t.task_log_force_us, t.log_force_average_us, t.suspends, t.suspend_us, t.suspend_us / nullif(t.suspends, 0) AS suspend_average_us,
    t.page_gets_old, t.page_gets_new, t.page_set_0_logs, t.page_set_0_log_us, t.pool_latch_wait_us, t.pool_latch_held_us, t.longest_latch_wait_us,
    t.longest_latch_class, t.longest_latch_holder, t.db2_calls, t.db2_thread_us, t.db2_server_us, t.db2_thread_us / nullif(t.db2_calls, 0) AS db2_average_thread_us,
    t.db2_server_us / nullif(t.db2_calls, 0) AS db2_average_server_us, t.db2_thread_longest_us, t.db2_server_longest_us, t.db2_bytes_written,
    t.db2_bytes_read, t.single_calls, t.single_call_us, t.single_call_us / nullif(t.single_calls, 0) AS average_single_us, t.single_redrives, t.multiple_calls, t.multiple_call_us,
    t.multiple_call_us / nullif(t.multiple_calls, 0) AS average_multiple_us, t.multiple_redrives, t.task_smds_write_blocks, t.task_smds_read_blocks,
    t.task_smds_write_pages, t.task_smds_read_pages, t.task_smds_saved_reads, t.task_smds_wait_us, t.mq_cpu_us, t.mq_et_us, t.mq_wait_us, t.record_id
  FROM task AS t
  UNION ALL BY NAME
  SELECT
    t.lpar, t.qmgr, 'latch' AS detail, t.application, t.task_correlator, t.task_interval_start_utc, l.latch_class, l.latch_name, l.latch_class_waits,
    l.latch_class_wait_us, l.latch_class_longest_us, t.record_id
  FROM task_latch AS l
  JOIN owner AS t ON t.record_id = l.record_id
  UNION ALL BY NAME
  SELECT
    t.lpar, t.qmgr, 'phase' AS detail, t.application, t.task_correlator, t.task_interval_start_utc, c.cf_phase, c.cf_operation_name,
    c.cf_requests AS phase_cf_requests, c.cf_sync_requests AS phase_cf_sync_requests, c.cf_sync_us AS phase_cf_sync_us,
    c.cf_async_requests AS phase_cf_async_requests, c.cf_async_us AS phase_cf_async_us, t.record_id
  FROM task_cf AS c
  JOIN owner AS t ON t.record_id = c.record_id
  UNION ALL BY NAME
  SELECT
    t.lpar, t.qmgr, 'queue' AS detail, t.application, t.task_correlator, t.task_interval_start_utc, q.open_name, q.base_name, q.queue_type,
    q.index_type, q.opened_utc, q.closed_utc, q.page_set_id, q.pool_id, q.cf_structure, q.open_handles, q.total_requests, q.generated_messages,
    q.persistent_gets, q.persistent_mqputs, q.persistent_mqput1s, q.puts_to_waiting_getter, q.valid_puts, q.put_bytes_high, q.put_bytes_low,
    q.put_bytes, q.valid_gets, q.valid_destructive_gets, q.get_bytes_high, q.get_bytes_low, q.get_bytes, q.gets_specific, q.gets_any,
    q.browses_specific, q.browses_any, q.time_on_queue_high_us, q.time_on_queue_low_us, q.time_on_queue_total_us, q.average_time_on_queue_us, q.pages_skipped,
    q.messages_skipped, q.expired_messages, q.depth_high, q.selector_opens, q.selector_length, q.record_id, q.section
  FROM queue_use AS q
  JOIN owner AS t ON t.record_id = q.task_record_id
  UNION ALL BY NAME
  SELECT
    q.lpar, q.qmgr, 'call' AS detail, q.application, q.task_correlator, q.task_interval_start_utc, q.base_name, q.verb_name, q.calls AS verb_calls,
    q.et_us AS verb_et_us, q.cpu_us AS verb_cpu_us, q.et_us / q.calls AS verb_average_et_us, q.cpu_us / q.calls AS verb_average_cpu_us, q.suspend_us AS verb_suspend_us,
    q.log_write_us AS verb_log_write_us, q.log_force_us AS verb_log_force_us, q.page_set_us AS verb_page_set_us, q.record_id, q.section
  FROM verb AS q
  WHERE q.calls > 0
  UNION ALL BY NAME
  SELECT
    t.lpar, t.qmgr, 'request' AS detail, t.application, t.task_correlator, t.task_interval_start_utc, x.cf_operation_name, x.base_name, x.verb_name,
    x.cf_requests, x.cf_sync_requests, x.cf_sync_us, x.cf_async_us, x.cf_retries, x.average_cf_sync_us, x.cf_async_requests, x.average_cf_async_us, x.cf_retry_pct, x.record_id, x.section
  FROM queue_use_cf AS x
  JOIN queue_use AS q ON q.record_id = x.record_id AND q.section = x.section
  JOIN owner AS t ON t.record_id = q.task_record_id
)
SELECT
  * EXCLUDE (
    record_id, section,
    -- What means are computed from when rows are put together.
    other_et_us, other_cpu_us, commit_et_us, commit_cpu_us, backout_et_us, prepare_et_us, task_log_write_us, task_log_force_us, suspend_us,
    db2_thread_us, db2_server_us, single_call_us, multiple_call_us, time_on_queue_total_us, verb_et_us, verb_cpu_us, cf_sync_us, cf_async_us, cf_retries
  ),
  record_id, section
FROM part
ORDER BY task_interval_start_utc, lpar, qmgr, task_correlator, connection_type_name NULLS LAST, base_name NULLS FIRST, record_id, section, detail, latch_class, cf_phase, verb_name, cf_operation_name
