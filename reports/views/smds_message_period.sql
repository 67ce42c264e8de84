/*---
id      = "smds_message_period"
title   = "Average message offloaded to a shared message data set, over the whole period"
grain   = "one row per lpar, qmgr and CF structure with a shared message data set"
needs   = ["decoded.qqst", "decoded.wq", "smds_period"]
classes = ["115.2"]
mq_since = "7.1.0"
note    = "Message sizes come from queue statistics, or from class 3 accounting for queues without statistics. Messages above 63 KB are always offloaded."

[columns]
cf_structure = { from = "smds_period" }
offloaded_messages = { unit = "count", doc = "Messages put to queues of the structure whose average message is above 63 KB; empty if no size is known but something was offloaded.", over = "add" }
average_offloaded_bytes = { unit = "bytes", doc = "Average message put to these queues.", ratio = { numerator = "average_offloaded_bytes * offloaded_messages", denominator = "offloaded_messages" } }
buffers_per_message = { unit = "buffers", doc = "SMDS buffers that this average message fills; 0 if there is no such message.", over = "max" }
---*/
WITH
statistics AS (
  SELECT
    lpar, qmgr, cf_structure, queue,
    sum(puts + put1s)              AS messages,
    sum(mqput_bytes + mqput1_bytes) AS bytes
  FROM decoded.qqst
  WHERE cf_structure <> '' AND lpar IS NOT NULL
  GROUP BY lpar, qmgr, cf_structure, queue
),
accounted AS (
  SELECT q.lpar, q.qmgr, q.cf_structure, q.base_name AS queue, sum(q.valid_puts) AS messages, sum(q.put_bytes) AS bytes
  FROM decoded.wq AS q
  ANTI JOIN statistics AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.queue = q.base_name
  WHERE q.cf_structure <> ''
  GROUP BY q.lpar, q.qmgr, q.cf_structure, q.base_name
),
sized AS (
  SELECT lpar, qmgr, cf_structure, messages, bytes, bytes / messages > 64512 AS large
  FROM (SELECT * FROM statistics UNION ALL SELECT * FROM accounted) AS known
  WHERE messages > 0
),
offloaded AS (
  SELECT
    lpar, qmgr, cf_structure,
    coalesce(sum(messages) FILTER (large), 0)::BIGINT                      AS messages,
    sum(bytes) FILTER (large) / nullif(sum(messages) FILTER (large), 0)    AS average
  FROM sized
  GROUP BY lpar, qmgr, cf_structure
)
SELECT
  p.lpar, p.qmgr, p.cf_structure,
  CASE WHEN p.smds_allocate_requests = 0 THEN 0 ELSE o.messages END        AS offloaded_messages,
  CASE WHEN p.smds_allocate_requests > 0 THEN o.average END                AS average_offloaded_bytes,
  CASE
    WHEN p.smds_allocate_requests = 0 OR o.messages = 0 THEN 0
    ELSE ceil(o.average / nullif(p.buffer_bytes, 0))::BIGINT
  END                                                                      AS buffers_per_message
FROM smds_period AS p
LEFT JOIN offloaded AS o ON o.lpar = p.lpar AND o.qmgr = p.qmgr AND o.cf_structure = p.cf_structure
