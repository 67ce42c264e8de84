"""Writers of a dataset that are killed, sleep, meet each other, or lose what they have written to a loss of power: the
dataset is the old or the new one.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqstat.cli import run
from mqstat.dataset import lake, schema, snapshot, steps
from mqstat.dataset.lake import Place
from mqstat.dataset.steps import Writer
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from tests.support import built_dump, file_of, small_dump

Captured = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("unsynced")


class KilledError(BaseException):
    """The process ends here."""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Dumps with records of their own."""
    folder = tmp_path_factory.mktemp("dumps")
    return [file_of(small_dump(), folder, "small.smf"), file_of(built_dump(), folder, "built.smf")]


@pytest.fixture(scope="module")
def made(dumps: list[Path]) -> Path:
    """A dataset, not to be changed."""
    folder = dumps[0].parent / "set"
    assert run(["ingest", str(dumps[0]), "--into", str(folder)]) == 0
    return folder


@pytest.fixture
def dataset(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made, tmp_path / "set"))


def rows(folder: Path) -> dict[str, int]:
    """The rows of each table as engines see them that know Delta tables, and as mqstat does: both are the same."""
    manifest = open_dataset(folder).manifest
    done = snapshot.known(folder).complete
    out: dict[str, int] = {}
    for name, version in snapshot.versions_of(done).items():
        out[name] = sum(file.rows for file in lake.files(lake.opened(Place(folder, name), version)))
    for name in out.keys() - schema.OF_STATE.keys():
        assert out[name] == sum(entry.rows for entry in (*manifest.files, *manifest.computed) if entry.table == name)
    assert out[schema.FILE] == len(manifest.files) + len(manifest.computed)
    return out


def stopping(patch: pytest.MonkeyPatch, number: int, act: Callable[[], None], *, before: bool = False) -> list[str]:
    """Have something happen after (or before) a commit of this number; the names of the tables that were committed."""
    commit, done = lake.commit, list[str]()

    def counted(place: Place, *given: Any, **named: Any) -> int:
        if before and len(done) + 1 == number:
            done.append(place.name)
            act()
            return commit(place, *given, **named)
        out = commit(place, *given, **named)
        done.append(place.name)
        if not before and len(done) == number:
            act()
        return out

    patch.setattr(lake, "commit", counted)
    patch.setattr(steps, "each_at_once", lambda function, given: [function(each) for each in given])
    return done


def killed() -> None:
    raise KilledError


def ingest(dump: Path, folder: Path) -> int:
    return run(["ingest", str(dump), "--into", str(folder)])


def of_the_ingest(committed: list[str]) -> list[str]:
    """The commits up to the end of its first publish: "reserve", "begin", tables, "done". A merge may follow."""
    ends = [number for number, name in enumerate(committed, 1) if name == schema.PUBLISH]
    return committed[: ends[2]]


def content(counts: dict[str, int]) -> dict[str, int]:
    """The rows without those that depend on how often it was tried."""
    return {name: number for name, number in counts.items() if name not in (schema.PUBLISH, schema.FILE)}


def ingest_killed_after(number: int, dump: Path, folder: Path) -> None:
    """An ingest that ends after a commit of this number."""
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, number, killed)
        with pytest.raises(KilledError):
            ingest(dump, folder)


@pytest.mark.slow
def test_a_writer_that_is_killed_after_any_commit(
    dataset: Path, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, number = rows(dataset), 0
    with monkeypatch.context() as patch:
        committed = stopping(patch, 0, killed)
        assert ingest(dumps[1], Path(shutil.copytree(dataset, tmp_path / "whole"))) == 0
    new, committed = rows(tmp_path / "whole"), of_the_ingest(committed)
    for number in range(1, len(committed) + 1):
        folder = Path(shutil.copytree(dataset, tmp_path / f"{number}"))
        ingest_killed_after(number, dumps[1], folder)
        is_over = number == len(committed)
        assert content(rows(folder)) == content(new if is_over else old), number
        assert ingest(dumps[1], folder) == 0
        assert content(rows(folder)) == content(new)
        assert verify(folder, rows=True).problems == [], number
        shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 40])
def test_power_that_is_lost_before_a_commit_was_on_the_disk(
    dataset: Path, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """The last commit of each kind of table is empty or cut."""
    with monkeypatch.context() as patch:
        committed = stopping(patch, 0, killed)
        assert ingest(dumps[1], Path(shutil.copytree(dataset, tmp_path / "whole"))) == 0
    new, committed = rows(tmp_path / "whole"), of_the_ingest(committed)
    numbers = {
        name: len(committed) - committed[::-1].index(name)
        for name in ("record", schema.FILE, schema.SOURCE, schema.PUBLISH)
    }
    for name, number in numbers.items():
        folder = Path(shutil.copytree(dataset, tmp_path / name))
        ingest_killed_after(number, dumps[1], folder)
        os.truncate(folder / name / lake.LOG / f"{next(lake.newest(Place(folder, name))):020d}.json", size)
        assert len(open_dataset(folder).manifest.sources) == 1
        assert ingest(dumps[1], folder) == 0
        assert content(rows(folder)) == content(new), name
        assert verify(folder, rows=True).problems == []


@pytest.mark.slow
def test_a_writer_that_sleeps_after_any_commit_is_taken_over(
    dataset: Path, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """It wakes when another writer has published: its next commit fails, and the dataset is that of the other."""
    with monkeypatch.context() as patch:
        committed = stopping(patch, 0, killed)
        assert ingest(dumps[1], Path(shutil.copytree(dataset, tmp_path / "whole"))) == 0
    committed = of_the_ingest(committed)
    for number in range(committed[1:].index(schema.PUBLISH) + 2, len(committed) + 1):
        folder = Path(shutil.copytree(dataset, tmp_path / f"{number}"))

        def meanwhile(folder: Path = folder) -> None:
            patch.undo()
            Writer(folder).begun()

        with monkeypatch.context() as patch:
            stopping(patch, number, meanwhile)
            code = ingest(dumps[1], folder)
        is_over = number == len(committed)
        assert code == (0 if is_over else 16), number
        assert "unexpected" not in capsys.readouterr().err
        assert len(open_dataset(folder).manifest.sources) == 1 + is_over
        assert verify(folder, rows=True).problems == []
        shutil.rmtree(folder)


@pytest.mark.slow
def test_of_two_writers_one_is_first_and_the_other_begins_again(
    dataset: Path, dumps: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a lock excludes nobody, as on a network drive: the second one reads what the first one has published, and
    adds its own.
    """
    other = file_of(small_dump() * 2, tmp_path, "other.smf")

    def meanwhile() -> None:
        patch.undo()
        patch.setattr("mqstat.dataset.store.locked", nothing_locked)
        assert ingest(other, dataset) == 0

    with monkeypatch.context() as patch:
        patch.setattr("mqstat.dataset.store.locked", nothing_locked)
        stopping(patch, 2, meanwhile, before=True)  # its "begin"
        assert ingest(dumps[1], dataset) == 0
    assert sorted(source.name for source in open_dataset(dataset).manifest.sources) == [
        "built.smf",
        "other.smf",
        "small.smf",
    ]
    assert verify(dataset, rows=True).problems == []


class nothing_locked:  # noqa: N801 - it replaces a function
    """A lock that excludes nobody."""

    def __init__(self, *_: object) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def test_numbers_are_reserved_while_another_writer_publishes(
    dataset: Path, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers: list[int] = []
    with monkeypatch.context() as patch:
        stopping(patch, 4, lambda: numbers.append(Writer(dataset).reserve(5)))
        assert ingest(dumps[1], dataset) == 0
    assert [source.source_id for source in open_dataset(dataset).manifest.sources] == [1, 2]
    assert numbers == [3]
    assert Writer(dataset).reserve(1) == 8
    assert verify(dataset).problems == []


@pytest.mark.slow
def test_a_writer_on_another_machine_is_waited_for(
    dataset: Path, dumps: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("platform.node", lambda: "lpar7")
        ingest_killed_after(3, dumps[1], dataset)
    assert ingest(dumps[1], dataset) == 16
    assert "another mqstat (lpar7 process" in capsys.readouterr().err
    monkeypatch.setattr(steps, "LEASE", dt.timedelta(0))
    assert ingest(dumps[1], dataset) == 0
    assert verify(dataset, rows=True).problems == []


def test_each_file_has_its_least_and_largest_day_names_and_records(dataset: Path) -> None:
    """So that other programs leave files out."""
    for name, paths in open_dataset(dataset).files.items():
        live = pa.table(lake.opened(Place(dataset, name)).get_add_actions(flatten=True)).to_pylist()
        of_file = {each["path"]: each for each in live}
        for path in paths:
            rows = pq.read_table(path)
            for column in ("date", "lpar", "qmgr", "record_id"):
                values = sorted(set(rows[column].to_pylist()) - {None}) if column in rows.column_names else []
                if values:
                    stated = [of_file[path.name][f"{side}.{column}"] for side in ("min", "max")]
                    assert stated == [values[0], values[-1]], (name, column)


def commit_of_another(folder: Path) -> None:
    """Another program removes the rows of a table."""
    place = Place(folder, "qpst")
    table = lake.opened(place)
    lake.commit(place, table, lake.schema(table), (), lake.files(table))


def swap(folder: Path) -> None:
    first, second = next((folder / "record").glob("*.parquet")), next((folder / "source").glob("*.parquet"))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes()[: len(content)].ljust(len(content), b"x"))


def misstate(name: str, folder: Path) -> None:
    """The log states other numbers of the files, which other programs believe."""
    log = max((folder / "record" / lake.LOG).glob("*.json"))
    text, changes = re.subn(rf"({name}\W+)", r"\g<1>9", log.read_text())
    assert changes
    log.write_text(text)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (partial(misstate, "numRecords"), "rows in the Delta table, but"),
        (partial(misstate, "size"), "bytes in the Delta table, but"),
        (partial(misstate, "record_id"), "least and largest values in the Delta table"),
        (commit_of_another, "another program has changed it"),
        (lambda folder: next((folder / "record").glob("*.parquet")).unlink(), "the file is missing"),
        (lambda folder: (one := next((folder / "record").glob("*.parquet"))).write_bytes(one.read_bytes()[:-1]), "in table file"),
        (lambda folder: shutil.copy(one := next((folder / "record").glob("*.parquet")), one.with_name("2026-01-01-copy.parquet")), "no commit of the Delta table names it"),
        (swap, "the content has changed"),
        (lambda folder: shutil.rmtree(folder / "qmst" / lake.LOG), "cannot be opened"),
    ],
)  # fmt: skip
def test_verify_finds(dataset: Path, change: Callable[[Path], object], words: str) -> None:
    change(dataset)
    assert any(words in text for text in verify(dataset).problems), verify(dataset).problems
    assert run(["verify", str(dataset)]) == 12


def test_a_change_of_another_program_is_refused_by_a_writer(dataset: Path, dumps: list[Path], capsys: Captured) -> None:
    commit_of_another(dataset)
    assert ingest(dumps[1], dataset) == 16
    assert "qpst" in capsys.readouterr().err
    assert len(open_dataset(dataset).manifest.sources) == 1, "it is read as its last step has it"


@pytest.mark.parametrize("name", ["manifest.jsonl", "manifest.json"])
def test_a_dataset_of_a_former_format_is_refused(
    tmp_path: Path, dumps: list[Path], name: str, capsys: Captured
) -> None:
    (tmp_path / name).write_text("{}")
    for arguments in (
        ["verify", str(tmp_path)],
        ["ingest", str(dumps[0]), "--into", str(tmp_path)],
        ["check", "--from", str(tmp_path)],
    ):
        assert run(arguments) == 16
        assert "is a dataset of a former format" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_files_that_left_are_deleted_two_days_later(
    dataset: Path, dumps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the first step of a day; not when the clock is back, or far ahead of the last step."""
    assert run(["prune", str(dataset), "--before", "2100-01-01"]) == 0
    there = set(dataset.glob("q*/*.parquet"))
    assert there
    stray = dataset / "qpst" / "notes.parquet"
    stray.write_bytes(b"x")
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    hours: list[float] = []
    not_live = lake.not_live

    def at_once(place: Place, given: float, **named: bool) -> list[str]:
        hours.append(given)
        return not_live(place, 0, **named)

    monkeypatch.setattr(lake, "not_live", at_once)
    for later, is_time in ((dt.timedelta(-3), False), (dt.timedelta(9), False), (dt.timedelta(1), True)):
        with monkeypatch.context() as patch:
            patch.setattr(steps, "_now", lambda later=later: now + later)
            Writer(dataset)._vacuum_if_due(snapshot.known(dataset).complete, ["qpst", "qist"])
        assert bool(hours) == is_time, later
    assert set(hours) == {48}
    assert not any(path.exists() for path in there if path.parent.name in ("qpst", "qist"))
    assert stray.exists()


@pytest.mark.slow
def test_the_tables_that_describe_a_dataset_have_few_files(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MOST_FILES", 3)
    for number in range(8):
        other = file_of(small_dump() * (2 + number), dataset.parent, f"{number}.smf")
        assert ingest(other, dataset) == 0
    for name in schema.OF_STATE:
        version = (
            snapshot.known(dataset).version
            if name == schema.PUBLISH
            else snapshot.versions_of(snapshot.known(dataset).complete)[name]
        )
        assert len(lake.files(lake.opened(Place(dataset, name), version))) <= 4
    assert len(open_dataset(dataset).manifest.sources) == 9
    assert verify(dataset, rows=True).problems == []
    assert pa.types.is_list(lake.schema(lake.opened(Place(dataset, schema.FILE))).field("sources").type)


@pytest.mark.parametrize("name", ["qpst", schema.PUBLISH, "_staging"])
def test_a_link_for_a_folder_of_a_dataset_is_refused(
    dataset: Path, dumps: list[Path], tmp_path: Path, name: str, capsys: Captured
) -> None:
    """Its files would be elsewhere, where others may change or delete them."""
    folder = dataset / name
    if folder.exists():
        folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    for arguments in (["verify", str(dataset)], ["ingest", str(dumps[1]), "--into", str(dataset)]):
        assert run(arguments) == 16
        assert "is a symbolic link" in capsys.readouterr().err
