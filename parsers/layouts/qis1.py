"""QIS1 - page set statistics, one section per page set.

Where:  SMF 115 subtype 201, triplet 1
Manual: IBM MQ for z/OS, "Self-defining sections" (data manager page set); no page of its own
Size:   104 bytes in every release seen (9.1.5 to 10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S16, U8, U16, U32, Ebcdic, Field, Flag, Hex, Layout, StckInterval
from mqstat.parsers.lookups import PSEXPAND, PSSTATUS

QIS1 = Layout(
    "qis1",
    "Page set statistics",
    size=104,
    eyecatcher="QIS1",
    identifier=0xC927,
    routes=((115, 201, 1),),
    repeats=True,
    fields=(
        Field("struct_id", "qis1id", 0, U16, "Control block identifier.", kind="internal", unit="number", since="9.0.0"),
        Field("struct_length", "qis1ll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes", since="9.0.0"),
        Field("eyecatcher", "qis1eyec", 4, Ebcdic(4), "Eye catcher, always QIS1.", kind="internal", unit="text", since="9.0.0", sharing="public"),
        Field("page_set_id", "qis1psno", 8, U32, "Page set number.", kind="key", unit="id", since="9.0.0"),
        Field("pool_id", "qis1bpno", 12, U32, "Buffer pool that the page set uses.", kind="key", unit="id", since="9.0.0"),
        Field("total_pages", "qis1topg", 16, U32, "Pages in the page set.", kind="gauge", unit="pages", since="9.0.0"),
        Field("unused_pages", "qis1unpg", 20, U32, "Unused pages.", kind="gauge", unit="pages", since="9.0.0"),
        Field("persistent_pages", "qis1ppg", 24, U32, "Pages that hold persistent data.", kind="gauge", unit="pages", since="9.0.0"),
        Field("nonpersistent_pages", "qis1nppg", 28, U32, "Pages that hold nonpersistent data.", kind="gauge", unit="pages", since="9.0.0"),
        Field("full_count", "qis1full", 32, U32, "Number of times the page set was full.", since="9.0.0"),
        Field("put_cursor_high", "qis1pchi", 36, U32, "Highest value of the put cursor in the interval.", kind="high", unit="id", since="9.0.0"),
        Field("deferred_write_ios", "qis1dwpn", 40, U32, "Deferred page write I/Os.", since="9.0.0"),
        Field("deferred_write_pages", "qis1dwpp", 44, U32, "Pages written by deferred page write I/Os.", unit="pages", since="9.0.0"),
        Field("deferred_write_us", "qis1dwpt", 48, StckInterval, "Total time of deferred page write I/Os.", unit="us", since="9.0.0"),
        Field("immediate_write_ios", "qis1imwn", 56, U32, "Immediate write I/Os.", since="9.0.0"),
        Field("immediate_write_pages", "qis1imwp", 60, U32, "Pages written by immediate writes.", unit="pages", since="9.0.0"),
        Field("immediate_write_us", "qis1imwt", 64, StckInterval, "Total time of immediate write I/Os.", unit="us", since="9.0.0"),
        Field("read_ios", "qis1getn", 72, U32, "Page read I/Os.", since="9.0.0"),
        Field("read_pages", "qis1getp", 76, U32, "Pages read.", unit="pages", since="9.0.0"),
        Field("read_us", "qis1gett", 80, StckInterval, "Total time of page read I/Os.", unit="us", since="9.0.0"),
        Field("checkpoint_pages", "qis1ckpp", 88, U32, "Pages written during checkpoints.", unit="pages", since="9.0.0"),
        Field("expansions", "qis1expn", 92, S16, "Times the page set was expanded (whether in the interval or since the start is not confirmed).", kind="gauge", since="9.0.0"),
        Field("stripes", "qis1strn", 94, U8, "Number of stripes.", kind="setting", since="9.0.0"),
        Field("expansion_method", "qis1expm", 95, U8, "How the page set expands: None, User or System.", kind="setting", unit="text", codes=PSEXPAND, since="9.0.0"),
        Field("status", "qis1stat", 96, U8, "Page set status.", kind="code", unit="text", codes=PSSTATUS, since="9.0.0"),
        Field("reserved_97", "reserved", 97, Hex(3), "Reserved.", kind="internal", unit="text", reserved=True, since="9.0.0"),
        Field("expansion_flag", "qis1flag.qis1expf", 100, Flag(0x80000000, U32), "According to its description, the page set can be expanded; off in all known records, even for page sets that can be expanded.", kind="code", unit="flag", since="9.0.0"),
        Field("encrypted", "qis1flag.qis1encf", 100, Flag(0x40000000, U32), "Page set is an encrypted data set.", kind="setting", unit="flag", since="9.1.4"),
    ),
)  # fmt: skip
