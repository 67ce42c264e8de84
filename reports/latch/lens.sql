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
qmgr = { screen = 1 }
hour_start_utc = { label = "hour", screen = 1 }
hour_local = { label = "local hour" }
latch_class = { label = "class", screen = 1 }
latch_name = { label = "latch", screen = 2 }
tasks_waiting = { label = "tasks", screen = 1 }
latch_class_waits = { label = "waits", screen = 1 }
latch_class_wait_us = { label = "wait µs", screen = 1 }
average_latch_wait_us = { label = "avg µs", screen = 1 }
longest_us = { label = "longest µs", screen = 1 }
share_of_mq_time_pct = { label = "of MQ time %", screen = 1 }
top_application = { label = "most by", screen = 2 }
top_queue = { label = "queue", screen = 2 }
top_pool = { label = "pool", screen = 3 }
pool_latch_wait_us = { label = "pool latch µs" }
steal_contention = { label = "steal contention" }
log_buffer_waits = { label = "log buffer waits" }
object_creates = { label = "objects created" }
opens_with_cf = { label = "opens with CF", screen = 3 }
likely_cause = { label = "likely cause", screen = 3 }
---*/
SELECT
  lpar, qmgr, hour_start_utc, hour_local, latch_class, latch_name, tasks_waiting, latch_class_waits, latch_class_wait_us,
  average_latch_wait_us, longest_us, share_of_mq_time_pct, top_application, top_queue, top_pool, pool_latch_wait_us, steal_contention,
  log_buffer_waits, object_creates, opens_with_cf, likely_cause
FROM latch_hour
ORDER BY latch_class_wait_us DESC, lpar, qmgr, hour_start_utc, latch_class
