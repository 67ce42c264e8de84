/*---
id      = "queue_flow"
title   = "Puts, gets and expired messages of queues, from statistics or by the hour from accounting"
grain   = "one row per lpar, qmgr, interval and queue of queue statistics; per lpar, qmgr, hour and queue of accounting for queues without counts in queue statistics"
needs   = ["queue_statistics", "queue_hour", "site_queue"]
classes = ["115.216", "116.1"]
keep    = false                          # one row per queue and interval
note    = "Helper of rules. All dynamic queues of a prefix are one queue in rows of accounting. Partial records are excluded, and rows of accounting without puts, expired messages and gets that returned no message."

[columns]
queue = { label = "", screen = 0 }
flow_from = { unit = "text", doc = "Source of the counts: queue statistics or accounting." }
depth = { doc = "Depth at the end of the interval; null in rows of accounting." }
destructive_gets = { doc = "Messages got; in rows of accounting including browses." }
expired_messages = { doc = "Messages expired; in rows of accounting those that gets found." }
no_message_per_message = { unit = "ratio", doc = "Gets that returned no message, per message got; their number if no message was got.", ratio = { numerator = "gets_no_message", denominator = "greatest(1, destructive_gets)" } }
expired_pct = { doc = "Messages expired, per hundred put; 100 if more expired than were put.", ratio = { numerator = "expired_messages", denominator = "greatest(messages_put, expired_messages)", scale = 100 } }
---*/
WITH
counted AS (
  SELECT DISTINCT lpar, qmgr, queue FROM queue_statistics WHERE puts IS NOT NULL
),
accounted AS (
  -- Each dynamic queue alone is used too little to be judged.
  SELECT
    h.lpar, h.qmgr, h.hour_start_utc, regexp_replace(h.base_name, '[0-9A-F]{16}$', '*') AS queue_group,
    sum(h.valid_puts)::BIGINT AS valid_puts, sum(h.valid_gets)::BIGINT AS valid_gets,
    sum(h.gets_without_message)::BIGINT AS gets_without_message, sum(h.expired_messages)::BIGINT AS expired_messages
  FROM queue_hour AS h
  ANTI JOIN counted AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr AND c.queue = h.base_name
  GROUP BY h.lpar, h.qmgr, h.hour_start_utc, queue_group
  HAVING sum(h.valid_puts + h.gets_without_message + h.expired_messages) > 0
),
flow AS (
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_seconds, queue, queue_kind, 'queue statistics' AS flow_from, depth,
    messages_put, destructive_gets, gets_no_message, expired_messages
  FROM queue_statistics
  WHERE NOT depth_unknown
  UNION ALL
  SELECT
    h.lpar, h.qmgr, NULL, h.hour_start_utc, 3600.0, h.queue_group, k.queue_kind, 'accounting', NULL,
    h.valid_puts, h.valid_gets, h.gets_without_message, h.expired_messages
  FROM accounted AS h
  LEFT JOIN site_queue AS k ON k.lpar = h.lpar AND k.qmgr = h.qmgr AND k.queue = h.queue_group
)
SELECT
  *,
  gets_no_message / greatest(1, destructive_gets)   AS no_message_per_message,
  pct(expired_messages, greatest(messages_put, expired_messages)) AS expired_pct
FROM flow
