/*---
id      = "task_latch"
title   = "Latch waits of tasks"
grain   = "one row per task interval and latch class with a wait"
needs   = ["decoded.wtas_latch", "latch_carried", "task", "latch_class", "queue_sharing_group"]
keep    = false                          # one row for each of millions of tasks
classes = ["116.1"]

[columns]
latch_class_waits = { label = "waits", screen = 1 }
latch_wait_shifted = { unit = "flag", doc = "The record held the total shifted left by 32 bits; latch_class_wait_us is corrected.", label = "shifted" }
latch_class_wait_us = { label = "wait µs", screen = 1 }
average_latch_wait_us = { unit = "us", doc = "Mean wait for this latch class.", ratio = { numerator = "latch_class_wait_us", denominator = "latch_class_waits" }, label = "avg µs", screen = 1 }
latch_share_pct = { unit = "percent", doc = "Waits for this latch class as a share of the elapsed time of the task in MQ calls.", ratio = { numerator = "latch_class_wait_us", denominator = "latch_class_wait_us * 100 / nullif(latch_share_pct, 0)", scale = 100 }, across = "none", why = "The time of a task would count for each latch class.", label = "of MQ time %", screen = 1 }
---*/
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  q.latch_class,
  coalesce(c.latch_name, 'class ' || q.latch_class)       AS latch_name,
  q.latch_class_wait_raw_us, q.latch_class_waits,
  CASE WHEN x.record_id IS NULL THEN q.latch_class_longest_us END AS latch_class_longest_us,
  q.latch_class_wait_shifted                              AS latch_wait_shifted,
  q.latch_class_wait_us,
  q.latch_class_wait_us / nullif(q.latch_class_waits, 0)  AS average_latch_wait_us,
  pct(q.latch_class_wait_us, t.mq_et_us)                  AS latch_share_pct
FROM decoded.wtas_latch AS q
LEFT JOIN task AS t ON t.record_id = q.record_id
LEFT JOIN latch_carried AS x ON x.record_id = q.record_id AND x.latch_class = q.latch_class
LEFT JOIN latch_class AS c ON c.latch_class = q.latch_class
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
WHERE q.latch_class_waits > 0
