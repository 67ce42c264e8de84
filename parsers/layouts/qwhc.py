"""QWHC - correlation header: who the work was done for.

Where:  SMF 116 subtypes 0, 1 and 2, right behind the 36-byte QWHS in the area of triplet 0; filled in subtype 0 only
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
        Field(
            "header_length", S16, "Length of QWHC: X'5C' = 92.", mnemonic="qwhclen", at=0, kind="internal", unit="bytes"
        ),
        Field(
            "header_type",
            Hex(1),
            "Header type: X'02' = correlation header.",
            mnemonic="qwhctyp",
            at=2,
            kind="internal",
            unit="text",
        ),
        Unused(1, at=3),
        Field(
            "authorization_id",
            Ebcdic(8),
            "User ID of the z/OS job (authorization ID).",
            mnemonic="qwhcaid",
            at=4,
            kind="key",
            unit="text",
        ),
        Field(
            "thread_reference",
            Hex(12),
            "Thread cross-reference (correlation value) in hex; its layout depends on the connection type.",
            mnemonic="qwhccv",
            at=12,
            kind="text",
            unit="text",
        ),
        Field("connection_job", Ebcdic(8), "Connection name.", mnemonic="qwhccn", at=24, kind="key", unit="text"),
        Unused(8, at=32),
        Field(
            "operator_id",
            Ebcdic(8),
            "User ID of the transaction (operator ID).",
            mnemonic="qwhcopid",
            at=40,
            kind="key",
            unit="text",
        ),
        Field(
            "connection_type",
            U32,
            "Type of connecting system.",
            mnemonic="qwhcatyp",
            at=48,
            kind="code",
            unit="text",
            codes=CONNTYPE,
        ),
        Field(
            "accounting_token",
            Hex(22),
            "z/OS accounting token in hex.",
            mnemonic="qwhctokn",
            at=52,
            kind="text",
            unit="text",
        ),
        Field("network_id", Hex(16), "Network identifier in hex.", mnemonic="qwhcnid", at=74, kind="text", unit="text"),
        Unused(2, at=90),
    ),
)
