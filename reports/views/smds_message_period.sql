/*---
id      = "smds_message_period"
title   = "Average message offloaded to a shared message data set, over the whole period"
grain   = "one row per lpar, qmgr and CF structure with a shared message data set and queues whose average message is above 63 KB"
needs   = ["decoded.qqst", "decoded.wq", "smds_period"]
classes = ["115.216", "116.1"]
mq_since = "7.1.0"
note    = "Sizes from queue statistics; of queues that only class 3 accounting shows, from there. Messages above 63 KB are always offloaded."

[columns]
lpar = {}
qmgr = {}
cf_structure = { unit = "text", kind = "key", doc = "CF structure name the SMDS belongs to." }
offloaded_messages = { unit = "count", doc = "Messages put to queues of the structure whose average message is above 63 KB." }
average_offloaded_bytes = { unit = "bytes", doc = "Average message put to these queues." }
buffers_per_message = { unit = "buffers", doc = "SMDS buffers that the average message fills." }
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
  SELECT lpar, qmgr, cf_structure, base_name AS queue, sum(valid_puts) AS messages, sum(put_bytes) AS bytes
  FROM decoded.wq
  WHERE cf_structure <> ''
    AND (lpar, qmgr, base_name) NOT IN (SELECT (lpar, qmgr, queue) FROM statistics)
  GROUP BY lpar, qmgr, cf_structure, base_name
),
offloaded AS (
  SELECT lpar, qmgr, cf_structure, sum(messages)::BIGINT AS messages, sum(bytes) / sum(messages) AS average
  FROM (SELECT * FROM statistics UNION ALL SELECT * FROM accounted) AS known
  WHERE bytes / nullif(messages, 0) > 64512
  GROUP BY lpar, qmgr, cf_structure
)
SELECT
  o.lpar, o.qmgr, o.cf_structure,
  o.messages                                              AS offloaded_messages,
  o.average                                               AS average_offloaded_bytes,
  ceil(o.average / nullif(p.buffer_bytes, 0))::BIGINT     AS buffers_per_message
FROM offloaded AS o
JOIN smds_period AS p ON p.lpar = o.lpar AND p.qmgr = o.qmgr AND p.cf_structure = o.cf_structure
