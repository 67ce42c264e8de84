/*---
id       = "queue_statistics/gets"
title    = "Queue statistics, get side"
question = "How many gets and browses succeeded, failed, waited, were redriven or truncated?"
unseen   = true
needs    = ["queue_statistics"]
rules    = ["QU009"]
grain    = ["lpar", "qmgr", "interval_start_utc", "queue"]
dd       = ["QGETSCSV"]
drill_down = ["queue/get_waste"]
site_input = ["ams_queues", "dead_letter_queues", "ims_bridge_queues", "xmit_queues"]
mq_since = "9.3.3"
note     = "Intervals of queues without gets, browses, failures and redrives of them are excluded. How gets that found no message, gets with wait that failed and redrives relate to each other is unproven: a get that waits is redriven for each message that arrives, also for the one that it receives."

[columns]
lpar = { screen = 2 }
nonpersistent_gets = { label = "nonpersistent" }
persistent_gets = { label = "persistent", screen = 2 }
nonpersistent_get_bytes = { label = "nonpersistent bytes" }
persistent_get_bytes = { label = "persistent bytes" }
browses = { label = "browses", screen = 1 }
nonpersistent_browses = { label = "nonpersistent browses" }
persistent_browses = { label = "persistent browses" }
nonpersistent_browse_bytes = { label = "nonpersistent browse bytes" }
persistent_browse_bytes = { label = "persistent browse bytes" }
get_failures = { label = "failures", screen = 2 }
gets_no_message = { label = "no message", screen = 1 }
gets_truncated = { label = "truncated", screen = 1 }
get_wait_failures = { label = "wait failed", screen = 2 }
get_wait_redrives = { label = "redrives", screen = 1 }
browses_no_message = { label = "browses no message" }
browses_truncated = { label = "browses truncated" }
browse_wait_failures = { label = "browse wait failed" }
browse_wait_redrives = { label = "browse redrives" }
get_signals = { label = "signals", screen = 3 }
browse_signals = { label = "browse signals" }
rolled_back_gets = { label = "rolled back", screen = 3 }
expired_messages = { label = "expired", screen = 3 }
average_get_bytes = { unit = "bytes", label = "bytes/get", screen = 2, doc = "Mean size of the messages got in the interval.", ratio = { numerator = "get_bytes", denominator = "destructive_gets" } }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, queue, queue_kind, shared_queue, page_set_id, pool_id, cf_structure, partial_record,
  destructive_gets, destructive_gets_per_s, nonpersistent_gets, persistent_gets, get_bytes, nonpersistent_get_bytes, persistent_get_bytes,
  get_mib_per_s, browses, nonpersistent_browses, persistent_browses, browse_bytes, nonpersistent_browse_bytes, persistent_browse_bytes,
  get_failures, gets_no_message, gets_truncated, get_wait_failures, get_wait_redrives, browse_failures, browses_no_message, browses_truncated,
  browse_wait_failures, browse_wait_redrives, get_signals, browse_signals, rolled_back_gets, expired_messages, no_message_per_get,
  get_wait_redrives_per_get, get_bytes / nullif(destructive_gets, 0) AS average_get_bytes
FROM queue_statistics
WHERE destructive_gets + browses + get_failures + browse_failures + get_wait_redrives + browse_wait_redrives > 0
ORDER BY lpar, qmgr, interval_start_utc, destructive_gets DESC, queue
