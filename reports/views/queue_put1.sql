/*---
id      = "queue_put1"
title   = "MQPUT1 calls of each task to a queue"
grain   = "one row per lpar, qmgr, queue group, application group and task record with MQPUT1 calls"
needs   = ["queue_use", "decoded.wtas"]
classes = ["116.1"]
note    = "Helper of rule QU019. A server that runs for days makes many calls too, but few a second."

[columns]
all_put1s = { unit = "count", over = "max", doc = "MQPUT1 calls of all tasks of the application to the queue." }
all_put1_cpu_us = { unit = "us", over = "max", doc = "CPU time of the MQPUT1 calls of all tasks of the application to the queue." }
put1s_of_task = { unit = "count", over = "add", doc = "MQPUT1 calls of the task to the queue in its accounting interval." }
put1s_per_min = { unit = "per_min", over = "max", doc = "MQPUT1 calls of the task to the queue per minute of its accounting interval; null if the interval is not known." }
---*/
WITH block AS (
  SELECT lpar, qmgr, task_record_id, queue_group, application_group, sum(put1s)::BIGINT AS put1s_of_task, sum(put1_cpu_us)::BIGINT AS cpu_us
  FROM queue_use
  WHERE put1s > 0 AND base_name IS NOT NULL AND NOT coalesce(is_topic, false)
  GROUP BY lpar, qmgr, task_record_id, queue_group, application_group
)
SELECT
  b.lpar, b.qmgr, b.queue_group, b.application_group, b.task_record_id,
  sum(b.put1s_of_task) OVER together::BIGINT AS all_put1s,
  sum(b.cpu_us) OVER together::BIGINT AS all_put1_cpu_us,
  b.put1s_of_task,
  60 * per_s(b.put1s_of_task, epoch_us(t.task_interval_end_utc - t.task_interval_start_utc) / 1e6) AS put1s_per_min
FROM block AS b
LEFT JOIN decoded.wtas AS t ON t.record_id = b.task_record_id
WINDOW together AS (PARTITION BY b.lpar, b.qmgr, b.queue_group, b.application_group)
