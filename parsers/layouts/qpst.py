"""QPST - buffer manager (buffer pool) statistics, one section per pool.

Where:  SMF 115 subtype 215, triplet 1 (115.2, triplet 3 before 8.0)
Manual: IBM MQ for z/OS, "Buffer manager data records"
Size:   104 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S32, U16, U32, Ebcdic, Field, Flag, Layout, Unused

QPST = Layout(
    "qpst",
    "Buffer manager (buffer pool) statistics",
    size=104,
    eyecatcher="QPST",
    identifier=0xD70F,
    routes=((115, 215, 1), (115, 2, 3)),
    repeats=True,
    fields=(
        Field("struct_id", "qpstid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qpstll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qpsteyec", 4, Ebcdic(4), "Eye catcher, always QPST.", kind="internal", unit="text", sharing="public"),
        Field("pool_id", "qpstpool", 8, S32, "Buffer pool number.", kind="key", unit="id"),
        Field("buffers", "qpstnbuf", 12, S32, "Buffers in the pool.", kind="gauge", unit="buffers"),
        Field("lowest_stealable", "qpstcbsl", 16, S32, "Lowest number of stealable buffers in the interval; X'7FFFFFFF' = never set (seen for pools with 0 buffers).", kind="low", unit="buffers", never_set=0x7FFFFFFF),
        Field("current_stealable", "qpstcbs", 20, S32, "Stealable buffers at the end of the interval.", kind="gauge", unit="buffers"),
        Field("page_gets_old", "qpstgetp", 24, S32, "Page gets for old pages (the content must be kept)."),
        Field("page_gets_new", "qpstgetn", 28, S32, "Page gets for new pages (no read needed)."),
        Field("pages_read", "qpstrio", 32, S32, "Pages read from DASD.", unit="pages"),
        Field("set_writes", "qpststw", 36, S32, "Set-write requests: page updates."),
        Field("pages_written", "qpsttpw", 40, S32, "Pages written to DASD.", unit="pages"),
        Field("write_ios", "qpstwio", 44, S32, "Write I/Os to DASD."),
        Field("immediate_writes", "qpstimw", 48, S32, "Pages written synchronously.", unit="pages"),
        Field("deferred_write_starts", "qpstdwt", 52, S32, "Number of times the deferred write threshold was reached."),
        Field("synchronous_write_hits", "qpstdmc", 56, S32, "Number of times the synchronous write threshold was reached (about 95 % of the pool holds changed pages)."),
        Field("steals", "qpststl", 60, S32, "Buffers stolen because the page was not in the pool."),
        Field("steal_contention", "qpststla", 64, S32, "Number of times the hash chain changed during a steal."),
        Field("no_buffer_waits", "qpstsos", 68, S32, "Number of times no buffer was available (severe)."),
        Unused(4, at=76, dims=((7, 4),)),
        Field("above_bar", "qpstloc", 72, Flag(0x80000000, U32), "Buffer pool is above (on) or below (off) the 2 GB bar.", kind="setting", unit="flag", since="8.0.0"),
        Field("page_fixed", "qpstf4kb", 72, Flag(0x40000000, U32), "Buffer pool pages are page-fixed (on) or pageable (off).", kind="setting", unit="flag", since="8.0.0"),
    ),
)  # fmt: skip
