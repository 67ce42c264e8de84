/*---
id      = "quality_partial_queue"
title   = "Queue statistics taken without access to the queue"
grain   = "one row per lpar, qmgr, interval and queue of such a record, and one per queue manager with queue statistics"
needs   = ["queue_statistics"]
classes = ["115.216"]

[columns]
queue = { doc = "Queue name; null in the row of the queue manager." }
partial_record = { doc = "The queue could not be accessed: the age of its messages is not known." }
---*/
SELECT lpar, qmgr, NULL AS record_id, NULL AS interval_start_utc, NULL AS queue, NULL AS cf_structure, false AS partial_record, false AS depth_unknown
FROM queue_statistics
GROUP BY lpar, qmgr
HAVING count(partial_record) > 0
UNION ALL
SELECT lpar, qmgr, record_id, interval_start_utc, queue, cf_structure, partial_record, depth_unknown
FROM queue_statistics
WHERE partial_record
