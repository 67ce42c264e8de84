/*---
id       = "latch/lens"
title    = "Latch waits and what may explain them"
question = "What do the latch waits mean, and which queue, pool or log condition goes with them?"
needs    = ["latch_hour"]
rules    = ["LK001", "LK002"]
grain    = ["lpar", "qmgr", "hour_start_utc", "latch_class"]
unmarked = "A row is an hour; its rules judge an application over the period."
drill_down = ["latch/waits", "cf/open_close", "buffer_pool/io"]
note     = "The queue is one that the task with the longest wait used: accounting does not show which queue a latch belongs to."

[columns]
lpar = { screen = 2 }
latch_class = { label = "class", screen = 1 }
---*/
SELECT
  lpar, qmgr, hour_start_utc, hour_local, latch_class, latch_name, tasks_waiting, latch_class_waits, latch_class_wait_us,
  average_latch_wait_us, longest_us, share_of_mq_time_pct, top_application, top_queue, top_pool, pool_latch_wait_us, steal_contention,
  log_buffer_waits, object_creates, opens_with_cf, likely_cause
FROM latch_hour
ORDER BY latch_class_wait_us DESC, lpar, qmgr, hour_start_utc, latch_class
