"""QWAC - clocks and processor times of one connection, from its start to its end.

Where:  SMF 116 subtype 0, triplet 1; neither eye catcher nor identifier
Manual: IBM MQ for z/OS, "Common IBM MQ SMF header"; no page of its own
Size:   176 bytes (8.0.0), 96 (10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import U32, Field, Hex, Layout, StckInterval, StckTime

QWAC = Layout(
    "qwac",
    "Task clocks and processor times",
    size=176,
    sizes=(96, 176),
    routes=((116, 0, 1),),
    fields=(
        Field("connect_utc", "qwacbsc", 0, StckTime, "Store clock when the task began (GMT).", kind="clock", unit="ts_utc"),
        Field("disconnect_utc", "qwacesc", 8, StckTime, "Store clock when the task ended (disconnect).", kind="clock", unit="ts_utc"),
        Field("tcb_begin_us", "qwacbjst", 16, StckInterval, "Job-step TCB time when the task began.", kind="gauge", unit="us"),
        Field("tcb_end_us", "qwacejst", 24, StckInterval, "Job-step TCB time at the end; the task used the end time minus the begin time.", kind="gauge", unit="us"),
        Field("srb_begin_us", "qwacbsrb", 32, StckInterval, "SRB time when the task began.", kind="gauge", unit="us"),
        Field("srb_end_us", "qwacesrb", 40, StckInterval, "SRB time at the end; the task used the end time minus the begin time.", kind="gauge", unit="us"),
        Field("write_reason", "qwacrinv", 48, U32, "Reason code for writing the record; 12 in every record seen.", kind="code", unit="id"),
        Field("network_id", "qwacnid", 52, Hex(16), "Network identifier in hex, such as QML1CHIN and 8 binary bytes.", kind="text", unit="text", sharing="bytes"),
        Field("commits", "qwaccomm", 68, U32, "Commits."),
        Field("backouts", "qwacback", 72, U32, "Backouts."),
        Field("mq_elapsed_us", "qwacasc", 76, StckInterval, "Elapsed time in MQ (absent in the 96-byte layout).", unit="us"),
        Field("mq_tcb_us", "qwacajst", 84, StckInterval, "TCB time in MQ (absent in the 96-byte layout).", unit="us"),
        Field("mq_srb_us", "qwacasrb", 92, StckInterval, "SRB time in MQ (absent in the 96-byte layout).", unit="us"),
        Field("io_wait_us", "qwacawti", 100, StckInterval, "Time waiting for I/O (absent in the 96-byte layout).", unit="us"),
        Field("lock_wait_us", "qwacawtl", 108, StckInterval, "Time waiting for locks or latches (absent in the 96-byte layout).", unit="us"),
        Field("waits_rna", "qwacarna", 116, U32, "Waits for a resource, kind RNA (absent in the 96-byte layout)."),
        Field("waits_rne", "qwacarne", 120, U32, "Waits for a resource, kind RNE (absent in the 96-byte layout)."),
        Field("read_wait_us", "qwacawtr", 124, StckInterval, "Time waiting for reads (absent in the 96-byte layout).", unit="us"),
        Field("write_wait_us", "qwacawtw", 132, StckInterval, "Time waiting for writes (absent in the 96-byte layout).", unit="us"),
        Field("other_wait_us", "qwacawte", 140, StckInterval, "Time in other waits (absent in the 96-byte layout).", unit="us"),
        Field("log_wait_us", "qwacalog", 148, StckInterval, "Time waiting for the log (absent in the 96-byte layout).", unit="us"),
        Field("waits_rnl", "qwacarnl", 156, U32, "Waits, kind RNL (absent in the 96-byte layout)."),
        Field("waits_rnr", "qwacarnr", 160, U32, "Waits, kind RNR (absent in the 96-byte layout)."),
        Field("waits_rnw", "qwacarnw", 164, U32, "Waits, kind RNW (absent in the 96-byte layout)."),
        Field("waits_rns", "qwacarns", 168, U32, "Waits, kind RNS (absent in the 96-byte layout)."),
        Field("latch_waits", "qwacalct", 172, U32, "Waits for latches (absent in the 96-byte layout)."),
    ),
)  # fmt: skip
