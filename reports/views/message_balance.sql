/*---
id      = "message_balance"
title   = "Message manager compared with data manager"
grain   = "one row per lpar, qmgr and interval"
needs   = ["data_manager", "message_manager", "queue_callback"]
classes = ["115.2"]
note    = "Helper of report data_manager/message_balance and of the rules about calls. Both sides come from the same record. The message manager does not count messages that callbacks get."

[columns]
mm_mqputs = { unit = "count", doc = "MQPUT requests of the message manager.", over = "add", label = "MQPUTs", screen = 3 }
mm_put1s = { unit = "count", doc = "MQPUT1 requests of the message manager.", over = "add", label = "MQPUT1s", screen = 3 }
callback_calls = { unit = "count", doc = "MQCB and MQCTL calls of the interval, and MQCB calls in the accounting of the period.", over = "same" }
has_callbacks = { unit = "flag", doc = "Callbacks get messages: there are such calls." }
opens_per_s = { unit = "per_s", doc = "MQOPEN calls per second.", over_time = "mean", across = "add" }
message_calls = { unit = "count", doc = "Puts plus gets; gets as counted by the message manager or the data manager, whichever is larger.", over = "add" }
opens_per_message_call = { unit = "ratio", doc = "MQOPEN calls per put or get.", ratio = { numerator = "opens", denominator = "message_calls" } }
---*/
SELECT
  d.lpar, d.qmgr, d.qsg, d.interval_start_utc, d.interval_seconds, d.interval_end_utc, d.record_id, d.fragment, d.startup_interval, d.suspect_first,
  d.mm_gets, d.dm_gets, d.get_difference, d.dm_gets_per_mm_get,
  m.puts                                                             AS mm_mqputs,
  m.put1s                                                            AS mm_put1s,
  d.mm_puts, d.dm_puts, d.put_difference, d.message_counts,
  d.object_creates, d.object_deletes, d.object_puts, d.object_gets, d.object_locates,
  m.controls, m.callbacks,
  coalesce(m.controls, 0) + coalesce(m.callbacks, 0) + coalesce(c.accounted_callbacks, 0) AS callback_calls,
  callback_calls > 0                                                 AS has_callbacks,
  m.opens,
  per_s(m.opens, d.interval_seconds)                                 AS opens_per_s,
  d.mm_puts + greatest(d.mm_gets, d.dm_gets)                         AS message_calls,
  m.opens / nullif(d.mm_puts + greatest(d.mm_gets, d.dm_gets), 0)    AS opens_per_message_call
FROM data_manager AS d
LEFT JOIN message_manager AS m ON m.record_id = d.record_id
LEFT JOIN queue_callback AS c ON c.lpar = d.lpar AND c.qmgr = d.qmgr
