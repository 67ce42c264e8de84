/*---
id         = "queue/all"
title      = "All queues"
question   = "What happened on each queue: calls, times, bytes, depth, age, attention marks?"
needs      = ["queue_total", "accounting_missed"]
rules      = ["QU017"]
grain      = ["lpar", "qmgr", "row_kind", "base_name"]
unmarked   = "Rows of generated names and of a whole queue manager are no queues; QU017 leaves hours after a restart out."
dd         = ["QALL"]
wsc        = [6]
drill_down = ["queue/get_waste", "queue/index_advisor"]
note       = "Names are base names: an alias counts for its queue, and the generated part of the names of dynamic queues is *. Put times include the streaming queue. Marks: G gets without message, X messages or empty pages skipped, E expired, P put but never got, O opened for every call. A row without a queue has the calls that statistics count and accounting does not show."

[columns]
lpar = { screen = 2 }
row_kind = { unit = "text", kind = "key", label = "row", screen = 2, doc = "'queue', or 'not accounted' for the calls that statistics count and accounting does not show." }
pool_id = { label = "pool", screen = 3 }
cf_structure = { label = "structure", screen = 3 }
index_type = { label = "index", screen = 3 }
is_shared = { screen = 0 }
queue_records = { screen = 0 }
opens = { from = "queue_total", label = "opens", screen = 1 }
closes = { from = "queue_total", label = "closes" }
gets = { from = "queue_total", label = "gets", screen = 1 }
browses_any = { label = "browses any" }
browses_specific = { label = "browses specific" }
gets_any = { label = "gets any" }
gets_specific = { label = "gets specific" }
get_page_set_reads = { label = "read from page set", screen = 2 }
get_page_set_us = { label = "page set read µs" }
pages_skipped = { label = "pages skipped", screen = 2 }
messages_skipped = { label = "skipped", screen = 2 }
expired_messages = { label = "expired", screen = 2 }
puts = { from = "queue_total", label = "puts", screen = 1 }
average_put_et_us = { unit = "us", label = "avg put µs", doc = "Mean elapsed time of an MQPUT.", ratio = { numerator = "put_et_us", denominator = "puts" } }
average_put_cpu_us = { unit = "us", label = "avg put CPU µs", doc = "Mean CPU time of an MQPUT.", ratio = { numerator = "put_cpu_us", denominator = "puts" } }
put1s = { from = "queue_total", label = "put1s", screen = 1 }
valid_puts = { screen = 0 }
time_on_queue_high_us = { label = "longest on queue µs", screen = 2 }
inquires = { from = "queue_total", label = "inquires" }
sets = { from = "queue_total", label = "sets" }
streamed_messages = { label = "streamed" }
---*/
SELECT
  lpar, qmgr, 'queue' AS row_kind, base_name, queue_names, attention, page_set_id, pool_id, cf_structure, index_type, is_shared, queue_records,
  applications, putting_applications, getting_applications, opens, open_et_us, open_cpu_us, closes, close_et_us, close_cpu_us, gets, get_et_us,
  get_cpu_us, valid_gets, browses_any, browses_specific, gets_any, gets_specific, get_bytes, get_page_set_reads, get_page_set_us, persistent_gets,
  pages_skipped, messages_skipped, expired_messages, puts, put_et_us, put_cpu_us, put_et_us / nullif(puts, 0) AS average_put_et_us,
  put_cpu_us / nullif(puts, 0) AS average_put_cpu_us, put1s, put1_et_us, put1_cpu_us, valid_puts, put_bytes, puts_to_waiting_getter,
  mqputs_to_waiting_getter, mqput1s_to_waiting_getter, generated_messages, persistent_mqputs, persistent_mqput1s, depth_high,
  time_on_queue_high_us, time_on_queue_low_us, inquires, sets, streamed_messages, queue_mq_et_us, queue_mq_cpu_us
FROM queue_total
UNION ALL BY NAME
SELECT lpar, qmgr, 'not accounted' AS row_kind, opens, closes, gets, puts, put1s, inquires, sets
FROM accounting_missed
WHERE opens > 0 OR closes > 0 OR gets > 0 OR puts > 0 OR put1s > 0 OR inquires > 0 OR sets > 0
ORDER BY queue_mq_cpu_us DESC NULLS LAST, lpar, qmgr, base_name, row_kind
