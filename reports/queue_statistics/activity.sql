/*---
id       = "queue_statistics/activity"
title    = "Queue statistics"
question = "What happened on every queue in the interval: depth, handles, times, puts, gets, failures?"
unseen   = true
needs    = ["queue_statistics"]
rules    = ["QU022", "QU023", "QU025"]
grain    = ["lpar", "qmgr", "interval_start_utc", "queue"]
dd       = ["QSTAT", "QSTATCSV"]
drill_down = ["queue_statistics/depth", "queue_statistics/gets", "queue_statistics/puts"]
site_input = ["ams_queues", "dead_letter_queues", "ims_bridge_queues", "xmit_queues"]
mq_since = "9.3.0"
note     = "Depth, handles, times and the uncommitted flag are values at the end of the interval. No dump with queue statistics is known to us: whether puts and gets exclude failed calls, when the counts start again and the clock of the times are unproven. The times on the queue are running averages of DISPLAY QSTATUS. Partial records have no depth, handles and age."

[columns]
lpar = { screen = 2 }
depth_high = { label = "high", screen = 1 }
depth_low = { label = "low", screen = 1 }
input_handles_high = { label = "input high" }
input_handles_low = { label = "input low" }
output_handles_high = { label = "output high" }
output_handles_low = { label = "output low" }
oldest_message_s = { label = "oldest s" }
queue_time_short_us = { label = "recent time µs", screen = 3 }
queue_time_long_us = { label = "long-term time µs", screen = 3 }
last_put_utc = { label = "last put", screen = 3 }
last_get_utc = { label = "last get", screen = 3 }
uncommitted = { label = "uncommitted", screen = 2 }
opens = { label = "opens", screen = 2 }
closes = { label = "closes" }
inquires = { label = "inquires" }
sets = { label = "sets" }
browses = { label = "browses", screen = 2 }
expired_messages = { label = "expired", screen = 2 }
rolled_back_puts = { label = "puts rolled back" }
rolled_back_gets = { label = "gets rolled back", screen = 3 }
put_failures = { label = "put failures", screen = 2 }
get_failures = { label = "get failures", screen = 2 }
streamed_messages = { label = "streamed" }
persistent_put_pct = { screen = 3 }
waiting_getter_pct = { screen = 3 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, queue, queue_kind, shared_queue, page_set_id, pool_id, cf_structure, partial_record, depth,
  depth_high, depth_low, input_handles, output_handles, input_handles_high, input_handles_low, output_handles_high, output_handles_low,
  oldest_message_s, queue_time_short_us, queue_time_long_us, last_put_utc, last_get_utc, uncommitted, opens, closes, inquires, sets, messages_put,
  puts, put1s, destructive_gets, browses, put_bytes, get_bytes, browse_bytes, expired_messages, rolled_back_puts, rolled_back_gets, put_failures,
  put1_failures, get_failures, browse_failures, streamed_messages, put_get_balance, net_depth_per_s, persistent_put_pct, opens_per_put, rollback_pct,
  waiting_getter_pct
FROM queue_statistics
ORDER BY lpar, qmgr, interval_start_utc, queue
