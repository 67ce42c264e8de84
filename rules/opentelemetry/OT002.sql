/*---
id          = "OT002"
name        = "trace-span-smf-writes-failing"
title       = "Span records could not be written to SMF or the emitter waits for it"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["message_manager.otel_smf_lost"]
prints      = ["message_manager.otel_smf_wait_pct", "message_manager.otel_smf_ok", "message_manager.otel_tasks"]
judge       = "any interval"
worst       = "highest"
breach_when = "lost or waiting"
mq_since    = "9.4.3"

[threshold.smf_lost_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "the spans in a record that is not written are lost"

[threshold.smf_wait_pct_max]
value = 10.0
unit  = "percent"
kind  = "judgement"
why   = "no document gives a number; a tenth of the time is more than an occasional long write explains"

[clause.lost]
when    = "observed > smf_lost_max"
measure = "record[s] not written"

[clause.waiting]
when    = "otel_smf_wait_pct > smf_wait_pct_max"
missing = "fails"
measure = "share of the time that the emission tasks waited for SMF"

[source]
cite = "definition of the fields (9.4.3)"

[advice]
summary = "{observed:.0f} record[s] with spans could not be written to SMF (limit {smf_lost_max}); {otel_smf_ok} were written. The {otel_tasks} emission task[s] waited {otel_smf_wait_pct:.1f} % of the time for SMF (limit {smf_wait_pct_max} %). SMF is the bottleneck: accounting records are probably lost too."
remedy  = "Let SMF write to log streams, use compression (zEDC) and larger SMF buffers; check SMF for lost data (IFASMFDP, message IEE979W)."
report  = "message_manager/opentelemetry"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'OpenTelemetry records' AS subject,
  otel_smf_lost           AS observed,
  otel_smf_ok, otel_tasks,
  -- A share of less than ten seconds is chance; counts of events are judged in all intervals.
  CASE WHEN interval_seconds >= 10 THEN otel_smf_wait_pct END AS otel_smf_wait_pct
FROM message_manager
WHERE otel_smf_ok + otel_smf_lost + otel_task_wait_smf_us IS DISTINCT FROM 0
