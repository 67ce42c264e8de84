/*---
id      = "application_work"
title   = "Work of applications over the period by job"
grain   = "one row per lpar, qmgr, application, connection type and job"
needs   = ["task"]
classes = ["116.1"]
note    = "Helper of view application_period and of report task/summary. A task that changed its channel counts once for each of its applications."

[columns]
application = { doc = "Application; all clients of a channel are one application." }
task_records = { unit = "count", doc = "Accounting records of tasks.", over = "add" }
tasks = { unit = "count", doc = "Tasks that they belong to.", over_time = "max", across = "add", label = "tasks", screen = 1 }
tasks_ended = { unit = "count", doc = "Tasks that ended.", over = "add", label = "ended", screen = 2 }
rollback_et_us = { doc = "Elapsed time of the rollbacks." }
unit_messages = { unit = "count", doc = "Messages of the records that have units of work and all their queue blocks.", over = "add" }
judged_units = { unit = "count", doc = "Units of work of those records.", over = "add" }
largest_unit = { unit = "ratio", doc = "Messages per unit of work in the record in which they are most.", over = "max" }
largest_unit_record_id = { unit = "id", doc = "That record." }
largest_unit_utc = { unit = "ts_utc", kind = "clock", doc = "Start of its accounting interval." }
largest_shared_unit = { unit = "ratio", doc = "Messages on shared queues per unit of work in the record in which they are most; null without such messages.", over = "max" }
largest_shared_unit_record_id = { unit = "id", doc = "That record." }
largest_shared_unit_utc = { unit = "ts_utc", kind = "clock", doc = "Start of its accounting interval." }
most_messages_per_commit = { unit = "ratio", doc = "Messages per commit in the record in which they are most.", over = "max", label = "most", screen = 1 }
oldest_without_commit_s = { unit = "s", doc = "Longest time from the start of a task to the end of an accounting interval in which it wrote to the log without a commit.", over = "max", label = "oldest s", screen = 1 }
task_log_forces = { doc = "Forced log writes of commits, prepares and other calls without a queue." }
log_forces_total = { doc = "The same with those of calls on queues." }
db2_us = { unit = "us", doc = "Db2 elapsed time of the threads.", over = "add" }
cf_us = { unit = "us", doc = "Elapsed time of calls to CF structures.", over = "add" }
smds_us = { unit = "us", doc = "Time waiting for SMDS I/O.", over = "add" }
most_queue_blocks = { unit = "count", doc = "Highest number of queue blocks of a record.", over = "max" }
most_queue_blocks_record_id = { unit = "id", doc = "That record." }
most_queue_blocks_utc = { unit = "ts_utc", kind = "clock", doc = "Start of its accounting interval." }
lookup_records = { unit = "count", doc = "Records with calls to Db2 and other calls, but without a queue; excluding the command server, and tasks of the channel initiator without a channel.", over = "add" }
lookup_db2_calls = { unit = "count", doc = "Db2 requests of these records.", over = "add" }
lookup_db2_us = { unit = "us", doc = "Db2 elapsed time of these records.", over = "add" }
lookup_users = { unit = "text", doc = "Up to five user IDs of these records." }
---*/
SELECT
  lpar, qmgr, qsg, application_group AS application, connection_type_name, connection_job,
  count(*)                                  AS task_records,
  count(DISTINCT task_correlator)           AS tasks,
  count(*) FILTER (task_ended)              AS tasks_ended,
  sum(mq_calls)::BIGINT                     AS mq_calls,
  sum(mq_cpu_us)::BIGINT                    AS mq_cpu_us,
  sum(mq_et_us)::BIGINT                     AS mq_et_us,
  sum(mq_srb_us)::BIGINT                    AS mq_srb_us,
  sum(queue_cpu_us)::BIGINT                 AS queue_cpu_us,
  sum(other_verbs_cpu_us)::BIGINT           AS other_verbs_cpu_us,
  sum(task_puts)::BIGINT                    AS task_puts,
  sum(task_gets)::BIGINT                    AS task_gets,
  sum(task_messages)::BIGINT                AS task_messages,
  sum(put_bytes)::BIGINT                    AS put_bytes,
  sum(get_bytes)::BIGINT                    AS get_bytes,
  sum(shared_messages)::BIGINT              AS shared_messages,
  sum(persistent_messages)::BIGINT          AS persistent_messages,
  sum(commits)::BIGINT                      AS commits,
  sum(commit_et_us)::BIGINT                 AS commit_et_us,
  sum(commit_cpu_us)::BIGINT                AS commit_cpu_us,
  sum(prepares)::BIGINT                     AS prepares,
  sum(backouts)::BIGINT                     AS backouts,
  sum(backout_et_us)::BIGINT                AS backout_et_us,
  sum(rollbacks)::BIGINT                    AS rollbacks,
  sum(rollback_et_us)                       AS rollback_et_us,
  max(end_backouts)                         AS end_backouts,
  sum(units_of_work)::BIGINT                AS units_of_work,
  sum(task_messages) FILTER (units_of_work > 0 AND missing_queue_blocks = 0)::BIGINT AS unit_messages,
  sum(units_of_work) FILTER (units_of_work > 0 AND missing_queue_blocks = 0)::BIGINT AS judged_units,
  max(task_messages / nullif(units_of_work, 0))                                     AS largest_unit,
  arg_max(record_id, (task_messages / nullif(units_of_work, 0), -epoch_us(task_interval_start_utc), -record_id)) FILTER (units_of_work > 0)                AS largest_unit_record_id,
  arg_max(task_interval_start_utc, (task_messages / nullif(units_of_work, 0), -epoch_us(task_interval_start_utc), -record_id)) FILTER (units_of_work > 0)  AS largest_unit_utc,
  max(shared_messages / nullif(units_of_work, 0)) FILTER (shared_messages > 0)      AS largest_shared_unit,
  arg_max(record_id, (shared_messages / nullif(units_of_work, 0), -epoch_us(task_interval_start_utc), -record_id)) FILTER (shared_messages > 0 AND units_of_work > 0) AS largest_shared_unit_record_id,
  arg_max(task_interval_start_utc, (shared_messages / nullif(units_of_work, 0), -epoch_us(task_interval_start_utc), -record_id)) FILTER (shared_messages > 0 AND units_of_work > 0) AS largest_shared_unit_utc,
  max(messages_per_commit)                  AS most_messages_per_commit,
  max(task_age_s) FILTER (commits = 0 AND task_log_bytes > 0) AS oldest_without_commit_s,
  sum(task_log_bytes)::BIGINT               AS task_log_bytes,
  sum(task_log_forces)::BIGINT              AS task_log_forces,
  sum(task_log_force_us)::BIGINT            AS task_log_force_us,
  sum(log_forces_total)::BIGINT             AS log_forces_total,
  sum(latch_wait_us)::BIGINT                AS latch_wait_us,
  sum(db2_thread_us)::BIGINT                AS db2_us,
  sum(cf_call_us)::BIGINT                   AS cf_us,
  sum(task_smds_wait_us)::BIGINT            AS smds_us,
  max(queue_blocks)                         AS most_queue_blocks,
  arg_max(record_id, (queue_blocks, -epoch_us(task_interval_start_utc), -record_id))               AS most_queue_blocks_record_id,
  arg_max(task_interval_start_utc, (queue_blocks, -epoch_us(task_interval_start_utc), -record_id)) AS most_queue_blocks_utc,
  count(*) FILTER (is_lookup)                                  AS lookup_records,
  coalesce(sum(db2_calls) FILTER (is_lookup), 0)::BIGINT       AS lookup_db2_calls,
  coalesce(sum(db2_thread_us) FILTER (is_lookup), 0)::BIGINT   AS lookup_db2_us,
  array_to_string(list_slice(list_sort(list(DISTINCT operator_id) FILTER (is_lookup)), 1, 5), ', ') AS lookup_users
FROM (
  SELECT
    *,
    db2_calls > 0 AND other_calls > 0 AND queue_blocks = 0
      AND (connection_type_name NOT IN ('command server', 'channel initiator') OR channel_name IS NOT NULL) AS is_lookup
  FROM task
)
GROUP BY lpar, qmgr, qsg, application_group, connection_type_name, connection_job
