"""QWHC - correlation header: the connection that the work was done for.

Where:  SMF 116 subtypes 0, 1 and 2, directly after the 36-byte QWHS in the area of triplet 0; filled in subtype 0 only
Manual: IBM MQ for z/OS, "Common IBM MQ SMF header"
Size:   92 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S16, U32, Ebcdic, Field, Hex, Layout, Unused
from mqstat.parsers.lookups import CONNTYPE

QWHC = Layout(
    "qwhc",
    "Correlation header",
    size=92,
    fields=(
        Field("header_length", "qwhclen", 0, S16, "Length of QWHC: X'5C' = 92.", kind="internal", unit="bytes"),
        Field("header_type", "qwhctyp", 2, Hex(1), "Header type: X'02' = correlation header.", kind="internal", unit="text", sharing="public"),
        Unused(1, at=3),
        Field("authorization_id", "qwhcaid", 4, Ebcdic(8), "User ID of the z/OS job (authorization ID).", kind="key", unit="text", sharing="name"),
        Field("thread_reference", "qwhccv", 12, Hex(12), "Thread cross-reference (correlation value) in hex; its layout depends on the connection type.", kind="text", unit="text", sharing="thread"),
        Field("connection_job", "qwhccn", 24, Ebcdic(8), "Connection name.", kind="key", unit="text", sharing="job"),
        Unused(8, at=32),
        Field("operator_id", "qwhcopid", 40, Ebcdic(8), "User ID of the transaction (operator ID).", kind="key", unit="text", sharing="name"),
        Field("connection_type", "qwhcatyp", 48, U32, "Type of connecting system.", kind="code", unit="text", codes=CONNTYPE),
        Field("accounting_token", "qwhctokn", 52, Hex(22), "z/OS accounting token in hex.", kind="text", unit="text", sharing="bytes"),
        Field("network_id", "qwhcnid", 74, Hex(16), "Network identifier in hex.", kind="text", unit="text", sharing="bytes"),
        Unused(2, at=90),
    ),
)  # fmt: skip
