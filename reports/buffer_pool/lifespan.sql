/*---
id         = "buffer_pool/lifespan"
title      = "Short-lived and long-lived messages by pool"
question   = "Does a pool hold messages that are read soon, or messages that are written to DASD and read back?"
needs      = ["buffer_pool_period", "buffer_pool_checkpoint", "queue_statistics", "queue_total"]
rules      = ["BP009", "BP010", "BP019"]
grain      = ["lpar", "qmgr", "pool_id"]
note       = "A queue is short if its messages stayed less than one checkpoint interval on average, and long if more than two, after which pages are written to DASD. If checkpoints are less frequent than statistics intervals, their distance is that of the whole period. The classes are for display only."

[columns]
pool_id = { from = "buffer_pool_period" }
queues_short = { unit = "count", label = "short queues", screen = 1, doc = "Queues of the pool whose messages stayed less than one checkpoint interval.", over = "add" }
queues_long = { unit = "count", label = "long queues", screen = 1, doc = "Queues of the pool whose messages stayed more than two checkpoint intervals.", over = "add" }
oldest_message_s = { screen = 2 }
mixed = { unit = "flag", label = "mixed", screen = 1, doc = "The pool has queues of both kinds." }
pool_class = { unit = "text", label = "class", screen = 1, doc = "What kind of messages the pool seems to hold." }
---*/
WITH
queue AS (
  SELECT
    t.lpar, t.qmgr, t.pool_id,
    count(*) FILTER (t.average_time_on_queue_us < 60e6 * c.period_minutes_per_checkpoint)     AS queues_short,
    count(*) FILTER (t.average_time_on_queue_us > 2 * 60e6 * c.period_minutes_per_checkpoint) AS queues_long
  FROM queue_total AS t
  JOIN buffer_pool_checkpoint AS c ON c.lpar = t.lpar AND c.qmgr = t.qmgr
  WHERE t.pool_id IS NOT NULL
  GROUP BY t.lpar, t.qmgr, t.pool_id
),
oldest AS (
  SELECT lpar, qmgr, pool_id, max(oldest_message_s) AS oldest_message_s
  FROM queue_statistics
  WHERE pool_id IS NOT NULL
  GROUP BY lpar, qmgr, pool_id
),
with_accounting AS (
  SELECT lpar, qmgr FROM queue_total GROUP BY lpar, qmgr
),
described AS (
  SELECT
    p.lpar, p.qmgr, p.qsg, p.pool_id, p.intervals, p.pages_read, p.pages_written, p.read_to_written_ratio, p.steals, p.deferred_write_starts,
    c.median_minutes_per_checkpoint, c.period_minutes_per_checkpoint,
    -- Without accounting, nothing is known about the queues; with it, a pool without queues has no queues of either kind.
    CASE WHEN w.lpar IS NOT NULL AND c.period_minutes_per_checkpoint IS NOT NULL THEN coalesce(q.queues_short, 0) END AS queues_short,
    CASE WHEN w.lpar IS NOT NULL AND c.period_minutes_per_checkpoint IS NOT NULL THEN coalesce(q.queues_long, 0) END  AS queues_long,
    o.oldest_message_s
  FROM buffer_pool_period AS p
  LEFT JOIN buffer_pool_checkpoint AS c ON c.lpar = p.lpar AND c.qmgr = p.qmgr
  LEFT JOIN with_accounting AS w ON w.lpar = p.lpar AND w.qmgr = p.qmgr
  LEFT JOIN queue AS q ON q.lpar = p.lpar AND q.qmgr = p.qmgr AND q.pool_id = p.pool_id
  LEFT JOIN oldest AS o ON o.lpar = p.lpar AND o.qmgr = p.qmgr AND o.pool_id = p.pool_id
)
SELECT
  lpar, qmgr, qsg, pool_id, intervals, pages_read, pages_written, read_to_written_ratio, steals, deferred_write_starts,
  median_minutes_per_checkpoint, period_minutes_per_checkpoint, queues_short, queues_long, oldest_message_s,
  queues_short > 0 AND queues_long > 0 AS mixed,
  CASE
    WHEN pages_read = 0 AND deferred_write_starts = 0 THEN 'short-lived'
    WHEN deferred_write_starts > 0 AND pages_read > 1.2 * pages_written THEN 'spilling and read back repeatedly'
    WHEN pages_read > 0 THEN 'long-lived'
    ELSE 'unclear'
  END AS pool_class
FROM described
ORDER BY mixed DESC NULLS LAST, pool_class, lpar, qmgr, pool_id
