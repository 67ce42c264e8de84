/*---
id      = "queue_statistics"
title   = "Queue statistics"
grain   = "one row per lpar, qmgr, interval and queue"
needs   = ["decoded.qqst", "interval_cut", "queue_sharing_group", "site_queue"]
classes = ["115.216"]
keep    = false                          # one row for each of 100,000 queues and interval
note    = "Depth, handles and age are values at the end of the interval; times on the queue are running averages; all other columns count the interval."

[columns]
queue = { label = "queue", screen = 1 }
shared_queue = { label = "shared", screen = 3 }
partial_record = { label = "partial" }
depth_unknown = { unit = "flag", doc = "A partial record without depth and uncommitted flag: that of a shared queue; before 9.3.3 any." }
page_set_id = { doc = "Page set; null for shared queues and for private queues that have no page set yet.", label = "page set", screen = 3 }
pool_id = { doc = "Buffer pool; null for shared queues and for private queues that have no page set yet.", label = "pool", screen = 3 }
cf_structure = { label = "structure", screen = 3 }
depth = { doc = "Queue depth when the data was collected; null where depth_unknown is true.", label = "depth", screen = 1 }
output_handles = { label = "output handles", screen = 2 }
input_handles = { label = "input handles", screen = 1 }
oldest_message_s = { doc = "Age of the oldest message; null in partial records.", over_time = "last", across = "max", label = "oldest message s", screen = 1 }
queue_time_short_us = { over_time = "last", across = "max", label = "recent avg µs", screen = 2 }
queue_time_long_us = { over_time = "last", across = "max", label = "long-term avg µs" }
puts = { label = "MQPUTs" }
put1s = { label = "MQPUT1s" }
put1_failures = { label = "MQPUT1 failures" }
message_bytes_average = { ratio = { numerator = "message_bytes_average * greatest(messages_put, 1)", denominator = "greatest(messages_put, 1)" }, label = "average", screen = 1 }
destructive_gets = { label = "gets", screen = 1 }
get_bytes = { label = "get bytes" }
browse_bytes = { label = "browse bytes" }
browse_failures = { label = "browse failures" }
messages_put = { unit = "count", doc = "Messages put by MQPUT and MQPUT1.", over = "add", label = "puts", screen = 1 }
persistent_messages_put = { unit = "count", doc = "Persistent messages put.", over = "add", label = "persistent", screen = 3 }
persistent_put_pct = { unit = "percent", doc = "Share of the messages put that were persistent.", ratio = { numerator = "persistent_messages_put", denominator = "messages_put", scale = 100 }, label = "persistent %", screen = 1 }
put_bytes = { unit = "bytes", doc = "Bytes put by MQPUT and MQPUT1.", over = "add", label = "put bytes" }
put_mib_per_s = { unit = "mib_per_s", doc = "Message data put per second.", over_time = "mean", across = "add", label = "MiB/s", screen = 1 }
get_mib_per_s = { unit = "mib_per_s", doc = "Message data got destructively per second.", over_time = "mean", across = "add", label = "MiB/s", screen = 2 }
puts_per_s = { unit = "per_s", doc = "MQPUT and MQPUT1 requests per second.", over_time = "mean", across = "add", label = "puts/s", screen = 1 }
nonpersistent_puts_per_s = { unit = "per_s", doc = "Nonpersistent messages put per second.", over_time = "mean", across = "add" }
otel_spans = { unit = "count", doc = "OpenTelemetry: Producer and consumer spans made.", over = "add" }
destructive_gets_per_s = { unit = "per_s", doc = "Destructive gets per second.", over_time = "mean", across = "add", label = "gets/s", screen = 1 }
put_get_balance = { unit = "count", doc = "Messages put minus messages got and expired: growth of the queue.", over = "add", label = "balance", screen = 3 }
net_depth_per_s = { unit = "per_s", doc = "Growth of the queue in messages per second.", over_time = "mean", across = "add", label = "growth/s" }
failed_puts = { unit = "count", doc = "MQPUT and MQPUT1 calls that failed.", over = "add" }
failed_put_pct = { unit = "percent", doc = "Share of the MQPUT and MQPUT1 calls that failed. Whether the counts of puts exclude failed calls is unproven: they are taken to do so.", ratio = { numerator = "failed_puts", denominator = "(messages_put + put_failures) + put1_failures", scale = 100 } }
truncated_get_pct = { unit = "percent", doc = "Gets that failed because the message was truncated, as a share of these and of the destructive gets.", ratio = { numerator = "gets_truncated", denominator = "destructive_gets + gets_truncated", scale = 100 } }
waiting_getter_pct = { unit = "percent", doc = "Share of the puts that went directly to a waiting getter.", ratio = { numerator = "puts_to_waiting_getter", denominator = "messages_put", scale = 100 }, label = "waiting getter %", screen = 2 }
no_message_per_get = { unit = "ratio", doc = "Gets that found no message, per destructive get.", ratio = { numerator = "gets_no_message", denominator = "destructive_gets" }, label = "no message/get", format = ",.2f", screen = 1 }
get_wait_redrives_per_get = { unit = "ratio", doc = "Redrives of waiting gets, per destructive get.", ratio = { numerator = "get_wait_redrives", denominator = "destructive_gets" }, label = "redrives/get", format = ",.2f", screen = 2 }
expired_pct = { unit = "percent", doc = "Messages expired, per hundred put.", ratio = { numerator = "expired_messages", denominator = "messages_put", scale = 100 } }
rollback_pct = { unit = "percent", doc = "Puts and gets rolled back, as a share of all of them.", ratio = { numerator = "rolled_back_puts + rolled_back_gets", denominator = "messages_put + destructive_gets", scale = 100 }, label = "rolled back %" }
opens_per_put = { unit = "ratio", doc = "MQOPEN calls per MQPUT call.", ratio = { numerator = "opens", denominator = "puts" }, label = "opens/put" }
seconds_since_last_get = { unit = "s", doc = "Time from the last get to the end of the interval.", over_time = "last", across = "max", label = "since last get s", screen = 3 }
seconds_since_last_put = { unit = "s", doc = "Time from the last put to the end of the interval.", over_time = "last", across = "max" }
no_reader = { unit = "flag", doc = "There are messages, but nothing on this queue manager has the queue open for input." }
never_got = { unit = "flag", doc = "There are messages, but no get is recorded.", label = "never got", screen = 3 }
encryption_growth_bytes = { unit = "bytes", doc = "Bytes that signing and encryption add to a message with one recipient; only for queues listed in the site file.", over_time = "last", across = "same" }
---*/
WITH queue_record AS (
  SELECT
    * REPLACE (
      nullif(page_set_id, -1) AS page_set_id,
      nullif(pool_id, -1)     AS pool_id,
      -- A partial record has zeros for missing values; handles are never missing.
      CASE WHEN NOT depth_unknown(partial_record, shared_queue, mq_version) THEN depth END       AS depth,
      CASE WHEN NOT depth_unknown(partial_record, shared_queue, mq_version) THEN uncommitted END AS uncommitted,
      CASE WHEN NOT coalesce(partial_record, false) THEN oldest_message_s END                    AS oldest_message_s
    ),
    depth_unknown(partial_record, shared_queue, mq_version) AS depth_unknown,
    interval_us / 1e6                        AS seconds,
    puts + put1s                             AS messages_put,
    persistent_mqputs + persistent_mqput1s   AS persistent_messages_put,
    mqput_bytes + mqput1_bytes               AS put_bytes,
    puts + put1s - destructive_gets - expired_messages AS put_get_balance
  FROM decoded.qqst
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.queue, q.shared_queue, q.partial_record, q.depth_unknown, q.uncommitted, q.page_set_id, q.pool_id, q.queue_qsg, q.cf_structure,
  q.depth, q.output_handles, q.input_handles, q.oldest_message_s, q.queue_time_short_us, q.queue_time_long_us,
  q.last_put_utc, q.last_get_utc, q.depth_high, q.depth_low, q.puts, q.put1s, q.nonpersistent_mqputs,
  q.persistent_mqputs, q.nonpersistent_mqput1s, q.persistent_mqput1s, q.mqput_bytes, q.mqput1_bytes,
  q.nonpersistent_mqput_bytes, q.persistent_mqput_bytes, q.nonpersistent_mqput1_bytes, q.persistent_mqput1_bytes,
  q.put_failures, q.put1_failures, q.puts_to_waiting_getter, q.bytes_to_waiting_getter, q.streamed_messages,
  q.message_bytes_low, q.message_bytes_high, q.message_bytes_average, q.destructive_gets, q.nonpersistent_gets,
  q.persistent_gets, q.get_bytes, q.nonpersistent_get_bytes, q.persistent_get_bytes, q.browses,
  q.nonpersistent_browses, q.persistent_browses, q.browse_bytes, q.nonpersistent_browse_bytes,
  q.persistent_browse_bytes, q.get_failures, q.gets_no_message, q.gets_truncated, q.browse_failures,
  q.browses_no_message, q.browses_truncated, q.get_wait_failures, q.get_wait_redrives, q.browse_wait_failures,
  q.browse_wait_redrives, q.get_signals, q.browse_signals, q.input_handles_high, q.input_handles_low,
  q.output_handles_high, q.output_handles_low, q.opens, q.closes, q.inquires, q.sets, q.expired_messages,
  q.rolled_back_puts, q.rolled_back_gets, q.otel_put_propagated, q.otel_get_propagated, q.otel_put_discarded,
  q.otel_get_discarded, q.otel_put_invalid, q.otel_get_invalid, q.otel_put_too_many_properties,
  q.otel_put_state_truncated, q.otel_get_state_truncated, q.otel_consumer_spans, q.otel_producer_spans,
  q.otel_put_not_sampled, q.otel_producer_span_limit, q.otel_consumer_span_limit, q.otel_span_storage_drops,
  q.messages_put,
  q.persistent_messages_put,
  pct(q.persistent_messages_put, q.messages_put)                                      AS persistent_put_pct,
  q.put_bytes,
  per_s(q.put_bytes / 1048576, q.seconds)                                             AS put_mib_per_s,
  per_s(q.get_bytes / 1048576, q.seconds)                                             AS get_mib_per_s,
  per_s(q.messages_put, q.seconds)                                                    AS puts_per_s,
  per_s(q.nonpersistent_mqputs + q.nonpersistent_mqput1s, q.seconds)                  AS nonpersistent_puts_per_s,
  q.otel_producer_spans + q.otel_consumer_spans                                       AS otel_spans,
  per_s(q.destructive_gets, q.seconds)                                                AS destructive_gets_per_s,
  q.put_get_balance,
  per_s(q.put_get_balance, q.seconds)                                                 AS net_depth_per_s,
  q.put_failures + q.put1_failures                                                    AS failed_puts,
  pct(q.put_failures + q.put1_failures, q.messages_put + q.put_failures + q.put1_failures) AS failed_put_pct,
  pct(q.gets_truncated, q.destructive_gets + q.gets_truncated)                        AS truncated_get_pct,
  pct(q.puts_to_waiting_getter, q.messages_put)                                       AS waiting_getter_pct,
  q.gets_no_message / nullif(q.destructive_gets, 0)                                   AS no_message_per_get,
  q.get_wait_redrives / nullif(q.destructive_gets, 0)                                 AS get_wait_redrives_per_get,
  pct(q.expired_messages, q.messages_put)                                             AS expired_pct,
  pct(q.rolled_back_puts + q.rolled_back_gets, q.messages_put + q.destructive_gets)   AS rollback_pct,
  q.opens / nullif(q.puts, 0)                                                         AS opens_per_put,
  epoch_us(q.interval_end_utc - q.last_get_utc) / 1e6                                 AS seconds_since_last_get,
  epoch_us(q.interval_end_utc - q.last_put_utc) / 1e6                                 AS seconds_since_last_put,
  q.input_handles = 0 AND q.depth > 0                                                 AS no_reader,
  -- The time is also null in records that are too old to have it; these have no age of the oldest message either.
  CASE WHEN q.oldest_message_s IS NOT NULL THEN q.last_get_utc IS NULL AND q.depth > 0 END AS never_got,
  s.queue_kind,
  s.retained_queue,
  s.maxdepth,
  CASE WHEN s.intercepted_queue THEN 1430 END                                         AS encryption_growth_bytes
FROM queue_record AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
LEFT JOIN site_queue AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.queue = q.queue
