"""QCCT - channel initiator control information.

Where:  SMF 115 subtype 231, triplet 1
Manual: IBM MQ for z/OS, "Channel initiator statistics data records"
Size:   48 bytes (8.0.0), 64 (9.3.5)
"""

from __future__ import annotations

from mqstat.parsers.kit import U16, U32, U64, Ebcdic, Field, Layout

QCCT = Layout(
    "qcct",
    "Channel initiator control information",
    size=64,
    sizes=(48, 64),
    eyecatcher="QCCT",
    identifier=0xE741,
    routes=((115, 231, 1),),
    fields=(
        Field("struct_id", "qcctid", 0, U16, "Control block identifier.", kind="internal", unit="number", since="8.0.0"),
        Field("struct_length", "qcctll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes", since="8.0.0"),
        Field("eyecatcher", "qccteyec", 4, Ebcdic(4), "Eye catcher, always QCCT.", kind="internal", unit="text", since="8.0.0", sharing="public"),
        Field("chinit_job", "qcctjobn", 8, Ebcdic(8), "Channel initiator job name.", kind="text", unit="text", since="8.0.0", sharing="job"),
        Field("chinit_qsg", "qcctqsgn", 16, Ebcdic(4), "Queue-sharing group name; blank if the queue manager is not in a group.", kind="code", unit="text", since="8.0.0", sharing="system"),
        Field("current_channels", "qcctnocc", 20, U32, "Peak number of current channels (the manual describes it both as the peak and as the value when the record was written).", kind="high", since="8.0.0"),
        Field("max_channels", "qcctmxcc", 24, U32, "Maximum number of current channels (MAXCHL).", kind="setting", since="8.0.0"),
        Field("active_channels", "qcctnoac", 28, U32, "Peak number of active channels.", kind="high", since="8.0.0"),
        Field("max_active_channels", "qcctmxac", 32, U32, "Maximum number of active channels (ACTCHL).", kind="setting", since="8.0.0"),
        Field("max_tcp_channels", "qcctmxtp", 36, U32, "Maximum number of TCP/IP channels (TCPCHL).", kind="setting", since="8.0.0"),
        Field("max_lu62_channels", "qcctmxlu", 40, U32, "Maximum number of LU 6.2 channels (LU62CHL).", kind="setting", since="8.0.0"),
        Field("chinit_31_mib", "qcctstus", 44, U32, "31-bit storage used by the channel initiator, megabytes.", kind="gauge", unit="mib", since="8.0.0"),
        Field("chinit_64_mib", "qcctstab", 48, U64, "64-bit storage used by the channel initiator, megabytes.", kind="gauge", unit="mib", since="9.3.5"),
        Field("chinit_64_limit_mib", "qcctslim", 56, U64, "64-bit storage limit (MEMLIMIT) of the channel initiator, megabytes; null if there is no limit.", kind="setting", unit="mib", no_limit=17_592_186_040_320, since="9.3.5"),
    ),
)  # fmt: skip
