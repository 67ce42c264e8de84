"""WTID - identification of the thread that a class 3 accounting record is about.

Where:  SMF 116 subtypes 1 and 2, triplet 1
Manual: IBM MQ for z/OS, "Thread-level and queue-level data records"
Size:   208 bytes in every release seen (8.0.0 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S32, U16, U32, Ebcdic, Field, Hex, Layout, Unused
from mqstat.parsers.lookups import CONNTYPE

WTID = Layout(
    "wtid",
    "Thread identification",
    size=208,
    eyecatcher="WTID",
    routes=((116, 1, 1), (116, 2, 1)),
    fields=(
        Field("struct_id", U16, "Control block identifier.", mnemonic="wtidshex", at=0, kind="internal", unit="number"),
        Field(
            "struct_length",
            U16,
            "Length of this section, the identifier included.",
            mnemonic="wtidlen",
            at=2,
            kind="internal",
            unit="bytes",
        ),
        Field(
            "eyecatcher",
            Ebcdic(4),
            "Eye catcher, always WTID.",
            mnemonic="wtideyec",
            at=4,
            kind="internal",
            unit="text",
        ),
        Field(
            "connection_type",
            S32,
            "Type of connecting system.",
            mnemonic="wtidatyp",
            at=8,
            kind="code",
            unit="text",
            codes=CONNTYPE,
        ),
        Field(
            "connection_job",
            Ebcdic(8),
            "Connection name: job name, CICS applid, IMS system or channel initiator job.",
            mnemonic="wtidccn",
            at=12,
            kind="key",
            unit="text",
        ),
        Field("operator_id", Ebcdic(8), "Operator (user) ID.", mnemonic="wtidopid", at=20, kind="key", unit="text"),
        Field("network_id", Hex(16), "Network identifier, hex.", mnemonic="wtidnid", at=28, kind="text", unit="text"),
        Field(
            "thread_reference",
            Hex(12),
            "Correlation identifier (thread cross-reference) of the connecting system, in hex.",
            mnemonic="wtidcori",
            at=44,
            kind="text",
            unit="text",
        ),
        Field(
            "thread_reference_text",
            Ebcdic(12),
            "The same bytes as thread_reference, as text.",
            mnemonic="wtidcori",
            at=44,
            kind="text",
            unit="text",
        ),
        Field(
            "unit_of_work_id", Hex(24), "Unit of work id, hex.", mnemonic="wtiduowi", at=56, kind="text", unit="text"
        ),
        Field(
            "accounting_token", Hex(22), "Accounting token, hex.", mnemonic="wtidacct", at=80, kind="text", unit="text"
        ),
        Field(
            "channel_name",
            Ebcdic(20),
            "Channel name; X'00' filled when not a channel.",
            mnemonic="wtidchl",
            at=102,
            kind="key",
            unit="text",
        ),
        Field(
            "connection_name",
            Ebcdic(48),
            "Channel connection name; X'00' filled when not a channel.",
            mnemonic="wtidchlc",
            at=122,
            kind="key",
            unit="text",
        ),
        Field("context_token", Hex(16), "Context token, hex.", mnemonic="wtidctxt", at=170, kind="text", unit="text"),
        Field(
            "user_or_transaction",
            Ebcdic(8),
            "z/OS user id or transaction.",
            mnemonic="wtidtran",
            at=186,
            kind="text",
            unit="text",
        ),
        Unused(2, at=194),
        Field(
            "chain_forward_address",
            U32,
            "Pointer, of no use in a dump.",
            mnemonic="wtidcfwd",
            at=196,
            kind="internal",
            unit="id",
        ),
        Field(
            "chain_backward_address",
            U32,
            "Pointer, of no use in a dump.",
            mnemonic="wtidcbwd",
            at=200,
            kind="internal",
            unit="id",
        ),
        Field(
            "accounting_block_address",
            U32,
            "Pointer, of no use in a dump.",
            mnemonic="wtidwtas",
            at=204,
            kind="internal",
            unit="id",
        ),
    ),
)
