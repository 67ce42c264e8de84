"""QMAC - message manager accounting (class 1): MQ processor time, puts and gets by message length.

Where:  SMF 116 subtype 0, triplet 2
Manual: IBM MQ for z/OS, "Message manager data records" (of the accounting data)
Size:   48 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import U16, U32, Ebcdic, Field, Layout, StckInterval

QMAC = Layout(
    "qmac",
    "Message manager accounting (class 1)",
    size=48,
    eyecatcher="QMAC",
    identifier=0xD414,
    routes=((116, 0, 2),),
    fields=(
        Field("struct_id", "qmacid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qmacll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qmaceyec", 4, Ebcdic(4), "Eye catcher, always QMAC.", kind="internal", unit="text", sharing="public"),
        Field("class1_cpu_us", "qmaccput", 8, StckInterval, "CPU time spent in MQ calls by the task; can be zero for idle long-running tasks.", unit="us"),
        Field("puts_to_99", "qmacputl.qmacputa", 16, U32, "Puts of messages of 0-99 bytes."),
        Field("puts_to_999", "qmacputl.qmacputb", 20, U32, "Puts of 100-999 bytes."),
        Field("puts_to_9999", "qmacputl.qmacputc", 24, U32, "Puts of 1000-9999 bytes."),
        Field("puts_10000_up", "qmacputl.qmacputd", 28, U32, "Puts of 10000 bytes or more."),
        Field("gets_to_99", "qmacgetl.qmacgeta", 32, U32, "Gets of messages of 0-99 bytes."),
        Field("gets_to_999", "qmacgetl.qmacgetb", 36, U32, "Gets of 100-999 bytes."),
        Field("gets_to_9999", "qmacgetl.qmacgetc", 40, U32, "Gets of 1000-9999 bytes."),
        Field("gets_10000_up", "qmacgetl.qmacgetd", 44, U32, "Gets of 10000 bytes or more."),
    ),
)  # fmt: skip
