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
    routes=((116, 0, 2),),
    fields=(
        Field("struct_id", U16, "Control block identifier.", mnemonic="qmacid", at=0, kind="internal", unit="number"),
        Field(
            "struct_length",
            U16,
            "Length of this section, the identifier included.",
            mnemonic="qmacll",
            at=2,
            kind="internal",
            unit="bytes",
        ),
        Field(
            "eyecatcher",
            Ebcdic(4),
            "Eye catcher, always QMAC.",
            mnemonic="qmaceyec",
            at=4,
            kind="internal",
            unit="text",
        ),
        Field(
            "class1_cpu_us",
            StckInterval,
            "CPU time spent in MQ calls by the task; can be zero for idle long-running tasks.",
            mnemonic="qmaccput",
            at=8,
            kind="counter",
            unit="us",
        ),
        Field(
            "puts_to_99",
            U32,
            "Puts of messages of 0-99 bytes.",
            mnemonic="qmacputl.qmacputa",
            at=16,
            kind="counter",
            unit="count",
        ),
        Field(
            "puts_to_999",
            U32,
            "Puts of 100-999 bytes.",
            mnemonic="qmacputl.qmacputb",
            at=20,
            kind="counter",
            unit="count",
        ),
        Field(
            "puts_to_9999",
            U32,
            "Puts of 1000-9999 bytes.",
            mnemonic="qmacputl.qmacputc",
            at=24,
            kind="counter",
            unit="count",
        ),
        Field(
            "puts_10000_up",
            U32,
            "Puts of 10000 bytes or more.",
            mnemonic="qmacputl.qmacputd",
            at=28,
            kind="counter",
            unit="count",
        ),
        Field(
            "gets_to_99",
            U32,
            "Gets of messages of 0-99 bytes.",
            mnemonic="qmacgetl.qmacgeta",
            at=32,
            kind="counter",
            unit="count",
        ),
        Field(
            "gets_to_999",
            U32,
            "Gets of 100-999 bytes.",
            mnemonic="qmacgetl.qmacgetb",
            at=36,
            kind="counter",
            unit="count",
        ),
        Field(
            "gets_to_9999",
            U32,
            "Gets of 1000-9999 bytes.",
            mnemonic="qmacgetl.qmacgetc",
            at=40,
            kind="counter",
            unit="count",
        ),
        Field(
            "gets_10000_up",
            U32,
            "Gets of 10000 bytes or more.",
            mnemonic="qmacgetl.qmacgetd",
            at=44,
            kind="counter",
            unit="count",
        ),
    ),
)
