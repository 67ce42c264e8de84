/*---
id      = "queue_streamed"
title   = "Queues with a streaming queue"
grain   = "one row per lpar, qmgr, interval and queue with streamed messages"
needs   = ["queue_statistics"]
classes = ["115.216"]
note    = "Helper of rule QU024. The first and last of consecutive records with streamed messages are excluded, because STREAMQ may have been set or removed within them, and so are intervals in which puts were rolled back: whether their copies are counted is unproven."

[columns]
streamed_share = { unit = "ratio", doc = "Share of the messages put that were streamed.", ratio = { numerator = "streamed_messages", denominator = "messages_put" } }
---*/
WITH
streaming AS (
  SELECT lpar, qmgr, queue FROM queue_statistics GROUP BY lpar, qmgr, queue HAVING max(streamed_messages) > 0
),
neighbour AS (
  SELECT
    q.*,
    lag(q.streamed_messages) OVER near  AS streamed_before,
    lead(q.streamed_messages) OVER near AS streamed_after
  FROM queue_statistics AS q
  SEMI JOIN streaming AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.queue = q.queue
  WINDOW near AS (PARTITION BY q.lpar, q.qmgr, q.queue ORDER BY q.interval_start_utc, q.record_id)
)
SELECT
  lpar, qmgr, record_id, interval_start_utc, interval_seconds, queue, messages_put, streamed_messages,
  streamed_messages / nullif(messages_put, 0) AS streamed_share
FROM neighbour
WHERE streamed_messages > 0 AND streamed_before > 0 AND streamed_after > 0 AND rolled_back_puts = 0
