/*---
id          = "OT004"
name        = "tracing-disables-fast-puts"
title       = "A busy queue with tracing no longer puts to waiting getters"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_statistics.otel_spans", "queue_statistics.puts_to_waiting_getter", "queue_statistics.nonpersistent_puts_per_s"]
prints      = ["queue_statistics.shared_queue"]
judge       = "share >= 50 %"
worst       = "highest"
breach_when = "busy and slow"
min_activity = "otel_spans > 0"
guards      = ["G1"]
mq_since    = "9.4.3"
look        = ["DISPLAY QLOCAL({queue}) OTELTRAC"]
do          = ["ALTER QLOCAL({queue}) OTELTRAC(OFF) QSGDISP({shared_queue})"]
sets        = ["OTELTRAC"]

[threshold.puts_per_s_max]
value = 100.0
unit  = "per_s"
kind  = "judgement"
why   = "below it, the fast path saves too little work to act on"

[clause.busy]
when    = "observed > puts_per_s_max"
measure = "nonpersistent puts per second"

[clause.slow]
when    = "puts_to_waiting_getter = 0"
measure = "put[s] to a waiting getter"

[source]
cite = "IBM documentation, Span emission (OTELTRAC); MP1J, 'Does put to waiting getter work with AMS?'"

[advice]
summary = "Queue {queue} is traced ({otel_spans} span[s]); {observed:.0f} nonpersistent message[s] per second [were|was] put to it (limit {puts_per_s_max}), none of them directly to a waiting getter. Tracing switches this fast path off, so each message costs more buffer pool or coupling facility work. Puts in syncpoint and queues with AMS protection never use it; the statistics do not show which puts these are."
remedy  = "Switch tracing off for queues with a high rate that need no trace."
report  = "message_manager/opentelemetry"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id, fragment,
  'queue ' || queue        AS subject,
  nonpersistent_puts_per_s AS observed,
  otel_spans, puts_to_waiting_getter, shared_queue
FROM queue_statistics
