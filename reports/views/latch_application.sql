/*---
id      = "latch_application"
title   = "Latch waits of applications over the period"
grain   = "one row per lpar, qmgr, application and latch class with a wait"
needs   = ["decoded.wtas", "decoded.wtas_latch", "latch_carried", "task_identity", "latch_class"]
classes = ["116.1"]
note    = "Times longer than the accounting interval of their task are ignored, because no wait can be that long."

[columns]
task_records = { unit = "count", doc = "Accounting records of tasks of the application.", over = "add" }
waiting_records = { unit = "count", doc = "Accounting records with a wait for the latch class.", over = "add" }
average_latch_wait_us = { unit = "us", doc = "Mean wait for this latch class.", ratio = { numerator = "latch_class_wait_us", denominator = "latch_class_waits" } }
latch_longest_us = { unit = "us", doc = "Longest wait for this latch class; null before version 8 of the section.", over = "max" }
latch_longest_record_id = { unit = "id", doc = "Record with the longest wait." }
latch_longest_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the accounting interval with the longest wait." }
latch_longest_holder = { unit = "text", doc = "Holder of the latch during that wait, in hex; null if the task waited longer for another class." }
wait_of_1_pct_us = { unit = "us", doc = "Time waiting for this latch class that at least 1 % of the accounting records of the application reach.", over = "max" }
wait_of_1_pct_records = { unit = "count", doc = "Records that are 1 % of the accounting records of the application, at least one.", over = "add" }
---*/
WITH
task_record AS (
  SELECT
    w.record_id, w.lpar, w.qmgr, t.application, w.task_interval_start_utc, w.longest_latch_holder,
    epoch_us(w.task_interval_end_utc - w.task_interval_start_utc) AS task_us
  FROM decoded.wtas AS w
  JOIN task_identity AS t ON t.record_id = w.record_id
  WHERE w.has_latches
),
total AS (
  SELECT lpar, qmgr, application, count(*) AS task_records
  FROM task_record
  GROUP BY lpar, qmgr, application
),
waited AS (
  SELECT
    r.lpar, r.qmgr, r.application, r.record_id, r.task_interval_start_utc, r.longest_latch_holder, q.latch_class, q.latch_class_waits,
    CASE WHEN q.latch_class_wait_us <= q.latch_class_waits::DOUBLE * r.task_us THEN q.latch_class_wait_us END AS wait_us,
    CASE WHEN x.record_id IS NULL AND q.latch_class_longest_us <= r.task_us THEN q.latch_class_longest_us END AS longest_us,
    q.latch_class_longest_us = max(q.latch_class_longest_us) OVER (PARTITION BY q.record_id)         AS longest_of_task
  FROM decoded.wtas_latch AS q
  JOIN task_record AS r ON r.record_id = q.record_id
  LEFT JOIN latch_carried AS x ON x.record_id = q.record_id AND x.latch_class = q.latch_class
  WHERE q.latch_class_waits > 0
),
ranked AS (
  SELECT
    w.*, n.task_records,
    row_number() OVER (PARTITION BY w.lpar, w.qmgr, w.application, w.latch_class ORDER BY w.wait_us DESC NULLS LAST, w.record_id) AS place
  FROM waited AS w
  JOIN total AS n ON n.lpar = w.lpar AND n.qmgr = w.qmgr AND n.application IS NOT DISTINCT FROM w.application
),
summed AS (
  SELECT
    lpar, qmgr, application, latch_class,
    any_value(task_records)            AS task_records,
    count(*)                           AS waiting_records,
    sum(latch_class_waits)::BIGINT     AS latch_class_waits,
    sum(wait_us)::BIGINT               AS latch_class_wait_us,
    max({'us': longest_us, 'earlier': -epoch_us(task_interval_start_utc), 'record': -record_id, 'start': task_interval_start_utc, 'holder': CASE WHEN longest_of_task THEN longest_latch_holder END})
      FILTER (longest_us IS NOT NULL)  AS longest,
    -- The wait at the place that ends the first hundredth; 0 if fewer records have a wait.
    coalesce(max(wait_us) FILTER (place = ceil(task_records * 0.01)), 0) AS wait_of_1_pct_us
  FROM ranked
  GROUP BY lpar, qmgr, application, latch_class
)
SELECT
  q.lpar, q.qmgr, q.application, q.latch_class,
  coalesce(c.latch_name, 'class ' || q.latch_class)      AS latch_name,
  coalesce(c.likely_cause, 'not known')                  AS likely_cause,
  q.task_records, q.waiting_records, q.latch_class_waits, q.latch_class_wait_us,
  q.latch_class_wait_us / nullif(q.latch_class_waits, 0) AS average_latch_wait_us,
  q.longest.us                                           AS latch_longest_us,
  -q.longest.record                                     AS latch_longest_record_id,
  q.longest.start                                        AS latch_longest_utc,
  q.longest.holder                                       AS latch_longest_holder,
  q.wait_of_1_pct_us,
  ceil(q.task_records * 0.01)::BIGINT                    AS wait_of_1_pct_records
FROM summed AS q
LEFT JOIN latch_class AS c ON c.latch_class = q.latch_class
