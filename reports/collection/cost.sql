/*---
id       = "collection/cost"
title    = "CPU cost of accounting and statistics"
question = "What does the collection cost, and what would another class cost?"
needs    = ["record_volume", "message_manager", "task", "queue_use", "channel_initiator"]
rules    = []
grain    = ["lpar", "qmgr"]
drill_down = ["collection/smf_volume"]
note     = "Ranges from published costs, not measurements. Without class 3 records, its cost is estimated for all calls that statistics count, with as many records as class 1 wrote."

[columns]
statistics_hours = { unit = "h", label = "hours", screen = 1, doc = "Hours of statistics.", over = "add" }
mqi_calls = { label = "calls", screen = 1 }
class1_records = { unit = "count", label = "class 1 records", screen = 2, doc = "Records 116.0.", over = "add" }
class3_measured = { unit = "flag", label = "class 3 on", screen = 2, doc = "There are class 3 records; otherwise the figures of class 3 are estimates." }
class3_records = { unit = "count", label = "class 3 records", screen = 2, doc = "Records 116.1; without any, as many as 116.0.", over = "add" }
class3_continuations = { unit = "count", label = "continuations", screen = 3, doc = "Records 116.2.", over = "add" }
class3_calls = { unit = "count", label = "class 3 calls", screen = 3, doc = "Calls in class 3; without any record, all calls that statistics count.", over = "add" }
class1_cpu_low_s = { unit = "s", label = "class 1 s from", screen = 1, format = ",.2f", doc = "CPU time of class 1: 2 µs per put or get and 1 µs per record.", over = "add" }
class1_cpu_high_s = { unit = "s", label = "class 1 s to", screen = 1, format = ",.2f", doc = "CPU time of class 1: 2 µs per put or get and 5 µs per record.", over = "add" }
class3_cpu_low_s = { unit = "s", label = "class 3 s from", screen = 1, format = ",.2f", doc = "CPU time of class 3: 1 µs per call and 6 µs per record.", over = "add" }
class3_cpu_high_s = { unit = "s", label = "class 3 s to", screen = 1, format = ",.2f", doc = "CPU time of class 3: 3 µs per call, 50 µs per record and 30 µs per continuation.", over = "add" }
class5_cpu_s = { unit = "s", label = "class 5 s", screen = 1, format = ",.2f", doc = "CPU time of queue statistics: 0.08 µs per call.", over = "add" }
class4_cpu_low_s = { unit = "s", label = "class 4 s from", screen = 2, format = ",.2f", doc = "CPU time of channel accounting and channel initiator statistics: 1 % of the CPU time of the channel initiator tasks.", over = "add" }
class4_cpu_high_s = { unit = "s", label = "class 4 s to", screen = 2, format = ",.2f", doc = "CPU time of channel accounting and channel initiator statistics: 2 % of the CPU time of the channel initiator tasks.", over = "add" }
calls_per_class3_record = { unit = "ratio", label = "calls/record", screen = 1, doc = "Calls per class 3 record.", ratio = { numerator = "class3_calls", denominator = "class3_records" } }
forecast_class1_bytes_per_day = { unit = "bytes", label = "class 1 bytes/day", screen = 3, format = ",.0f", doc = "Class 1 data of a day: 436 bytes per record.", over = "add" }
forecast_class3_bytes_per_day = { unit = "bytes", label = "class 3 bytes/day", screen = 3, format = ",.0f", doc = "Class 3 data of a day: 2,740 bytes per record, 2,792 per queue block and 388 per continuation.", over = "add" }
forecast_class5_bytes_per_day = { unit = "bytes", label = "class 5 bytes/day", screen = 3, format = ",.0f", doc = "Queue statistics of a day: 672 bytes per queue that tasks used and interval.", over = "add" }
---*/
WITH
volume AS (
  SELECT
    lpar, qmgr,
    coalesce(sum(records) FILTER (smf_type = 116 AND subtype = 0), 0)::BIGINT AS class1_records,
    coalesce(sum(records) FILTER (smf_type = 116 AND subtype = 1), 0)::BIGINT AS task_records,
    coalesce(sum(records) FILTER (smf_type = 116 AND subtype = 2), 0)::BIGINT AS class3_continuations
  FROM record_volume
  GROUP BY lpar, qmgr
),
call AS (
  SELECT
    lpar, qmgr, sum(interval_seconds) / 3600 AS statistics_hours, sum(mqi_calls)::BIGINT AS mqi_calls, sum(gets + total_puts)::BIGINT AS message_calls,
    count(*) AS intervals
  FROM message_manager
  GROUP BY lpar, qmgr
),
task_sum AS (
  SELECT lpar, qmgr, sum(mq_calls)::BIGINT AS mq_calls, sum(queue_blocks)::BIGINT AS queue_blocks
  FROM task
  GROUP BY lpar, qmgr
),
used_queue AS (
  SELECT lpar, qmgr, count(DISTINCT base_name) AS queues
  FROM queue_use
  GROUP BY lpar, qmgr
),
chinit AS (
  SELECT lpar, qmgr, sum(chinit_task_cpu_us) / 1e6 AS cpu_s
  FROM channel_initiator
  GROUP BY lpar, qmgr
),
joined AS (
  SELECT
    v.lpar, v.qmgr, c.statistics_hours, c.mqi_calls, c.message_calls, c.intervals, v.class1_records, v.class3_continuations,
    v.task_records > 0 AS class3_measured,
    CASE WHEN v.task_records > 0 THEN v.task_records ELSE v.class1_records END AS class3_records,
    CASE WHEN v.task_records > 0 THEN t.mq_calls ELSE c.mqi_calls END          AS class3_calls,
    t.queue_blocks, q.queues, i.cpu_s
  FROM volume AS v
  LEFT JOIN call AS c ON c.lpar = v.lpar AND c.qmgr = v.qmgr
  LEFT JOIN task_sum AS t ON t.lpar = v.lpar AND t.qmgr = v.qmgr
  LEFT JOIN used_queue AS q ON q.lpar = v.lpar AND q.qmgr = v.qmgr
  LEFT JOIN chinit AS i ON i.lpar = v.lpar AND i.qmgr = v.qmgr
)
SELECT
  lpar, qmgr, statistics_hours, mqi_calls, class1_records, class3_measured, class3_records, class3_continuations, class3_calls,
  (2 * message_calls + class1_records) / 1e6                   AS class1_cpu_low_s,
  (2 * message_calls + 5 * class1_records) / 1e6               AS class1_cpu_high_s,
  (class3_calls + 6 * class3_records) / 1e6                    AS class3_cpu_low_s,
  (3 * class3_calls + 50 * class3_records + 30 * class3_continuations) / 1e6 AS class3_cpu_high_s,
  0.08::DOUBLE * mqi_calls / 1e6                               AS class5_cpu_s,
  0.01::DOUBLE * cpu_s                                         AS class4_cpu_low_s,
  0.02::DOUBLE * cpu_s                                         AS class4_cpu_high_s,
  class3_calls / nullif(class3_records, 0)                     AS calls_per_class3_record,
  436 * class1_records * 24 / nullif(statistics_hours, 0)      AS forecast_class1_bytes_per_day,
  (2740 * class3_records + 2792 * coalesce(queue_blocks, 0) + 388 * class3_continuations) * 24 / nullif(statistics_hours, 0) AS forecast_class3_bytes_per_day,
  672 * queues * intervals * 24 / nullif(statistics_hours, 0)  AS forecast_class5_bytes_per_day
FROM joined
ORDER BY lpar, qmgr
