"""Old days are removed from a dataset atomically, and the other days do not change."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pytest

from mqstat.base.errors import DatasetError
from mqstat.cli import run
from mqstat.dataset import lake, steps
from mqstat.dataset import prune as pruning
from mqstat.dataset.schema import OF_STATE
from mqstat.dataset.store import day_of, open_dataset
from mqstat.dataset.verification import verify
from mqstat.parsers.tables import table_schemas
from tests.support import file_of, small_dump

FIRST, SECOND = dt.date(2026, 3, 28), dt.date(2026, 3, 29)
"""The days of the small dump; the second one is when the clocks of Europe go forward."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of two sources, the second one twice as long; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    for number in (1, 2):
        dump = file_of(small_dump() * number, folder, f"dump{number}.smf")
        assert run(["ingest", str(dump), "--into", str(folder / "set")]) == 0
    return folder / "set"


@pytest.fixture
def dataset(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "set"))


def rows_by_day(folder: Path) -> dict[str, int]:
    out: dict[str, int] = {}
    for entry in open_dataset(folder).manifest.files:
        day = str(day_of(entry))
        out[day] = out.get(day, 0) + entry.rows
    return out


def files(folder: Path) -> set[str]:
    """The files that a program sees that knows Delta tables."""
    names = [path.name for path in folder.iterdir() if path.name in table_schemas()]
    return {f"{name}/{file.path}" for name in names for file in lake.files(lake.opened(lake.Place(folder, name)))}


def test_the_last_day_of_a_source_takes_its_counts_along(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    total = sum(entry.rows for entry in open_dataset(dataset).manifest.files if entry.table == "record")
    for day in (SECOND, dt.date(2026, 3, 30)):
        assert run(["prune", str(dataset), "--before", str(day)]) == 0
        assert verify(dataset).problems == []
    assert sum(source.pruned_records for source in open_dataset(dataset).manifest.sources) == total
    assert {source.pruned_before for source in open_dataset(dataset).manifest.sources} == {"2026-03-30"}
    assert open_dataset(dataset).files == {}
    assert run(["prune", str(dataset), "--before", "2026-03-30"]) == 0
    assert files(dataset) == set()
    assert verify(dataset).problems == []
    assert [source.name for source in open_dataset(dataset).manifest.sources] == ["dump1.smf", "dump2.smf"]
    capsys.readouterr()
    again = file_of(small_dump(), dataset.parent, "dump1.smf")
    assert run(["ingest", str(again), "--into", str(dataset)]) == 0
    assert "already in the dataset as source 1 (dump1.smf), its days before 2026-03-30" in capsys.readouterr().out


def test_files_that_left_are_deleted_at_once(dataset: Path) -> None:
    def parquet() -> set[str]:
        return {str(path.relative_to(dataset)) for path in dataset.rglob("*.parquet") if "_delta_log" not in path.parts}

    assert run(["prune", str(dataset), "--before", str(SECOND)]) == 0
    assert parquet() > files(dataset)
    assert run(["prune", str(dataset), "--before", str(SECOND), "--now", "--dry-run"]) == 0
    assert any(str(FIRST) in path for path in parquet())
    assert run(["prune", str(dataset), "--before", str(SECOND), "--now"]) == 0
    assert not any(str(FIRST) in path for path in parquet())
    state = {f"{name}/{file.path}" for name in OF_STATE for file in lake.files(lake.opened(lake.Place(dataset, name)))}
    assert (
        parquet() - files(dataset) - {f"publish/{path.name}" for path in (dataset / "publish").glob("*.parquet")}
        <= state
    )
    assert verify(dataset, rows=True).problems == []
    assert run(["ingest", str(file_of(small_dump(), dataset.parent, "again.smf")), "--into", str(dataset)]) == 0


def test_days_are_counted_back_from_the_newest_one(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prune", str(dataset), "--keep", "2"]) == 0
    assert capsys.readouterr().out == "nothing to drop.\n"
    assert run(["prune", str(dataset), "--keep", "1", "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith(f"would drop {FIRST}: ")
    assert pruning.days_of(open_dataset(dataset).manifest) == [FIRST, SECOND]
    assert run(["prune", str(dataset), "--keep", "1"]) == 0
    assert pruning.days_of(open_dataset(dataset).manifest) == [SECOND]


def test_an_impossible_date_is_not_the_newest_day() -> None:
    days = [dt.date(1990, 1, 1), FIRST, SECOND, dt.date(2061, 7, 7)]
    assert pruning.first_kept(days, 2, today=dt.date(2026, 4, 20)) == FIRST
    assert pruning.first_kept(days, 2, today=dt.date(1980, 1, 1)) is None
    assert pruning.first_kept([], 2) is None


def test_a_file_that_another_program_changed_is_named_when_it_is_dropped(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [entry.path for entry in open_dataset(dataset).manifest.files if day_of(entry) == FIRST][:2]
    (dataset / names[0]).write_bytes((dataset / names[0]).read_bytes()[:-1] + b"x")
    (dataset / names[1]).unlink()
    by_class = Path(shutil.copytree(dataset, dataset.parent / "by class"))
    assert run(["prune", str(dataset), "--before", str(SECOND)]) == 4
    printed = capsys.readouterr().out
    for name in names:
        assert (
            f"problem: {name}: was changed or removed by another program since it was written, and was dropped."
            in printed
        )
    assert run(["prune", str(by_class), "--retention", "115=1d", "--retention", "116=1d"]) == 4
    assert capsys.readouterr().out.count("problem: ") == 2


def test_no_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prune", str(tmp_path), "--keep", "3"]) == 16
    assert "not a dataset" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------------------------------------- a dump that comes twice


@pytest.mark.slow
def test_a_longer_copy_replaces_its_beginning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = small_dump()
    folder, dump = tmp_path / "set", tmp_path / "dump.smf"
    for size in (len(whole) // 3, len(whole) * 2 // 3, len(whole)):
        dump.write_bytes(whole[:size])
        assert run(["ingest", str(dump), "--into", str(folder), "--damage-limit", "50"]) in (0, 4)
        assert verify(folder).problems == []
    assert "added as source 3 in place of source 2, of which it has all undamaged records" in capsys.readouterr().out
    (source,) = open_dataset(folder).manifest.sources
    assert source.bytes == len(whole)
    assert run(["prune", str(folder), "--keep", "10"]) == 0
    assert files(folder) == {entry.path for entry in open_dataset(folder).manifest.files}
    other = tmp_path / "other.smf"
    other.write_bytes(whole + whole)
    assert run(["ingest", str(other), "--into", str(folder)]) == 0
    assert len(open_dataset(folder).manifest.sources) == 2, "another name is another dump"


def test_a_day_goes_and_the_others_stay(made: Path, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prune", str(dataset), "--before", str(SECOND)]) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"dropped {FIRST}: ")
    before, after = rows_by_day(made), rows_by_day(dataset)
    assert before.pop(str(FIRST)) > 0
    assert after == before
    result = verify(dataset)
    assert result.problems == []
    assert len(result.remarks) == 1
    assert "dropped with their days" in result.remarks[0]
    assert run(["prune", str(dataset), "--before", str(SECOND)]) == 0
    assert capsys.readouterr().out == "nothing to drop.\n"


def test_without_space_nothing_is_dropped(made: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(steps.Writer, "_put", full)
    with pytest.raises(DatasetError, match="nothing was dropped"):
        pruning.prune(dataset, SECOND)
    assert rows_by_day(dataset) == rows_by_day(made)
    assert verify(dataset).remarks == []
