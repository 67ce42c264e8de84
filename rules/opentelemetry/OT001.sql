/*---
id          = "OT001"
name        = "trace-spans-lost"
title       = "Spans were dropped or could not be recorded"
severity    = "warning"
weight      = "loss"
grain       = ["lpar", "qmgr"]
needs       = ["message_manager.otel_spans_lost"]
prints      = ["message_manager.otel_spans_failed", "message_manager.otel_spans_failed_capacity", "message_manager.otel_span_storage_drops", "message_manager.otel_spans_ok"]
judge       = "any interval"
worst       = "highest"
measure     = "lost span[s]"
when        = "observed > spans_lost_max"
caused_by   = ["OT002", "ST006"]
mq_since    = "9.4.3"
look        = ["DISPLAY QMGR OTELTRAC", "D SMF"]

[threshold.spans_lost_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "each one is missing in a trace"

[source]
cite = "definition of the fields (9.4.3); IBM documentation, Span emission"

[advice]
summary = "{observed:.0f} span[s] [were|was] lost (limit {spans_lost_max}): {otel_spans_failed} failed, {otel_spans_failed_capacity} for lack of capacity, {otel_span_storage_drops} for lack of storage; {otel_spans_ok} were recorded. The traces are incomplete and cannot serve as evidence in an audit."
remedy  = "Provide more 64-bit storage (MEMLIMIT), set OTELTRAC(ON) for fewer queues, and make SMF recording faster."
report  = "message_manager/opentelemetry"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'OpenTelemetry spans' AS subject,
  otel_spans_lost       AS observed,
  otel_spans_failed, otel_spans_failed_capacity, otel_span_storage_drops, otel_spans_ok
FROM message_manager
-- Without spans there is nothing to lose.
WHERE otel_spans_ok + otel_spans_lost IS DISTINCT FROM 0
