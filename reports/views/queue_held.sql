/*---
id       = "queue_held"
title    = "What queues held, interval by interval"
grain    = "one row per lpar, qmgr, interval and queue"
needs    = ["queue_statistics"]
classes  = ["115.216"]
note     = "Queues that held a message, partial records excluded. A message on a page set takes a page, and another one for each 4,048 bytes above 3,635. The length of messages is the average of the interval, else the last one before. A shared queue has the same figures on every member."

[columns]
held = { unit = "number", over_time = "max", across = "add", doc = "Most pages that the messages of the queue took in the interval, for a shared queue their bytes; before 9.3.3 those at its end." }
held_before = { unit = "number", over_time = "first", across = "add", doc = "The same at the end of the previous interval; of the first one, counted back from the messages put and got; null if they are not known." }
---*/
WITH
-- Most queues are always empty: windows over them would take most of the time.
filled AS (
  SELECT lpar, qmgr, queue FROM queue_statistics GROUP BY lpar, qmgr, queue HAVING max(greatest(depth, depth_high)) > 0
),
stepped AS (
  SELECT
    *,
    lag(depth) OVER earlier AS previous_depth,
    coalesce(last_value(nullif(message_bytes_average, 0) IGNORE NULLS) OVER earlier, 0) AS message_bytes
  FROM queue_statistics
  SEMI JOIN filled USING (lpar, qmgr, queue)
  WHERE NOT depth_unknown
  WINDOW earlier AS (PARTITION BY lpar, qmgr, queue, cf_structure ORDER BY interval_start_utc, record_id)
)
SELECT
  lpar, qmgr, interval_start_utc, interval_end_utc, queue, page_set_id, pool_id, cf_structure,
  coalesce(depth_high, depth) * message_size AS held,
  coalesce(previous_depth, CASE WHEN messages_put + destructive_gets IS NOT NULL THEN greatest(0, depth - messages_put + destructive_gets) END) * message_size
    AS held_before
FROM (
  SELECT
    *, CASE WHEN cf_structure IS NULL THEN pages_per_message(message_bytes) ELSE greatest(message_bytes, 1) END AS message_size
  FROM stepped
)
WHERE (page_set_id IS NOT NULL OR cf_structure IS NOT NULL) AND greatest(coalesce(depth_high, depth), previous_depth) > 0
