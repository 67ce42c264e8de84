"""QWHX - header extension with the queue-sharing group and the level in six digits.

Where:  SMF 115 and 116 from 10.0.0 on, the last 16 bytes of the area of triplet 0
Manual: no page of its own
Size:   16 bytes
"""

from __future__ import annotations

from mqstat.parsers.kit import S16, Ebcdic, Field, Hex, Layout

QWHX = Layout(
    "qwhx",
    "Header extension",
    size=16,
    fields=(
        Field("header_length", "qwhxlen", 0, S16, "Length of QWHX: 16.", kind="internal", unit="bytes", since="10.0.0"),
        Field("header_type", "qwhxtyp", 2, Hex(1), "Header type: X'10'.", kind="internal", unit="text", since="10.0.0", sharing="public"),
        Field("reserved_3", "res1", 3, Hex(1), "Reserved.", kind="internal", unit="text", reserved=True, since="10.0.0"),
        Field("header_qsg", "qwhxqsg", 4, Ebcdic(4), "Queue-sharing group name; blank if the queue manager is not in a group.", kind="key", unit="text", since="10.0.0", sharing="system"),
        Field("header_level", "qwhxrel", 8, Ebcdic(6), "MQ level as six digits VVRRMM, such as 100000 for 10.0.0.", kind="key", unit="text", since="10.0.0", sharing="public"),
        Field("reserved_14", "res2", 14, Hex(2), "Reserved.", kind="internal", unit="text", reserved=True, since="10.0.0"),
    ),
)  # fmt: skip
