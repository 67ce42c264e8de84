/*---
id       = "queue_statistics/depth"
title    = "Queue depth, handles and age"
question = "Which queues build up, stay full, or have no reader?"
unseen   = true
needs    = ["queue_depth"]
rules    = ["QU002", "QU005", "QU021"]
grain    = ["lpar", "qmgr", "queue"]
drill_down = ["queue/dead_messages", "page_set/growth"]
site_input = ["ams_queues", "dead_letter_queues", "ims_bridge_queues", "maxdepth", "retained_queues", "xmit_queues"]
mq_since = "9.3.0"
note     = "Depth, handles and age are values at the end of an interval; highest and lowest depths are those within it from 9.3.3. MAXDEPTH is not in SMF: the site file has it. The age of the oldest message is unproven where MONQ is off. Each member of a queue-sharing group reports the depth of a shared queue, and only its own handles, puts and gets. The depth of SYSTEM.CHANNEL.SYNCQ is about the number of channels ever started."

[columns]
lpar = { screen = 2 }
queue_kind = { screen = 2 }
messages_put = { screen = 2 }
destructive_gets = { screen = 2 }
---*/
SELECT
  lpar, qmgr, queue, queue_kind, shared_queue, page_set_id, cf_structure, intervals, depth_first, depth_last, depth_high, depth_high_at_utc,
  depth_low, growth_per_h, intervals_rising_pct, share_of_max_depth_pct, messages_put, destructive_gets, hours_to_page_set_full, oldest_message_s,
  input_handles_high, intervals_without_reader, queue_time_long_us, restart_index_messages, expiry_scan_cpu_us, shape
FROM queue_depth
ORDER BY
  list_position(['building up', 'never empty', 'holds messages', 'drains', 'empty'], shape) NULLS LAST,
  depth_high DESC NULLS LAST, lpar, qmgr, queue
