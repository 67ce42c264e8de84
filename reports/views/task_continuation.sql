/*---
id      = "task_continuation"
title   = "The task interval of each accounting continuation"
grain   = "one row per record 116.2"
needs   = ["record", "decoded.wq", "decoded.wtas"]
classes = ["116.1"]
note    = "Helper of views queue_use and task: a 116.2 belongs to the last preceding 116.1 with the same correlator and interval."

[columns]
task_record_id = { unit = "id", kind = "key", doc = "Record 116.1 of the task interval; null if it is not in the data." }
---*/
WITH
further AS (
  SELECT q.record_id, q.lpar, q.qmgr, q.task_correlator, q.interval_start_utc
  FROM decoded.wq AS q
  JOIN record AS r ON r.record_id = q.record_id
  WHERE r.smf_type = 116 AND r.subtype = 2 AND q.section = 0
)
SELECT
  f.record_id,
  coalesce(max(t.record_id) FILTER (WHERE t.record_id < f.record_id), min(t.record_id)) AS task_record_id
FROM further AS f
LEFT JOIN decoded.wtas AS t
  ON t.lpar = f.lpar AND t.qmgr = f.qmgr AND t.task_correlator = f.task_correlator AND t.interval_start_utc = f.interval_start_utc
GROUP BY f.record_id
