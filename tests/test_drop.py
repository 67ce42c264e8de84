"""An input that is taken out of a dataset, or replaced: what is left is what a dataset has that never had it."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mqstat.base.scratch import temporary_folder
from mqstat.cli import run
from mqstat.dataset import finding_day
from mqstat.dataset.prune import days_of
from mqstat.dataset.schema import FINDINGS
from mqstat.dataset.snapshot import known
from mqstat.dataset.steps import Writer
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.numbers import numbered
from mqstat.fixtures.queue_manager import QueueManager
from tests.finding_days import Planted, rows_of
from tests.support import file_of

pytestmark = pytest.mark.usefixtures("unsynced")

Captured = pytest.CaptureFixture[str]
DAYS = (dt.date(2026, 3, 28), dt.date(2026, 3, 29))


@cache
def pool() -> tuple[bytes, ...]:
    """Records of two days: 116.0, and of class 3 a 116.1 with two 116.2, which take their interval from it."""
    owner, evening = QueueManager(gmt_offset_minutes=0), dt.datetime(2026, 3, 28, 23, 15)
    ends = [evening + number * dt.timedelta(minutes=20) for number in range(5)]
    tasks = [
        accounting.class1(owner, Task(), end - dt.timedelta(minutes=1), end, number=number)
        for number, end in enumerate(ends)
    ]
    long = accounting.class3(owner, Task(), evening, ends[3], ["A", "B", "C"], per_record=(1, 1))
    return tuple(numbered([*tasks, *long]))


def dump(folder: Path, name: str, records: Sequence[int], *, is_cut: bool = False) -> Path:
    """A dump of some records of the pool, by their places; `is_cut` = without the end of the last one."""
    folder.mkdir(exist_ok=True)
    data = smf_file([pool()[number] for number in records], trailer=not is_cut)
    return file_of(data[:-20] if is_cut else data, folder, name)


def ingest(file: Path, folder: Path, *options: str) -> int:
    return run(["ingest", str(file), "--into", str(folder), "--damage-limit", "50", *options])


MAY_DIFFER = {"section", "lost_value"}
"""Counts over inputs, which an input without records of its own does not have (docs/adr/0014)."""


COUNTS = {"source", "other_record", "damage"}


def content(folder: Path, since: dt.date | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table but for the numbers of inputs and records: an input is its name, a record its place in
    it.

    since: only days from this one on, without counts over inputs.
    """
    opened = open_dataset(folder)
    out: dict[str, list[tuple[Any, ...]]] = {}
    nobody = "(0, '')"
    with duckdb.connect() as connection:
        names = ", ".join(f"({source.source_id}, '{source.name}')" for source in opened.manifest.sources)
        connection.execute(f"CREATE TABLE named AS FROM (VALUES {names or nobody}) AS v (id, name)")
        for table, files in opened.files.items():
            connection.execute(
                f"CREATE VIEW {table} AS FROM read_parquet({list(map(str, files))}, hive_partitioning = false)"
            )
        for table in sorted(opened.files.keys() - MAY_DIFFER - (COUNTS if since else set())):
            columns = connection.execute(f"DESCRIBE {table}").fetchall()
            values = [
                f"t.{column[0]}" for column in columns if column[0] not in ("source_id", "record_id", "first_record_id")
            ]
            values.append("(SELECT name FROM named WHERE id = t.source_id) AS input")
            for column in {"record_id", "first_record_id"} & {column[0] for column in columns}:
                place = f"FROM record AS r JOIN named ON id = r.source_id WHERE r.record_id = t.{column}"
                values.append(f"(SELECT name || ' ' || r.record_number {place})")
            days = f"WHERE t.date >= DATE '{since}'" if since else ""
            rows = connection.execute(f"SELECT {', '.join(values)} FROM {table} AS t {days}").fetchall()
            out[table] = sorted(rows, key=repr)
    if since is None:
        out["ledger"] = sorted((source.name, repr({**source.ledger})) for source in opened.manifest.sources)
    return {table: rows for table, rows in out.items() if rows}


def fresh(files: Sequence[Path], folder: Path) -> Path:
    """A dataset of some dumps, one after the other."""
    for file in files:
        assert ingest(file, folder) in (0, 4)
    return folder


def assert_same(folder: Path, other: Path, since: dt.date | None = None) -> None:
    """Two datasets have the same rows, and the first of them is sound."""
    have, wanted = content(folder, since), content(other, since)
    assert have.keys() == wanted.keys()
    for table, rows in wanted.items():
        assert have[table] == rows, table
    assert verify(folder, rows=True).problems == []


@pytest.mark.parametrize(
    ("names", "dropped"),
    [("ac", "a"), *(pytest.param("abc", each, marks=pytest.mark.slow) for each in "abc")],
)
@pytest.mark.slow
def test_the_first_duplicate_takes_the_rows_over(names: str, dropped: str, tmp_path: Path) -> None:
    """The interval of a 116.2 is that of its own dump: the last dump has no 116.1."""
    records = {"a": [0, 1, 5, 6, 7], "b": [7, 1, 2, 3], "c": [1, 3, 6, 7, 0, 0]}
    files = {name: dump(tmp_path, f"{name}.smf", records[name]) for name in names}
    folder = fresh(list(files.values()), tmp_path / "set")
    assert run(["drop", f"{dropped}.smf", str(folder)]) == 0
    del files[dropped]
    assert_same(folder, fresh(list(files.values()), tmp_path / "other"))


@pytest.mark.slow
def test_what_a_dataset_remembers_of_a_dropped_input(tmp_path: Path, capsys: Captured) -> None:
    file, other = dump(tmp_path, "a.smf", [0, 1]), dump(tmp_path, "b.smf", [1, 4])
    folder = fresh([file, other], tmp_path / "set")
    planted = {day: rows_of([Planted("BP002", "BB")], 1, is_complete=True) for day in DAYS[:1]}
    rows = planted[DAYS[0]]
    days = [DAYS[0], dt.date(2026, 3, 1)]
    finding_day.publish(
        folder, {day: rows.set_column(0, "date", [[day] * rows.num_rows]).cast(FINDINGS) for day in days}
    )
    assert run(["drop", "1", "--from", str(folder), "--reason", "sent twice"]) == 0
    assert "a.smf: source 1 was taken out; 1 day changed" in capsys.readouterr().out
    manifest = open_dataset(folder).manifest
    assert [finding_day.read_day(folder, manifest, day).num_rows > 0 for day in days] == [False, True]
    assert ingest(file, folder) == 4
    printed = capsys.readouterr().out
    assert "a.smf: its content was taken out of the dataset on 2" in printed
    assert "(sent twice)" in printed
    assert [source.name for source in open_dataset(folder).manifest.sources] == ["b.smf"]
    assert ingest(file, folder, "--again") == 0
    assert_same(folder, fresh([other, file], tmp_path / "other"))
    for word in ("9", "c.smf"):
        assert run(["drop", word, str(folder)]) == 16
        assert f"The dataset has no source {word}" in capsys.readouterr().err


@pytest.mark.slow
def test_an_input_replaces_a_source_in_one_step(tmp_path: Path, capsys: Captured) -> None:
    cut, other = dump(tmp_path, "a.smf", [0, 1, 2], is_cut=True), dump(tmp_path, "b.smf", [1, 2, 4])
    good, less = dump(tmp_path, "good.smf", [0, 1, 2, 3]), dump(tmp_path, "less.smf", [1, 3])
    folder = fresh([cut, other], tmp_path / "set")
    assert ingest(less, folder, "--replace", "a.smf") == 16
    assert "does not have 1 undamaged record of source 1 (a.smf), which stays" in capsys.readouterr().out
    generation = open_dataset(folder).manifest.generation
    assert ingest(good, folder, "--replace", "a.smf") == 0
    assert "good.smf: added as source 4 in place of source 1:" in capsys.readouterr().out
    after = [step.action for step in known(folder).steps if step.generation > generation and step.state == "done"]
    assert [action for action in after if action != "compact"] == ["ingest"]
    assert_same(folder, fresh([other, good], tmp_path / "other"))
    assert ingest(cut, folder) == 4
    assert ingest(less, folder, "--replace", "good.smf", "--force") == 0
    assert_same(folder, fresh([other, less], tmp_path / "third"))
    for options in (["--force"], ["--replace", "good.smf"]):
        assert ingest(good, folder, *options) == 16


@pytest.mark.slow
@pytest.mark.parametrize(
    ("is_changed", "why"),
    [
        (False, "of which it has all undamaged records"),
        (True, "a damaged copy inside its queue managers, classes and times"),
    ],
)
def test_a_dump_that_was_sent_again_replaces_its_damaged_copy(
    is_changed: bool, why: str, tmp_path: Path, capsys: Captured
) -> None:
    """By its records, whatever its name. A sound dump of which it has all records stays a source."""
    cut, sound = dump(tmp_path, "a.smf", [0, 1, 2], is_cut=True), dump(tmp_path, "b.smf", [1, 3])
    if is_changed:  # a transfer has changed a byte of a record, and nothing shows it
        data, end = cut.read_bytes(), len(smf_file([pool()[0]], trailer=False))
        cut.write_bytes(data[: end - 1] + bytes([data[end - 1] ^ 1]) + data[end:])
    part, whole = dump(tmp_path, "part.smf", [1, 2, 4]), dump(tmp_path, "whole.smf", [0, 1, 2, 3])
    folder = fresh([cut, sound, part], tmp_path / "set")
    assert ingest(whole, folder) == 0
    assert f"whole.smf: added as source 4 in place of source 1, {why}:" in capsys.readouterr().out
    assert_same(folder, fresh([sound, part, whole], tmp_path / "other"))


def test_of_two_inputs_of_one_name_the_number_decides(tmp_path: Path, capsys: Captured) -> None:
    first, second = dump(tmp_path / "1", "smf.dat", [0, 1]), dump(tmp_path / "2", "smf.dat", [3, 4])
    folder = fresh([first, second], tmp_path / "set")
    assert run(["drop", "smf.dat", str(folder)]) == 16
    assert "smf.dat is the name of sources 1, 2; name one by its number." in capsys.readouterr().err
    assert run(["drop", "2", str(folder)]) == 0
    assert_same(folder, fresh([first], tmp_path / "other"))


@pytest.mark.slow
def test_pruned_days_stay_pruned_and_a_changed_file_is_no_source_of_rows(tmp_path: Path, capsys: Captured) -> None:
    files = [dump(tmp_path, "a.smf", [0, 1, 3]), dump(tmp_path, "b.smf", [0, 1, 3, 4])]
    folder = fresh(files, tmp_path / "set")
    assert run(["prune", str(folder), "--before", str(DAYS[1])]) == 0
    rotten = Path(shutil.copytree(folder, tmp_path / "rotten"))
    assert run(["drop", "a.smf", str(folder)]) == 0
    assert days_of(open_dataset(folder).manifest) == [DAYS[1]]
    assert_same(folder, fresh(files[1:], tmp_path / "other"), DAYS[1])

    entry = next(
        entry for entry in open_dataset(rotten).manifest.files if entry.table == "qmac" and entry.source_ids == {1}
    )
    path = rotten / entry.path
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    capsys.readouterr()
    assert run(["drop", "a.smf", str(rotten)]) == 16
    assert "its content has changed since it was written" in capsys.readouterr().err
    assert len(open_dataset(rotten).manifest.sources) == 2


RECORDS = st.lists(st.integers(0, 7), min_size=1, max_size=6).map(tuple)
STEPS = st.one_of(
    st.tuples(st.just("ingest"), RECORDS),
    st.tuples(st.just("drop"), st.integers(0, 5)),
    st.tuples(st.just("replace"), st.integers(0, 5), RECORDS),
    st.tuples(st.just("compact")),
    st.tuples(st.just("prune")),
)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.lists(RECORDS, min_size=2, max_size=3, unique=True), st.lists(STEPS, min_size=1, max_size=5))
@example([(0, 1, 5, 6, 7), (1, 6, 7, 3)], [("compact",), ("replace", 0, (6, 1, 4)), ("ingest", (0, 6)), ("drop", 0)])
@example([(0, 3), (3, 0, 1), (0, 4)], [("drop", 0), ("prune",), ("ingest", (0, 1, 3)), ("compact",), ("drop", 0)])
def test_any_order_of_steps_equals_a_fresh_ingest_of_what_is_left(
    first: list[tuple[int, ...]], steps: list[tuple[Any, ...]]
) -> None:
    """An input that is there already, or of which days were pruned, is not added again."""
    with temporary_folder() as work:
        folder, kept, since = work / "set", dict[Path, tuple[int, ...]](), None
        for number, (kind, *values) in enumerate([*(("ingest", each) for each in first), *steps]):
            records = values[-1] if kind in ("ingest", "replace") else ()
            chosen = list(kept)[values[0] % len(kept)] if kept and kind in ("drop", "replace") else None
            if kind == "compact" and kept:
                assert run(["compact", str(folder)]) == 0
            elif kind == "prune" and kept:
                since = DAYS[1]
                assert run(["prune", str(folder), "--before", str(since)]) == 0
            elif kind == "drop" and chosen is not None:
                assert run(["drop", chosen.name, str(folder)]) == 0
                del kept[chosen]
            elif records and records not in kept.values():
                file = dump(work, f"{number}.smf", records)
                instead = ["--replace", chosen.name, "--force"] if chosen is not None else []
                assert ingest(file, folder, "--again", *instead) == 0
                if chosen is not None:
                    del kept[chosen]
                kept[file] = records
        assert_same(folder, fresh(list(kept), work / "other") if kept else empty(work / "other"), since)


def empty(folder: Path) -> Path:
    """A dataset of nothing."""
    Writer(folder).begun()
    return folder
