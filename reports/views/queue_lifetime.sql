/*---
id      = "queue_lifetime"
title   = "How long messages stay on queues, compared with the checkpoint interval"
grain   = "one row per lpar, qmgr and queue on which messages stayed"
needs   = ["queue_total", "queue_statistics_total", "buffer_pool_checkpoint", "decoded.wtas"]
classes = ["116.1", "115.216"]
note    = "Accounting measures the messages that were got, queue statistics the age of those that are there."

[columns]
page_set_id = { from = "queue_total" }
pool_id = { from = "queue_total", label = "pool", screen = 2 }
messages_got = { unit = "count", doc = "Messages got destructively.", over = "add", label = "messages got", screen = 1 }
average_time_on_queue_us = { ratio = { numerator = "average_time_on_queue_us * messages_got", denominator = "messages_got" }, label = "avg on queue µs" }
average_time_on_queue_s = { unit = "s", doc = "Mean time on the queue of the messages got, in seconds.", ratio = { numerator = "average_time_on_queue_s * messages_got", denominator = "messages_got" }, label = "avg on queue s", format = ".3f", screen = 1 }
longest_time_on_queue_s = { unit = "s", doc = "Longest time that a message got was on the queue.", over = "max", label = "longest s", format = ".3f", screen = 1 }
shortest_time_on_queue_us = { unit = "us", doc = "Shortest time that a message got was on the queue.", over = "min", label = "shortest µs" }
longest_time_seen_utc = { unit = "ts_utc", doc = "End of the accounting interval of that task.", label = "longest seen", screen = 3 }
minutes_per_checkpoint = { unit = "min", doc = "Minutes of the period per checkpoint; null if there was no checkpoint.", over = "same", label = "checkpoint min", screen = 2 }
lifetime_class = { unit = "text", doc = "short: on the queue for less than one checkpoint on average; long: for more than two; medium: between; null without checkpoints.", label = "class", screen = 1 }
mixed_pool = { unit = "flag", doc = "The queues of the buffer pool are of several classes.", label = "mixed pool", screen = 1 }
---*/
WITH
joined AS (
  SELECT
    coalesce(a.lpar, s.lpar)                                   AS lpar,
    coalesce(a.qmgr, s.qmgr)                                   AS qmgr,
    coalesce(a.base_name, s.base_name)                         AS base_name,
    coalesce(s.page_set_id, a.page_set_id)                     AS page_set_id,
    coalesce(s.pool_id, a.pool_id)                             AS pool_id,
    coalesce(a.valid_destructive_gets, a.valid_gets)           AS messages_got,
    a.average_time_on_queue_us,
    a.time_on_queue_high_us / 1e6                              AS longest_time_on_queue_s,
    a.time_on_queue_low_us                                     AS shortest_time_on_queue_us,
    a.longest_time_task, a.longest_task_record_id, s.queue_time_short_us, s.queue_time_long_us, s.oldest_message_s
  FROM queue_total AS a
  FULL JOIN queue_statistics_total AS s ON s.lpar = a.lpar AND s.qmgr = a.qmgr AND s.base_name = a.base_name
),
classed AS (
  SELECT
    q.*,
    c.period_minutes_per_checkpoint AS minutes_per_checkpoint,
    CASE
      WHEN q.average_time_on_queue_us < 60e6 * c.period_minutes_per_checkpoint THEN 'short'
      WHEN q.average_time_on_queue_us > 120e6 * c.period_minutes_per_checkpoint THEN 'long'
      WHEN q.average_time_on_queue_us IS NOT NULL AND c.period_minutes_per_checkpoint IS NOT NULL THEN 'medium'
    END AS lifetime_class
  FROM joined AS q
  LEFT JOIN buffer_pool_checkpoint AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr
  WHERE q.messages_got > 0 OR q.oldest_message_s > 0 OR q.queue_time_short_us > 0 OR q.queue_time_long_us > 0
)
SELECT
  q.lpar, q.qmgr, q.base_name, q.page_set_id, q.pool_id, q.messages_got, q.average_time_on_queue_us,
  q.average_time_on_queue_us / 1e6 AS average_time_on_queue_s,
  q.longest_time_on_queue_s, q.shortest_time_on_queue_us, q.longest_time_task,
  t.task_interval_end_utc          AS longest_time_seen_utc,
  q.queue_time_short_us, q.queue_time_long_us, q.oldest_message_s, q.minutes_per_checkpoint, q.lifetime_class,
  CASE WHEN q.pool_id IS NOT NULL
    THEN min(q.lifetime_class) OVER (PARTITION BY q.lpar, q.qmgr, q.pool_id) <> max(q.lifetime_class) OVER (PARTITION BY q.lpar, q.qmgr, q.pool_id)
  END AS mixed_pool
FROM classed AS q
LEFT JOIN decoded.wtas AS t ON t.record_id = q.longest_task_record_id
