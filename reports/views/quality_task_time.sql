/*---
id      = "quality_task_time"
title   = "Times of tasks compared with the length of their intervals"
grain   = "one row per lpar, qmgr and mq_version with task accounting"
needs   = ["task", "decoded.wtas_latch"]
classes = ["116.1"]
note    = "Excludes task intervals without a start. Latch times that 10.0.0 writes shifted left by 32 bits are compared after correction. Time in calls excludes waits of gets, which may have begun before the interval."

[columns]
tasks_checked = { unit = "count", doc = "Task intervals that have a length.", over = "add" }
tasks_over = { unit = "count", doc = "Task intervals with a time that is longer than the interval.", over = "add" }
time_ratio_high = { unit = "ratio", doc = "Longest time as a multiple of its task interval.", over = "max" }
excess_seconds_high = { unit = "s", over = "max", doc = "Most by which a time is longer than its task interval; negative if none is." }
longest_seconds = { unit = "s", doc = "The time that exceeds its interval by most.", over = "max" }
latch_times_over = { unit = "count", doc = "Task intervals with a latch time longer than the interval.", over = "add" }
latch_times_shifted = { unit = "count", doc = "Task intervals with a latch time that was shifted left by 32 bits in the record and is corrected.", over = "add" }
---*/
WITH
latch AS (
  SELECT record_id, max(latch_class_wait_us) AS latch_us, bool_or(latch_class_wait_shifted) AS latch_shifted
  FROM decoded.wtas_latch
  GROUP BY record_id
),
timed AS (
  SELECT
    t.lpar, t.qmgr, t.mq_version, t.record_id, t.task_interval_us,
    greatest(coalesce(l.latch_us, 0), coalesce(t.longest_latch_wait_us, 0)) AS latch_us,
    coalesce(l.latch_shifted, false) AS latch_shifted,
    -- A get may have started to wait before the interval.
    greatest(0, t.mq_et_us - t.get_wait_us) AS mq_et_us
  FROM task AS t
  LEFT JOIN latch AS l ON l.record_id = t.record_id
  WHERE t.task_interval_us > 0
)
SELECT
  lpar, qmgr, mq_version,
  arg_max(record_id, (greatest(latch_us, mq_et_us) - task_interval_us, -record_id)) FILTER (greatest(latch_us, mq_et_us) IS NOT NULL) AS record_id,
  count(*)                                                                          AS tasks_checked,
  count(*) FILTER (greatest(latch_us, mq_et_us) > task_interval_us)                 AS tasks_over,
  max(greatest(latch_us, mq_et_us) / task_interval_us)                              AS time_ratio_high,
  max(greatest(latch_us, mq_et_us) - task_interval_us) / 1e6                        AS excess_seconds_high,
  arg_max(greatest(latch_us, mq_et_us), (greatest(latch_us, mq_et_us) - task_interval_us, greatest(latch_us, mq_et_us)))
    FILTER (greatest(latch_us, mq_et_us) IS NOT NULL) / 1e6 AS longest_seconds,
  count(*) FILTER (latch_us > task_interval_us)                                     AS latch_times_over,
  count(*) FILTER (latch_shifted)                                                   AS latch_times_shifted
FROM timed
GROUP BY lpar, qmgr, mq_version
