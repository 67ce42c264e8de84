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
    identifier=0xD30F,
    routes=((115, 2, 4),),
    fields=(
        Field("struct_id", "qlstid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qlstll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qlsteyec", 4, Ebcdic(4), "Eye catcher, always QLST.", kind="internal", unit="text", sharing="public"),
        Field("lock_gets", "qlstgetl", 8, U32, "Lock get requests."),
        Field("lock_gets_held", "qlsthldl", 12, U32, "Lock gets for a lock that was already held."),
        Field("lock_releases", "qlstrell", 16, U32, "Lock release requests; one release can free many locks."),
        Unused(4, at=20, dims=((3, 4),)),
    ),
)  # fmt: skip
