"""A finding with all that proves its figure: formula, limit, and the records of its fields as annotated hexadecimal."""

# ruff: noqa: S608 - statements are built from names and literals of this package

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeAlias

from msgspec import Meta

from mqstat.assemble.check import check
from mqstat.assemble.conditions import row_phrase
from mqstat.assemble.finding import Finding
from mqstat.assemble.one_finding import owner_named, rule_of
from mqstat.base.card_key import ALL, Owner, card_key
from mqstat.base.formatting import bare_text, clean
from mqstat.base.grouping import grouped_by
from mqstat.base.json_object import Count, Object, one_of
from mqstat.base.return_codes import CLEAR, LADDER, UNUSABLE
from mqstat.intake.by_field import Found, RawRecord, SectionRow, rows_of, structures
from mqstat.intake.trace import Line, header_lines, triplet_line, value_text
from mqstat.judge import lineage, scope
from mqstat.judge.model import KINDS, Rule, level_number, rules
from mqstat.judge.sentences import reason_of, summary_of
from mqstat.judge.states import BREACH, STATES, closeness
from mqstat.judge.states import CLEAR as IS_CLEAR
from mqstat.sql.schemas import all_schemas, literal, quoted
from mqstat.sql.workspace import Workspace

NUMBERED = "numbered_record"
"""The decoded table of the numbers of records, which are in their standard header."""

MOST_RECORDS = 8
"""Records that are shown as hexadecimal; the others are counted."""
MOST_FIELDS = 24
"""Fields of one section that are shown."""

Row = Mapping[str, Any]
Fetch = Callable[[Mapping[bytes, int]], Mapping[bytes, Found]]
"""Returns the records with these hashes (hash -> length) from the dumps; those that are not there are left out."""
Read = tuple[SectionRow, str]
"""A row of a section, and the column of it that is in the figure."""
Columns = Mapping[str, Sequence[str]]
"""Columns by decoded table."""
Key = tuple[Sequence[str], str]
"""Columns of which one has the value that names a subject, and this value."""
Keys = Mapping[str, Sequence[Key]]
"""Keys by decoded table."""


Hex: TypeAlias = Annotated[str, Meta(pattern="^([0-9a-f]{2})*$")]


class FieldLine(Object, frozen=True):
    """A field of a record: its offset, bytes, name, value, and what it is."""

    at: Count
    content: Hex
    name: str
    value: str
    doc: str


class Part(Object, frozen=True):
    """Lines of a record under one title: its header, or one section with its triplet."""

    title: str
    lines: tuple[FieldLine, ...]


class RecordShown(Object, frozen=True):
    """A record that decides: where it is, its hash, and its fields; without a dump, why they are `missing`."""

    record_id: Count
    record_class: str
    source: str
    number: Count
    offset: Count
    length: Count
    hash: Hex
    parts: tuple[Part, ...] = ()
    missing: str = ""


class Rest(Object, frozen=True):
    """All records of the interval: the query, their number by class, and the SHA-256 over their hashes in its order."""

    query: str
    counts: Mapping[str, Count]
    digest: Hex


class Proof(Object, frozen=True):
    """What proves a finding, or the figure of a rule that is clear. `state` is that of the rule."""

    key: str
    rule_id: Annotated[str, Meta(pattern="^[A-Z]{2}[0-9]{3}$")]
    title: str
    state: Annotated[str, one_of(STATES)]
    where: str
    summary: str
    figure: str
    observed: float | None
    limit: float | None
    unit: str
    limit_source: str
    limit_from: str
    formulas: tuple[str, ...] = ()
    with_values: str = ""
    """The formula of the figure with the values of the columns in it, and its value.

    It is empty if the rule does not select them all, or adds up rows.
    """
    records: tuple[RecordShown, ...] = ()
    more: Count = 0
    """Further records with rows of the subject; they are in `rest`."""
    rest: Rest | None = None
    dataset: str = ""
    return_code: Annotated[int, one_of(LADDER)] = CLEAR


def prove(db: Workspace, key: str, fetch: Fetch) -> Proof:
    """The proof of the finding with this key (`mqstat.base.card_key`), about its worst subject.

    If the rule is not in breach there, it is about the figure nearest to its limit. `fetch` reads records from dumps.
    UsageError for an unknown rule or queue manager. The return code is 12 if a record that is shown is in none of the
    dumps that were given.
    """
    rule = rules()[rule_of(key)]
    report = check(db, db.site, [rule.id])
    owners = [(row["lpar"], row["qmgr"]) for row in db.rows("SELECT lpar, qmgr FROM qmgr")]
    finding, row = _chosen(report.findings, report.outcomes, key, owners)
    shown_key = finding.key if finding else card_key(rule.id, (row["lpar"], row["qmgr"]), owners)
    return proof_of(db, rule, row, shown_key, fetch)


def proof_of(db: Workspace, rule: Rule, row: Row, key: str, fetch: Fetch) -> Proof:
    """The proof of a row of view finding."""
    clause = rule.clause(row["clause"])
    threshold = rule.thresholds.get(clause.limit) if isinstance(clause.limit, str) else None
    cite = rule.limit_source(clause)
    kind = rule.limit_kind(clause)
    judged = row["observed"] is not None
    values = _values(db, rule, row) if judged else {}
    shown, more = _records(db, row, rule, values, fetch)
    missing = any(record.missing == GONE for record in shown)
    return Proof(
        key=key,
        rule_id=rule.id,
        title=rule.title,
        state=row["state"],
        where=clean(" ".join(str(row[name]) for name in ("lpar", "qmgr", "subject") if row[name] is not None)),
        summary=clean(summary_of(row) if row["state"] == BREACH else "" if judged else reason_of(row)),
        figure=clean(row_phrase(row)) if judged else "",
        observed=row["observed"],
        limit=row["limit_value"],
        unit=clause.unit,
        limit_source=f"{cite} ({kind}: {KINDS[kind]})" if kind in KINDS else cite,
        limit_from=f"{row['limit_from'] or 'default'}{f'; {threshold.why}' if threshold else ''}",
        formulas=tuple(_formulas(rule, clause.shown)) if judged else (),
        with_values=_with_values(lineage.origin_in(rule.select, clause.shown), values),
        records=shown,
        more=more,
        rest=_rest(db, row),
        dataset=f"generation {dataset.manifest.generation:,}" if (dataset := db.opened.dataset) is not None else "",
        return_code=UNUSABLE if missing else CLEAR,
    )


def _chosen(
    findings: Sequence[Finding], outcomes: Sequence[Row], key: str, owners: Sequence[Owner]
) -> tuple[Finding | None, Row]:
    """The finding that a key names and its row, or the row of the rule there that is nearest to its limit."""
    owner = owner_named(key, owners, [(row["lpar"], row["qmgr"]) for row in outcomes])
    for finding in findings:
        if finding.key.partition("/")[2] == "*" and owner is ALL:
            return finding, finding.row
        for subject in finding.subjects:
            if (subject.row["lpar"], subject.row["qmgr"]) == owner:
                return finding, subject.row
    rows = (row for row in outcomes if owner is ALL or (row["lpar"], row["qmgr"]) == owner)
    return None, max(rows, key=lambda row: (row["state"] == IS_CLEAR, closeness(row)))


def _values(db: Workspace, rule: Rule, row: Row) -> Row:
    """The row of the rule's SELECT that a finding is about; empty if it is not there."""
    wanted = {
        "lpar": row["lpar"], "qmgr": row["qmgr"], "interval_start_utc": row["worst_interval_utc"],
        "record_id": row["evidence_record_id"], "subject": row["subject"],
    }  # fmt: skip
    wanted = {name: value for name, value in wanted.items() if name in rule.columns}
    tests = [f"{name} IS NOT DISTINCT FROM ${name}" for name in wanted]
    overrides = db.site.overrides_of(rule.id)
    limits, _ = scope.values(rule, overrides, scope.narrowest(overrides, row["lpar"], row["qmgr"], row["subject"]))
    select = scope.with_numbers(rule.select, limits)
    return next(iter(db.rows(f"SELECT * FROM ({select}) WHERE {' AND '.join(tests)}", wanted)), {})


def _formulas(rule: Rule, column: str) -> Iterator[str]:
    """The formula of a column of a rule and of the columns in it, then the fields at the bottom with IBM's names."""
    origin = lineage.origin_in(rule.select, column)
    for part in lineage.formulas(origin):
        yield f"{part.name} = {part.formula}"
    for read in lineage.fields(origin):
        known = lineage.field_of(read)
        if known and known[1].mnemonic:
            yield f"{read} = {known[1].mnemonic.upper()} of {known[0].name.upper()}: {known[1].doc}"


_AGGREGATES = (
    "sum min max avg median bit_or bool_or bool_and any_value var_pop count count_star arg_max arg_min list string_agg "
    "quantile_cont regr_r2 regr_slope"
).split()
"""The names of all aggregates of views."""

_SEVERAL_ROWS = re.compile(rf"\b(?:{'|'.join(_AGGREGATES)})\s*\(|\bover\b|\bselect\b", re.IGNORECASE)


def _with_values(origin: lineage.Origin, values: Row) -> str:
    """A formula with the values of the columns in it, and its value (see `Proof.with_values`)."""
    names = {part.name for part in origin.parts}
    if not names or _SEVERAL_ROWS.search(origin.formula):
        return ""
    if not all(isinstance(values.get(name), int | float) for name in (*names, origin.name)):
        return ""
    filled = re.sub(rf"\b({'|'.join(names)})\b", lambda name: bare_text(values[name[0]]), origin.formula)
    return f"{filled} = {bare_text(values[origin.name])}"


# --- records

GONE = "none of the dumps that were given has a record with this hash: the dump is another one, or was changed"
NO_DUMP = "no dump was given: add --dump DUMP to see its bytes"


def _records(db: Workspace, row: Row, rule: Rule, values: Row, fetch: Fetch) -> tuple[tuple[RecordShown, ...], int]:
    """The records of the worst value or with rows of the subject, with the fields in the figure.

    Also the number of those that are not shown.
    """
    tables, keys = _read_by(rule, row, values) if values else ({}, {})
    ids = _ids(db, row, tables, keys, of_period=rule.judge.kind == "whole" or row["worst_interval_utc"] is None)
    if not ids:
        return (), 0
    listed = ", ".join(map(str, ids[:MOST_RECORDS]))
    rows = {
        record["record_id"]: record
        for record in db.rows(
            "SELECT r.*, s.source_name FROM decoded.record AS r LEFT JOIN decoded.source AS s USING (source_id) "
            f"WHERE record_id IN ({listed})"
        )
    }
    known = [rows[record_id] for record_id in ids[:MOST_RECORDS] if record_id in rows]
    copies = fetch({record["record_hash"]: record["record_bytes"] for record in known})
    missing = NO_DUMP if fetch is no_dump else GONE
    shown = [_shown(record, copies.get(record["record_hash"]), missing, tables, keys) for record in known]
    return tuple(shown), max(0, len(ids) - MOST_RECORDS)


def _shown(record: Row, copy: Found | None, missing: str, tables: Columns, keys: Keys) -> RecordShown:
    """A row of table `record` with the bytes of its copy in a dump; without one with what is `missing`."""
    source, number, offset = record["source_name"] or "", record["record_number"], record["source_offset"]
    parts: list[Part] = []
    if copy is not None:
        source, number, offset, missing = copy.source, copy.number, copy.offset, ""
        raw = RawRecord(record, copy, level_number(record["mq_version"] or "base"))
        parts.append(Part("SMF header", tuple(map(_line, header_lines(raw.content)))))
        if record["outcome"] == "decoded":
            parts += _parts(raw, _reads(raw, tables, keys))
    return RecordShown(
        record_id=record["record_id"],
        record_class=record["record_class"],
        source=clean(source),
        number=number,
        offset=offset,
        length=record["record_bytes"],
        hash=record["record_hash"].hex(),
        parts=tuple(parts),
        missing=missing,
    )


def _line(line: Line) -> FieldLine:
    return FieldLine(line.at, line.content.hex(), line.name, line.value, line.doc)


def _read_by(rule: Rule, row: Row, values: Row) -> tuple[Columns, Keys]:
    """The columns of decoded tables that the figure is made from, by table; and the columns that name its subject."""
    tables = _by_table(lineage.origin_in(rule.select, rule.clause(row["clause"]).shown))
    keys: dict[str, list[Key]] = {table: [] for table in tables}
    for name in rule.grain:
        if name in ("lpar", "qmgr") or values.get(name) is None:
            continue
        named = _by_table(lineage.origin_in(rule.select, name))
        for table, known in keys.items():
            columns = named.get(table) or [column for column in all_schemas()[table].names if column == name]
            if columns:
                known.append((columns, str(values[name])))
    return tables, keys


def _by_table(origin: lineage.Origin) -> Columns:
    """The decoded columns at the bottom of an origin, by table."""
    tables: dict[str, list[str]] = {}
    for read in lineage.fields(origin):
        table, _, column = read.partition(".")
        if table == NUMBERED or table in structures():
            tables.setdefault(table, []).append(column)
    return tables


def _ids(db: Workspace, row: Row, tables: Columns, keys: Keys, *, of_period: bool) -> list[int]:
    """The record of the worst value; then those that hold rows of the other tables.

    For a figure of the whole period (`of_period`) also those that hold rows of tables that name its subject.
    """
    ids = [] if row["evidence_record_id"] is None else [row["evidence_record_id"]]
    naming = [table for table in tables if keys[table]] or list(tables)
    if row["qmgr"] is not None:
        for table in (*naming, *(table for table in tables if table not in naming)):
            if (of_period and table in naming) or not _has_rows(db, table, ids):
                ids += _ids_of(db, row, table, keys[table], of_period=of_period)
    return list(dict.fromkeys(ids))


def _has_rows(db: Workspace, table: str, ids: Sequence[int]) -> bool:
    listed = ", ".join(map(str, ids))
    return bool(ids and db.rows(f"SELECT 1 FROM decoded.{quoted(table)} WHERE record_id IN ({listed}) LIMIT 1"))


def _ids_of(db: Workspace, row: Row, table: str, keys: Sequence[Key], *, of_period: bool) -> Sequence[int]:
    """The records with rows of a table about the subject: of the interval if there are any, otherwise of all times."""
    owner = [f"{name} = {literal(row[name])}" for name in ("lpar", "qmgr") if row[name] is not None]
    interval = [] if of_period else [f"interval_start_utc = TIMESTAMP {literal(str(row['worst_interval_utc']))}"]
    subject = [
        f"{literal(value)} IN ({', '.join(f'{quoted(name)}::VARCHAR' for name in columns)})" for columns, value in keys
    ]
    for tests in ([*owner, *interval, *subject], [*owner, *subject]):
        select = f"SELECT DISTINCT record_id FROM decoded.{quoted(table)} WHERE {' AND '.join(tests)} ORDER BY ALL"
        ids = [record["record_id"] for record in db.rows(select)]
        if ids:
            return ids
    return ()


def _reads(record: RawRecord, tables: Columns, keys: Keys) -> Iterator[Read]:
    """The fields of a record that are in the figure: those in the sections about its subject, if they name it."""
    for table, columns in tables.items():
        rows = list(rows_of([record], "qwhs" if table == NUMBERED else table))
        for names, value in keys[table]:
            rows = [row for row in rows if any(str(row.get(name)) == value for name in names)] or rows
        yield from ((row, column) for row in rows for column in columns if row.is_field(column))


def no_dump(wanted: Mapping[bytes, int]) -> Mapping[bytes, Any]:
    """No records: for a dataset whose dump is not given."""
    return {}


def _parts(record: RawRecord, reads: Iterable[Read]) -> Iterator[Part]:
    """The sections of a record whose fields were read, by triplet: the triplet, then these fields."""
    located = [(row.locate(column), row.layout) for row, column in reads]
    by_triplet = grouped_by(located, lambda pair: (pair[0].section.structure, pair[0].section.triplet_at))
    for (structure, _), fields in by_triplet.items():
        sections = list(dict.fromkeys(field.section for field, _ in fields))
        first = sections[0]
        title = f"{structure} section {first.index} at {first.at}, {first.length} bytes"
        if len(sections) > 1:
            title = f"{structure}: {len(sections)} sections of {first.length} bytes"
        lines = [_line(triplet_line(record.content, first))]
        for field, layout in list(dict.fromkeys(fields))[:MOST_FIELDS]:
            section = field.section
            whole = record.content[section.at : section.at + section.length]
            value = "" if field.raw is None else value_text(layout, field.field, field.content, whole, record.level)
            name = field.mnemonic if len(sections) == 1 else f"{section.index}: {field.mnemonic}"
            lines.append(FieldLine(field.at, field.content.hex(), name, value, field.field.doc))
        hidden = len(set(fields)) - MOST_FIELDS
        if hidden > 0:
            title += f", {hidden} more fields"
        yield Part(title, tuple(lines))


def _rest(db: Workspace, row: Row) -> Rest | None:
    """The records of the interval of a finding, or of its queue manager if it is about the whole period."""
    if row["qmgr"] is None:
        return None
    tests = [f"{name} = {literal(row[name])}" for name in ("lpar", "qmgr") if row[name] is not None]
    if row["worst_interval_utc"] is not None:
        tests.append(f"interval_start_utc = TIMESTAMP {literal(str(row['worst_interval_utc']))}")
    query = (
        "SELECT record_id, record_class, record_hash FROM decoded.record "
        f"WHERE {' AND '.join([*tests, 'first_record_id IS NULL'])} ORDER BY record_id"
    )
    records = db.rows(query)
    counts = Counter(record["record_class"] for record in records)
    digest = hashlib.sha256(b"".join(record["record_hash"] for record in records)).hexdigest()
    return Rest(query, dict(sorted(counts.items())), digest)
