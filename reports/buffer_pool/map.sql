/*---
id         = "buffer_pool/map"
title      = "Queue, page set and buffer pool map"
question   = "Which queues share a page set and a buffer pool?"
needs      = ["buffer_pool", "page_set", "queue_statistics", "queue_total", "site_queue"]
rules      = ["BP018", "DQ015"]
grain      = ["lpar", "qmgr", "queue"]
unmarked   = "A row is a queue over the whole period; BP018 judges each interval of a queue, DQ015 the queue manager."
drill_down = ["buffer_pool/health"]
site_input = ["ams_queues", "dead_letter_queues", "ims_bridge_queues", "xmit_queues"]
note       = "The page set of a queue comes from queue statistics, or from accounting if there are no queue statistics. Accounting shows page set 0 and pool 0 also for queues that never used the buffer manager; these are marked."

[columns]
pool_id = { from = "buffer_pool" }
page_set_id = { from = "page_set" }
queue = { from = "queue_statistics" }
queue_kind = { screen = 1 }
buffers = { from = "buffer_pool", label = "buffers", screen = 2 }
used_pct = { label = "page set used %", screen = 2, over = "max", why = "The highest of the period." }
queue_puts = { unit = "count", label = "puts", screen = 1, doc = "Messages put in the period.", over = "add" }
queue_put_mib = { unit = "mib", label = "put MiB", screen = 3, doc = "Message data put in the period.", over = "add" }
depth_high = { from = "queue_statistics", label = "highest depth", screen = 1 }
share_of_pool_puts_pct = { unit = "percent", label = "share of pool's puts %", screen = 2, doc = "Share of all messages put to queues of the pool.", ratio = { numerator = "share_of_pool_puts_pct", denominator = "100", scale = 100, whole = ["lpar", "qmgr", "pool_id"] } }
queues_on_page_set = { unit = "count", label = "queues on it", doc = "Queues on the same page set.", over = "max" }
in_pool_0 = { unit = "flag", label = "in pool 0", screen = 2, doc = "A queue that can grow shares pool 0 with the object definitions." }
placement = { unit = "text", label = "placement", screen = 3, doc = "'page set', 'shared', or 'never used the buffer manager'." }
---*/
WITH
by_statistics AS (
  -- Dynamic queues by prefix, as in queue_total.
  SELECT
    lpar, qmgr, regexp_replace(queue, '[0-9A-F]{16}$', '*') AS queue,
    arg_max(pool_id, interval_start_utc)      AS pool_id,
    arg_max(page_set_id, interval_start_utc)  AS page_set_id,
    max(queue_kind)                           AS queue_kind,
    bool_or(shared_queue)                     AS is_shared,
    sum(messages_put)::BIGINT                 AS queue_puts,
    sum(put_bytes)::BIGINT                    AS put_bytes,
    max(depth_high)                           AS depth_high
  FROM queue_statistics
  GROUP BY lpar, qmgr, regexp_replace(queue, '[0-9A-F]{16}$', '*')
),
by_accounting AS (
  SELECT
    t.lpar, t.qmgr, t.base_name AS queue, t.pool_id, t.page_set_id, t.is_shared, t.puts + t.put1s AS queue_puts, t.put_bytes, t.depth_high,
    t.queue_kind
  FROM queue_total AS t
  WHERE NOT t.is_topic
),
page_set_now AS (
  SELECT lpar, qmgr, page_set_id, arg_max(pool_id, interval_start_utc) AS pool_id, max(used_pct) AS used_pct
  FROM page_set
  GROUP BY lpar, qmgr, page_set_id
),
pool AS (
  SELECT lpar, qmgr, pool_id, max(buffers) AS buffers
  FROM buffer_pool
  GROUP BY lpar, qmgr, pool_id
),
known AS (
  SELECT
    lpar, qmgr, queue,
    coalesce(s.page_set_id, a.page_set_id)      AS page_set_id,
    s.pool_id                                   AS pool_by_statistics,
    a.pool_id                                   AS pool_by_accounting,
    coalesce(s.queue_kind, a.queue_kind)        AS queue_kind,
    coalesce(s.is_shared, false) OR coalesce(a.is_shared, false) AS is_shared,
    coalesce(s.queue_puts, a.queue_puts)        AS queue_puts,
    coalesce(s.put_bytes, a.put_bytes)          AS put_bytes,
    coalesce(s.depth_high, a.depth_high)        AS depth_high
  FROM by_statistics AS s
  FULL JOIN by_accounting AS a USING (lpar, qmgr, queue)
),
mapped AS (
  SELECT
    k.lpar, k.qmgr,
    coalesce(k.pool_by_statistics, p.pool_id, k.pool_by_accounting) AS pool_id,
    k.page_set_id, k.queue, k.queue_kind, k.is_shared, k.queue_puts, k.put_bytes, k.depth_high, p.used_pct
  FROM known AS k
  LEFT JOIN page_set_now AS p ON p.lpar = k.lpar AND p.qmgr = k.qmgr AND p.page_set_id = k.page_set_id
)
SELECT
  m.lpar, m.qmgr, m.pool_id, m.page_set_id, m.queue, m.queue_kind,
  b.buffers,
  m.used_pct,
  m.queue_puts,
  m.put_bytes / 1048576                                                       AS queue_put_mib,
  m.depth_high,
  CASE WHEN m.pool_id IS NOT NULL
    THEN pct(m.queue_puts, sum(m.queue_puts) OVER (PARTITION BY m.lpar, m.qmgr, m.pool_id))
  END                                                                         AS share_of_pool_puts_pct,
  CASE WHEN m.page_set_id IS NOT NULL
    THEN count(*) OVER (PARTITION BY m.lpar, m.qmgr, m.page_set_id)
  END                                                                         AS queues_on_page_set,
  m.pool_id = 0 AND s.growable                                                AS in_pool_0,
  CASE
    WHEN m.is_shared THEN 'shared'
    WHEN m.page_set_id IS NULL THEN 'never used the buffer manager'
    ELSE 'page set'
  END                                                                         AS placement
FROM mapped AS m
LEFT JOIN pool AS b ON b.lpar = m.lpar AND b.qmgr = m.qmgr AND b.pool_id = m.pool_id
LEFT JOIN site_queue AS s ON s.lpar = m.lpar AND s.qmgr = m.qmgr AND s.queue = m.queue
ORDER BY lpar, qmgr, pool_id, page_set_id, queue_puts DESC, queue
