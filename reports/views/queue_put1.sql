/*---
id      = "queue_put1"
title   = "MQPUT1 calls by queue and application, with the most of one task"
grain   = "one row per lpar, qmgr, queue group and application group with MQPUT1 calls"
needs   = ["queue_use", "decoded.wtas"]
classes = ["116.1"]
note    = "Helper of rule QU019. Tasks with fewer than one MQPUT1 call a second in their accounting interval are long-running servers: they do not count for the most of one task."

[columns]
put1s_of_task = { unit = "count", doc = "Most MQPUT1 calls of one task to one queue in one accounting interval; 0 if all tasks made fewer than one a second.", over = "max" }
---*/
WITH block AS (
  SELECT lpar, qmgr, task_record_id, base_name, queue_group, application_group, put1s, put1_cpu_us
  FROM queue_use
  WHERE put1s > 0 AND base_name IS NOT NULL AND NOT coalesce(is_topic, false)
)
SELECT
  b.lpar, b.qmgr, b.queue_group, b.application_group,
  sum(b.put1s)::BIGINT       AS put1s,
  sum(b.put1_cpu_us)::BIGINT AS put1_cpu_us,
  -- A task whose interval is not known may be a short one.
  max(CASE WHEN coalesce(1e6 * b.put1s >= epoch_us(t.task_interval_end_utc - t.task_interval_start_utc), true) THEN b.put1s ELSE 0 END) AS put1s_of_task
FROM block AS b
LEFT JOIN decoded.wtas AS t ON t.record_id = b.task_record_id
GROUP BY b.lpar, b.qmgr, b.queue_group, b.application_group
