/*---
id       = "message_manager/opentelemetry"
title    = "OpenTelemetry spans of the queue manager"
question = "Is tracing complete, what is lost, and what does it cost?"
needs    = ["message_manager"]
rules    = ["OT001", "OT002", "OT003"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["message_manager/calls"]
mq_since = "9.4.3"
note     = "The spans themselves go to other SMF records: only their counters are in 115. No record with spans is known, so what the counters of discarded contexts count is not confirmed."

[columns]
otel_producer_spans = { label = "producer spans", screen = 1 }
otel_consumer_spans = { label = "consumer spans", screen = 1 }
otel_put_propagated = { label = "put propagated" }
otel_get_propagated = { label = "get propagated" }
otel_put_discarded = { label = "puts discarded", screen = 3 }
otel_get_discarded = { label = "gets discarded", screen = 3 }
otel_put_invalid = { label = "put invalid" }
otel_get_invalid = { label = "get invalid" }
otel_put_too_many_properties = { label = "put too many properties" }
otel_put_state_truncated = { label = "put state truncated" }
otel_get_state_truncated = { label = "get state truncated" }
otel_put_not_sampled = { label = "put not sampled" }
otel_producer_span_limit = { label = "producer span limit" }
otel_consumer_span_limit = { label = "consumer span limit" }
otel_span_storage_drops = { label = "dropped", screen = 1 }
otel_spans_ok = { label = "spans ok", screen = 1 }
otel_spans_failed = { label = "failed", screen = 1 }
otel_spans_failed_capacity = { label = "no capacity", screen = 1 }
otel_smf_ok = { label = "SMF ok", screen = 3 }
otel_smf_failed = { label = "SMF failed", screen = 2 }
otel_smf_failed_capacity = { label = "SMF no capacity", screen = 2 }
otel_task_cpu_us = { label = "task cpu µs" }
otel_task_wait_work_us = { label = "task wait work µs" }
otel_task_wait_smf_us = { label = "task wait smf µs" }
otel_bridge_spans = { label = "bridge spans" }
otel_bridge_propagated = { label = "bridge propagated" }
otel_bridge_discarded = { label = "bridge discarded" }
spans_per_call = { unit = "ratio", label = "spans/call", screen = 2, format = ".2f", doc = "Producer and consumer spans per MQPUT, MQPUT1 or MQGET.", ratio = { numerator = "otel_producer_spans + otel_consumer_spans", denominator = "total_puts + gets" } }
span_loss_pct = { unit = "percent", label = "lost %", screen = 1, doc = "Share of the spans that failed or were dropped.", ratio = { numerator = "otel_spans_lost", denominator = "otel_spans_ok + otel_spans_lost", scale = 100 } }
cpu_per_span_us = { unit = "us", label = "CPU µs/span", screen = 2, doc = "CPU time of the span emission tasks per span.", ratio = { numerator = "otel_task_cpu_us", denominator = "otel_spans_ok" } }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc,
  otel_tasks, otel_producer_spans, otel_consumer_spans, otel_put_propagated,
  otel_get_propagated, otel_put_discarded, otel_get_discarded, otel_put_invalid,
  otel_get_invalid, otel_put_too_many_properties, otel_put_state_truncated, otel_get_state_truncated,
  otel_put_not_sampled, otel_producer_span_limit, otel_consumer_span_limit, otel_span_storage_drops,
  otel_spans_ok, otel_spans_failed, otel_spans_failed_capacity, otel_smf_ok,
  otel_smf_failed, otel_smf_failed_capacity, otel_task_cpu_us, otel_task_wait_work_us,
  otel_task_wait_smf_us, otel_bridge_spans, otel_bridge_propagated, otel_bridge_discarded,
  otel_failures, otel_smf_wait_pct, otel_bad_contexts, otel_bad_context_pct, otel_task_cpu_pct,
  (otel_producer_spans + otel_consumer_spans) / nullif(total_puts + gets, 0) AS spans_per_call,
  pct(otel_spans_lost, otel_spans_ok + otel_spans_lost)                       AS span_loss_pct,
  otel_task_cpu_us / nullif(otel_spans_ok, 0)                                AS cpu_per_span_us
FROM message_manager
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
