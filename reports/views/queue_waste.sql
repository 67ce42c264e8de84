/*---
id      = "queue_waste"
title   = "Work of applications on queues that returns nothing or costs more than it has to"
grain   = "one row per lpar, qmgr, queue and application"
needs   = ["queue_application_total", "queue_total", "accounting_missed", "site_queue"]
classes = ["116.1"]
note    = "Savings are estimates. The parts may overlap."

[columns]
opens = { from = "queue_application_total" }
puts = { from = "queue_application_total" }
put1s = { from = "queue_application_total" }
gets = { from = "queue_application_total", label = "gets", screen = 1 }
valid_gets = { screen = 2 }
gets_per_valid_get = { unit = "ratio", doc = "Gets per get that returned a message.", ratio = { numerator = "gets", denominator = "valid_gets" }, label = "gets/valid get", screen = 1 }
valid_get_pct = { unit = "percent", doc = "Share of the gets that returned a message.", ratio = { numerator = "valid_gets", denominator = "gets", scale = 100 }, label = "valid %", screen = 3 }
average_get_cpu_us = { unit = "us", doc = "Mean CPU time of a get.", ratio = { numerator = "average_get_cpu_us * gets", denominator = "gets" }, label = "avg get CPU µs", screen = 2 }
baseline_get_cpu_us = { unit = "us", doc = "CPU time of a get without scanning on this queue manager: the lowest tenth of its queues without skipped messages and pages; 10 µs, our own assumption, if there are none.", over = "same", label = "baseline CPU µs" }
empty_get_cpu_s = { unit = "s", doc = "CPU time of gets that returned no message, at the mean of all gets.", over = "add", label = "empty gets CPU s", format = ".3f", screen = 1 }
scan_cpu_s = { unit = "s", doc = "CPU time of gets above the baseline, if more messages and empty pages were skipped than gets made.", over = "add", label = "scans CPU s", format = ".3f", screen = 1 }
open_close_cpu_s = { unit = "s", doc = "CPU time of opens and closes that a handle kept open for 100 calls would save.", over = "add", label = "opens CPU s", format = ".3f", screen = 1 }
put1_extra_cpu_s = { unit = "s", doc = "CPU time of MQPUT1 above that of as many MQPUTs of the same application to the queue; null if it made none.", over = "add", label = "put1s CPU s", format = ".3f", screen = 1 }
waste_cpu_s = { unit = "s", doc = "Sum of the estimated savings.", over = "add", label = "waste CPU s", format = ".3f", screen = 1 }
waste_share_pct = { unit = "percent", doc = "Estimated savings as a share of the CPU time of all calls of the application on the queue.", ratio = { numerator = "waste_cpu_s * 1000000", denominator = "queue_mq_cpu_us", scale = 100 }, label = "of its CPU %", screen = 2 }
ams_waste_cpu_s = { unit = "s", doc = "CPU time of gets without a message on a queue with an AMS policy, at the published 22 µs each; null for other queues.", over = "add", label = "AMS CPU s", format = ".3f" }
counted_puts = { over_time = "same", across = "add", whole = ["lpar", "qmgr"] }
accounted_puts = { over_time = "same", across = "add", whole = ["lpar", "qmgr"] }
put_coverage_pct = { doc = "Puts in accounting as a share of those in statistics, for the whole queue manager.", ratio = { numerator = "accounted_puts", denominator = "counted_puts", scale = 100 }, whole = ["lpar", "qmgr"] }
---*/
WITH
baseline AS (
  SELECT lpar, qmgr, quantile_cont(get_cpu_us / gets, 0.1) AS baseline_get_cpu_us
  FROM queue_total
  WHERE gets > 0 AND messages_skipped + pages_skipped = 0
  GROUP BY lpar, qmgr
),
part AS (
  SELECT
    q.lpar, q.qmgr, q.qsg, q.base_name, q.application, q.connection_type_name, q.opens, q.puts, q.put1s, q.gets, q.valid_gets, q.get_errors,
    q.messages_skipped, q.pages_skipped, q.gets_without_message,
    q.gets / nullif(q.valid_gets, 0)                                                AS gets_per_valid_get,
    pct(q.valid_gets, q.gets)                                                       AS valid_get_pct,
    q.get_cpu_us / nullif(q.gets, 0)                                                AS average_get_cpu_us,
    coalesce(b.baseline_get_cpu_us, 10)                                             AS baseline_get_cpu_us,
    q.gets_without_message * (q.get_cpu_us / nullif(q.gets, 0)) / 1e6               AS empty_get_cpu_s,
    CASE WHEN q.messages_skipped + q.pages_skipped > q.gets
      THEN greatest(0, q.get_cpu_us - q.gets * coalesce(b.baseline_get_cpu_us, 10)) / 1e6 END AS scan_cpu_s,
    (q.open_cpu_us + q.close_cpu_us) * (1 - least(1, (q.puts + q.put1s + q.gets) / nullif(100 * greatest(q.opens, 0), 0))) / 1e6 AS open_close_cpu_s,
    CASE WHEN q.puts > 0 THEN greatest(0, q.put1_cpu_us - q.put1s * (q.put_cpu_us / q.puts)) / 1e6 END AS put1_extra_cpu_s,
    q.queue_mq_cpu_us
  FROM queue_application_total AS q
  LEFT JOIN baseline AS b ON b.lpar = q.lpar AND b.qmgr = q.qmgr
),
estimate AS (
  SELECT *, coalesce(empty_get_cpu_s, 0) + coalesce(scan_cpu_s, 0) + coalesce(open_close_cpu_s, 0) + coalesce(put1_extra_cpu_s, 0) AS waste_cpu_s
  FROM part
)
SELECT
  q.*,
  100 * q.waste_cpu_s * 1e6 / nullif(q.queue_mq_cpu_us, 0)                                         AS waste_share_pct,
  CASE WHEN s.intercepted_queue THEN 22 * q.gets_without_message / 1e6 END   AS ams_waste_cpu_s,
  c.counted_puts,
  c.accounted_puts,
  c.put_coverage_pct
FROM estimate AS q
LEFT JOIN site_queue AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.queue = q.base_name
LEFT JOIN accounting_missed AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr
