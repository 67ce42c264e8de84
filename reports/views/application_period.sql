/*---
id      = "application_period"
title   = "Applications over the period"
grain   = "one row per lpar, qmgr, application and connection type"
needs   = ["application_work", "site_input"]
classes = ["116.1"]
note    = "The site file may name applications by pattern (application_group): the first pattern that an application matches gives its name."

[columns]
lpar = {}
qmgr = {}
qsg = {}
application = { unit = "text", doc = "Application; all clients of a channel are one application. Names of the site file replace it." }
connection_type_name = { unit = "text", doc = "Connection type as text." }
task_records = { unit = "count", doc = "Accounting records of tasks." }
tasks = { unit = "count", doc = "Tasks that they belong to." }
tasks_ended = { unit = "count", doc = "Tasks that ended." }
mq_calls = { unit = "count", doc = "MQ calls." }
mq_cpu_us = { unit = "us", doc = "CPU time in MQ calls." }
mq_et_us = { unit = "us", doc = "Elapsed time in MQ calls." }
mq_srb_us = { unit = "us", doc = "SRB time of MQCTL and of publish and subscribe work; not part of the CPU time in MQ calls." }
queue_cpu_us = { unit = "us", doc = "CPU time of the calls on queues." }
other_verbs_cpu_us = { unit = "us", doc = "CPU time of the calls that are not for one queue." }
task_puts = { unit = "count", doc = "Messages put." }
task_gets = { unit = "count", doc = "Messages got, without those browsed." }
task_messages = { unit = "count", doc = "Messages put and got." }
put_bytes = { unit = "bytes", doc = "Bytes put." }
get_bytes = { unit = "bytes", doc = "Bytes got." }
shared_messages = { unit = "count", doc = "Messages put to and got from shared queues." }
persistent_messages = { unit = "count", doc = "Persistent messages put and got." }
commits = { unit = "count", kind = "counter", doc = "Commits." }
commit_et_us = { unit = "us", kind = "counter", doc = "Elapsed time in commit." }
commit_cpu_us = { unit = "us", kind = "counter", doc = "CPU time in commit." }
prepares = { unit = "count", kind = "counter", doc = "Prepares." }
backouts = { unit = "count", kind = "counter", doc = "Backouts." }
backout_et_us = { unit = "us", kind = "counter", doc = "Elapsed time in backout." }
rollbacks = { unit = "count", doc = "Backouts that undo work; null for CICS and channel tasks, which end with a backout call that has nothing to undo." }
units_of_work = { unit = "count", doc = "Commits and rollbacks; of a channel task that ended, without the commit of the disconnect." }
unit_messages = { unit = "count", doc = "Messages of the records that have units of work and all their queue blocks." }
judged_units = { unit = "count", doc = "Units of work of those records." }
largest_unit = { unit = "ratio", doc = "Messages per unit of work in the record in which they are most." }
largest_unit_record_id = { unit = "id", doc = "That record." }
largest_unit_utc = { unit = "ts_utc", kind = "clock", doc = "Start of its accounting interval." }
largest_shared_unit = { unit = "ratio", doc = "Messages on shared queues per unit of work in the record in which they are most; null without such messages." }
largest_shared_unit_record_id = { unit = "id", doc = "That record." }
largest_shared_unit_utc = { unit = "ts_utc", kind = "clock", doc = "Start of its accounting interval." }
most_messages_per_commit = { unit = "ratio", doc = "Messages per commit in the record in which they are most." }
oldest_without_commit_s = { unit = "s", doc = "Longest time from the start of a task to the end of an accounting interval in which it wrote to the log without a commit." }
task_log_bytes = { unit = "bytes", kind = "counter", doc = "Bytes written to the log." }
task_log_forces = { unit = "count", kind = "counter", doc = "Forced log writes of commits, prepares and other calls without a queue." }
task_log_force_us = { unit = "us", kind = "counter", doc = "Elapsed time of these forced log writes." }
log_forces_total = { unit = "count", doc = "The same with those of calls on queues." }
latch_wait_us = { unit = "us", doc = "Time waiting for latches." }
db2_us = { unit = "us", doc = "Db2 elapsed time of the threads." }
cf_us = { unit = "us", doc = "Elapsed time of calls to CF structures." }
smds_us = { unit = "us", doc = "Time waiting for SMDS I/O." }
most_queue_blocks = { unit = "count", doc = "Highest number of queue blocks of a record." }
most_queue_blocks_record_id = { unit = "id", doc = "That record." }
most_queue_blocks_utc = { unit = "ts_utc", kind = "clock", doc = "Start of its accounting interval." }
lookup_records = { unit = "count", doc = "Records with calls to Db2 and other calls, but without a queue; excluding the command server, and tasks of the channel initiator without a channel." }
lookup_db2_calls = { unit = "count", doc = "Db2 requests of these records." }
lookup_db2_us = { unit = "us", doc = "Db2 elapsed time of these records." }
lookup_users = { unit = "text", doc = "Up to five user IDs of these records of each job." }
---*/
WITH named AS (
  SELECT
    w.* REPLACE (coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: w.application GLOB replace(p.key, '[', '[[]'))[1].value,
      w.application) AS application)
  FROM application_work AS w
  LEFT JOIN site_input AS s ON s.lpar = w.lpar AND s.qmgr = w.qmgr
)
SELECT
  lpar,
  qmgr,
  any_value(qsg) AS qsg,
  application,
  connection_type_name,
  sum(task_records)::BIGINT AS task_records,
  sum(tasks)::BIGINT AS tasks,
  sum(tasks_ended)::BIGINT AS tasks_ended,
  sum(mq_calls)::BIGINT AS mq_calls,
  sum(mq_cpu_us)::BIGINT AS mq_cpu_us,
  sum(mq_et_us)::BIGINT AS mq_et_us,
  sum(mq_srb_us)::BIGINT AS mq_srb_us,
  sum(queue_cpu_us)::BIGINT AS queue_cpu_us,
  sum(other_verbs_cpu_us)::BIGINT AS other_verbs_cpu_us,
  sum(task_puts)::BIGINT AS task_puts,
  sum(task_gets)::BIGINT AS task_gets,
  sum(task_messages)::BIGINT AS task_messages,
  sum(put_bytes)::BIGINT AS put_bytes,
  sum(get_bytes)::BIGINT AS get_bytes,
  sum(shared_messages)::BIGINT AS shared_messages,
  sum(persistent_messages)::BIGINT AS persistent_messages,
  sum(commits)::BIGINT AS commits,
  sum(commit_et_us)::BIGINT AS commit_et_us,
  sum(commit_cpu_us)::BIGINT AS commit_cpu_us,
  sum(prepares)::BIGINT AS prepares,
  sum(backouts)::BIGINT AS backouts,
  sum(backout_et_us)::BIGINT AS backout_et_us,
  sum(rollbacks)::BIGINT AS rollbacks,
  sum(units_of_work)::BIGINT AS units_of_work,
  sum(unit_messages)::BIGINT AS unit_messages,
  sum(judged_units)::BIGINT AS judged_units,
  max(largest_unit) AS largest_unit,
  arg_max(largest_unit_record_id, (largest_unit, -epoch_us(largest_unit_utc), -largest_unit_record_id)) FILTER (largest_unit IS NOT NULL) AS largest_unit_record_id,
  arg_max(largest_unit_utc, (largest_unit, -epoch_us(largest_unit_utc), -largest_unit_record_id)) FILTER (largest_unit IS NOT NULL) AS largest_unit_utc,
  max(largest_shared_unit) AS largest_shared_unit,
  arg_max(largest_shared_unit_record_id, (largest_shared_unit, -epoch_us(largest_shared_unit_utc), -largest_shared_unit_record_id)) FILTER (largest_shared_unit IS NOT NULL) AS largest_shared_unit_record_id,
  arg_max(largest_shared_unit_utc, (largest_shared_unit, -epoch_us(largest_shared_unit_utc), -largest_shared_unit_record_id)) FILTER (largest_shared_unit IS NOT NULL) AS largest_shared_unit_utc,
  max(most_messages_per_commit) AS most_messages_per_commit,
  max(oldest_without_commit_s) AS oldest_without_commit_s,
  sum(task_log_bytes)::BIGINT AS task_log_bytes,
  sum(task_log_forces)::BIGINT AS task_log_forces,
  sum(task_log_force_us)::BIGINT AS task_log_force_us,
  sum(log_forces_total)::BIGINT AS log_forces_total,
  sum(latch_wait_us)::BIGINT AS latch_wait_us,
  sum(db2_us)::BIGINT AS db2_us,
  sum(cf_us)::BIGINT AS cf_us,
  sum(smds_us)::BIGINT AS smds_us,
  max(most_queue_blocks) AS most_queue_blocks,
  arg_max(most_queue_blocks_record_id, (most_queue_blocks, -epoch_us(most_queue_blocks_utc), -most_queue_blocks_record_id)) FILTER (most_queue_blocks IS NOT NULL) AS most_queue_blocks_record_id,
  arg_max(most_queue_blocks_utc, (most_queue_blocks, -epoch_us(most_queue_blocks_utc), -most_queue_blocks_record_id)) FILTER (most_queue_blocks IS NOT NULL) AS most_queue_blocks_utc,
  sum(lookup_records)::BIGINT AS lookup_records,
  sum(lookup_db2_calls)::BIGINT AS lookup_db2_calls,
  sum(lookup_db2_us)::BIGINT AS lookup_db2_us,
  nullif(string_agg(DISTINCT nullif(lookup_users, ''), ', ' ORDER BY nullif(lookup_users, '')), '') AS lookup_users
FROM named
GROUP BY lpar, qmgr, application, connection_type_name
