/*---
id      = "shared_queue_open"
title   = "Opens and closes of shared queues over the period, from accounting"
grain   = "one row per lpar, qmgr and shared base queue"
needs   = ["queue_use", "task_latch"]
classes = ["116.1"]
note    = "An open or close needs the coupling facility if no other task of the queue manager has the queue open. Accounting up to version 5 does not count them. Latch times are those of whole tasks that used the queue: a task with several shared queues counts for each."

[columns]
open_cf_pct = { unit = "percent", doc = "Opens that went to the coupling facility, as a share of the opens.", ratio = { numerator = "opens_with_cf", denominator = "opens_with_cf + opens_without_cf", scale = 100 }, label = "with CF %", screen = 1 }
average_open_wait_us = { unit = "us", doc = "Mean elapsed time of an open that is not CPU time.", ratio = { numerator = "CASE WHEN open_et_us >= open_cpu_us THEN (open_et_us - open_cpu_us) ELSE (open_et_us * 0) END", denominator = "opens" }, label = "avg open wait µs", screen = 3 }
close_cf_pct = { unit = "percent", doc = "Closes that went to the coupling facility, as a share of the closes.", ratio = { numerator = "closes_with_cf", denominator = "closes_with_cf + closes_without_cf", scale = 100 }, label = "closes with CF %" }
applications = { unit = "count", doc = "Applications that used the queue.", over = "max", label = "applications", screen = 3 }
top_application = { unit = "text", doc = "Application with the most opens.", label = "most opens by", screen = 2 }
latch_11_us = { unit = "us", doc = "Time that tasks with this queue waited for latches of class 11 (queue segments).", over = "add", label = "latch 11 µs", screen = 3 }
latch_15_us = { unit = "us", doc = "Time that tasks with this queue waited for latches of class 15 (first open and last close).", over = "add", label = "latch 15 µs" }
saving_cpu_s = { unit = "s", doc = "CPU time that would be saved if a handle were always open, at the published 1 µs an open.", over = "add", label = "saving CPU s", screen = 1 }
---*/
WITH
block AS (
  SELECT
    lpar, qmgr, base_name, application, task_record_id, cf_structure, queue_disposition, opens, opens_without_cf, open_et_us, open_cpu_us, closes,
    closes_without_cf, close_et_us, close_cpu_us
  FROM queue_use
  WHERE is_shared AND base_name IS NOT NULL
),
total AS (
  SELECT
    lpar, qmgr, base_name,
    max(cf_structure)                          AS cf_structure,
    max(queue_disposition)                     AS queue_disposition,
    sum(opens)::BIGINT                         AS opens,
    sum(opens_without_cf)::BIGINT              AS opens_without_cf,
    sum(opens - opens_without_cf)::BIGINT      AS opens_with_cf,
    sum(open_et_us)::BIGINT                    AS open_et_us,
    sum(open_cpu_us)::BIGINT                   AS open_cpu_us,
    sum(closes)::BIGINT                        AS closes,
    sum(closes_without_cf)::BIGINT             AS closes_without_cf,
    sum(closes - closes_without_cf)::BIGINT    AS closes_with_cf,
    sum(close_et_us)::BIGINT                   AS close_et_us,
    sum(close_cpu_us)::BIGINT                  AS close_cpu_us,
    count(DISTINCT application)                AS applications
  FROM block
  GROUP BY lpar, qmgr, base_name
),
opened AS (
  SELECT lpar, qmgr, base_name, min({'opens': -opens, 'name': application})['name'] AS top_application
  FROM (SELECT lpar, qmgr, base_name, application, sum(opens)::BIGINT AS opens FROM block GROUP BY lpar, qmgr, base_name, application)
  GROUP BY lpar, qmgr, base_name
),
waited AS (
  SELECT
    b.lpar, b.qmgr, b.base_name,
    sum(w.latch_class_wait_us) FILTER (w.latch_class = 11)::BIGINT AS latch_11_us,
    sum(w.latch_class_wait_us) FILTER (w.latch_class = 15)::BIGINT AS latch_15_us
  FROM (SELECT DISTINCT lpar, qmgr, base_name, task_record_id FROM block) AS b
  JOIN task_latch AS w ON w.record_id = b.task_record_id
  GROUP BY b.lpar, b.qmgr, b.base_name
)
SELECT
  q.lpar, q.qmgr, q.base_name, q.cf_structure, q.queue_disposition, q.opens, q.opens_without_cf, q.opens_with_cf,
  pct(q.opens_with_cf, q.opens_with_cf + q.opens_without_cf)                 AS open_cf_pct,
  q.open_et_us, q.open_cpu_us,
  q.open_et_us / nullif(q.opens, 0)                                          AS average_open_et_us,
  q.open_cpu_us / nullif(q.opens, 0)                                         AS average_open_cpu_us,
  CASE WHEN q.open_et_us >= q.open_cpu_us THEN q.open_et_us - q.open_cpu_us ELSE q.open_et_us * 0 END / nullif(q.opens, 0) AS average_open_wait_us,
  q.closes, q.closes_without_cf, q.closes_with_cf,
  pct(q.closes_with_cf, q.closes_with_cf + q.closes_without_cf) AS close_cf_pct,
  q.close_et_us, q.close_cpu_us,
  q.close_cpu_us / nullif(q.closes, 0)                                       AS average_close_cpu_us,
  q.applications, o.top_application, w.latch_11_us, w.latch_15_us,
  (q.open_cpu_us + q.close_cpu_us - 2 * q.opens_with_cf) / 1e6               AS saving_cpu_s
FROM total AS q
LEFT JOIN opened AS o ON o.lpar = q.lpar AND o.qmgr = q.qmgr AND o.base_name = q.base_name
LEFT JOIN waited AS w ON w.lpar = q.lpar AND w.qmgr = q.qmgr AND w.base_name = q.base_name
