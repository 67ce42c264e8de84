"""A dataset compared with the dumps that it was made from: `mqstat verify DIR --against DUMP`."""

from __future__ import annotations

import datetime as dt
import gzip
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqstat.cli import run as command
from mqstat.dataset import steps
from mqstat.dataset.classes import class_of
from mqstat.dataset.manifest import Change
from mqstat.dataset.prune import prune
from mqstat.dataset.store import Opened, day_of, open_dataset
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.numbers import numbered
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.parsers.tables import tables as all_tables

START = dt.datetime(2026, 5, 21, 22, 30)


def dump(qmgr: str = "MQ01", number: int = 4) -> bytes:
    """Two hours around midnight with statistics and accounting."""
    return smf_file(intervals(QueueManager(qmgr), START, number))


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A dataset of two dumps, the second compressed and truncated; its folder and the dumps."""
    root = tmp_path_factory.mktemp("against")
    first, second = root / "a.smf", root / "b.smf.gz"
    first.write_bytes(dump())
    second.write_bytes(gzip.compress(dump("MQ02")[:-100]))
    command(["ingest", str(first), str(second), "--into", str(root / "data"), "--jobs", "1"])
    return root / "data", first, second


def verify(capsys: pytest.CaptureFixture[str], folder: Path, *dumps: Path) -> tuple[int, list[str]]:
    """Return code and lines of `verify --against`, without the line of `verify` itself."""
    capsys.readouterr()
    code = command(
        ["verify", str(folder), *(word for dump in dumps for word in ("--against", str(dump))), "--jobs", "1"]
    )
    captured = capsys.readouterr()
    lines = (captured.out + captured.err).splitlines()
    return code, [line for line in lines if not re.match(r"\d+ sources?, |remark: |problem: ", line)]


def files_of(opened: Opened, table: str) -> list[Path]:
    return [opened.folder / entry.path for entry in opened.manifest.files if entry.table == table]


def copied(folder: Path, target: Path) -> Opened:
    """A copy of a dataset that can be changed."""
    shutil.copytree(folder, target)
    return open_dataset(target)


def change(path: Path, changed: Callable[[pa.Table], pa.Table]) -> None:
    """Rewrite a file of a dataset with other rows."""
    file = pq.ParquetFile(path)
    table = file.read()
    file.close()
    pq.write_table(changed(table), path)


def test_a_dataset_equals_its_dumps(
    made: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every table is compared, also under another name of the dump, and the damage is that of the ledger."""
    folder, first, second = made
    renamed = tmp_path / "renamed.smf"
    renamed.write_bytes(first.read_bytes())
    code, lines = verify(capsys, folder, renamed, second)
    assert code == 0, lines
    opened = open_dataset(folder)
    rows = dict.fromkeys((1, 2), 0)
    names: dict[int, set[str]] = {1: set(), 2: set()}
    for entry in opened.manifest.files:
        for number in pq.read_table(opened.folder / entry.path, columns=["source_id"], partitioning=None)[
            "source_id"
        ].to_pylist():
            rows[number] += 1
            names[number].add(entry.table)
    assert (
        f"renamed.smf: source 1: equal ({opened.manifest.sources[0].records} records, {rows[1]:,} rows in {len(names[1])} tables)."
        in lines
    )
    damaged = opened.manifest.sources[1].ledger["records"]["damaged"]
    assert damaged
    assert f"{rows[2]:,} rows in {len(names[2])} tables; {damaged} damaged record" in lines[1]


def test_every_changed_value_is_named(
    made: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One value of one row is changed in every table with measurements: each is counted, and the first are listed with
    both values.
    """
    folder, first, _ = made
    opened = copied(folder, tmp_path / "data")
    tables, known = 0, all_tables()
    for table in sorted(opened.files):
        path = min(files_of(opened, table))
        rows = pq.ParquetFile(path).read()
        measured = {column.name for column in known[table][1] if column.kind not in ("key", "clock")}
        numbers = [field.name for field in rows.schema if field.type == pa.int64() and field.name in measured]
        first_rows = [i for i, number in enumerate(rows["source_id"].to_pylist()) if number == 1]
        if not numbers or not first_rows:
            continue
        name, row = numbers[-1], first_rows[-1]
        values = rows[name].to_pylist()
        values[row] = (values[row] or 0) + 1
        column = rows.schema.get_field_index(name)
        pq.write_table(rows.set_column(column, rows.schema.field(column), pa.array(values, pa.int64())), path)
        tables += 1
    assert tables > 25
    code, lines = verify(capsys, tmp_path / "data", first)
    assert code == 12, "verify itself sees changed files"
    assert f"source 1: {tables:,} rows differ" in lines[-1]
    pattern = r"difference: \w+: (record \d+\.\d+ at offset [\d,]+|counts of source 1).*: \w+ is \S+ in the dataset, \S+ in the dump\."
    assert len(lines) == 11
    for line in lines[:10]:
        assert re.fullmatch(pattern, line), line


def test_rows_that_are_missing_or_too_many(
    made: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, first, second = made
    opened = copied(folder, tmp_path / "data")
    path = min(files_of(opened, "qpst"))
    offset = (
        pq.ParquetFile(min(files_of(opened, "record"))).read(["record_id", "source_offset", "record_class"]).to_pylist()
    )
    change(path, lambda rows: pa.concat_tables([rows.slice(1), rows.slice(5, 1), rows.slice(5, 1)]))
    code, lines = verify(capsys, tmp_path / "data", first)
    assert code == 12
    assert lines[-1].startswith("a.smf: source 1: 1 rows are missing, 2 rows are not in the dump (")
    known = next(row for row in offset if row["record_class"] == "115.215")
    assert (
        f"difference: qpst: record 115.215 at offset {known['source_offset']:,}, section 0, pool_id 0: the row is missing in the dataset."
        in lines
    )
    assert len([line for line in lines if "the row is not in the dump." in line]) == 2
    assert ": equal (" in verify(capsys, tmp_path / "data", second)[1][-1], "rows of other sources do not matter"


def test_the_comparison_alone_has_return_code_8(
    made: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column that was zeroed by somebody who also changed the checksum in the manifest."""
    import mqstat.dataset.verification

    folder, first, _ = made
    opened = copied(folder, tmp_path / "data")
    for path in files_of(opened, "qjst"):
        change(
            path,
            lambda rows: rows.set_column(
                rows.schema.get_field_index("section"), "section", pa.array([7] * rows.num_rows, pa.int64())
            ),
        )
    sound = mqstat.dataset.verification.Verification()
    monkeypatch.setattr(mqstat.dataset.verification, "verify", lambda *_, **__: sound)
    code, lines = verify(capsys, tmp_path / "data", first)
    assert code == 8
    assert " rows are missing, " in lines[-1]
    assert " rows are not in the dump (" in lines[-1]


def test_what_is_not_a_source(
    made: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, first, _ = made
    (tmp_path / "longer.smf").write_bytes(first.read_bytes() + dump("MQ03", 1))
    (tmp_path / "notes.txt").write_text("not a dump\n" * 50)
    for name in ("longer.smf", "notes.txt"):
        code, lines = verify(capsys, folder, tmp_path / name)
        assert code == 12
        assert lines[-1].startswith(f"{name}: is not a source of {folder}: no source has its content (SHA-256 ")
    assert verify(capsys, folder, tmp_path / "none")[1][-1].count("none") == 1
    assert verify(capsys, folder, tmp_path / "longer.smf", first)[0] == 12
    code, lines = verify(capsys, folder, tmp_path / "nowhere.smf")
    assert code in (12, 16)
    assert len(lines) == 1


def test_days_that_were_dropped_are_listed(
    made: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dropped day is not missing; when all days are gone, so are the counts over the source."""
    folder, first, _ = made
    copied(folder, tmp_path / "data")
    prune(tmp_path / "data", START.date() + dt.timedelta(days=1))
    code, lines = verify(capsys, tmp_path / "data", first)
    assert code == 0, lines
    assert "equal (" in lines[-1]
    assert f"not compared because they were dropped: {START.date()})." in lines[-1]
    prune(tmp_path / "data", START.date() + dt.timedelta(days=30))
    code, lines = verify(capsys, tmp_path / "data", first)
    assert code == 0, lines
    assert "0 rows in 0 tables; not compared because they were dropped: 2026-05-21, 2026-05-22" in lines[-1]


def test_a_class_that_no_retention_dropped_is_missing(
    made: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All accounting of a day was removed in a step, so that everything fits."""
    folder, first, _ = made
    opened = copied(folder, tmp_path / "data")
    removed = [e for e in opened.manifest.files if class_of(e.table) == "116" and day_of(e) == START.date()]
    change = Change("compact", retire=tuple(entry.path for entry in removed))
    steps.Writer(tmp_path / "data").publish(opened.manifest, change)
    assert command(["verify", str(tmp_path / "data")]) == 0
    code, lines = verify(capsys, tmp_path / "data", first)
    assert code == 8
    assert " rows are missing (" in lines[-1]
    assert "was dropped" not in lines[-1]


def test_the_selection_of_the_source_is_that_of_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.smf").write_bytes(dump() + dump("MQ02"))
    words = [
        "--only",
        "115",
        "--qmgr",
        "MQ02",
        "--since",
        "2026-05-21T23:00",
        "--until",
        "2026-05-22",
        "--lpar",
        "SYS1",
    ]
    assert command(["ingest", str(tmp_path / "a.smf"), "--into", str(tmp_path / "data"), "--jobs", "1", *words]) == 0
    code, lines = verify(capsys, tmp_path / "data", tmp_path / "a.smf")
    assert code == 0, lines


def test_duplicates_are_those_of_the_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Overlapping dumps, and a dump that has everything twice: rows exist once, and each dump equals what the dataset
    has of it.
    """

    def few_kinds(qmgr: str, number: int) -> list[bytes]:
        """Accounting, and log and storage manager statistics: they are in fewer tables."""
        records = numbered(intervals(QueueManager(qmgr), START, number))
        return [each for each in records if each[5] == 116 or int.from_bytes(each[22:24], "big") == 1]

    records = few_kinds("MQ01", 4)
    first, second = smf_file(records[: len(records) * 6 // 10]), smf_file(records[len(records) * 4 // 10 :])
    paths = [tmp_path / name for name in ("a.smf", "b.smf", "c.smf")]
    for path, content in zip(paths, (first, second, smf_file(few_kinds("MQ02", 2)) * 2), strict=True):
        path.write_bytes(content)
    assert command(["ingest", *map(str, paths), "--into", str(tmp_path / "data"), "--jobs", "1"]) == 0
    code, lines = verify(capsys, tmp_path / "data", *paths)
    assert code == 0, lines
    assert len(lines) == 3
    assert "without rows" not in lines[0]
    sources = open_dataset(tmp_path / "data").manifest.sources
    for line, source in zip(lines[1:], sources[1:], strict=True):
        assert f"; {source.ledger['records']['duplicate']} duplicate records without rows" in line
    assert command(["compact", str(tmp_path / "data")]) == 0
    assert any(len(entry.sources) > 1 for entry in open_dataset(tmp_path / "data").manifest.files)
    assert verify(capsys, tmp_path / "data", *paths) == (0, lines), "also when files of several sources were merged"
