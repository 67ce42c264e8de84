/*---
id          = "OT003"
name        = "trace-context-not-propagated"
title       = "Trace context was invalid, truncated, discarded or over a limit"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["message_manager.otel_bad_context_pct"]
prints      = ["message_manager.otel_bad_contexts", "message_manager.otel_contexts", "message_manager.otel_put_discarded", "message_manager.otel_get_discarded"]
judge       = "any interval"
worst       = "highest"
measure     = "share of the trace contexts that were not propagated"
when        = "observed > bad_pct_max"
guards      = ["G1"]
min_activity = "otel_contexts >= $contexts_min"
mq_since    = "9.4.3"
look        = ["DISPLAY QMGR OTELTRAC"]

[threshold.bad_pct_max]
value = 1.0
unit  = "percent"
kind  = "judgement"
why   = "no document gives a number; a few old senders are usual"

[threshold.contexts_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "below it, a few messages determine the share"

[source]
cite = "definition of the fields (9.4.3 and 9.4.5)"

[advice]
summary = "{otel_bad_contexts} of {otel_contexts} trace context[s] ({observed:.1f} %, limit {bad_pct_max} %) were invalid, truncated, discarded by the IMS bridge or over a limit: end-to-end traces break at this queue manager. Not counted, because their meaning is not confirmed: {otel_put_discarded} context[s] discarded on put and {otel_get_discarded} on get."
remedy  = "Check the traceparent that the sending applications set, the limit of message properties and, from 9.4.5, the IMS bridge. Old senders explain a steady small share."
report  = "message_manager/opentelemetry"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment,
  'OpenTelemetry contexts' AS subject,
  otel_bad_context_pct     AS observed,
  otel_bad_contexts, otel_contexts, otel_put_discarded, otel_get_discarded
FROM message_manager
