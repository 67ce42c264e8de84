"""QSPH - storage manager pool headers, one section per pool name.

Where:  SMF 115 subtype 5, triplet 1
Manual: IBM MQ for z/OS, "Self-defining sections"; no page of its own, part of it is for IBM only
Size:   88 bytes (10.0.0)
"""

from __future__ import annotations

from mqstat.parsers.kit import S32, U8, U16, U32, Ebcdic, Field, Flag, Layout, Unused

QSPH = Layout(
    "qsph",
    "Storage manager pool headers",
    size=88,
    eyecatcher="QSPH",
    routes=((115, 5, 1),),
    repeats=True,
    fields=(
        Field("struct_id", U16, "Control block identifier.", mnemonic="qsphid", at=0, kind="internal", unit="number"),
        Field(
            "struct_length",
            U16,
            "Length of this section, the identifier included.",
            mnemonic="qsphll",
            at=2,
            kind="internal",
            unit="bytes",
        ),
        Field(
            "eyecatcher",
            Ebcdic(4),
            "Eye catcher, always QSPH.",
            mnemonic="qspheyec",
            at=4,
            kind="internal",
            unit="text",
        ),
        Field(
            "pool_kib",
            S32,
            "Current size of the pool, kilobytes (inferred).",
            mnemonic="qsphstor",
            at=8,
            kind="gauge",
            unit="kib",
        ),
        Field(
            "pool_kib_before",
            S32,
            "Size of the pool at the previous record, kilobytes (inferred).",
            mnemonic="qsphostor",
            at=12,
            kind="gauge",
            unit="kib",
        ),
        Field(
            "expansion_kib",
            S32,
            "Expansion size, kilobytes (inferred).",
            mnemonic="qsphxstor",
            at=16,
            kind="setting",
            unit="kib",
        ),
        Field(
            "record_bytes_in_pool",
            U16,
            "Record (block) size in bytes.",
            mnemonic="qsphbsize",
            at=20,
            kind="setting",
            unit="bytes",
        ),
        Field(
            "records_per_segment", U16, "Records per segment.", mnemonic="qsphbcnt", at=22, kind="setting", unit="count"
        ),
        Field(
            "pool_headers",
            U32,
            "Pool header blocks of this name.",
            mnemonic="qsphcount",
            at=24,
            kind="gauge",
            unit="count",
        ),
        Field(
            "data_space_name",
            Ebcdic(8),
            "Data space name; means something only when the pool is in a data space.",
            mnemonic="qsphdspnm",
            at=28,
            kind="text",
            unit="text",
            valid_when="pool_in_data_space",
        ),
        Field("pool_name", Ebcdic(48), "Pool name.", mnemonic="qsphname", at=36, kind="key", unit="text"),
        Field(
            "pool_fixed",
            Flag(0x80, U8),
            "Pool is in fixed storage.",
            mnemonic="qsphflags.QSPHFIXED",
            at=84,
            kind="setting",
            unit="flag",
        ),
        Field(
            "pool_global",
            Flag(0x40, U8),
            "Pool is in global storage.",
            mnemonic="qsphflags.QSPHGLOB",
            at=84,
            kind="setting",
            unit="flag",
        ),
        Field(
            "pool_in_data_space",
            Flag(0x20, U8),
            "Pool is in a data space.",
            mnemonic="qsphflags.QSPHDSPC",
            at=84,
            kind="setting",
            unit="flag",
        ),
        Field(
            "pool_ivsa",
            Flag(0x10, U8),
            "Pool is IVSA.",
            mnemonic="qsphflags.QSPHIVSA",
            at=84,
            kind="setting",
            unit="flag",
        ),
        Field(
            "pool_64bit",
            Flag(0x08, U8),
            "Pool is in 64-bit storage.",
            mnemonic="qsphflags.QSPH64BIT",
            at=84,
            kind="setting",
            unit="flag",
        ),
        Unused(3, at=85),
    ),
)
