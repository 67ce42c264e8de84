/*---
id      = "quality_task_block"
title   = "Queue blocks of tasks compared with their number in the task record"
grain   = "one row per lpar and qmgr with task accounting"
needs   = ["decoded.wtas", "decoded.wq", "task_continuation", "record"]
classes = ["116.1"]
note    = "Excludes tasks whose records are within a second of the start or end of their input: their other records may be outside it."

[columns]
tasks_checked = { unit = "count", doc = "Task intervals with queue blocks, and continuations.", over = "add" }
tasks_incomplete = { unit = "count", doc = "Task intervals whose number of queue blocks differs from the task record.", over = "add" }
orphan_continuations = { unit = "count", doc = "Continuations (116.2) without their 116.1.", over = "add" }
blocks_missing = { unit = "count", doc = "Missing queue blocks.", over = "add" }
tasks_failed = { unit = "count", doc = "Incomplete task intervals and orphaned continuations.", over = "add" }
---*/
WITH
block AS (
  SELECT record_id, count(*) AS blocks
  FROM decoded.wq
  GROUP BY record_id
),
belonging AS (
  SELECT coalesce(t.task_record_id, b.record_id) AS task_record_id, sum(b.blocks)::BIGINT AS blocks
  FROM block AS b
  LEFT JOIN task_continuation AS t ON t.record_id = b.record_id
  GROUP BY ALL
),
edge AS (
  SELECT source_id, lpar, qmgr, min(written_local) + to_seconds(1) AS first_local, max(written_local) - to_seconds(1) AS last_local
  FROM record
  GROUP BY source_id, lpar, qmgr
),
checked AS (
  SELECT w.lpar, w.qmgr, w.record_id, w.queue_blocks - coalesce(b.blocks, 0) AS missing, false AS orphan
  FROM decoded.wtas AS w
  JOIN edge AS e ON e.source_id = w.source_id AND e.lpar = w.lpar AND e.qmgr = w.qmgr
  LEFT JOIN belonging AS b ON b.task_record_id = w.record_id
  WHERE (w.queue_blocks > 0 OR b.blocks > 0) AND w.written_local < e.last_local
  UNION ALL
  SELECT d.lpar, d.qmgr, t.record_id, 0, t.task_record_id IS NULL
  FROM task_continuation AS t
  JOIN record AS d ON d.record_id = t.record_id
  JOIN edge AS e ON e.source_id = d.source_id AND e.lpar = d.lpar AND e.qmgr = d.qmgr
  WHERE d.written_local > e.first_local
),
counted AS (
  SELECT
    lpar, qmgr,
    min(record_id) FILTER (missing <> 0 OR orphan) AS record_id,
    count(*)                                       AS tasks_checked,
    count(*) FILTER (missing <> 0)                 AS tasks_incomplete,
    count(*) FILTER (orphan)                       AS orphan_continuations,
    coalesce(sum(missing) FILTER (missing > 0), 0)::BIGINT AS blocks_missing
  FROM checked
  GROUP BY lpar, qmgr
)
SELECT *, tasks_incomplete + orphan_continuations AS tasks_failed
FROM counted
