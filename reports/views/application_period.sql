/*---
id      = "application_period"
title   = "Applications over the period"
grain   = "one row per lpar, qmgr, application and connection type"
needs   = ["application_work", "site_input"]
classes = ["116.1"]
note    = "The site file may name applications by pattern (application_group): the first pattern that an application matches gives its name."

[columns]
application = { doc = "Application; all clients of a channel are one application. Names of the site file replace it." }
lookup_users = { doc = "Up to five user IDs of these records of each job." }
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
  max(qsg) AS qsg,
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
  sum(rollback_et_us) AS rollback_et_us,
  max(end_backouts) AS end_backouts,
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
  nullif(array_to_string(list_sort(list_distinct(flatten(list(string_split(lookup_users, ', ')) FILTER (lookup_users <> '')))), ', '), '') AS lookup_users
FROM named
GROUP BY lpar, qmgr, application, connection_type_name
