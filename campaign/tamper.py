"""An insider changes the rows of a dataset so that checksums, row counts and Delta tables fit;
`campaign/test_tamper.py` tries each way.

Each tampering is written by the product's own functions, as one more step, so it is well formed. `verify --against` the
dumps must find each; many are found by `verify --rows` without them. Against an insider who changes what no dump
contradicts a signed frozen folder helps.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import io
import json
import random
import shutil
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.cli import run
from mqstat.dataset import steps
from mqstat.dataset.manifest import Change, FileEntry, Manifest, SourceEntry, Staged
from mqstat.dataset.publishing import STAGING, checksum
from mqstat.dataset.reservation import first_record_id
from mqstat.dataset.store import open_dataset
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.numbers import numbered
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.parsers.tables import tables

START = dt.datetime(2026, 5, 21, 22, 30)


@dataclass(frozen=True)
class Made:
    """A dataset of overlapping dumps, not to be changed, and the dumps."""

    root: Path
    dumps: tuple[Path, ...]

    @property
    def dataset(self) -> Path:
        return self.root / "set"


def made(root: Path) -> Made:
    """Two dumps that have records in common, and a third one, around midnight: accounting and the statistics of log and
    storage manager.
    """

    def few(qmgr: str) -> list[bytes]:
        records = numbered(intervals(QueueManager(qmgr), START, 4))
        return [each for each in records if each[5] == 116 or int.from_bytes(each[22:24], "big") == 1]

    records = few("MQ01")
    parts = (records[: len(records) * 6 // 10], records[len(records) * 4 // 10 :], few("MQ02"))
    dumps = tuple(root / f"{name}.smf" for name in "abc")
    for path, part in zip(dumps, parts, strict=True):
        path.write_bytes(smf_file(part))
    out = Made(root, dumps)
    code, text = command("ingest", *map(str, dumps), "--into", str(out.dataset), "--jobs", "1")
    if code:
        raise RuntimeError(text)
    return out


def command(*words: str) -> tuple[int, str]:
    """Return code and output of a command."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = run(list(words))
    return code, text.getvalue()


# -------------------------------------------------------------------------------------------------------------- forging


@dataclass
class Forger:
    """One tampering of a copy of the dataset: what changes, and the random numbers."""

    folder: Path
    rng: random.Random
    change: dict[str, Any] = field(
        default_factory=lambda: {"add": (), "retire": (), "sources": (), "drop_sources": (), "dropped": ()}
    )

    @property
    def manifest(self) -> Manifest:
        return open_dataset(self.folder).manifest

    def entry(self, fits: Callable[[FileEntry], bool]) -> FileEntry:
        """A random file."""
        return self.rng.choice([entry for entry in sorted(self.manifest.files, key=lambda e: e.path) if fits(entry)])

    def rows(self, entry: FileEntry) -> pa.Table:
        with pq.ParquetFile(self.folder / entry.path) as file:
            return file.read()

    def replace(
        self, entry: FileEntry, rows: pa.Table, *, path: str = "", adapt: Callable[[bytes], bytes] | None = None
    ) -> None:
        """Forge a file in place of another one, under the name of a merged file."""
        table, name = entry.path.split("/")
        target = path or f"{table}/{name[:10].rstrip('-')}-m{self.rng.randrange(900_000, 999_999)}-000.parquet"
        if name.startswith("undated"):
            target = path or f"{table}/undated-m{self.rng.randrange(900_000, 999_999)}-000.parquet"
        counts = Counter(rows["source_id"].to_pylist())
        file = self.folder / STAGING / target
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, file, compression="zstd")
        if adapt is not None:
            file.write_bytes(adapt(file.read_bytes()))
        added = FileEntry(
            table, target, tuple(sorted(counts.items())), rows.num_rows, file.stat().st_size, checksum(file)
        )
        self.change["add"] += (Staged(file, added),)
        self.remove(entry)

    def remove(self, entry: FileEntry) -> None:
        self.change["retire"] += (entry.path,)

    def source(self, source: SourceEntry, **changed: Any) -> None:
        self.change["sources"] += (dataclasses.replace(source, **changed),)

    def publish(self) -> None:
        """Make the change a step, and delete what is no longer named."""
        change = Change("compact", **self.change)
        steps.Writer(self.folder).publish(self.manifest, change)
        for path in change.retire:
            (self.folder / path).unlink(missing_ok=True)
        shutil.rmtree(self.folder / STAGING, ignore_errors=True)


def _set(rows: pa.Table, name: str, values: list[Any]) -> pa.Table:
    at = rows.schema.get_field_index(name)
    return rows.set_column(at, rows.schema.field(at), pa.array(values, rows.schema.field(at).type))


def _facts(entry: FileEntry) -> bool:
    """Files of tables with the rows of sections."""
    return (
        "section" in {column.name for column in tables()[entry.table][1]}
        and entry.table != "raw_bytes"
        and entry.rows > 1
    )


# ------------------------------------------------------------------------------------------------- classes of tampering


def value(forger: Forger) -> None:
    """Another number in one row."""
    entry = forger.entry(_facts)
    rows = forger.rows(entry)
    measured = {column.name for column in tables()[entry.table][1] if column.kind not in ("key", "clock")}
    name = forger.rng.choice([f.name for f in rows.schema if f.type == pa.int64() and f.name in measured])
    values, at = rows[name].to_pylist(), forger.rng.randrange(rows.num_rows)
    values[at] = (values[at] or 0) + forger.rng.randrange(1, 99)
    forger.replace(entry, _set(rows, name, values))


def row_removed(forger: Forger) -> None:
    entry = forger.entry(_facts)
    rows, at = forger.rows(entry), forger.rng.randrange(entry.rows)
    forger.replace(entry, pa.concat_tables([rows.slice(0, at), rows.slice(at + 1)]))


def row_doubled(forger: Forger) -> None:
    entry = forger.entry(_facts)
    rows = forger.rows(entry)
    forger.replace(entry, pa.concat_tables([rows, rows.slice(forger.rng.randrange(entry.rows), 1)]))


def row_invented(forger: Forger) -> None:
    """One more section of a record that is there."""
    entry = forger.entry(_facts)
    rows = forger.rows(entry)
    more = rows.slice(forger.rng.randrange(entry.rows), 1)
    forger.replace(entry, pa.concat_tables([rows, _set(more, "section", [forger.rng.randrange(500, 600)])]))


def row_of_an_unknown_record(forger: Forger) -> None:
    """A row of a record number that no source has, stated as one of a source."""
    entry = forger.entry(_facts)
    rows, first = forger.rows(entry), first_record_id(forger.manifest.next_source_id)
    more = _set(rows.slice(0, 1), "record_id", [first + forger.rng.randrange(1, 99)])
    forger.replace(entry, pa.concat_tables([rows, more]))


def row_of_a_record_that_was_not_kept(forger: Forger) -> None:
    """A row with the number of a record of another SMF type, which lies in its source but has no row in table
    record.
    """
    entry = forger.entry(_facts)
    rows = forger.rows(entry)
    source = forger.rng.choice(entry.sources)[0]
    known = {
        number
        for e in forger.manifest.files
        if e.table == "record"
        for number in forger.rows(e)["record_id"].to_pylist()
    }
    own = next(s for s in forger.manifest.sources if s.source_id == source)
    free = [n for n in range(own.first_record_id, own.first_record_id + own.records) if n not in known]
    more = _set(_set(rows.slice(0, 1), "record_id", [forger.rng.choice(free)]), "source_id", [source])
    forger.replace(entry, pa.concat_tables([rows, more]))


def row_of_no_source(forger: Forger) -> None:
    entry = forger.entry(_facts)
    rows, number = forger.rows(entry), forger.manifest.next_source_id + forger.rng.randrange(9)
    first = first_record_id(forger.manifest.next_source_id)
    more = _set(_set(rows.slice(0, 1), "source_id", [number]), "record_id", [first])
    known = forger.manifest.sources[0]
    forger.replace(entry, pa.concat_tables([rows, more]))
    if forger.rng.random() < 0.5:  # with an entry of its own, of a dump that nobody has
        ledger = json.loads(json.dumps({**known.ledger}))
        forger.source(
            known, source_id=number, sha256="ab" * 32, name="d.smf", first_record_id=first, records=1, ledger=ledger
        )


def rows_of_another_day(forger: Forger) -> None:
    """A file under the name of another day: queries of the day do not open it."""
    entry = forger.entry(lambda e: _facts(e) and "undated" not in e.path)
    forger.replace(
        entry,
        forger.rows(entry),
        path=f"{entry.table}/2026-06-01-m{forger.rng.randrange(900_000, 999_999)}-000.parquet",
    )


def file_removed(forger: Forger) -> None:
    forger.remove(forger.entry(_facts))


def source_removed(forger: Forger) -> None:
    """An input with all of its rows, from files that have rows of several inputs too."""
    number = forger.rng.choice([source.source_id for source in forger.manifest.sources])
    forger.change["drop_sources"] = (number,)
    for entry in forger.manifest.files:
        if entry.source_ids == {number}:
            forger.remove(entry)
        elif number in entry.source_ids:
            rows = forger.rows(entry)
            forger.replace(entry, rows.filter(pa.compute.not_equal(rows["source_id"], number)))


def _marked(forger: Forger, *, with_hash: bool) -> None:
    """Mark records as duplicates of another one, remove their rows and move them in both ledgers, so that all sums are
    right.
    """
    entry = forger.entry(lambda e: e.table == "record")
    rows = forger.rows(entry)
    outcome, first, hashes = (rows[name].to_pylist() for name in ("outcome", "first_record_id", "record_hash"))
    ids, numbers, sizes = (rows[name].to_pylist() for name in ("record_id", "source_id", "input_bytes"))
    own = [at for at, name in enumerate(outcome) if name == "decoded"]
    target, *victims = forger.rng.sample(own, min(len(own), forger.rng.randrange(2, 12)))
    moved: dict[int, list[int]] = {}
    for at in victims:
        outcome[at], first[at] = "duplicate", ids[target]
        hashes[at] = hashes[target] if with_hash else hashes[at]
        moved.setdefault(numbers[at], []).append(sizes[at])
    for name, values in (("outcome", outcome), ("first_record_id", first), ("record_hash", hashes)):
        rows = _set(rows, name, values)
    forger.replace(entry, rows)
    removed = pa.array([ids[at] for at in victims], pa.int64())
    for other in forger.manifest.files:
        if _facts(other) or (other.rows == 1 and "section" in {c.name for c in tables()[other.table][1]}):
            content = forger.rows(other)
            kept = content.filter(pa.compute.invert(pa.compute.is_in(content["record_id"], removed)))
            if 0 < kept.num_rows < content.num_rows:
                forger.replace(other, kept)
            elif not kept.num_rows:
                forger.remove(other)
    ledgers = {}
    for source in forger.manifest.sources:
        sizes_of = moved.get(source.source_id)
        if sizes_of:
            ledgers[source.source_id] = _shifted(source.ledger, len(sizes_of), sum(sizes_of))
            forger.source(source, ledger=ledgers[source.source_id])
    _restate(forger, ledgers)


def _shifted(ledger: Mapping[str, Any], records: int, size: int, to: str = "duplicate") -> dict[str, Any]:
    """A ledger with decoded records moved to another class."""
    out: dict[str, Any] = json.loads(json.dumps({**ledger}))
    for side, amount in (("records", records), ("bytes", size)):
        out[side]["decoded"] -= amount
        out[side][to] += amount
    return out


def _restate(forger: Forger, ledgers: Mapping[int, Mapping[str, Any]]) -> None:
    """Write the counts of ledgers into table source."""
    for entry in forger.manifest.files:
        if entry.table == "source" and entry.source_ids & ledgers.keys():
            rows = forger.rows(entry)
            for side in ("bytes", "records"):
                for name in ("decoded", "duplicate", "raw"):
                    values = rows[f"{side}_{name}"].to_pylist()
                    for at, number in enumerate(rows["source_id"].to_pylist()):
                        values[at] = ledgers[number][side][name] if number in ledgers else values[at]
                    rows = _set(rows, f"{side}_{name}", values)
            forger.replace(entry, rows)


def marked_as_duplicates(forger: Forger) -> None:
    """Records are duplicates of an unrelated one, and their rows are gone."""
    _marked(forger, with_hash=False)


def marked_as_duplicates_with_its_hash(forger: Forger) -> None:
    _marked(forger, with_hash=True)


def counts_of_a_source(forger: Forger) -> None:
    """Another count in table source."""
    entry = forger.entry(lambda e: e.table == "source")
    rows, name = (
        forger.rows(entry),
        forger.rng.choice(["records_decoded", "bytes_decoded", "records_duplicate", "bytes_raw"]),
    )
    values = rows[name].to_pylist()
    values[forger.rng.randrange(len(values))] += forger.rng.randrange(1, 9)
    forger.replace(entry, _set(rows, name, values))


def ledger(forger: Forger) -> None:
    """Records are raw in the ledger, of the manifest and in half of the cases of table source too."""
    source = forger.rng.choice(forger.manifest.sources)
    changed = _shifted(source.ledger, 1, 900, "raw")
    forger.source(source, ledger=changed)
    if forger.rng.random() < 0.5:
        _restate(forger, {source.source_id: changed})


def statistics(forger: Forger) -> None:
    """The highest record number of a row group is lower: engines skip its last rows."""
    entry = forger.entry(_facts)
    rows = forger.rows(entry)
    high = max(rows["record_id"].to_pylist())

    def adapt(data: bytes) -> bytes:
        start = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
        old, new = (struct.pack("<q", number) for number in (high, high - 1))
        footer = data[start:].replace(old, new)
        if footer == data[start:]:
            raise RuntimeError("the statistics are not in the footer")
        return data[:start] + footer

    forger.replace(entry, rows, adapt=adapt)


CLASSES: tuple[Callable[[Forger], None], ...] = (
    value, row_removed, row_doubled, row_invented, row_of_an_unknown_record, row_of_a_record_that_was_not_kept, row_of_no_source,
    rows_of_another_day, file_removed, source_removed, marked_as_duplicates, marked_as_duplicates_with_its_hash, counts_of_a_source, ledger,
    statistics,
)  # fmt: skip
"""Changes of rows, values and what is stated about them: found by a comparison with the dumps."""

# ------------------------------------------------------------------------------------------------------------- campaign


@dataclass
class Result:
    """What was tried, and what was not found."""

    tried: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    by_plain: Counter[str] = field(default_factory=Counter)
    """Found by `verify` alone: it is not as well formed as it could be."""
    by_rows: Counter[str] = field(default_factory=Counter)
    """Found by `verify --rows` alone, without dumps."""


def tamper(sample: Made, work: Path, number: int, seed: int, out: Result) -> None:
    """Try one tampering."""
    kind = CLASSES[number % len(CLASSES)]
    name = f"{number} {kind.__name__}"
    folder = Path(shutil.copytree(sample.dataset, work / "set"))
    forger = Forger(folder, random.Random(f"{seed}/{number}"))
    kind(forger)
    forger.publish()
    out.tried[kind.__name__] += 1
    against = [word for path in sample.dumps for word in ("--against", str(path))]
    words = ["verify", str(folder), "--jobs", "1"]
    out.by_plain[kind.__name__] += command(*words)[0] > 0
    out.by_rows[kind.__name__] += command(*words, "--rows")[0] > 0
    code, output = command(*words, *against)
    if not code:
        out.missed.append(f"{name}: equal to the dumps: {output}")
    shutil.rmtree(folder)


def campaign(sample: Made, count: int, seed: int, first: int = 0) -> Result:
    """Try many tamperings, class by class."""
    out = Result()
    with tempfile.TemporaryDirectory() as work:
        for number in range(first, first + count):
            tamper(sample, Path(work), number, seed, out)
    return out
