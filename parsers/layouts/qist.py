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
    identifier=0xC90F,
    routes=((115, 2, 2),),
    fields=(
        Field("struct_id", "qistid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qistll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qisteyec", 4, Ebcdic(4), "Eye catcher, always QIST.", kind="internal", unit="text", sharing="public"),
        Field("dm_gets", "qistmget", 8, U32, "Message get requests to the data manager."),
        Field("dm_puts", "qistmput", 12, U32, "Message put requests to the data manager."),
        Field("browse_locks", "qistmblr", 16, U32, "Browse-with-lock requests."),
        Field("object_creates", "qistdcre", 20, U32, "Object creates."),
        Field("object_puts", "qistdput", 24, U32, "Object puts (updates)."),
        Field("object_deletes", "qistddel", 28, U32, "Object deletes."),
        Field("object_gets", "qistdget", 32, U32, "Object gets."),
        Field("object_locates", "qistdloc", 36, U32, "Object locates."),
        Field("message_counts", "qistmcnt", 40, U32, "Message count requests."),
        Field("storage_class_changes", "qistalst", 44, U32, "Storage class changes."),
        Field("marked_locks", "qistlomm", 48, U32, "Lock-marked-message requests."),
        Field("marked_deletes", "qistdlmm", 52, U32, "Delete-marked-message requests."),
        Field("enumerates", "qistenum", 56, U32, "Enumerate requests."),
        Field("read_ahead_ios", "qistraio", 60, U32, "Read-ahead I/Os; never filled in."),
        Field("read_ahead_gets_from_pool", "qistrabp", 64, U32, "Read-ahead gets satisfied from the buffer pool; never filled in."),
        Field("gets_from_disk", "qistgetd", 68, U32, "Message gets that read the message from disk."),
        Field("gets_from_pool", "qistgetb", 72, U32, "Message gets that read the message from the buffer pool."),
        Unused(4, at=76),
    ),
)  # fmt: skip
