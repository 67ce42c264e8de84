/*---
id      = "task"
title   = "Tasks"
grain   = "one row per record 116.1: one task (thread) and accounting interval"
needs   = ["decoded.wtas", "decoded.wtas_latch", "latch_carried", "task_identity", "queue_use", "queue_sharing_group"]
keep    = false                          # one row for each of millions of tasks
classes = ["116.1"]
note    = "Queue figures include those of the record and of its continuations (116.2)."

[columns]
task_interval_start_utc = { label = "interval start", screen = 1 }
queue_blocks = { over = "add", label = "queue blocks" }
commits = { label = "commits", screen = 2 }
task_interval_us = { unit = "us", doc = "Length of the accounting interval.", over = "add", label = "task interval us" }
task_hour_start_utc = { unit = "ts_utc", doc = "Start of the hour in which this accounting interval ended; one that ended exactly on the hour belongs to the previous hour." }
task_hour_start_local = { unit = "ts_local", doc = "The same in local time." }
task_ended = { unit = "flag", doc = "The record was written at the end of the task.", label = "task ended" }
task_started_in_interval = { unit = "flag", doc = "The task started in this interval.", label = "task started in interval" }
task_age_s = { unit = "s", doc = "Time from the start of the task to the end of the interval.", over = "max", label = "age s", screen = 1 }
other_verbs_cpu_us = { unit = "us", doc = "CPU time of the calls that are not for one queue.", over = "add" }
other_verbs_et_us = { unit = "us", doc = "Elapsed time of the calls that are not for one queue.", over = "add" }
queue_cpu_us = { unit = "us", doc = "CPU time of the calls on queues.", over = "add" }
queue_et_us = { unit = "us", doc = "Elapsed time of the calls on queues.", over = "add" }
mq_cpu_us = { unit = "us", doc = "CPU time in MQ calls.", over = "add", label = "CPU µs", screen = 1 }
mq_et_us = { unit = "us", doc = "Elapsed time in MQ calls.", over = "add", label = "elapsed µs", screen = 1 }
mq_wait_us = { unit = "us", doc = "Elapsed time minus CPU time in MQ calls.", over = "add", label = "mq wait us" }
mq_srb_us = { unit = "us", doc = "SRB time of MQCTL and of publish and subscribe work; not part of the CPU time in MQ calls.", over = "add" }
mq_calls = { unit = "count", doc = "MQ calls.", over = "add", label = "calls", screen = 1 }
task_puts = { unit = "count", doc = "Messages put.", over = "add", label = "puts", screen = 1 }
task_gets = { unit = "count", doc = "Messages got, without those browsed.", over = "add", label = "gets", screen = 1 }
task_browsed = { unit = "count", doc = "Messages browsed: gets that moved a message and left it on the queue; null before version 4 of the queue block.", over = "add" }
task_messages = { unit = "count", doc = "Messages put and got.", over = "add", label = "messages", screen = 1 }
messages_per_commit = { unit = "ratio", doc = "Messages put and got per commit.", ratio = { numerator = "task_messages", denominator = "commits" } }
commit_average_et_us = { unit = "us", doc = "Mean elapsed time of a commit.", ratio = { numerator = "commit_et_us", denominator = "commits" }, label = "commit average et us" }
commit_average_cpu_us = { unit = "us", doc = "Mean CPU time of a commit.", ratio = { numerator = "commit_cpu_us", denominator = "commits" }, label = "commit average cpu us" }
commit_cost_per_message_us = { unit = "us", doc = "CPU time of commits per message.", ratio = { numerator = "commit_cpu_us", denominator = "task_messages" } }
log_force_average_us = { unit = "us", doc = "Mean time of a log write with force.", ratio = { numerator = "task_log_force_us", denominator = "task_log_forces" }, label = "log force average us" }
log_force_share_of_time_pct = { unit = "percent", doc = "Log writes with force of commits, prepares and other calls without a queue as a share of the elapsed time of all calls.", ratio = { numerator = "task_log_force_us", denominator = "mq_et_us", scale = 100 } }
log_forces_total = { unit = "count", doc = "Log writes with force, of commits, prepares and other calls without a queue, and of calls on queues. No record seen has both: if the counter of the task includes its queues, this counts those twice.", over = "add" }
log_forces_per_persistent_message = { unit = "ratio", doc = "Log writes with force per persistent message.", ratio = { numerator = "log_forces_total", denominator = "persistent_messages" } }
log_bytes_per_commit = { unit = "bytes", doc = "Bytes logged per commit.", ratio = { numerator = "task_log_bytes", denominator = "commits" } }
two_phase_pct = { unit = "percent", doc = "Share of the commits that had a prepare.", ratio = { numerator = "prepares", denominator = "commits", scale = 100 } }
rollbacks = { unit = "count", doc = "Backouts that undo work; of CICS and channel tasks that ended at least so many, without the most with which such a task ends.", over = "add", label = "rollbacks", screen = 2 }
rollback_et_us = { unit = "us", doc = "Elapsed time of the rollbacks: that of a mean backout for each.", over = "add" }
latch_wait_us = { unit = "us", doc = "Time waiting for latches.", over = "add", label = "latch µs", screen = 3 }
longest_latch_wait_us = { unit = "us", doc = "Longest wait for a latch.", over = "max", label = "longest latch wait us" }
longest_latch_class = { unit = "id", doc = "Latch class of the longest wait.", label = "its class" }
latch_waits = { unit = "count", doc = "Waits for latches.", over = "add" }
cf_calls = { unit = "count", doc = "Calls to CF structures.", over = "add", label = "CF calls", screen = 3 }
cf_call_us = { unit = "us", doc = "Elapsed time of calls to CF structures.", over = "add" }
cf_calls_per_message = { unit = "ratio", doc = "Calls to CF structures per message.", ratio = { numerator = "cf_calls", denominator = "task_messages" } }
queue_gets = { unit = "count", doc = "MQGET calls of the queue blocks of the task.", over = "add" }
multiple_calls_per_get = { unit = "ratio", doc = "Calls for several entries per get.", ratio = { numerator = "multiple_calls", denominator = "queue_gets" } }
mq_busy_pct = { unit = "percent", doc = "Elapsed time in MQ calls as a share of the interval.", ratio = { numerator = "mq_et_us", denominator = "task_interval_us", scale = 100 }, label = "busy %", screen = 1 }
get_wait_us = { unit = "us", doc = "Time suspended in gets.", over = "add", label = "get wait µs", screen = 3 }
mq_busy_without_get_wait_pct = { unit = "percent", doc = "Elapsed time in MQ calls without waiting gets, as a share of the interval.", ratio = { numerator = "mq_busy_without_get_wait_pct * task_interval_us", denominator = "task_interval_us" }, label = "without get wait %", screen = 2 }
max_transactions_per_s = { unit = "per_s", doc = "Commits per second that the task could reach with its MQ calls only.", ratio = { numerator = "commits", denominator = "mq_et_us", scale = 1000000 }, label = "max tx/s", screen = 1 }
cpu_per_message_us = { unit = "us", doc = "CPU time in MQ calls per message.", ratio = { numerator = "mq_cpu_us", denominator = "task_messages" } }
shared_messages = { unit = "count", doc = "Messages put to and got from shared queues.", over = "add", label = "shared", screen = 2 }
units_of_work = { unit = "count", doc = "Commits and rollbacks; of a channel task that ended with fewer than two backouts, without the commit of the disconnect.", over = "add" }
missing_queue_blocks = { unit = "count", doc = "Queue blocks that the record announces minus those in the data.", over = "add", label = "blocks missing", screen = 1 }
---*/
WITH
queue AS (
  SELECT
    task_record_id,
    sum(queue_mq_cpu_us)::BIGINT     AS queue_cpu_us,
    sum(queue_mq_et_us)::BIGINT      AS queue_et_us,
    sum(queue_calls)::BIGINT         AS queue_calls,
    sum(valid_puts)::BIGINT          AS task_puts,
    sum(coalesce(valid_destructive_gets, valid_gets))::BIGINT AS task_gets,
    -- greatest() ignores nulls.
    sum(CASE WHEN valid_destructive_gets IS NOT NULL THEN greatest(valid_gets - valid_destructive_gets, 0) END)::BIGINT AS task_browsed,
    sum(put_bytes)::BIGINT           AS put_bytes,
    sum(get_bytes)::BIGINT           AS get_bytes,
    sum(valid_puts + coalesce(valid_destructive_gets, valid_gets)) FILTER (is_shared)::BIGINT AS shared_messages,
    sum(topic_srb_us)::BIGINT        AS topic_srb_us,
    count(*)                         AS blocks_seen,
    sum(gets)::BIGINT                AS queue_gets,
    sum(queue_log_forces)::BIGINT    AS queue_log_forces,
    sum(persistent_messages)::BIGINT AS persistent_messages,
    sum(get_suspend_us)::BIGINT      AS get_wait_us
  FROM queue_use
  WHERE task_record_id IS NOT NULL
  GROUP BY task_record_id
),
latch AS (
  SELECT
    q.record_id,
    sum(q.latch_class_wait_us)::BIGINT                   AS latch_wait_us,
    sum(q.latch_class_waits)::BIGINT                       AS latch_waits,
    max(q.latch_class_longest_us) FILTER (x.record_id IS NULL) AS latch_longest_us,
    arg_max(q.latch_class, q.latch_class_longest_us * 64 - q.latch_class) FILTER (x.record_id IS NULL) AS latch_longest_class
  FROM decoded.wtas_latch AS q
  LEFT JOIN latch_carried AS x ON x.record_id = q.record_id AND x.latch_class = q.latch_class
  GROUP BY q.record_id
),
part AS (
  SELECT
    w.*,
    epoch_us(w.task_interval_end_utc - w.task_interval_start_utc) AS task_interval_us,
    (w.task_flags & 536870912) <> 0 AS task_ended,
    -- By the clock of the record itself: where clocks go back, two hours have one local time.
    date_trunc('hour', w.task_interval_end_utc + to_minutes(coalesce(w.gmt_offset_minutes, 0)::BIGINT) - INTERVAL 1 SECOND) AS task_hour_start_local,
    w.other_cpu_us + w.commit_cpu_us + w.backout_cpu_us + coalesce(w.prepare_cpu_us, 0) + coalesce(w.subscribe_cpu_us, 0)
      + coalesce(w.subscription_request_cpu_us, 0) + coalesce(w.control_cpu_us, 0) + coalesce(w.status_cpu_us, 0) AS other_verbs_cpu_us,
    w.other_et_us + w.commit_et_us + w.backout_et_us + coalesce(w.prepare_et_us, 0) + coalesce(w.subscribe_et_us, 0)
      + coalesce(w.subscription_request_et_us, 0) + coalesce(w.control_et_us, 0) + coalesce(w.status_et_us, 0) AS other_verbs_et_us,
    w.single_calls + w.multiple_calls                   AS cf_calls,
    coalesce(u.queue_cpu_us, 0)                         AS queue_cpu_us,
    coalesce(u.queue_et_us, 0)                          AS queue_et_us,
    coalesce(u.queue_calls, 0)                          AS queue_calls,
    coalesce(u.task_puts, 0)                            AS task_puts,
    coalesce(u.task_gets, 0)                            AS task_gets,
    CASE WHEN u.task_record_id IS NULL THEN 0 ELSE u.task_browsed END AS task_browsed,
    coalesce(u.put_bytes, 0)                            AS put_bytes,
    coalesce(u.get_bytes, 0)                            AS get_bytes,
    coalesce(u.shared_messages, 0)                      AS shared_messages,
    coalesce(w.control_srb_us, 0) + coalesce(u.topic_srb_us, 0) AS mq_srb_us,
    greatest(w.queue_blocks - coalesce(u.blocks_seen, 0), 0) AS missing_queue_blocks,
    u.queue_gets,
    w.task_log_forces + coalesce(u.queue_log_forces, 0) AS log_forces_total,
    coalesce(u.persistent_messages, 0)                  AS persistent_messages,
    coalesce(u.get_wait_us, 0)                          AS get_wait_us,
    -- Classes without a wait have no row.
    CASE WHEN w.has_latches THEN coalesce(l.latch_wait_us, 0) END    AS latch_wait_us,
    CASE WHEN w.has_latches THEN coalesce(l.latch_waits, 0) END      AS latch_waits,
    CASE WHEN w.has_latches AND l.record_id IS NULL THEN 0 ELSE l.latch_longest_us END AS latch_longest_us,
    CASE WHEN l.latch_longest_us > 0 THEN l.latch_longest_class END  AS latch_longest_class
  FROM decoded.wtas AS w
  LEFT JOIN queue AS u ON u.task_record_id = w.record_id
  LEFT JOIN latch AS l ON l.record_id = w.record_id
),
whole AS (
  SELECT
    *,
    other_verbs_cpu_us + queue_cpu_us AS mq_cpu_us,
    other_verbs_et_us + queue_et_us   AS mq_et_us,
    task_puts + task_gets             AS task_messages
  FROM part
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  q.task_correlator, q.task_start_utc, q.task_interval_start_utc, q.task_interval_end_utc, n.connection_type,
  n.connection_job, n.operator_id, n.user_or_transaction, n.thread_reference, n.network_id, n.unit_of_work_id,
  n.accounting_token, n.context_token, n.channel_name, n.connection_name, q.queue_blocks, q.other_calls,
  q.other_et_us, q.other_cpu_us, q.commits, q.commit_et_us, q.commit_cpu_us, q.backouts, q.backout_et_us,
  q.backout_cpu_us, q.prepares, q.prepare_et_us, q.prepare_cpu_us, q.subscribes, q.subscribe_et_us,
  q.subscribe_cpu_us, q.subscribe_selectors, q.subscribe_selector_length, q.subscription_requests,
  q.subscription_request_et_us, q.subscription_request_cpu_us, q.controls, q.control_et_us, q.control_cpu_us,
  q.control_srb_us, q.statuses, q.status_et_us, q.status_cpu_us, q.topic_et_us, q.topic_cpu_us, q.task_log_writes,
  q.task_log_write_us, q.task_log_bytes, q.task_log_forces, q.task_log_force_us, q.suspends, q.suspend_us,
  q.page_set_0_logs, q.page_set_0_log_us, q.page_gets_old, q.page_gets_new, q.pool_latch_wait_us,
  q.pool_latch_held_us, q.longest_latch_raw_us, q.longest_latch_class_raw, q.longest_latch_holder, q.db2_calls,
  q.db2_thread_us, q.db2_server_us, believed(q.db2_thread_longest_us, q.db2_thread_us, NULL) AS db2_thread_longest_us,
  believed(q.db2_server_longest_us, q.db2_server_us, NULL) AS db2_server_longest_us, q.db2_bytes_written,
  q.db2_bytes_read, q.single_calls, q.multiple_calls, q.single_redrives, q.multiple_redrives, q.single_call_us,
  q.multiple_call_us, q.task_smds_saved_reads, q.task_smds_read_blocks, q.task_smds_write_blocks,
  q.task_smds_read_pages, q.task_smds_write_pages, q.task_smds_wait_us,
  q.task_interval_us,
  q.task_hour_start_local - to_minutes(coalesce(q.gmt_offset_minutes, 0)::BIGINT) AS task_hour_start_utc,
  q.task_hour_start_local,
  q.task_ended,
  -- The first interval begins up to a millisecond after the task.
  q.task_start_utc >= q.task_interval_start_utc - INTERVAL 1 MILLISECOND AS task_started_in_interval,
  epoch_us(q.task_interval_end_utc - q.task_start_utc) / 1e6 AS task_age_s,
  n.connection_type_name,
  n.transaction,
  n.cics_task_number,
  n.application,
  n.application_group,
  q.other_verbs_cpu_us,
  q.other_verbs_et_us,
  q.queue_cpu_us,
  q.queue_et_us,
  q.mq_cpu_us,
  q.mq_et_us,
  CASE WHEN q.mq_et_us >= q.mq_cpu_us THEN q.mq_et_us - q.mq_cpu_us ELSE q.mq_et_us * 0 END AS mq_wait_us,
  q.mq_srb_us,
  q.queue_calls,
  q.other_calls + q.commits + q.backouts + coalesce(q.prepares, 0) + coalesce(q.subscribes, 0) +
    coalesce(q.subscription_requests, 0) + coalesce(q.controls, 0) + coalesce(q.statuses, 0) + q.queue_calls AS mq_calls,
  q.task_puts,
  q.task_gets,
  q.task_browsed,
  q.task_messages,
  q.task_messages / nullif(q.commits, 0) AS messages_per_commit,
  q.commit_et_us / nullif(q.commits, 0) AS commit_average_et_us,
  q.commit_cpu_us / nullif(q.commits, 0) AS commit_average_cpu_us,
  q.commit_cpu_us / nullif(q.task_messages, 0) AS commit_cost_per_message_us,
  q.task_log_force_us / nullif(q.task_log_forces, 0) AS log_force_average_us,
  pct(q.task_log_force_us, q.mq_et_us) AS log_force_share_of_time_pct,
  q.log_forces_total,
  q.persistent_messages,
  q.log_forces_total / nullif(q.persistent_messages, 0) AS log_forces_per_persistent_message,
  q.task_log_bytes / nullif(q.commits, 0) AS log_bytes_per_commit,
  pct(q.prepares, q.commits)              AS two_phase_pct,
  rollbacks_of(q.backouts, q.task_ended, n.end_backouts) AS rollbacks,
  rollbacks_of(q.backouts, q.task_ended, n.end_backouts) * q.backout_et_us / greatest(q.backouts, 1) AS rollback_et_us,
  n.end_backouts,
  q.latch_wait_us,
  CASE WHEN q.structure_version >= 8 THEN q.latch_longest_us ELSE believed(q.longest_latch_us, q.latch_wait_us, NULL) END AS longest_latch_wait_us,
  CASE WHEN q.structure_version >= 8 THEN q.latch_longest_class ELSE nullif(q.longest_latch_class_raw, 0) END AS
    longest_latch_class,
  q.latch_waits,
  q.cf_calls,
  q.single_call_us + q.multiple_call_us AS cf_call_us,
  q.cf_calls / nullif(q.task_messages, 0) AS cf_calls_per_message,
  q.queue_gets,
  q.multiple_calls / nullif(q.queue_gets, 0) AS multiple_calls_per_get,
  pct(q.mq_et_us, q.task_interval_us) AS mq_busy_pct,
  q.get_wait_us,
  CASE WHEN q.mq_et_us >= q.get_wait_us THEN pct(q.mq_et_us - q.get_wait_us, q.task_interval_us) ELSE
    q.task_interval_us * 0.0 END AS mq_busy_without_get_wait_pct,
  1e6 * q.commits / nullif(q.mq_et_us, 0) AS max_transactions_per_s,
  q.mq_cpu_us / nullif(q.task_messages, 0) AS cpu_per_message_us,
  q.put_bytes,
  q.get_bytes,
  q.shared_messages,
  -- A channel task ends with a commit and a backout, or with two backouts.
  q.commits + rollbacks_of(q.backouts, q.task_ended, n.end_backouts)
    - CASE WHEN n.connection_type_code = 6 AND q.task_ended AND q.commits > 0 AND q.backouts < 2 THEN 1 ELSE 0 END AS units_of_work,
  q.missing_queue_blocks
FROM whole AS q
LEFT JOIN task_identity AS n ON n.record_id = q.record_id
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
