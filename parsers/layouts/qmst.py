"""QMST - message manager statistics: MQI calls of the queue manager.

Where:  SMF 115 subtype 2, triplet 1
Manual: IBM MQ for z/OS, "Message manager data records"
Size:   72 bytes (8.0.0), 104 (9.0.3), 300 (9.4.3), 328 (9.4.5)
"""

from __future__ import annotations

from mqstat.parsers.kit import S32, S64, U16, U64, Ebcdic, Field, Layout, StckInterval, Unused

QMST = Layout(
    "qmst",
    "Message manager statistics",
    size=328,
    sizes=(72, 104, 300, 328),
    eyecatcher="QMST",
    identifier=0xD40F,
    routes=((115, 2, 1),),
    fields=(
        Field("struct_id", "qmstid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qmstll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qmsteyec", 4, Ebcdic(4), "Eye catcher, always QMST.", kind="internal", unit="text", sharing="public"),
        Field("opens", "qmstopen", 8, S32, "MQOPEN calls."),
        Field("closes", "qmstclos", 12, S32, "MQCLOSE calls."),
        Field("gets", "qmstget", 16, S32, "MQGET calls."),
        Field("puts", "qmstput", 20, S32, "MQPUT calls."),
        Field("put1s", "qmstput1", 24, S32, "MQPUT1 calls."),
        Field("inquires", "qmstinq", 28, S32, "MQINQ calls."),
        Field("inquire_likes", "qmstinql", 32, S32, "Inquire-like calls (INQL)."),
        Field("sets", "qmstset", 36, S32, "MQSET calls."),
        Field("end_of_waits", "qmstendw", 40, S32, "End-of-wait calls (internal)."),
        Field("handle_closes", "qmstcalh", 44, S32, "Close-all-handles calls (closes not made by MQCLOSE)."),
        Field("subscribes", "qmstsub", 48, S32, "MQSUB calls.", since="7.0"),
        Field("subscription_requests", "qmstsubr", 52, S32, "MQSUBRQ calls.", since="7.0"),
        Field("callbacks", "qmstcb", 56, S32, "MQCB calls.", since="7.0"),
        Field("controls", "qmstctl", 60, S32, "MQCTL calls.", since="7.0"),
        Field("statuses", "qmststus", 64, S32, "MQSTAT calls.", since="7.0"),
        Field("publications", "qmstpubs", 68, S32, "Publications.", since="7.0"),
        Field("persistent_puts", "qmstspp", 72, S64, "Successful puts of persistent messages.", since="9.0.3"),
        Field("nonpersistent_puts", "qmstsnp", 80, S64, "Successful puts of nonpersistent messages.", since="9.0.3"),
        Field("persistent_put_bytes", "qmstpbp", 88, S64, "Bytes of persistent messages put.", unit="bytes", since="9.0.3"),
        Field("nonpersistent_put_bytes", "qmstnbp", 96, S64, "Bytes of nonpersistent messages put.", unit="bytes", since="9.0.3"),
        Field("otel_put_propagated", "qmstocpa", 104, U64, "OpenTelemetry: context propagated on put.", since="9.4.3"),
        Field("otel_get_propagated", "qmstocga", 112, U64, "OpenTelemetry: context propagated on get.", since="9.4.3"),
        Field("otel_put_discarded", "qmstoahc", 120, U64, "OpenTelemetry: context discarded on put.", since="9.4.3"),
        Field("otel_put_invalid", "qmstocpd", 128, U64, "OpenTelemetry: invalid context on put.", since="9.4.3"),
        Field("otel_put_too_many_properties", "qmstocmp", 136, U64, "OpenTelemetry: puts with too many properties for the context.", since="9.4.3"),
        Field("otel_get_invalid", "qmstocgd", 144, U64, "OpenTelemetry: invalid context on get.", since="9.4.3"),
        Field("otel_put_state_truncated", "qmstocps", 152, U64, "OpenTelemetry: trace state truncated on put.", since="9.4.3"),
        Field("otel_get_state_truncated", "qmstocgs", 160, U64, "OpenTelemetry: trace state truncated on get.", since="9.4.3"),
        Field("otel_consumer_spans", "qmstoscs", 168, U64, "OpenTelemetry: consumer spans created.", since="9.4.3"),
        Field("otel_producer_spans", "qmstosps", 176, U64, "OpenTelemetry: producer spans created.", since="9.4.3"),
        Field("otel_put_not_sampled", "qmstosns", 184, U64, "OpenTelemetry: puts not sampled.", since="9.4.3"),
        Field("otel_get_discarded", "qmstocda", 192, U64, "OpenTelemetry: context discarded on get.", since="9.4.3"),
        Field("otel_producer_span_limit", "qmstospl", 200, U64, "OpenTelemetry: number of times the producer span limit was reached.", since="9.4.3"),
        Field("otel_consumer_span_limit", "qmstoscl", 208, U64, "OpenTelemetry: number of times the consumer span limit was reached.", since="9.4.3"),
        Field("otel_span_storage_drops", "qmstosfs", 216, U64, "OpenTelemetry: spans dropped for lack of storage.", since="9.4.3"),
        Field("otel_spans_ok", "qmstosok", 224, U64, "Spans created successfully.", since="9.4.3"),
        Field("otel_spans_failed", "qmstosfr", 232, U64, "Spans that failed to be recorded.", since="9.4.3"),
        Field("otel_spans_failed_capacity", "qmstosfc", 240, U64, "Spans that failed for lack of capacity.", since="9.4.3"),
        Field("otel_smf_ok", "qmstotso", 248, U64, "SMF records with spans written successfully.", since="9.4.3"),
        Field("otel_smf_failed", "qmstotsr", 256, U64, "SMF records with spans that failed.", since="9.4.3"),
        Field("otel_smf_failed_capacity", "qmstotsc", 264, U64, "SMF records with spans that failed for lack of capacity.", since="9.4.3"),
        Field("otel_task_cpu_us", "qmstotpu", 272, StckInterval, "CPU time of the span emission tasks.", unit="us", since="9.4.3"),
        Field("otel_task_wait_work_us", "qmstotpw", 280, StckInterval, "Time that the span emission tasks waited for work.", unit="us", since="9.4.3"),
        Field("otel_task_wait_smf_us", "qmstotpd", 288, StckInterval, "Time that the span emission tasks waited for SMF.", unit="us", since="9.4.3"),
        Field("otel_tasks", "qmstotsk", 296, S32, "Number of span emission tasks.", kind="gauge", since="9.4.3"),
        Unused(4, at=300),
        Field("otel_bridge_spans", "qmstobse", 304, U64, "Spans created by the IMS bridge.", since="9.4.5"),
        Field("otel_bridge_propagated", "qmstobcp", 312, U64, "IMS bridge context propagations.", since="9.4.5"),
        Field("otel_bridge_discarded", "qmstobcd", 320, U64, "IMS bridge contexts discarded.", since="9.4.5"),
    ),
)  # fmt: skip
