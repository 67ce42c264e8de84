/*---
id      = "queue_hour"
title   = "Queues by hour, from accounting"
grain   = "one row per lpar, qmgr, base queue and local hour"
needs   = ["queue_use", "task", "qmgr"]
classes = ["116.1"]
keep    = false                          # one row per queue and hour
note    = "Like view queue_total, by the hour in which the accounting interval of the task ended."

[columns]
lpar = {}
qmgr = {}
base_name = { unit = "text", doc = "Name of the queue." }
hour_local = { unit = "ts_local", doc = "Local hour." }
valid_puts = { unit = "count", doc = "Messages put." }
valid_gets = { unit = "count", doc = "Gets that returned a message." }
put_bytes = { unit = "bytes", doc = "Bytes put." }
---*/
SELECT
  u.lpar, u.qmgr, u.base_name,
  date_trunc('hour', t.task_interval_end_utc + to_minutes(q.gmt_offset_minutes::BIGINT) - INTERVAL 1 SECOND) AS hour_local,
  sum(u.valid_puts)::BIGINT AS valid_puts,
  sum(u.valid_gets)::BIGINT AS valid_gets,
  sum(u.put_bytes)::BIGINT  AS put_bytes
FROM queue_use AS u
JOIN task AS t ON t.record_id = u.task_record_id
LEFT JOIN qmgr AS q ON q.lpar = u.lpar AND q.qmgr = u.qmgr
WHERE u.base_name IS NOT NULL AND t.task_interval_end_utc IS NOT NULL
GROUP BY u.lpar, u.qmgr, u.base_name, hour_local
