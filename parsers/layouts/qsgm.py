"""QSGM - storage manager GETMAINs, one section per requester.

Where:  SMF 115 subtype 6, triplet 1
Manual: IBM MQ for z/OS, "Self-defining sections"; no page of its own, part of it is for IBM only
Size:   48 bytes (10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S32, U8, U16, Ebcdic, Field, Layout, Unused

QSGM = Layout(
    "qsgm",
    "Storage manager GETMAINs",
    size=48,
    eyecatcher="QSGM",
    routes=((115, 6, 1),),
    repeats=True,
    fields=(
        Field("struct_id", U16, "Control block identifier.", mnemonic="qsgmid", at=0, kind="internal", unit="number"),
        Field(
            "struct_length",
            U16,
            "Length of this section, the identifier included.",
            mnemonic="qsgmll",
            at=2,
            kind="internal",
            unit="bytes",
        ),
        Field(
            "eyecatcher",
            Ebcdic(4),
            "Eye catcher, always QSGM.",
            mnemonic="qsgmeyec",
            at=4,
            kind="internal",
            unit="text",
        ),
        Field(
            "getmain_bytes",
            S32,
            "Total length of the storage of this requester, bytes.",
            mnemonic="qsgmlvtot",
            at=8,
            kind="gauge",
            unit="bytes",
        ),
        Field(
            "new_getmains",
            S32,
            "New GETMAINs in the interval.",
            mnemonic="qsgmlvnew",
            at=12,
            kind="counter",
            unit="count",
        ),
        Field(
            "getmain_longest_bytes",
            S32,
            "Longest GETMAIN, bytes.",
            mnemonic="qsgmlvmax",
            at=16,
            kind="high",
            unit="bytes",
        ),
        Field(
            "getmain_shortest_bytes",
            S32,
            "Shortest GETMAIN, bytes.",
            mnemonic="qsgmlvmin",
            at=20,
            kind="low",
            unit="bytes",
        ),
        Field("getmain_requests", S32, "GETMAIN requests.", mnemonic="qsgmcount", at=24, kind="gauge", unit="count"),
        Field("storage_class", U8, "Storage class.", mnemonic="qsgmscls", at=28, kind="key", unit="id"),
        Unused(3, at=29),
        Field(
            "requester",
            Ebcdic(8),
            "CSECT that asked for the storage.",
            mnemonic="qsgmcsect",
            at=32,
            kind="key",
            unit="text",
        ),
        Field("requester_offset", S32, "Offset in the CSECT.", mnemonic="qsgmoffset", at=40, kind="key", unit="id"),
        Unused(4, at=44),
    ),
)
