/*---
id       = "queue_statistics/puts"
title    = "Queue statistics, put side"
question = "How many messages of which size and persistence were put, and how many went straight to a getter?"
unseen   = true
needs    = ["queue_statistics"]
rules    = ["QU003"]
grain    = ["lpar", "qmgr", "interval_start_utc", "queue"]
dd       = ["QPUTSCSV"]
drill_down = ["queue/all"]
site_input = ["ams_queues", "dead_letter_queues", "ims_bridge_queues", "xmit_queues"]
mq_since = "9.3.3"
note     = "Intervals of queues without puts and failed puts are excluded. Pages are those of a page set, without space that is lost when messages of different sizes share it; elements are those of 256 bytes in a CF structure with the overhead of a message. Whether the counts of puts exclude failed calls is unproven."

[columns]
lpar = { screen = 2 }
put1s = { screen = 2 }
nonpersistent_mqputs = { label = "nonpersistent MQPUTs" }
persistent_mqputs = { label = "persistent MQPUTs" }
nonpersistent_mqput1s = { label = "nonpersistent MQPUT1s" }
persistent_mqput1s = { label = "persistent MQPUT1s" }
mqput_bytes = { label = "MQPUT bytes" }
mqput1_bytes = { label = "MQPUT1 bytes" }
nonpersistent_mqput_bytes = { label = "nonpersistent MQPUT bytes" }
persistent_mqput_bytes = { label = "persistent MQPUT bytes" }
nonpersistent_mqput1_bytes = { label = "nonpersistent MQPUT1 bytes" }
persistent_mqput1_bytes = { label = "persistent MQPUT1 bytes" }
message_bytes_high = { label = "longest", screen = 1 }
message_bytes_low = { label = "shortest", screen = 2 }
put_failures = { label = "failures", screen = 1 }
puts_to_waiting_getter = { label = "to waiting getter", screen = 2 }
bytes_to_waiting_getter = { label = "bytes to waiting getter" }
streamed_messages = { label = "streamed", screen = 3 }
rolled_back_puts = { label = "rolled back", screen = 3 }
expired_messages = { label = "expired", screen = 3 }
depth_high = { label = "highest depth", screen = 3 }
average_put_bytes = { unit = "bytes", label = "bytes/put", doc = "Mean size of the messages put in the interval.", ratio = { numerator = "put_bytes", denominator = "messages_put" } }
pages_per_message = { unit = "pages", label = "pages/message", screen = 2, format = ",.0f", doc = "Pages of a page set that a message of average length takes: one, and further ones of 4,048 bytes beyond its first 3,635 bytes.", ratio = { numerator = "pages_per_message * messages_put", denominator = "messages_put" } }
elements_per_message = { unit = "count", label = "elements/message", screen = 2, format = ",.0f", doc = "Elements of 256 bytes that a message of average length takes in a CF structure, with 372 bytes of overhead.", ratio = { numerator = "elements_per_message * messages_put", denominator = "messages_put" } }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, queue, queue_kind, shared_queue, page_set_id, pool_id, cf_structure, partial_record, puts,
  put1s, messages_put, puts_per_s, nonpersistent_mqputs, persistent_mqputs, nonpersistent_mqput1s, persistent_mqput1s, persistent_messages_put,
  persistent_put_pct, put_bytes, mqput_bytes, mqput1_bytes, nonpersistent_mqput_bytes, persistent_mqput_bytes, nonpersistent_mqput1_bytes,
  persistent_mqput1_bytes, put_mib_per_s, message_bytes_high, message_bytes_low, message_bytes_average, put_failures, put1_failures,
  puts_to_waiting_getter, bytes_to_waiting_getter, waiting_getter_pct, streamed_messages, rolled_back_puts, expired_messages, depth_high,
  put_bytes / nullif(messages_put, 0) AS average_put_bytes, pages_per_message(coalesce(message_bytes_average, 0)) AS pages_per_message,
  ceil((message_bytes_average + 372) / 256) AS elements_per_message
FROM queue_statistics
WHERE messages_put + failed_puts > 0
ORDER BY lpar, qmgr, interval_start_utc, messages_put DESC, queue
