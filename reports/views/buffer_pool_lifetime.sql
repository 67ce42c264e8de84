/*---
id       = "buffer_pool_lifetime"
title    = "How long messages stay in the queues of a pool"
grain    = "one row per lpar, qmgr, interval and queue with a pool, where there are checkpoints in the period"
needs    = ["queue_statistics", "buffer_pool_checkpoint"]
classes  = ["115.216"]
mq_since = "9.3.1"
note     = "Helper of rule BP019. Times are in checkpoint intervals; after two of them, a page is written to DASD. Queues without a time on queue (MONQ off) are excluded."

[columns]
put_share_pct = { unit = "percent", doc = "Share of the messages put to the queues of the pool in the period that were put to this queue.", over = "same" }
time_on_queue_checkpoints = { unit = "ratio", doc = "Long-term average time on queue, in checkpoint intervals; null at its highest possible value, 999,999,999 microseconds.", over_time = "last", across = "max" }
oldest_message_checkpoints = { unit = "ratio", doc = "Age of the oldest message, in checkpoint intervals.", over_time = "last", across = "max" }
---*/
WITH
put AS (
  SELECT lpar, qmgr, pool_id, queue, sum(messages_put) AS messages_put
  FROM queue_statistics
  WHERE pool_id IS NOT NULL
  GROUP BY lpar, qmgr, pool_id, queue
),
-- Of the whole period: a queue that is filled at night and emptied in the evening has no puts during the day.
shared AS (
  SELECT
    p.lpar, p.qmgr, p.pool_id, p.queue, p.messages_put, c.period_minutes_per_checkpoint,
    -- A window inside nullif is not readable in the database file for DuckDB 1.4.
    sum(p.messages_put) OVER (PARTITION BY p.lpar, p.qmgr, p.pool_id) AS pool_messages_put
  FROM put AS p
  JOIN buffer_pool_checkpoint AS c ON c.lpar = p.lpar AND c.qmgr = p.qmgr
  WHERE c.period_minutes_per_checkpoint IS NOT NULL
)
SELECT
  q.lpar, q.qmgr, q.interval_start_utc, q.interval_seconds, q.record_id, q.pool_id, q.queue, q.depth,
  s.period_minutes_per_checkpoint,
  pct(s.messages_put, s.pool_messages_put) AS put_share_pct,
  -- The queue manager does not count beyond 999,999,999 microseconds, about 17 minutes.
  CASE WHEN q.queue_time_long_us < 999999999 THEN q.queue_time_long_us / 60e6 / s.period_minutes_per_checkpoint END AS time_on_queue_checkpoints,
  q.oldest_message_s / 60 / s.period_minutes_per_checkpoint AS oldest_message_checkpoints
FROM queue_statistics AS q
JOIN shared AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.pool_id = q.pool_id AND s.queue = q.queue
WHERE q.queue_time_long_us > 0
