"""QLST - lock manager statistics.

Where:  SMF 115 subtype 2, triplet 4
Manual: IBM MQ for z/OS, "Lock manager data records"
Size:   32 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import U16, U32, Ebcdic, Field, Layout, Unused

QLST = Layout(
    "qlst",
    "Lock manager statistics",
    size=32,
    eyecatcher="QLST",
    routes=((115, 2, 4),),
    fields=(
        Field("struct_id", U16, "Control block identifier.", mnemonic="qlstid", at=0, kind="internal", unit="number"),
        Field(
            "struct_length",
            U16,
            "Length of this section, the identifier included.",
            mnemonic="qlstll",
            at=2,
            kind="internal",
            unit="bytes",
        ),
        Field(
            "eyecatcher",
            Ebcdic(4),
            "Eye catcher, always QLST.",
            mnemonic="qlsteyec",
            at=4,
            kind="internal",
            unit="text",
        ),
        Field("lock_gets", U32, "Lock get requests.", mnemonic="qlstgetl", at=8, kind="counter", unit="count"),
        Field(
            "lock_gets_held",
            U32,
            "Lock gets where the lock was already held.",
            mnemonic="qlsthldl",
            at=12,
            kind="counter",
            unit="count",
        ),
        Field("lock_releases", U32, "Lock release requests.", mnemonic="qlstrell", at=16, kind="counter", unit="count"),
        Unused(4, at=20, dims=((3, 4),)),
    ),
)
