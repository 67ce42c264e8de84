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
    identifier=0xF700,
    routes=((116, 1, 1), (116, 2, 1)),
    fields=(
        Field("struct_id", "wtidshex", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "wtidlen", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "wtideyec", 4, Ebcdic(4), "Eye catcher, always WTID.", kind="internal", unit="text", sharing="public"),
        Field("connection_type", "wtidatyp", 8, S32, "Type of connecting system.", kind="code", unit="text", codes=CONNTYPE),
        Field("connection_job", "wtidccn", 12, Ebcdic(8), "Connection name: job name, CICS applid, IMS system or channel initiator job.", kind="key", unit="text", sharing="job"),
        Field("operator_id", "wtidopid", 20, Ebcdic(8), "Operator (user) ID.", kind="key", unit="text", sharing="name"),
        Field("network_id", "wtidnid", 28, Hex(16), "Network identifier, in hex.", kind="text", unit="text", sharing="bytes"),
        Field("thread_reference", "wtidcori", 44, Hex(12), "Correlation identifier (thread cross-reference) of the connecting system, in hex.", kind="text", unit="text", sharing="thread"),
        Field("thread_reference_text", "wtidcori", 44, Ebcdic(12), "The same bytes as thread_reference, as text.", kind="text", unit="text", sharing="thread"),
        Field("unit_of_work_id", "wtiduowi", 56, Hex(24), "Unit-of-work identifier, in hex.", kind="text", unit="text", sharing="bytes"),
        Field("accounting_token", "wtidacct", 80, Hex(22), "Accounting token, in hex.", kind="text", unit="text", sharing="bytes"),
        Field("channel_name", "wtidchl", 102, Ebcdic(20), "Channel name; filled with X'00' if the thread is not a channel.", kind="key", unit="text", sharing="name"),
        Field("connection_name", "wtidchlc", 122, Ebcdic(48), "Channel connection name; filled with X'00' if the thread is not a channel.", kind="key", unit="text", sharing="name"),
        Field("context_token", "wtidctxt", 170, Hex(16), "Context token, in hex.", kind="text", unit="text", sharing="bytes"),
        Field("user_or_transaction", "wtidtran", 186, Ebcdic(8), "z/OS user id or transaction.", kind="text", unit="text", sharing="name"),
        Unused(2, at=194),
        Field("chain_forward_address", "wtidcfwd", 196, U32, "Pointer, not usable in a dump.", kind="internal", unit="id"),
        Field("chain_backward_address", "wtidcbwd", 200, U32, "Pointer, not usable in a dump.", kind="internal", unit="id"),
        Field("accounting_block_address", "wtidwtas", 204, U32, "Pointer, not usable in a dump.", kind="internal", unit="id"),
    ),
)  # fmt: skip
