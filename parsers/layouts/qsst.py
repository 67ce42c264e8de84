"""QSST - storage manager statistics: pools, GETMAINs, short on storage.

Where:  SMF 115 subtype 1, triplet 9
Manual: IBM MQ for z/OS, "Storage manager data records"
Size:   72 bytes in the manual, 80 in the data (8.0.0 and 10.0.0); the meaning of the last 8 is not known
"""

from __future__ import annotations

from mqstat.parsers.kit import U16, U32, Ebcdic, Field, Layout, Unused

QSST = Layout(
    "qsst",
    "Storage manager statistics",
    size=80,
    sizes=(72, 80),
    eyecatcher="QSST",
    identifier=0x003C,
    routes=((115, 1, 9),),
    fields=(
        Field("struct_id", "qsstid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qsstlen", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qsstdesc", 4, Ebcdic(4), "Eye catcher, always QSST.", kind="internal", unit="text", sharing="public"),
        Field("fixed_pools_created", "qsstdata.qsstgplf", 8, U32, "Fixed pools allocated."),
        Field("fixed_pools_freed", "qsstdata.qsstfplf", 12, U32, "Fixed pools freed."),
        Field("fixed_segments_freed", "qsstdata.qsstfref", 16, U32, "Fixed pool segments freed."),
        Field("fixed_segments_expanded", "qsstdata.qsstexpf", 20, U32, "Fixed pool segments expanded."),
        Field("fixed_segments_contracted", "qsstdata.qsstconf", 24, U32, "Fixed pool segments contracted."),
        Field("variable_pools_created", "qsstdata.qsstgplv", 28, U32, "Variable pools allocated."),
        Field("variable_pools_freed", "qsstdata.qsstfplv", 32, U32, "Variable pools freed."),
        Field("variable_segments_freed", "qsstdata.qsstfrev", 36, U32, "Variable pool segments freed."),
        Field("variable_segments_expanded", "qsstdata.qsstexpv", 40, U32, "Variable pool segments expanded."),
        Field("variable_segments_contracted", "qsstdata.qsstconv", 44, U32, "Variable pool segments contracted."),
        Field("getmains", "qsstdata.qsstgetm", 48, U32, "GETMAIN requests."),
        Field("freemains", "qsstdata.qsstfrem", 52, U32, "FREEMAIN requests."),
        Field("storage_errors", "qsstdata.qsstrcnz", 56, U32, "Storage requests with a nonzero return code."),
        Field("sos_contractions", "qsstdata.qsstcont", 60, U32, "Pool contractions caused by short-on-storage."),
        Field("sos_set", "qsstdata.qsstcrit", 64, U32, "Number of times short-on-storage was set."),
        Field("sos_abends", "qsstdata.qsstabnd", 68, U32, "Abends because of short-on-storage."),
        Unused(8, at=72),  # in the data, not in the manual
    ),
)  # fmt: skip
