"""A finding with all that proves its figure: formula, limit, the records that decide as annotated hexadecimal, and a second computation from their bytes."""

# ruff: noqa: S608 - statements are built from names and literals of this package

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqstat.assemble.check import check
from mqstat.assemble.conditions import row_phrase
from mqstat.assemble.finding_model import Finding
from mqstat.assemble.one_finding import rule_of
from mqstat.assemble.second import DIFFERS, EQUAL, NOT_DONE, Fetch, Recomputed, Second, raw_record
from mqstat.base.atomic_write import read_kept
from mqstat.base.card_key import ALL, Owner, card_key, owner_of, parse_key
from mqstat.base.errors import UsageError
from mqstat.base.formatting import clean, exact_text, plural
from mqstat.base.grouping import grouped_by
from mqstat.base.nearest import did_you_mean
from mqstat.base.return_codes import CLEAR, CRITICAL, UNUSABLE
from mqstat.intake.by_field import RawRecord, SectionRow, rows_of, structures
from mqstat.intake.trace import Line, header_lines, triplet_line, value_text
from mqstat.judge import lineage
from mqstat.judge.model import KINDS, Rule, rules
from mqstat.judge.sentences import reason_of, summary_of
from mqstat.judge.states import BREACH, closeness
from mqstat.judge.states import CLEAR as IS_CLEAR
from mqstat.sql.database import Database
from mqstat.sql.schemas import literal

if TYPE_CHECKING:
    from mqstat.dataset.place import Home

MOST_RECORDS = 8
"""Records that are shown as hexadecimal; the others are counted."""
MOST_FIELDS = 24
"""Fields of one section that are shown."""

Row = Mapping[str, Any]
Read = tuple[SectionRow, str]


@dataclass(frozen=True)
class Part:
    """Lines of a record under one title: its header, or one section with its triplet."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class RecordShown:
    """A record that decides: where it is, its hash, and its fields; without a dump only its hash and place, and why (`missing`)."""

    record_id: int
    record_class: str
    source: str
    number: int
    offset: int
    length: int
    hash: str
    parts: tuple[Part, ...] = ()
    missing: str = ""


@dataclass(frozen=True)
class Rest:
    """All records of the interval: the query, their number by class, and the SHA-256 over their hashes in the order of record_id."""

    query: str
    counts: Mapping[str, int]
    digest: str


@dataclass(frozen=True)
class Proof:
    """What proves a finding, or the figure of a rule that is clear. `state` is that of the rule; `second` is one of equal, differs, no, with its `value`."""

    key: str
    rule_id: str
    title: str
    state: str
    where: str
    summary: str
    figure: str
    observed: float | None
    limit: float | None
    unit: str
    limit_source: str
    limit_from: str
    formulas: tuple[str, ...] = ()
    second: str = NOT_DONE
    value: float | None = None
    second_text: str = ""
    records: tuple[RecordShown, ...] = ()
    more: int = 0
    """Further records of which fields were read; they are in `rest`."""
    rest: Rest | None = None
    signature: str = ""
    return_code: int = CLEAR


def prove(db: Database, key: str, fetch: Fetch, *, signature: str = "", second: Second | None = None) -> Proof:
    """The proof of the finding with this key (`mqstat.base.card_key`), about its worst subject; of a rule that is not in breach there, the figure nearest to its limit.

    `fetch` reads records from dumps; `signature` is the state of the dataset. UsageError for an unknown rule or queue manager. The return code is 8 if the
    second computation differs, 12 if a record that decides is in none of the dumps that were given.
    """
    rule = rules()[rule_of(key)]
    report = check(db, db.site, [rule.id])
    owners = [(row["lpar"], row["qmgr"]) for row in db.rows("SELECT lpar, qmgr FROM qmgr")]
    finding, row = _chosen(report.findings, report.outcomes, key, owners)
    shown_key = finding.key if finding else card_key(rule.id, (row["lpar"], row["qmgr"]), owners)
    return proof_of(db, rule, row, shown_key, second or Second(db, fetch), signature=signature)


def proof_of(db: Database, rule: Rule, row: Row, key: str, second: Second, *, signature: str = "") -> Proof:
    """The proof of a row of view finding."""
    clause = rule.clause(row["clause"])
    threshold = rule.thresholds.get(clause.limit) if isinstance(clause.limit, str) else None
    cite = rule.limit_source(clause)
    kind = rule.limit_kind(clause)
    judged = row["observed"] is not None
    recomputed = second.compute(row)
    shown, more = _records(db, row, rule, recomputed, second)
    missing = any(record.missing == GONE for record in shown)
    return Proof(
        key=key,
        rule_id=rule.id,
        title=rule.title,
        state=row["state"],
        where=clean(" ".join(str(row[name]) for name in ("lpar", "qmgr", "subject") if row[name] is not None)),
        summary=clean(summary_of(row) if row["state"] == BREACH else "" if judged else reason_of(row)),
        figure=clean(row_phrase(row, rule)) if judged else "",
        observed=row["observed"],
        limit=row["limit_value"],
        unit=clause.unit,
        limit_source=f"{cite} ({kind}: {KINDS[kind]})" if kind in KINDS else cite,
        limit_from=f"{row['limit_from'] or 'default'}{f'; {threshold.why}' if threshold else ''}",
        formulas=tuple(_formulas(rule, clause.shown)) if judged else (),
        second=recomputed.state,
        value=recomputed.value,
        second_text=_second_text(recomputed, row),
        records=shown,
        more=more,
        rest=_rest(db, row),
        signature=signature,
        return_code=CRITICAL if recomputed.state == DIFFERS else UNUSABLE if missing else CLEAR,
    )


def _chosen(
    findings: Sequence[Finding], outcomes: Sequence[Row], key: str, owners: Sequence[Owner]
) -> tuple[Finding | None, Row]:
    """The finding that a key names and its row, or the row of the rule there that is nearest to its limit."""
    _, named = parse_key(key)
    owner = named if named is ALL else owner_of(named, [*owners, *((row["lpar"], row["qmgr"]) for row in outcomes)])
    if owner is not None:
        for finding in findings:
            if finding.key.partition("/")[2] == "*" and owner is ALL:
                return finding, finding.row
            about = [at.row for at in finding.subjects if (at.row["lpar"], at.row["qmgr"]) == owner]
            if about:
                return finding, about[0]
        own = [row for row in outcomes if owner is ALL or (row["lpar"], row["qmgr"]) == owner]
        if own:
            return None, max(own, key=lambda row: (row["state"] == IS_CLEAR, closeness(row)))
    names = [card_key("XX000", each, owners).partition("/")[2] for each in owners]
    name = key.partition("/")[2]
    raise UsageError(f"{key}: {name!r} is not a queue manager of the data{did_you_mean(name, names)}; write RULE/NAME with one of {', '.join(sorted(names)[:5])}.")  # fmt: skip


def _formulas(rule: Rule, column: str) -> Iterator[str]:
    """The formula of a column of a rule and of the columns in it, then the fields at the bottom with IBM's names."""
    origin = lineage.origin_in(rule.select, column)
    for each in lineage.formulas(origin):
        yield f"{each.name} = {each.formula}"
    for read in lineage.fields(origin):
        known = lineage.field_of(read)
        if known and known[1].mnemonic:
            yield f"{read} = {known[1].mnemonic.upper()} of {known[0].name.upper()}: {known[1].doc}"


def _second_text(recomputed: Recomputed, row: Row) -> str:
    if recomputed.state == NOT_DONE:
        return f"recomputed: no: {recomputed.reason}"
    located = {(each.record.row["record_id"], each.locate(column).at) for each, column in recomputed.fields}
    read = plural(len(located), "field")
    value = "null" if recomputed.value is None else exact_text(recomputed.value)
    there = f"from {read} of {recomputed.scope}, without the views and the decoder of the report"
    return (
        f"recomputed: {value} {there}"
        if recomputed.state == EQUAL
        else f"recomputed: {value}, not {exact_text(row['observed'])}, {there}"
    )


# --- records

GONE = "none of the dumps that were given has a record with this hash: the dump is another one, or was changed"
NO_DUMP = "no dump was given: add --dump DUMP to see and recompute its bytes"


def _records(
    db: Database, row: Row, rule: Rule, recomputed: Recomputed, second: Second
) -> tuple[tuple[RecordShown, ...], int]:
    """The records whose fields are in the figure, otherwise that of the worst value, and the number of those that are not shown."""
    used: dict[int, list[Read]] = {}
    for read in recomputed.fields:
        used.setdefault(read[0].record.row["record_id"], []).append(read)
    first = row["evidence_record_id"]
    ids = sorted(used, key=lambda record_id: (record_id != first, record_id)) or ([] if first is None else [first])
    if not ids:
        return (), 0
    listed = ", ".join(map(str, ids[:MOST_RECORDS]))
    rows = {
        each["record_id"]: each
        for each in db.rows(
            f"SELECT r.*, s.source_name FROM decoded.record AS r LEFT JOIN decoded.source AS s USING (source_id) WHERE record_id IN ({listed})"
        )
    }
    known = [rows[record_id] for record_id in ids[:MOST_RECORDS] if record_id in rows]
    copies = second.fetch({each["record_hash"]: each["record_bytes"] for each in known})
    shown = []
    for each in known:
        described = {
            "record_id": each["record_id"], "record_class": each["record_class"], "source": clean(each["source_name"] or ""),
            "number": each["record_number"], "offset": each["source_offset"], "length": each["record_bytes"], "hash": each["record_hash"].hex(),
        }  # fmt: skip
        here = copies.get(each["record_hash"])
        if here is None:
            shown.append(RecordShown(**described, missing=NO_DUMP if second.fetch is no_dump else GONE))
            continue
        raw = raw_record(each, here)
        described |= {"source": clean(here.source), "number": here.number, "offset": here.offset}
        decoded = each["outcome"] == "decoded"
        parts = [Part("SMF header", tuple(header_lines(raw.content)))]
        parts += _parts(raw, used.get(each["record_id"], ())) if decoded else []
        parts += [] if used or not decoded else _fields_of(raw, rule, row)
        shown.append(RecordShown(**described, parts=tuple(parts)))
    return tuple(shown), max(0, len(ids) - MOST_RECORDS)


def no_dump(wanted: Mapping[bytes, int]) -> Mapping[bytes, Any]:
    """No records: for a dataset whose dump is not given."""
    return {}


def _parts(record: RawRecord, reads: Iterable[Read]) -> Iterator[Part]:
    """The sections of a record whose fields were read, those of one triplet together: the triplet, then these fields."""
    located = [(row.locate(column), row.layout) for row, column in reads]
    by_triplet = grouped_by(located, lambda each: (each[0].section.structure, each[0].section.triplet_at))
    for (structure, _), own in by_triplet.items():
        sections = list(dict.fromkeys(field.section for field, _ in own))
        first = sections[0]
        title = f"{structure} section {first.index} at {first.at}, {first.length} bytes"
        if len(sections) > 1:
            title = f"{structure}: {len(sections)} sections of {first.length} bytes"
        lines = [triplet_line(record.content, first)]
        for field, layout in list(dict.fromkeys(own))[:MOST_FIELDS]:
            section = field.section
            whole = record.content[section.at : section.at + section.length]
            value = "" if field.raw is None else value_text(layout, field.field, field.content, whole, record.level)
            name = field.mnemonic if len(sections) == 1 else f"{section.index}: {field.mnemonic}"
            lines.append(Line(field.at, field.content, name, value, field.field.doc))
        more = len(set(own)) - MOST_FIELDS
        yield Part(title + (f", {more} more fields" if more > 0 else ""), tuple(lines))


def _fields_of(record: RawRecord, rule: Rule, row: Row) -> Iterator[Part]:
    """The sections of a record that hold fields of the figure by its lineage, where there is no second computation."""
    origin = lineage.origin_in(rule.select, rule.clause(row["clause"]).shown)
    columns = [read.partition(".") for read in lineage.fields(origin)]
    for table in dict.fromkeys(table for table, _, _ in columns if table in structures()):
        wanted = [column for name, _, column in columns if name == table]
        rows = islice(rows_of([record], table), MOST_RECORDS)
        yield from _parts(record, [(each, column) for each in rows for column in wanted if each.is_field(column)])


def _rest(db: Database, row: Row) -> Rest | None:
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
    digest = hashlib.sha256(b"".join(each["record_hash"] for each in records)).hexdigest()
    return Rest(query, dict(sorted(Counter(each["record_class"] for each in records).items())), digest)


def _signature(folder: Home) -> bytes | None:
    """The content of the signature of a dataset; None without one. OSError if it cannot be read."""
    from mqstat.dataset.signature import NAME

    if not isinstance(folder, Path):
        return folder.read(NAME)
    try:
        return read_kept(folder / NAME)
    except FileNotFoundError:
        return None


def signature_of(folder: Home, public_key: Path | None) -> tuple[str, bool]:
    """Whether a dataset is verified, unsigned or failed with a public key, in words, and whether it is as it was asked to be: verified if there is a key.

    With a key everything that `mqstat verify` checks is checked; without one only what the signature file states. UsageError if the key cannot be used.
    """
    from mqstat.dataset.signature import NAME
    from mqstat.dataset.store import open_dataset
    from mqstat.dataset.verification import verify

    manifest = open_dataset(folder).manifest
    try:
        content = _signature(folder)
        if content is None:
            return f"unsigned; generation {manifest.generation:,}", public_key is None
        signed = json.loads(content)
        generation, key = int(signed["generation"]), clean(str(signed["key_sha256"]))
    except (OSError, ValueError, KeyError, TypeError):
        return f"failed: {NAME} cannot be read; generation {manifest.generation:,}", public_key is None
    by = f"generation {generation:,} of {manifest.generation:,} is signed with the key of SHA-256 {key}"
    if public_key is not None:
        problems = verify(folder, public_key).problems
        return (f"failed: {clean(problems[0])}", False) if problems else (f"verified: {by}", True)
    later = manifest.generation - generation
    after = f", {plural(later, 'later publish', 'later publishes')} not signed" if later > 0 else ""
    return f"not verified: {by}{after}; add --public-key PEM", True
