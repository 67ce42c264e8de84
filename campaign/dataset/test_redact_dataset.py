"""mqstat redact of a dataset: the pseudonyms of its dumps, the same figures and findings, and no name in any of its files."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from mqstat.base.errors import DatasetError
from mqstat.cli import run
from mqstat.dataset import log
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.sql import database
from tests.fault_points import copied, hooked
from tests.support import POSITION, Tables, file_of, invoke, small_dump, tables_in
from tests.test_redact import (
    KEY,
    apart,
    figures,
    findings,
    is_public,
    names_of,
    real_dumps,
    redacted,
    systems_of,
    tokens_left,
    tokens_of,
)

FIRST, LAST = dt.date(2026, 3, 20), dt.date(2026, 5, 21)


def ingested(folder: Path, *dumps: Path) -> Path:
    assert invoke("ingest", *dumps, "--into", folder).returncode in (0, 4)
    return folder


def compacted(folder: Path) -> Path:
    assert invoke("compact", folder).returncode == 0
    return folder


def redact(folder: Path, into: Path, *options: str) -> Path:
    (into.parent / "key").write_bytes(KEY)
    done = invoke("redact", folder, "--into", into, "--key-file", into.parent / "key", *options)
    assert done.returncode == 0, done.stderr
    assert verify(into).problems == []
    return into


def tables(folder: Path) -> Tables:
    """All tables, in the order of their rows."""
    out = {}
    for name, table in tables_in(open_dataset(folder).files).items():
        order = [(c, "ascending") for c in ("source_id", "record_id", "section") if c in table.column_names]
        out[name] = table.sort_by(order)
    return out


def contents(folder: Path) -> bytes:
    """All bytes of a folder: as they are on the disk, and each text and each row of bytes of the Parquet files without compression, once."""
    parts = []
    values: set[str | bytes] = set()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            parts += [path.relative_to(folder).as_posix().encode(), path.read_bytes()]
        if path.suffix == ".parquet":
            with pq.ParquetFile(path) as file:
                table = file.read()
            for column in table.columns:
                if not (pa.types.is_primitive(column.type)):
                    values |= {each for each in column.unique().to_pylist() if isinstance(each, str | bytes)}
    return b"\n".join([*parts, *(each.encode() if isinstance(each, str) else each for each in values)])


@lru_cache(maxsize=1)
def digits_of(content: bytes) -> bytes:
    """The hexadecimal digits of some bytes: digits are searched where digits are, which is a small part of the content."""
    return b" ".join(re.findall(rb"[0-9A-F]{6,}", content.upper()))


def left(names: Iterable[str], content: bytes) -> list[str]:
    """The names that are in some bytes: as text, in EBCDIC, or as hexadecimal digits of either."""
    digits = digits_of(content)
    return [
        name
        for name in sorted(names)
        if any(
            text in content or text.hex().upper().encode() in digits for text in (name.encode(), name.encode("cp037"))
        )
    ]


def assert_same_names(of_dump: Tables, of_dataset: Tables) -> None:
    """All columns of both are equal but those about positions, and bytes that a redacted dump keeps of unknown records."""
    for name, table in of_dump.items():
        if name in ("source", "damage", "other_record"):
            continue
        if "record_id" not in table.column_names:  # counts are in the order of the names
            both = (
                Counter(map(repr, each.drop_columns(["source_id"]).to_pylist())) for each in (table, of_dataset[name])
            )
            assert next(both) == next(both), name
            continue
        for column in table.column_names:
            if column not in (*POSITION, "record_hash", "content"):
                assert table[column].to_pylist() == of_dataset[name][column].to_pylist(), (name, column)


def of_source(all_tables: Tables, number: int) -> Tables:
    """The rows of one input."""
    own = {name: table.filter(pc.field("source_id") == number) for name, table in all_tables.items()}
    return {name: table for name, table in own.items() if table.num_rows}


def test_dumps_are_the_same_without_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The redacted dataset of dumps has the names of the redacted dumps, the same figures, and none of the names; dumps and datasets have the same findings, with and without names.

    All scenarios and, if available, all real dumps are in one dataset because judging takes seconds, whatever the size.
    """
    monkeypatch.setattr(database, "SMALL", 8 << 20)  # rules are counted together, in a third of the time
    dumps = [*apart(tmp_path), *real_dumps()]
    made = compacted(ingested(tmp_path / "set", *dumps))
    into = redact(made, tmp_path / "shared")
    before, after = tables(made), tables(into)
    shared = [redacted(dump, tmp_path) for dump in dumps]
    of_dumps = tables(ingested(tmp_path / "of-dumps", *shared))
    assert_same_names(of_dumps, after)
    mine, other = figures(before), figures(after)
    assert [column for column in mine if mine[column] != other[column]] == []
    content, systems = contents(into), systems_of(before)
    names: set[str] = set()
    inputs = open_dataset(made).manifest.sources
    assert len(inputs) == len(dumps)
    for source in inputs:
        own = of_source(before, source.source_id)
        names |= {each for each in names_of(own) if not is_public(each, systems)}
        assert tokens_left(tokens_of(own), own, content) == []
        names |= {source.name, source.sha256}
    assert left(names, content) == []
    found = findings("--from", made)
    assert findings("--from", into) == found
    assert findings(*shared) == found
    judged = {key[-2:] for key in found if key[-1]}
    for source in inputs:
        own = of_source(before, source.source_id)["record"]
        assert {*zip(own["lpar"].to_pylist(), own["qmgr"].to_pylist(), strict=True)} & judged, source.name


def test_names_of_systems_are_those_of_the_redacted_dump(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["rich_estate"].build(), tmp_path)
    into = redact(ingested(tmp_path / "set", dump), tmp_path / "shared", "--systems")
    assert_same_names(tables(ingested(tmp_path / "of-dump", redacted(dump, tmp_path, "--systems"))), tables(into))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of overlapping dumps after a retention with hourly sums, with merged files; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    hours = {day: intervals(QueueManager("MQ01", "SYS1"), dt.datetime.combine(day, dt.time(8)), 2) for day in (FIRST, LAST)}  # fmt: skip
    file_of(smf_file(hours[FIRST]), folder, "PAYROLL.ONE.smf")
    file_of(smf_file(hours[FIRST] + hours[LAST]), folder, "PAYROLL.TWO.smf")
    for name in ("PAYROLL.ONE.smf", "PAYROLL.TWO.smf"):
        assert run(["ingest", str(folder / name), "--into", str(folder / "set")]) == 0
    for keep in ("--retention", "116=30d"), ("--before", "2000-01-01"):
        assert run(["prune", str(folder / "set"), *keep]) == 0
    assert run(["compact", str(folder / "set")]) == 0
    return folder / "set"


def test_duplicates_dropped_classes_and_hourly_sums_remain(made: Path, tmp_path: Path) -> None:
    into = redact(made, tmp_path / "shared", "--systems")
    before, after = open_dataset(made).manifest, open_dataset(into).manifest
    assert after.dropped == before.dropped
    assert len(after.hourly) == len(before.hourly) > 0
    assert len(after.files) == len(before.files)
    records = [tables(folder)["record"] for folder in (made, into)]
    assert records[0]["first_record_id"].null_count < len(records[0])
    for column in ("first_record_id", "outcome", "record_id"):
        assert records[0][column].to_pylist() == records[1][column].to_pylist()
    hashes = [[*map(bytes, table["record_hash"].to_pylist())] for table in records]
    assert not {*hashes[0]} & {*hashes[1]}
    pairs = [[own.index(each) for each in own] for own in hashes]
    assert pairs[0] == pairs[1], "equal hashes stay equal"
    assert [source.ledger for source in after.sources] == [source.ledger for source in before.sources]
    names = [tables(folder)["wq"]["base_name"].to_pylist() for folder in (made, into)]
    queues = dict(zip(*names, strict=True))
    sums = [pq.read_table(next((folder / "rollup" / "queue_use").iterdir())) for folder in (made, into)]
    assert [queues[name] for name in sums[0]["base_name"].to_pylist()] == sums[1]["base_name"].to_pylist()
    assert sums[0]["rows"].to_pylist() == sums[1]["rows"].to_pylist()
    assert left({"PAYROLL", "MQ01", "SYS1", *(n for n in queues if not n.startswith("SYSTEM."))}, contents(into)) == []
    for name in (log.NAME, log.HEAD):
        (into / name).unlink()
    assert run(["verify", "--rebuild", str(into)]) == 0
    rebuilt = open_dataset(into).manifest
    assert rebuilt.sources == after.sources
    assert sorted(entry.path for entry in rebuilt.files) == sorted(entry.path for entry in after.files)


def test_the_files_are_the_same_each_time(made: Path, tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        into = redact(made, tmp_path / name / "set")
        files.append({path.relative_to(into): path.read_bytes() for path in into.rglob("*.parquet")})
    assert files[0] == files[1]


def test_systems_are_kept_in_selections_unless_asked_for(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["pool_low"].build(), tmp_path)
    (qmgr,) = {*tables(ingested(tmp_path / "all", dump))["record"]["qmgr"].to_pylist()}
    assert run(["ingest", str(dump), "--into", str(tmp_path / "set"), "--qmgr", qmgr]) == 0
    assert open_dataset(redact(tmp_path / "set", tmp_path / "1")).manifest.sources[0].selection["qmgr"] == [qmgr]
    into = redact(tmp_path / "set", tmp_path / "2", "--systems")
    assert open_dataset(into).manifest.sources[0].selection["qmgr"] != [qmgr]
    assert left([qmgr], contents(into)) == []


def test_a_killed_run_leaves_no_data(tmp_path: Path) -> None:
    """The new dataset has no inputs until it is complete, and the next run completes it; what a killed run leaves is what one of its calls finds."""
    made = ingested(tmp_path / "set", file_of(small_dump(), tmp_path))
    whole = tmp_path / "count"

    def keep(number: int) -> None:
        if whole.exists():
            copied(whole, tmp_path / str(number))

    with pytest.MonkeyPatch.context() as patch:
        names = hooked(patch, keep)
        redact(made, whole)
    calls = len(names)
    sources = open_dataset(whole).manifest.sources
    states = set()
    for number in sorted({1, 2, 3, calls // 4, calls // 2, calls - 12, *range(calls - 8, calls + 1, 2)}):
        into = tmp_path / str(number)
        try:
            present = open_dataset(into).manifest.sources
        except DatasetError:
            present = []
            states.add("no dataset")
        else:
            assert present in ([], sources)
            assert verify(into).problems == []
            states.add("whole" if present else "empty")
        if not present:
            assert invoke("report", "--from", into).returncode != 0
            redact(made, into)
        assert verify(into).problems == []
        assert {f.sha256 for f in open_dataset(into).manifest.files} == {f.sha256 for f in open_dataset(whole).manifest.files}  # fmt: skip
    assert states >= {"no dataset", "empty"}


def test_what_cannot_be_redacted_is_refused(tmp_path: Path) -> None:
    made = ingested(tmp_path / "set", file_of(small_dump(), tmp_path))
    other = ingested(tmp_path / "other", tmp_path / "dump.smf")
    for arguments, words in (
        ((made, "--into", made), "is inside"),
        ((made, "--into", made / "shared"), "is inside"),
        ((made, "--into", tmp_path), "contains it"),
        ((made, "--into", other), "is a dataset with data"),
        ((made, "--into", tmp_path / "dump.smf"), "is a file"),
        ((made, "--into", tmp_path / "new", "--framing", "rdw"), "--framing does not apply"),
    ):
        done = invoke("redact", *arguments)
        assert (done.returncode, words in done.stderr) == (16, True), done.stderr
    path = next((made / "qwac").iterdir())
    table = pq.ParquetFile(path).read()
    pq.write_table(table.set_column(0, "source_id", pa.array([9] * len(table))), path)
    done = invoke("redact", made, "--into", tmp_path / "new")
    assert (done.returncode, "nothing was redacted" in done.stderr) == (16, True), done.stderr
    with pytest.raises(DatasetError):
        open_dataset(tmp_path / "new")
