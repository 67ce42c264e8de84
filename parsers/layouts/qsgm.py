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
    identifier=0xE20D,
    routes=((115, 6, 1),),
    repeats=True,
    fields=(
        Field("struct_id", "qsgmid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qsgmll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qsgmeyec", 4, Ebcdic(4), "Eye catcher, always QSGM.", kind="internal", unit="text", sharing="public"),
        Field("getmain_bytes", "qsgmlvtot", 8, S32, "Total length of the storage of this requester in bytes.", kind="gauge", unit="bytes"),
        Field("new_getmains", "qsgmlvnew", 12, S32, "New GETMAINs in the interval."),
        Field("getmain_longest_bytes", "qsgmlvmax", 16, S32, "Longest GETMAIN in bytes.", kind="high", unit="bytes"),
        Field("getmain_shortest_bytes", "qsgmlvmin", 20, S32, "Shortest GETMAIN in bytes.", kind="low", unit="bytes"),
        Field("getmain_requests", "qsgmcount", 24, S32, "GETMAIN requests.", kind="gauge"),
        Field("storage_class", "qsgmscls", 28, U8, "Storage class of the request, a number that no document explains.", kind="key", unit="id"),
        Unused(3, at=29),
        Field("requester", "qsgmcsect", 32, Ebcdic(8), "CSECT that requested the storage.", kind="key", unit="text", sharing="public"),
        Field("requester_offset", "qsgmoffset", 40, S32, "Offset in the CSECT.", kind="key", unit="id"),
        Unused(4, at=44),
    ),
)  # fmt: skip
