/*---
id      = "queue_hour"
title   = "Queues by hour, from accounting"
grain   = "one row per lpar, qmgr, base queue and hour"
needs   = ["queue_use", "task"]
classes = ["116.1"]
keep    = false                          # one row per queue and hour
note    = "Like view queue_total, by the hour in which the accounting interval of the task ended."

[columns]
hour_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the hour in GMT." }
hour_local = { unit = "ts_local", kind = "clock", doc = "Start of the local hour." }
---*/
SELECT
  u.lpar, u.qmgr, u.base_name,
  t.task_hour_start_utc          AS hour_start_utc,
  min(t.task_hour_start_local)   AS hour_local,
  sum(u.valid_puts)::BIGINT AS valid_puts,
  sum(u.valid_gets)::BIGINT AS valid_gets,
  sum(u.put_bytes)::BIGINT  AS put_bytes,
  sum(u.gets_without_message)::BIGINT AS gets_without_message,
  sum(u.expired_messages)::BIGINT     AS expired_messages,
  sum(u.get_page_set_reads)::BIGINT   AS get_page_set_reads,
  bool_or(u.is_shared)                AS is_shared
FROM queue_use AS u
JOIN task AS t ON t.record_id = u.task_record_id
WHERE u.base_name IS NOT NULL AND t.task_interval_end_utc IS NOT NULL
GROUP BY u.lpar, u.qmgr, u.base_name, t.task_hour_start_utc
