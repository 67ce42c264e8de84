"""An insider changes a dataset so that all hashes, the chain and the head fit; `campaign/test_tamper.py` tries each way.

Each tampering is written by the product's own functions, so it is well formed: appended as one more publish, in a log that was written again from its first
line or from the changed line on, or in one that was folded after it. `verify --public-key` must return above 0 for each, because the insider has no key;
`verify --against` the dumps, without any key, must find each that changes rows or values. An insider who has the key signs the result: then the signature
is valid, and the comparison with the dumps must still find them.
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
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from mqstat.cli import run
from mqstat.dataset import log
from mqstat.dataset.description import KEY
from mqstat.dataset.manifest import Change, DroppedClass, FileEntry, Manifest, SourceEntry
from mqstat.dataset.publishing import checksum
from mqstat.dataset.store import open_dataset
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.numbers import numbered
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.parsers.tables import tables

START = dt.datetime(2026, 5, 21, 22, 30)
WAYS = ("appended", "written again", "written again from a line on", "folded")


@dataclass(frozen=True)
class Made:
    """A signed dataset of overlapping dumps, not to be changed; the dumps, and the keys."""

    root: Path
    dumps: tuple[Path, ...]

    @property
    def dataset(self) -> Path:
        return self.root / "set"

    @property
    def key(self) -> Path:
        return self.root / "key.pem"

    @property
    def public(self) -> Path:
        return self.root / "pub.pem"


def made(root: Path) -> Made:
    """Two dumps that have records in common, and a third one, around midnight: accounting and the statistics of log and storage manager."""

    def few(qmgr: str) -> list[bytes]:
        records = numbered(intervals(QueueManager(qmgr), START, 4))
        return [each for each in records if each[5] == 116 or int.from_bytes(each[22:24], "big") == 1]

    records = few("MQ01")
    parts = (records[: len(records) * 6 // 10], records[len(records) * 4 // 10 :], few("MQ02"))
    dumps = tuple(root / f"{name}.smf" for name in "abc")
    for path, part in zip(dumps, parts, strict=True):
        path.write_bytes(smf_file(part))
    out = Made(root, dumps)
    key = Ed25519PrivateKey.generate()
    out.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    out.key.chmod(0o600)
    out.public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    code, text = command("ingest", *map(str, dumps), "--into", str(out.dataset), "--jobs", "1")
    code_signed, signed = command("sign", str(out.dataset), "--key", str(out.key))
    if code or code_signed:
        raise RuntimeError(text + signed)
    return out


def command(*words: str) -> tuple[int, str]:
    """Return code and output of a command."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = run(list(words))
    return code, text.getvalue()


# ------------------------------------------------------------------------------------------------------------------ forging


@dataclass
class Forger:
    """One tampering of a copy of the dataset: what changes, and the random numbers."""

    folder: Path
    rng: random.Random
    way: str
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
        pq.write_table(rows, self.folder / target, compression="zstd")
        if adapt is not None:
            (self.folder / target).write_bytes(adapt((self.folder / target).read_bytes()))
        counts = Counter(rows["source_id"].to_pylist())
        file = self.folder / target
        added = FileEntry(
            table, target, tuple(sorted(counts.items())), rows.num_rows, file.stat().st_size, checksum(file)
        )
        self.change["add"] += (added,)
        self.remove(entry)

    def remove(self, entry: FileEntry) -> None:
        self.change["retire"] += (entry.path,)

    def source(self, source: SourceEntry, **changed: Any) -> None:
        self.change["sources"] += (dataclasses.replace(source, **changed),)

    def publish(self) -> None:
        """Write the log so that everything fits, and delete what is no longer named."""
        before, change = self.manifest, Change("compact", **self.change)
        if self.way in ("appended", "folded"):
            after = log.append(self.folder, before, change)
            if self.way == "folded":
                log.fold(self.folder, after)
        else:
            after = before.after([change])
            changes = [
                Change(
                    "ingest",
                    add=(*after.files, *after.hourly),
                    sources=tuple(after.sources),
                    dropped=tuple(after.dropped),
                )
            ]
            kept = (self.folder / log.NAME).read_bytes().splitlines(keepends=True)[:1]
            log.begin(self.folder, [Change("create"), *changes], before.generation - 1)
            if self.way == "written again from a line on":  # the first line, which identifies the dataset, stays
                replay = log.Replay()
                replay.take(kept[0][:-1])
                (self.folder / log.NAME).write_bytes(kept[0])
                log.append(self.folder, replay.manifest, changes[0])
        for path in change.retire:
            (self.folder / path).unlink(missing_ok=True)


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


# -------------------------------------------------------------------------------------------------------- classes of tampering


def value(forger: Forger) -> None:
    """Another number in one row."""
    entry = forger.entry(_facts)
    rows = forger.rows(entry)
    measured = {column.name for column in tables()[entry.table][1] if column.kind not in ("key", "clock")}
    name = forger.rng.choice([f.name for f in rows.schema if f.type == pa.int64() and f.name in measured])
    values, at = rows[name].to_pylist(), forger.rng.randrange(rows.num_rows)
    values[at] = (values[at] or 0) + forger.rng.randrange(1, 99)
    forger.replace(entry, _set(rows, name, values))


def text(forger: Forger) -> None:
    """Another queue manager or system in one row."""
    entry = forger.entry(_facts)
    rows, name = forger.rows(entry), forger.rng.choice(["qmgr", "lpar"])
    values = rows[name].to_pylist()
    values[forger.rng.randrange(len(values))] = "MQ99"
    forger.replace(entry, _set(rows, name, values))


def time(forger: Forger) -> None:
    """Another start of an interval in one row."""
    entry = forger.entry(_facts)
    rows = forger.rows(entry)
    values = rows["interval_start_utc"].to_pylist()
    at = forger.rng.randrange(len(values))
    values[at] = (values[at] or START) - dt.timedelta(seconds=forger.rng.randrange(1, 900))
    forger.replace(entry, _set(rows, "interval_start_utc", values))


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
    rows, first = forger.rows(entry), forger.manifest.next_record_id
    more = _set(rows.slice(0, 1), "record_id", [first + forger.rng.randrange(1, 99)])
    forger.replace(entry, pa.concat_tables([rows, more]))


def row_of_a_record_that_was_not_kept(forger: Forger) -> None:
    """A row with the number of a record of another SMF type, which lies in its source but has no row in table record."""
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
    first = forger.manifest.next_record_id
    more = _set(_set(rows.slice(0, 1), "source_id", [number]), "record_id", [first])
    known = forger.manifest.sources[0]
    forger.replace(entry, pa.concat_tables([rows, more]))
    if forger.rng.random() < 0.5:  # with an entry of its own, of a dump that nobody has
        ledger = json.loads(json.dumps(known.ledger))
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
    """Mark records as duplicates of another one, remove their rows and move them in both ledgers, so that all sums are right."""
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
    out: dict[str, Any] = json.loads(json.dumps(ledger))
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


def unit(forger: Forger) -> None:
    """Another unit in the description of a column; in half of the cases as if another version had written it."""
    entry = forger.entry(lambda e: e.table in tables())
    rows = forger.rows(entry)
    stated = json.loads(rows.schema.metadata[KEY.encode()])
    name = forger.rng.choice(
        [name for name, what in stated["columns"].items() if what[0] in ("us", "bytes", "count", "text", "id")]
    )
    stated["columns"][name][0] = "ms"
    if forger.rng.random() < 0.5:
        stated["tool_version"] = "0.1"
    forger.replace(
        entry, rows.replace_schema_metadata({**rows.schema.metadata, KEY.encode(): json.dumps(stated).encode()})
    )


def retention(forger: Forger) -> None:
    """Accounting of a day is gone, and stated to have been dropped by a retention: without a key nothing contradicts it."""
    day = forger.rng.choice(["2026-05-21", "2026-05-22"])
    from mqstat.dataset.classes import class_of

    accounting = [e for e in forger.manifest.files if class_of(e.table) == "116" and day in e.path]
    for entry in accounting:
        forger.remove(entry)
    forger.change["dropped"] = (DroppedClass("116", day, "2026-06-01"),)


def input_renamed(forger: Forger) -> None:
    """Another name of an input, in the manifest and in table source: a dump may have any name."""
    source = forger.rng.choice(forger.manifest.sources)
    forger.source(source, name="other.smf")
    for entry in forger.manifest.files:
        if entry.table == "source" and source.source_id in entry.source_ids:
            rows = forger.rows(entry)
            names = rows["source_name"].to_pylist()
            names[rows["source_id"].to_pylist().index(source.source_id)] = "other.smf"
            forger.replace(entry, _set(rows, "source_name", names))


OF_ROWS: tuple[Callable[[Forger], None], ...] = (
    value, text, time, row_removed, row_doubled, row_invented, row_of_an_unknown_record, row_of_a_record_that_was_not_kept, row_of_no_source,
    rows_of_another_day, file_removed, source_removed, marked_as_duplicates, marked_as_duplicates_with_its_hash, counts_of_a_source, ledger, statistics, unit,
)  # fmt: skip
"""Changes of rows, values and what is stated about them: found by a comparison with the dumps."""

OF_STATEMENTS: tuple[Callable[[Forger], None], ...] = (retention, input_renamed)
"""Changes that no dump contradicts: only the signature finds them."""

CLASSES = (*OF_ROWS, *OF_STATEMENTS)


# ------------------------------------------------------------------------------------------------------------------ campaign


@dataclass
class Result:
    """What was tried, and what was not found."""

    tried: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    by_plain: Counter[str] = field(default_factory=Counter)
    """Found by `verify` alone: it is not as well formed as it could be."""
    by_rows: Counter[str] = field(default_factory=Counter)
    """Found by `verify --rows` alone, without dumps and key."""
    by_dumps: int = 0
    by_key: int = 0


def tamper(sample: Made, work: Path, number: int, seed: int, out: Result) -> None:
    """Try one tampering."""
    kind, way = CLASSES[number % len(CLASSES)], WAYS[(number + number // len(CLASSES)) % len(WAYS)]
    name = f"{number} {kind.__name__}, {way}"
    folder = Path(shutil.copytree(sample.dataset, work / "set"))
    forger = Forger(folder, random.Random(f"{seed}/{number}"), way)
    kind(forger)
    forger.publish()
    out.tried[kind.__name__] += 1
    against = [word for path in sample.dumps for word in ("--against", str(path))]
    words = ["verify", str(folder), "--jobs", "1"]
    for plain in (log.NAME, log.HEAD):
        if not (folder / plain).exists():
            raise RuntimeError(f"{name}: it has no {plain}, so it is not well formed")
    out.by_plain[kind.__name__] += command(*words)[0] > 0
    code, output = command(*words, "--public-key", str(sample.public))
    out.by_key += code > 0
    if not code:
        out.missed.append(f"{name}: accepted with the public key: {output}")
    if kind in OF_ROWS:
        out.by_rows[kind.__name__] += command(*words, "--rows")[0] > 0
        code, output = command(*words, *against)
        out.by_dumps += code > 0
        if not code:
            out.missed.append(f"{name}: equal to the dumps: {output}")
    # An insider with the key: the signature is valid, so that only the dumps contradict.
    signed, output = command("sign", str(folder), "--key", str(sample.key))
    if signed:
        raise RuntimeError(f"{name}: it is not well formed: {output}")
    shutil.rmtree(folder)


def campaign(sample: Made, count: int, seed: int, first: int = 0) -> Result:
    """Try many tamperings, class by class."""
    out = Result()
    with tempfile.TemporaryDirectory() as work:
        for number in range(first, first + count):
            tamper(sample, Path(work), number, seed, out)
    return out
