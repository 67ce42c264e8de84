"""`verify` finds every change of a dataset: of data, metadata, log, order and files, one at a time and at random."""

from __future__ import annotations

import datetime as dt
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from mqstat.base.errors import DatasetError
from mqstat.cli import run
from mqstat.dataset import log, publishing
from mqstat.dataset.prune import days_of
from mqstat.dataset.retention import Step
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake import rollup
from tests.manifests import Line, forged, refitted
from tests.support import file_of, small_dump

COUNT, TOGETHER = 208, 16
"""Random tamperings, and how many of them are one test."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of three sources after a prune, with hourly sums; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollup, "VIEWS", {view: rollup.VIEWS[view] for view in ("task", "queue_use")})
        for number in (1, 2):
            dump = file_of(small_dump() + small_dump()[:-18] * (number - 1), folder, f"dump{number}.smf")
            assert run(["ingest", str(dump), "--into", str(folder / "set"), "--damage-limit", "50"]) in (0, 4)
        records = intervals(QueueManager("MQ01", "SYS1"), dt.datetime(2026, 3, 30, 8), 1)
        (folder / "day.smf").write_bytes(smf_file(records))
        assert run(["ingest", str(folder / "day.smf"), "--into", str(folder / "set"), "--only", "116"]) == 0
        for _ in range(2):
            assert run(["prune", str(folder / "set"), "--before", "2026-03-29"]) == 0
        before = open_dataset(folder / "set").manifest
        steps = [Step("all", tuple(days_of(before)), tuple(before.files), 0)]
        assert rollup.roll_up(folder / "set", steps) == ["queue_use", "task"]
    return folder / "set"


def a_file(folder: Path, rng: random.Random) -> Path:
    return rng.choice(files_of(folder))


def files_of(folder: Path) -> list[Path]:
    """The files of tables and of hourly sums."""
    return sorted([*folder.glob("*/*.parquet"), *folder.glob("rollup/*/*.parquet")])


def flip(path: Path, rng: random.Random) -> None:
    """Change one bit."""
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def data_bit(folder: Path, rng: random.Random) -> None:
    flip(a_file(folder, rng), rng)


def data_cut(folder: Path, rng: random.Random) -> None:
    path = a_file(folder, rng)
    data = path.read_bytes()
    path.write_bytes(rng.choice([data[: rng.randrange(len(data))], data + b"\0"]))


def data_value(folder: Path, rng: random.Random) -> None:
    """Another value in one column, written by a Parquet library."""
    path = a_file(folder, rng)
    table = pq.ParquetFile(path).read()
    numbers = [name for name in table.schema.names if pa.types.is_int64(table.schema.field(name).type)]
    name = rng.choice(numbers)
    changed = pc.add(pc.fill_null(table[name], 0), rng.randrange(1, 1000))
    pq.write_table(table.set_column(table.schema.get_field_index(name), name, changed), path)


def metadata(folder: Path, rng: random.Random) -> None:
    """A file with the same rows and other key-value metadata."""
    path = a_file(folder, rng)
    table = pq.ParquetFile(path).read()
    pq.write_table(table.replace_schema_metadata({"mqstat.source": "{}"}), path)


def column_missing(folder: Path, rng: random.Random) -> None:
    """A file without a column, by somebody who makes log and checksums fit."""
    path = a_file(folder, rng)
    table = pq.ParquetFile(path).read()
    refitted(folder, path, table.drop_columns([rng.choice(table.schema.names)]))


def column_retyped(folder: Path, rng: random.Random) -> None:
    path = a_file(folder, rng)
    table = pq.ParquetFile(path).read()
    number = rng.randrange(table.num_columns)
    field = table.schema.field(number)
    other = pa.float32() if not pa.types.is_float32(field.type) else pa.int8()
    refitted(folder, path, table.set_column(number, field.name, pa.nulls(table.num_rows, other)))


def file_deleted(folder: Path, rng: random.Random) -> None:
    a_file(folder, rng).unlink()


def file_added(folder: Path, rng: random.Random) -> None:
    path = a_file(folder, rng)
    shutil.copy(path, path.with_name(f"{path.stem}-{rng.randrange(9)}.parquet"))


def files_swapped(folder: Path, rng: random.Random) -> None:
    """Two files of one table or of two in place of each other."""
    first = a_file(folder, rng)
    content = first.read_bytes()
    others = [path for path in files_of(folder) if path.read_bytes() != content]
    second = rng.choice(others)
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


def hours_value(folder: Path, rng: random.Random) -> None:
    """Another number of rows in a file of hourly sums, with checksum, rows and log that fit."""
    path = rng.choice(sorted(folder.glob("rollup/*/*.parquet")))
    table = pq.ParquetFile(path).read()
    head = (folder / log.HEAD).read_bytes()
    refitted(folder, path, table.set_column(table.schema.get_field_index("rows"), "rows", pc.add(table["rows"], 1)))
    (folder / log.HEAD).write_bytes(head)


def hours_added(folder: Path, rng: random.Random) -> None:
    path = rng.choice(sorted(folder.glob("rollup/*/*.parquet")))
    shutil.copy(path, path.with_name(rng.choice(["2026-04-g000001.parquet", "2026-04.parquet"])))


def hours_deleted(folder: Path, rng: random.Random) -> None:
    rng.choice(sorted(folder.glob("rollup/*/*.parquet"))).unlink()


def log_lines(folder: Path) -> list[bytes]:
    return (folder / log.NAME).read_bytes().splitlines(keepends=True)


def log_bit(folder: Path, rng: random.Random) -> None:
    flip(folder / log.NAME, rng)


def log_order(folder: Path, rng: random.Random) -> None:
    lines = log_lines(folder)
    first, second = rng.sample(range(len(lines)), 2)
    lines[first], lines[second] = lines[second], lines[first]
    (folder / log.NAME).write_bytes(b"".join(lines))


def log_line_deleted(folder: Path, rng: random.Random) -> None:
    lines = log_lines(folder)
    del lines[rng.randrange(len(lines))]
    (folder / log.NAME).write_bytes(b"".join(lines))


def log_line_added(folder: Path, rng: random.Random) -> None:
    lines = log_lines(folder)
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    (folder / log.NAME).write_bytes(b"".join(lines))


def log_cut_at_a_line(folder: Path, rng: random.Random) -> None:
    lines = log_lines(folder)
    (folder / log.NAME).write_bytes(b"".join(lines[: rng.randrange(len(lines))]))


def log_cut(folder: Path, rng: random.Random) -> None:
    text = (folder / log.NAME).read_bytes()
    (folder / log.NAME).write_bytes(text[: rng.randrange(len(text))])


def log_forged(folder: Path, rng: random.Random) -> None:
    """Another number in one line, by somebody who makes seals and chain fit, but not the head."""

    def change(lines: list[Line]) -> None:
        line = rng.choice([line for line in lines if line["sources"]])
        source = rng.choice(line["sources"])
        source[rng.choice(["bytes", "records", "first_record_id"])] += 1

    head = (folder / log.HEAD).read_bytes()
    forged(folder, change)
    (folder / log.HEAD).write_bytes(head)


def log_line_after_the_end(folder: Path, rng: random.Random) -> None:
    """A whole line that is not one of a log: readers take it for one that was not completed."""
    with (folder / log.NAME).open("ab") as stream:
        stream.write(rng.choice([b"\n", b"{}\n", b"x" * 300 + b"\n"]))


def foreign_file(folder: Path, rng: random.Random) -> None:
    """A file in the folder of a table that a reader of the folder opens, whatever its name."""
    (a_file(folder, rng).parent / rng.choice(["x.PARQUET", "notes.txt", "sub.d"])).write_bytes(b"x")


def linked(folder: Path, rng: random.Random) -> None:
    """A file or a folder with the same content somewhere else."""
    path = a_file(folder, rng)
    path = rng.choice([path, path.parent])
    other = folder.parent / f"elsewhere-{rng.randrange(10**9)}"
    path.rename(other)
    path.symlink_to(other)


def head_bit(folder: Path, rng: random.Random) -> None:
    flip(folder / log.HEAD, rng)


def part_of_the_manifest_deleted(folder: Path, rng: random.Random) -> None:
    (folder / rng.choice([log.NAME, log.HEAD])).unlink()


TAMPERINGS: tuple[Callable[[Path, random.Random], None], ...] = (
    data_bit, data_cut, data_value, metadata, column_missing, column_retyped, file_deleted, file_added, files_swapped, hours_value, hours_added, hours_deleted,
    log_bit, log_order, log_line_deleted, log_line_added, log_cut_at_a_line, log_cut, log_forged,
    log_line_after_the_end, foreign_file, linked, head_bit, part_of_the_manifest_deleted,
)  # fmt: skip


def is_noticed(folder: Path) -> bool:
    try:
        return bool(verify(folder).problems)
    except DatasetError:
        return True


def test_a_dataset_that_nobody_changed_is_accepted(made: Path) -> None:
    assert not is_noticed(made)


@pytest.mark.parametrize("first", range(0, COUNT, TOGETHER))
def test_every_tampering_is_noticed(first: int, made: Path, tmp_path: Path) -> None:
    rng, missed = random.Random(first), []
    for number in range(first, first + TOGETHER):
        tamper = TAMPERINGS[number % len(TAMPERINGS)]
        folder = tmp_path / "set"
        shutil.copytree(made, folder)
        tamper(folder, rng)
        if not is_noticed(folder):
            missed.append((number, tamper.__name__))
        shutil.rmtree(folder)
    assert missed == []


def test_traces_of_a_killed_writer_are_remarks(made: Path, tmp_path: Path) -> None:
    """An incomplete last line and a head that was not written again: the dataset is as it was, or has what was published."""
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    with (folder / log.NAME).open("ab") as stream:
        stream.write(log_lines(folder)[-1][:-1])
    older = log.unsealed(log_lines(folder)[1][:-1])[0]
    head = {"generation": older["generation"], "line": log.unsealed(log_lines(folder)[1][:-1])[1]}
    (folder / log.HEAD).write_bytes(log.sealed(head)[0])
    result = verify(folder)
    assert result.problems == []
    assert [remark.split(":")[0] for remark in result.remarks[:2]] == [log.NAME, log.HEAD]
    (folder / "exports").mkdir()
    shutil.copy(files_of(folder)[0], folder / "exports" / "a.parquet")
    assert any("such as exports/a.parquet" in remark for remark in verify(folder).remarks)


def test_what_a_writer_publishes_meanwhile_is_no_problem(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`verify` has read the manifest when another process publishes."""
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    dump, listed = file_of(small_dump() * 3, tmp_path), publishing.foreign

    def later(*arguments: Any) -> list[Path]:
        monkeypatch.setattr(publishing, "foreign", listed)
        assert run(["ingest", str(dump), "--into", str(folder), "--damage-limit", "50"]) in (0, 4)
        found = listed(*arguments)
        assert found
        return found

    monkeypatch.setattr(publishing, "foreign", later)
    assert verify(folder).problems == []


def test_a_file_that_the_system_refuses_is_one_problem_among_others(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    first, second = files_of(folder)[:2]
    second.unlink()

    def refused(path: Path) -> str:
        if path == first:
            raise PermissionError(13, "Permission denied")
        return publishing.checksum(path)

    monkeypatch.setattr(
        "mqstat.dataset.verification.publishing", SimpleNamespace(**vars(publishing) | {"checksum": refused})
    )
    problems = "\n".join(verify(folder).problems)
    assert f"{first.relative_to(folder)}: cannot be read (Permission denied)." in problems
    assert f"{second.relative_to(folder)}: the file is missing." in problems


def test_an_early_line_that_was_changed_is_reported_by_its_number(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    lines = log_lines(folder)
    lines[1] = lines[1].replace(b"dump1.smf", b"dump9.smf", 1)
    (folder / log.NAME).write_bytes(b"".join(lines))
    assert run(["verify", str(folder)]) == 16
    assert "(line 2: its checksum is wrong)" in capsys.readouterr().err


def test_a_log_that_was_cut_is_never_continued(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    (folder / log.NAME).write_bytes(b"".join(log_lines(folder)[:-1]))
    text = (folder / log.NAME).read_bytes()
    dump = file_of(small_dump() * 3, tmp_path)
    assert run(["ingest", str(dump), "--into", str(folder)]) == 16
    assert "its last lines are missing or were changed" in capsys.readouterr().err
    assert (folder / log.NAME).read_bytes() == text
