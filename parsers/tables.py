"""The tables that the reader makes: names, columns, Arrow types and descriptions, all derived from the layouts.

A structure gives one table with its own name and one table for each array whose elements are rows. Every table starts
with the lineage columns, which lead from a row to its record, its queue manager and its interval.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import Ebcdic, Field, Flag, Hex, Layout, StckTime

TEXT = pa.dictionary(pa.int32(), pa.string())
"""Names and words: few distinct values, so dictionary-encoded in memory and in Parquet."""

HASH = pa.binary(16)
"""The hash of a record. Of 213,531 records as 32 hexadecimal digits it takes 17.5 bytes in a file instead of 16.0, five
times as long to write and half as long again to group; two numbers group faster still (12 ms instead of 17), but every
reader would have to join by both. Every engine reads FIXED_LEN_BYTE_ARRAY (Spark from 3.4)."""

STAMP = pa.timestamp("us")
"""Zone-less; the column name states the zone: `_utc` or `_local`."""


@dataclass(frozen=True)
class Column:
    """One column of a table: name, Arrow type, kind and unit from the closed lists, IBM's name (empty for the reader's
    own), one sentence.
    """

    name: str
    type: pa.DataType
    kind: str
    unit: str
    mnemonic: str
    doc: str


def _own(name: str, type: pa.DataType, kind: str, unit: str, doc: str) -> Column:
    return Column(name, type, kind, unit, "", doc)


LINEAGE = (
    _own("source_id", pa.int64(), "key", "id", "Number of the input in table source."),
    _own("record_id", pa.int64(), "key", "id", "Number of the record in table record, unique over the dataset."),
    _own("section", pa.int64(), "key", "id", "Position of the section in its triplet, from 0."),
    _own("lpar", TEXT, "key", "text", "z/OS system (SMF) identifier."),
    _own("qmgr", TEXT, "key", "text", "Queue manager (subsystem) name."),
    _own("qsg", TEXT, "key", "text", "Queue-sharing group in the record; null if blank or before 10.0."),
    _own("mq_version", TEXT, "key", "text", "MQ level that wrote the record, such as 9.4.5."),
    _own("written_local", STAMP, "clock", "ts_local", "Time the record was moved to the SMF buffer."),
    _own("gmt_offset_minutes", pa.int64(), "clock", "min", "Local time minus GMT when the record was written."),
    _own("interval_start_utc", STAMP, "clock", "ts_utc", "Start of the interval that the row describes."),
    _own(
        "interval_end_utc",
        STAMP,
        "clock",
        "ts_utc",
        "End of the interval that the row describes; of statistics without an interval (before 7.1) the time at which they were made.",
    ),
    _own("interval_start_local", STAMP, "clock", "ts_local", "Start of the interval in local time."),
    _own("interval_us", pa.int64(), "duration", "us", "Length of the interval."),
)
"""Columns that every decoded table starts with."""

DATE = _own(
    "date",
    pa.date32(),
    "key",
    "date",
    "Local day of the row, by which files are divided; null for counts over a whole input and for records without a valid date.",
)
"""Last column of every table."""

NEVER_NULL = ("source_id", "section", "section_length")
"""Columns that have a value in every row of every table that has them."""

SECTION_LENGTH = _own("section_length", pa.int64(), "internal", "bytes", "Length of the section, from its triplet.")

SMF_TYPE = _own("smf_type", pa.int64(), "key", "id", "SMF record type.")
RECORD_CLASS = _own("record_class", TEXT, "key", "text", "Type and subtype, such as 115.215.")

RECORD = (
    *(c for c in LINEAGE if c.name in ("source_id", "record_id")),
    _own("record_number", pa.int64(), "key", "id", "Number of the record in its input, from 0; records of all SMF types are counted."),
    _own("source_offset", pa.int64(), "internal", "bytes", "Offset of the first segment in the decompressed input."),
    _own("record_bytes", pa.int64(), "internal", "bytes", "Length of the joined record, including the first record descriptor word."),
    _own("input_bytes", pa.int64(), "internal", "bytes", "Bytes of the input that the record uses, with all descriptor words and the bytes that the transfer added."),
    _own("segments", pa.int64(), "internal", "count", "Physical segments that were joined."),
    SMF_TYPE,
    _own("subtype", pa.int64(), "key", "id", "SMF record subtype."),
    RECORD_CLASS,
    *(c for c in LINEAGE if c.name in ("lpar", "qmgr")),
    _own("header_release", TEXT, "code", "text", "Internal release in the record header, three digits."),
    *(c for c in LINEAGE if c.name in ("qsg", "mq_version", "written_local")),
    _own("header_stck_utc", STAMP, "clock", "ts_utc", "Store clock of the standard header (QWHSSTCK)."),
    _own("resource_manager", pa.string(), "code", "text", "Resource manager (QWHSRMID) in hexadecimal: X'1A' and X'F7' number their records."),
    _own("instrumentation_id", pa.int64(), "code", "id", "Instrumentation identifier (QWHSIID), by which records are numbered."),
    _own("instrumentation_sequence", pa.int64(), "internal", "number", "Number of the record among those of its resource manager and identifier since the queue manager started (QWHSISEQ); zero or null if its kind is not numbered."),
    _own("trace_sequence", pa.int64(), "internal", "number", "Number of the record among all numbered records since the queue manager started (QWHSWSEQ); zero or null if its kind is not numbered."),
    *(c for c in LINEAGE if c.name == "gmt_offset_minutes"),
    _own("record_start_local", STAMP, "clock", "ts_local", "Interval start of the standard header (QWHSTIME); null in headers without interval times."),
    _own("record_start_utc", STAMP, "clock", "ts_utc", "Interval start of the standard header, as GMT."),
    _own("record_us", pa.int64(), "duration", "us", "Interval length of the standard header (QWHSDURN), on the scale of its record class."),
    *(c for c in LINEAGE if c.name.startswith("interval_")),
    _own("outcome", TEXT, "code", "text", "How the record was handled: decoded, internal, raw, damaged or duplicate."),
    _own("first_record_id", pa.int64(), "key", "id", "The record that a duplicate is equal to; null if the record is no duplicate."),
    _own("damage", TEXT, "code", "text", "Damage of the record; null if undamaged."),
    _own("record_hash", HASH, "key", "id", "Hash (xxh3, 128 bits) of the joined record without its descriptor words: equal for the same record in any dump and framing."),
)  # fmt: skip
"""Columns of table record: one row for every record of type 115 and 116."""

OUTCOMES = {
    "decoded": "decoded records",
    "other_types": "records of other types",
    "internal": "records that only IBM uses",
    "raw": "records kept undecoded (raw)",
    "damaged": "damaged records",
    "duplicate": "records that are equal to another record of the data",
}
"""What a record can count as, in the columns `bytes_...` and `records_...` of table source."""

SOURCE = (
    LINEAGE[0],
    _own("source_name", pa.string(), "text", "text", "Base name of the input, without a directory."),
    _own("source_bytes", pa.int64(), "gauge", "bytes", "Size of the decompressed content."),
    _own("source_sha256", pa.string(), "key", "text", "SHA-256 of the decompressed content; null if a report is made without a dataset."),
    _own("framing", pa.string(), "code", "text", "Framing of the file: rdw, bdw, no-rdw or length-prefixed."),
    _own("diagnosis", pa.string(), "text", "text", "Problem of the transfer as a whole; null if it has no problem."),
    *(_own(f"bytes_{outcome}", pa.int64(), "counter", "bytes", f"Bytes of {records}.") for outcome, records in OUTCOMES.items()),
    _own("bytes_skipped", pa.int64(), "counter", "bytes", "Bytes of fill between records and of tails after the last one, which are no damage."),
    *(_own(f"records_{outcome}", pa.int64(), "counter", "count", f"{records[:1].upper()}{records[1:]}.") for outcome, records in OUTCOMES.items()),
)  # fmt: skip

OTHER_RECORD = (
    LINEAGE[0],
    LINEAGE[3],
    SMF_TYPE,
    _own("records", pa.int64(), "counter", "count", "Number of records."),
    _own("bytes", pa.int64(), "counter", "bytes", "Bytes of the input that the records use."),
    _own("first_written_local", STAMP, "clock", "ts_local", "First time in a record header."),
    _own("last_written_local", STAMP, "clock", "ts_local", "Last time in a record header."),
)

DAMAGE = (
    LINEAGE[0],
    _own("damage_offset", pa.int64(), "key", "bytes", "Offset of the damaged span in the decompressed input."),
    _own(
        "damage_bytes",
        pa.int64(),
        "counter",
        "bytes",
        "Length of the damaged span, or of the equal ones that follow one another.",
    ),
    _own("spans", pa.int64(), "counter", "count", "Equal damaged spans that follow one another: they are one row."),
    _own("damage_reason", TEXT, "code", "text", "Kind of damage, from a fixed list of codes."),
    _own(
        "record_id",
        pa.int64(),
        "key",
        "id",
        "Record that is damaged, the first one of equal spans; null for garbage between records.",
    ),
)

SECTION = (
    LINEAGE[0],
    *(c for c in LINEAGE if c.name in ("lpar", "qmgr", "mq_version")),
    RECORD_CLASS,
    _own("triplet", pa.int64(), "key", "id", "Index of the triplet in its record, from 0."),
    _own("section_bytes", pa.int64(), "key", "bytes", "Length of one section, from the triplet."),
    _own("structure", TEXT, "text", "text", "Name of the structure; null when it is unknown."),
    _own("sections", pa.int64(), "counter", "count", "Number of sections."),
    _own("section_bytes_known", pa.int64(), "internal", "bytes", "Longest length that mqstat knows for the structure."),
    _own("tail_bytes", pa.int64(), "counter", "bytes", "Bytes beyond the known length, kept in table raw_bytes."),
    _own("first_written_local", STAMP, "clock", "ts_local", "First time in a record header."),
    _own("last_written_local", STAMP, "clock", "ts_local", "Last time in a record header."),
)

LOST_VALUE = (
    LINEAGE[0],
    _own("structure", TEXT, "text", "text", "Name of the structure; record for the interval of the record itself."),
    _own("column_name", TEXT, "key", "text", "Column that has no value."),
    _own(
        "lost_reason",
        TEXT,
        "code",
        "text",
        "Reason: too big (a 64-bit number beyond 2**48 calls or microseconds, or 2**54 bytes) or impossible time.",
    ),
    _own("values_lost", pa.int64(), "counter", "count", "Values that became null."),
)

RAW_BYTES = (
    *LINEAGE[:5],
    RECORD_CLASS,
    _own("triplet", pa.int64(), "key", "id", "Index of the triplet in its record, from 0."),
    _own("structure", TEXT, "text", "text", "Name of the structure; null when it is unknown."),
    _own(
        "raw_reason",
        TEXT,
        "code",
        "text",
        "Why the bytes are here: unknown-subtype, unknown-section, internal-section or tail.",
    ),
    _own(
        "content",
        pa.binary(),
        "internal",
        "number",
        "The bytes as in the record; a whole record without its descriptor word.",
    ),
)

READER_TABLES = {
    "record": ("One row for every SMF record of type 115 and 116, decoded or not.", RECORD),
    "source": ("One row for every input.", SOURCE),
    "other_record": ("SMF records of all other types, counted by input, system and type.", OTHER_RECORD),
    "damage": ("One row for every damaged span; equal ones that follow one another are one row.", DAMAGE),
    "lost_value": (
        "Values that were in the records and became null, counted by input, structure, column and reason.",
        LOST_VALUE,
    ),
    "section": ("Sections counted by queue manager, level, record class, triplet and length.", SECTION),
    "raw_bytes": (
        "Bytes of MQ records that no structure describes: unknown subtypes and sections, internal sections, tails.",
        RAW_BYTES,
    ),
}
"""Tables that the reader writes about the records themselves."""


def columns_of(field: Field, name: str) -> list[Column]:
    """The columns that one field (or one element of a small array) becomes, the value first, in the order in which the
    decoder gives them.
    """
    mnemonic, doc = field.mnemonic, field.doc
    stem = name.removesuffix("_us")
    if field.codes is not None:
        return [
            Column(name, TEXT, field.kind, "text", mnemonic, doc),
            Column(
                name + "_code", pa.int64(), "code", "id", mnemonic, f"Code of {name.replace('_', ' ')} as recorded."
            ),
        ]
    if field.shifted:
        return [
            Column(name, pa.int64(), field.kind, field.unit, mnemonic, doc),
            Column(
                stem + "_raw_us",
                pa.int64(),
                field.kind,
                field.unit,
                mnemonic,
                "The time as recorded, before correction.",
            ),
            Column(
                stem + "_shifted",
                pa.bool_(),
                "flag",
                "flag",
                mnemonic,
                "The record held the time shifted left by 32 bits (seen in 10.0.0).",
            ),
        ]
    if isinstance(field.type, Ebcdic):
        type_ = TEXT
    elif isinstance(field.type, Hex):
        type_ = pa.string()
    elif isinstance(field.type, Flag):
        type_ = pa.bool_()
    else:
        type_ = STAMP if field.type is StckTime else pa.int64()
    columns = [Column(name, type_, field.kind, field.unit, mnemonic, doc)]
    if field.no_limit is not None:
        columns.append(
            Column(
                name + "_no_limit",
                pa.bool_(),
                "flag",
                "flag",
                mnemonic,
                f"There is no limit, so {name.replace('_', ' ')} is null.",
            )
        )
    return columns


def parent_columns(layout: Layout) -> list[Column]:
    """Columns of the table of one structure: lineage, section length, fields, and whether the section was long enough
    for each array.
    """
    columns = [*LINEAGE[:3], SECTION_LENGTH, *LINEAGE[3:]]
    for field in layout.named:
        if not field.child:
            for name in field.columns or (field.name,):
                columns += columns_of(field, name)
    columns += [
        _own(child.has, pa.bool_(), "flag", "flag", f"The section is long enough for table {child.name}.")
        for child in layout.children
    ]
    return columns


def child_columns(layout: Layout, child_name: str) -> list[Column]:
    """Columns of a child table: lineage, part, keys, fields."""
    child = next(c for c in layout.children if c.name == child_name)
    columns = list(LINEAGE)
    if child.part:
        columns.append(_own(child.part, TEXT, "key", "text", child.part_doc))
    for key in child.keys:
        columns.append(_own(key.name, pa.int64(), "key", "id", key.doc))
        if key.words:
            subject = re.split("[,:.]", key.doc)[0]
            columns.append(_own(key.name + "_name", TEXT, "key", "text", f"{subject} as text."))
    fields = [field for field in layout.fields if field.child == child_name]
    for field in fields:
        if field.part == fields[0].part:
            columns += columns_of(field, field.name)
    return columns


@cache
def tables() -> dict[str, tuple[str, tuple[Column, ...]]]:
    """Every table that the reader makes: name -> (what a row is, its columns)."""
    out = {name: (doc, (*columns, DATE)) for name, (doc, columns) in READER_TABLES.items()}
    for layout in LAYOUTS.values():
        out[layout.name] = (f"{layout.title}.", (*parent_columns(layout), DATE))
        for child in layout.children:
            out[child.name] = (child.doc, (*child_columns(layout, child.name), DATE))
    return out


def schema_of(columns: tuple[Column, ...] | list[Column]) -> pa.Schema:
    """Arrow schema with unit, kind, IBM name and description in the metadata of each field."""
    return pa.schema(
        [
            pa.field(
                c.name,
                c.type,
                nullable=c.name not in NEVER_NULL,
                metadata={"unit": c.unit, "kind": c.kind, "ibm_name": c.mnemonic, "description": c.doc},
            )
            for c in columns
        ]
    )


@cache
def table_schemas() -> dict[str, pa.Schema]:
    """Arrow schema of every table that the reader makes."""
    return {name: schema_of(columns) for name, (_, columns) in tables().items()}
