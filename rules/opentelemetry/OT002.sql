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
look        = ["DISPLAY QMGR OTELTRAC", "D SMF"]

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

[threshold.interval_seconds_min]
value = 10
unit  = "s"
kind  = "judgement"
why   = "a share of less than ten seconds is chance; lost records are judged in all intervals"

[clause.lost]
when    = "observed > smf_lost_max"
measure = "record[s] not written"
summary = "{observed:.0f} record[s] with spans could not be written to SMF (limit {smf_lost_max}); {otel_smf_ok} were written. SMF is the bottleneck: accounting records are probably lost too."

[clause.waiting]
when    = "otel_smf_wait_pct > smf_wait_pct_max"
counts_when = ["interval_seconds >= interval_seconds_min"]
missing = "fails"
measure = "share of the time that the emission tasks waited for SMF"
summary = "The {otel_tasks} emission task[s] waited {otel_smf_wait_pct:.1f} % of the time for SMF (limit {smf_wait_pct_max} %). SMF is the bottleneck: accounting records are probably lost too."

[source]
cite = "definition of the fields (9.4.3)"

[advice]
summary = "SMF lost records with spans, or the emission tasks waited for it."
remedy  = "Let SMF write to log streams, use compression (zEDC) and larger SMF buffers; check SMF for lost data (IFASMFDP, message IEE979W)."
report  = "message_manager/opentelemetry"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'OpenTelemetry records' AS subject,
  otel_smf_lost           AS observed,
  otel_smf_ok, otel_tasks, otel_smf_wait_pct
FROM message_manager
WHERE otel_smf_ok + otel_smf_lost + otel_task_wait_smf_us IS DISTINCT FROM 0
