/*---
id      = "coverage_task_rate"
title   = "Records of class 3 accounting in relation to its calls"
grain   = "one row per lpar and qmgr with task accounting"
needs   = ["decoded.wtas", "queue_use"]
classes = ["116.1"]

[columns]
task_records = { unit = "count", doc = "Records 116.1.", over = "add" }
span_seconds = { unit = "s", doc = "Time from the first to the last of them; null below 10 seconds, because a rate is then not reliable.", over = "max" }
task_records_per_s = { unit = "per_s", doc = "Records 116.1 per second of that time.", across = "add", ratio = { numerator = "task_records", denominator = "span_seconds" } }
queue_calls_total = { unit = "count", doc = "Opens, closes, puts and gets in these records.", over = "add" }
calls_per_record = { unit = "ratio", doc = "Opens, closes, puts and gets per record 116.1.", ratio = { numerator = "queue_calls_total", denominator = "task_records" } }
---*/
WITH
task_record AS (
  SELECT
    lpar, qmgr,
    count(*) AS task_records,
    nullif(greatest(epoch_us(max(written_local) - min(written_local)), 10000000), 10000000) / 1e6 AS span_seconds
  FROM decoded.wtas
  GROUP BY lpar, qmgr
),
call AS (
  SELECT lpar, qmgr, sum(puts + put1s + gets + opens + closes)::BIGINT AS calls
  FROM queue_use
  GROUP BY lpar, qmgr
)
SELECT
  t.lpar, t.qmgr, t.task_records, t.span_seconds,
  t.task_records / t.span_seconds                 AS task_records_per_s,
  coalesce(c.calls, 0)                            AS queue_calls_total,
  coalesce(c.calls, 0) / nullif(t.task_records, 0) AS calls_per_record
FROM task_record AS t
LEFT JOIN call AS c ON c.lpar = t.lpar AND c.qmgr = t.qmgr
