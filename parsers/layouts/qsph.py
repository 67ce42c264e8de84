"""QSPH - storage manager pool headers, one section per pool name.

Where:  SMF 115 subtype 5, triplet 1
Manual: IBM MQ for z/OS, "Self-defining sections"; no page of its own, part of it is for IBM only
Size:   88 bytes (10.0.0)

Sizes are bytes, or pages of 4 KiB for fixed pools in 31-bit storage (QSPHFIXED without QSPH64BIT): summed like this
they equal the pool totals of QSRS in every interval of a real dump. View storage_pool has them in KiB.
"""

from __future__ import annotations

from mqstat.parsers.kit import S32, U8, U16, U32, Ebcdic, Field, Flag, Layout, Unused

QSPH = Layout(
    "qsph",
    "Storage manager pool headers",
    size=88,
    eyecatcher="QSPH",
    identifier=0xE20E,
    routes=((115, 5, 1),),
    repeats=True,
    fields=(
        Field("struct_id", "qsphid", 0, U16, "Control block identifier.", kind="internal", unit="number"),
        Field("struct_length", "qsphll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes"),
        Field("eyecatcher", "qspheyec", 4, Ebcdic(4), "Eye catcher, always QSPH.", kind="internal", unit="text", sharing="public"),
        Field("pool_size", "qsphstor", 8, S32, "Current size of the pool: bytes, or pages of 4 KiB for fixed pools in 31-bit storage.", kind="gauge", unit="number"),
        Field("pool_size_before", "qsphostor", 12, S32, "Size of the pool at the previous record, in the unit of pool_size.", kind="gauge", unit="number"),
        Field("expansion_size", "qsphxstor", 16, S32, "Expansion size, in the unit of pool_size.", kind="setting", unit="number"),
        Field("record_bytes_in_pool", "qsphbsize", 20, U16, "Record (block) size in bytes.", kind="setting", unit="bytes"),
        Field("records_per_segment", "qsphbcnt", 22, U16, "Records per segment.", kind="setting"),
        Field("pool_headers", "qsphcount", 24, U32, "Pool header blocks of this name.", kind="gauge"),
        Field("data_space_name", "qsphdspnm", 28, Ebcdic(8), "Data space name; valid only if the pool is in a data space.", kind="text", unit="text", valid_when="pool_in_data_space", sharing="public"),
        Field("pool_name", "qsphname", 36, Ebcdic(48), "Pool name.", kind="key", unit="text", sharing="public"),
        Field("pool_fixed", "qsphflags.QSPHFIXED", 84, Flag(0x80, U8), "Pool is in fixed storage.", kind="setting", unit="flag"),
        Field("pool_global", "qsphflags.QSPHGLOB", 84, Flag(0x40, U8), "Pool is in global storage.", kind="setting", unit="flag"),
        Field("pool_in_data_space", "qsphflags.QSPHDSPC", 84, Flag(0x20, U8), "Pool is in a data space.", kind="setting", unit="flag"),
        Field("pool_ivsa", "qsphflags.QSPHIVSA", 84, Flag(0x10, U8), "Flag QSPHIVSA; no document explains it.", kind="setting", unit="flag"),
        Field("pool_64bit", "qsphflags.QSPH64BIT", 84, Flag(0x08, U8), "Pool is in 64-bit storage.", kind="setting", unit="flag"),
        Unused(3, at=85),
    ),
)  # fmt: skip
