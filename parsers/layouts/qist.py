"""QIST - data manager statistics: gets and puts of messages and objects.

Where:  SMF 115 subtype 2, triplet 2
Manual: IBM MQ for z/OS, "Data manager data records"
Size:   80 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import U16, U32, Ebcdic, Field, Layout, Unused

QIST = Layout(
    "qist",
    "Data manager statistics",
    size=80,
    eyecatcher="QIST",
    routes=((115, 2, 2),),
    fields=(
        Field("struct_id", U16, "Control block identifier.", mnemonic="qistid", at=0, kind="internal", unit="number"),
        Field(
            "struct_length",
            U16,
            "Length of this section, the identifier included.",
            mnemonic="qistll",
            at=2,
            kind="internal",
            unit="bytes",
        ),
        Field(
            "eyecatcher",
            Ebcdic(4),
            "Eye catcher, always QIST.",
            mnemonic="qisteyec",
            at=4,
            kind="internal",
            unit="text",
        ),
        Field(
            "dm_gets",
            U32,
            "Message get requests to the data manager.",
            mnemonic="qistmget",
            at=8,
            kind="counter",
            unit="count",
        ),
        Field(
            "dm_puts",
            U32,
            "Message put requests to the data manager.",
            mnemonic="qistmput",
            at=12,
            kind="counter",
            unit="count",
        ),
        Field(
            "browse_locks", U32, "Browse-with-lock requests.", mnemonic="qistmblr", at=16, kind="counter", unit="count"
        ),
        Field("object_creates", U32, "Object creates.", mnemonic="qistdcre", at=20, kind="counter", unit="count"),
        Field("object_puts", U32, "Object puts (updates).", mnemonic="qistdput", at=24, kind="counter", unit="count"),
        Field("object_deletes", U32, "Object deletes.", mnemonic="qistddel", at=28, kind="counter", unit="count"),
        Field("object_gets", U32, "Object gets.", mnemonic="qistdget", at=32, kind="counter", unit="count"),
        Field("object_locates", U32, "Object locates.", mnemonic="qistdloc", at=36, kind="counter", unit="count"),
        Field(
            "message_counts", U32, "Message count requests.", mnemonic="qistmcnt", at=40, kind="counter", unit="count"
        ),
        Field(
            "storage_class_changes",
            U32,
            "Storage class changes.",
            mnemonic="qistalst",
            at=44,
            kind="counter",
            unit="count",
        ),
        Field(
            "marked_locks",
            U32,
            "Lock-marked-message requests.",
            mnemonic="qistlomm",
            at=48,
            kind="counter",
            unit="count",
        ),
        Field(
            "marked_deletes",
            U32,
            "Delete-marked-message requests.",
            mnemonic="qistdlmm",
            at=52,
            kind="counter",
            unit="count",
        ),
        Field("enumerates", U32, "Enumerate requests.", mnemonic="qistenum", at=56, kind="counter", unit="count"),
        Field(
            "read_ahead_ios",
            U32,
            "Read-ahead I/Os; never filled in.",
            mnemonic="qistraio",
            at=60,
            kind="counter",
            unit="count",
        ),
        Field(
            "read_ahead_gets_from_pool",
            U32,
            "Read-ahead gets satisfied from the buffer pool; never filled in.",
            mnemonic="qistrabp",
            at=64,
            kind="counter",
            unit="count",
        ),
        Field(
            "gets_from_disk",
            U32,
            "Message gets read from disk.",
            mnemonic="qistgetd",
            at=68,
            kind="counter",
            unit="count",
        ),
        Field(
            "gets_from_pool",
            U32,
            "Message gets found in the buffer pool.",
            mnemonic="qistgetb",
            at=72,
            kind="counter",
            unit="count",
        ),
        Unused(4, at=76),
    ),
)
