/*---
id         = "queue/message_lifetime"
title      = "Message lifetime"
question   = "How long do messages stay, and how does that compare with the checkpoint interval?"
needs      = ["queue_lifetime"]
rules      = []
grain      = ["lpar", "qmgr", "base_name"]
drill_down = ["buffer_pool/lifespan"]
note       = "Names are base names; the generated part of the names of dynamic queues is *. Accounting measures the messages that were got; the age of the oldest message and the recent and long-term averages are from queue statistics, and need MONQ. Messages that live longer than two checkpoints are written to page sets."

[columns]
lpar = { screen = 2 }
---*/
SELECT
  lpar, qmgr, base_name, page_set_id, pool_id, messages_got, average_time_on_queue_us, average_time_on_queue_s, longest_time_on_queue_s,
  shortest_time_on_queue_us, longest_time_task, longest_time_seen_utc, queue_time_short_us, queue_time_long_us, oldest_message_s,
  minutes_per_checkpoint, lifetime_class, mixed_pool
FROM queue_lifetime
ORDER BY longest_time_on_queue_s DESC NULLS LAST, lpar, qmgr, base_name
