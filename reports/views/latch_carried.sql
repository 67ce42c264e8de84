/*---
id      = "latch_carried"
title   = "Longest latch waits that are carried over"
grain   = "one row per task interval and latch class whose longest wait happened in an earlier interval"
needs   = ["decoded.wtas", "decoded.wtas_latch"]
classes = ["116.1"]
note    = "Helper of the views about latches."

[columns]
---*/
SELECT record_id, latch_class
FROM (
  SELECT
    q.record_id, q.latch_class, q.latch_class_longest_us, q.latch_class_wait_us,
    lag(q.latch_class_longest_us) OVER task AS previous_us
  FROM decoded.wtas_latch AS q
  JOIN decoded.wtas AS w ON w.record_id = q.record_id
  WHERE q.latch_class_longest_us >= 1000 OR q.latch_class_longest_us > q.latch_class_wait_us
  WINDOW task AS (PARTITION BY w.lpar, w.qmgr, w.task_correlator, q.latch_class ORDER BY w.task_interval_start_utc, q.record_id)
)
WHERE believed(latch_class_longest_us, latch_class_wait_us, previous_us) IS NULL
