/*---
id       = "ims/bridge"
title    = "IMS bridge and IMS connections"
question = "How much goes through the IMS bridge and the IMS regions, and is the bridge queue the limit?"
needs    = ["ims_bridge"]
rules    = ["IM001"]
grain    = ["lpar", "qmgr", "interval_start_utc", "queue", "ims_region"]
site_input = ["ims_bridge_queues"]
note     = "The bridge queues must be named in the site file: the bridge has no record of its own. Intervals without messages are excluded. Regions have one row per hour. Spans are those of the queue manager, repeated for each of its bridge queues. Occupancy of message regions is in IMS data only: if the regions wait for input while messages wait here, more bridge queues (TPIPEs) help, otherwise more regions."

[columns]
lpar = { screen = 2 }
qsg = { screen = 3 }
messages_put = { screen = 0 }
depth = { screen = 2 }
oldest_message_s = { label = "oldest s", screen = 2 }
input_handles = { screen = 0 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, queue, shared_queue, messages_put, puts_per_s, destructive_gets_per_s, depth, depth_high,
  oldest_message_s, input_handles, intervals_with_backlog, bridge_task_limit, ims_region, ims_tasks, ims_mq_cpu_us, ims_messages, igq_puts,
  reply_queue_index, otel_bridge_spans, otel_bridge_discarded
FROM ims_bridge
WHERE queue IS NULL OR messages_put > 0 OR destructive_gets_per_s > 0 OR depth_high > 0
ORDER BY lpar, qmgr, interval_start_utc, queue, ims_region
