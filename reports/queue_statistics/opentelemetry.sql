/*---
id       = "queue_statistics/opentelemetry"
title    = "OpenTelemetry spans by queue"
question = "Which queues carry trace context, and where is it lost?"
unseen   = true
needs    = ["queue_statistics"]
grain    = ["lpar", "qmgr", "interval_start_utc", "queue"]
drill_down = ["message_manager/opentelemetry"]
mq_since = "9.4.3"
note     = "Intervals of queues without spans and without puts that were not sampled are excluded. No record with spans is known to us: what the counters count is unproven."

[columns]
lpar = { screen = 2 }
otel_producer_spans = { label = "producer spans", screen = 1 }
otel_consumer_spans = { label = "consumer spans", screen = 1 }
otel_put_propagated = { label = "put propagated", screen = 2 }
otel_get_propagated = { label = "get propagated", screen = 2 }
otel_put_discarded = { label = "put discarded", screen = 2 }
otel_get_discarded = { label = "get discarded", screen = 2 }
otel_put_invalid = { label = "put invalid", screen = 3 }
otel_get_invalid = { label = "get invalid", screen = 3 }
otel_put_too_many_properties = { label = "too many properties", screen = 3 }
otel_put_state_truncated = { label = "put state truncated" }
otel_get_state_truncated = { label = "get state truncated" }
otel_put_not_sampled = { label = "not sampled", screen = 2 }
otel_producer_span_limit = { label = "producer limit" }
otel_consumer_span_limit = { label = "consumer limit" }
otel_span_storage_drops = { label = "dropped", screen = 1 }
puts = { screen = 2 }
puts_to_waiting_getter = { label = "to waiting getter" }
spans_per_message = { unit = "ratio", label = "spans/message", screen = 1, format = ".2f", doc = "Producer and consumer spans per message put or got.", ratio = { numerator = "otel_spans", denominator = "messages_put + destructive_gets" } }
lost_context = { unit = "count", label = "context lost", screen = 1, doc = "Trace contexts that were discarded or not valid, on put and get.", over = "add" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, queue, otel_producer_spans, otel_consumer_spans, otel_put_propagated, otel_get_propagated,
  otel_put_discarded, otel_get_discarded, otel_put_invalid, otel_get_invalid, otel_put_too_many_properties, otel_put_state_truncated,
  otel_get_state_truncated, otel_put_not_sampled, otel_producer_span_limit, otel_consumer_span_limit, otel_span_storage_drops, puts, put1s,
  puts_to_waiting_getter, otel_spans / nullif(messages_put + destructive_gets, 0) AS spans_per_message,
  otel_put_discarded + otel_get_discarded + otel_put_invalid + otel_get_invalid AS lost_context
FROM queue_statistics
WHERE otel_spans + otel_put_not_sampled > 0
ORDER BY otel_producer_spans + otel_consumer_spans DESC, lpar, qmgr, interval_start_utc, queue
