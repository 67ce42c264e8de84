"""Hourly sums are put together like the rows of reports: from them follow the figures that reports by hour show while the records are there."""

from __future__ import annotations

import datetime as dt
import shutil
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from campaign.periods.test_grain import estate
from mqstat.assemble.aggregate import has_intervals
from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.dataset.retention import Policy, Step, drop, parse_period, plan
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import rich_estate
from mqstat.intake import rollup
from mqstat.intake.open_data import open_data
from mqstat.sql.sqlfile import reports, views
from mqstat.sql.workspace import Workspace
from tests.grain import Data, fault, parts, subject_of
from tests.support import file_of

SINGLE = sorted(rollup.VIEWS.keys() - rollup.SEVERAL)
LATER = dt.datetime(2026, 6, 1, 8)
"""The newest day of the dataset, which a retention keeps."""
UNTIL = Selection(until=LATER.replace(hour=0))
Hour = tuple[Any, ...]
"""LPAR, queue manager, local hour, subject."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of the estate and of a later day; not to be changed."""
    folder = tmp_path_factory.mktemp("hours")
    later = smf_file(intervals(QueueManager("MQ09", "SYS9"), LATER, 1))
    for name, data in (("estate.smf", estate()), ("later.smf", later)):
        assert run(["ingest", str(file_of(data, folder, name)), "--into", str(folder / "data"), "--jobs", "1"]) == 0
    return folder / "data"


@pytest.fixture(scope="module")
def pruned(made: Path) -> Path:
    """The same without the records of the estate: only their hourly sums are left."""
    folder = Path(shutil.copytree(made, made.parent / "pruned"))
    assert run(["prune", str(folder), "--retention", "115=30d", "--retention", "116=30d"]) == 0
    assert {path.name[:10] for path in (folder / "record").iterdir() if path.name in current(folder)} == {"2026-06-01"}
    return folder


def current(folder: Path) -> set[str]:
    """The names of the files of a dataset."""
    return {entry.path.split("/")[1] for entry in open_dataset(folder).manifest.files}


def steps_of(folder: Path, *classes: str) -> list[Step]:
    """What a retention of these classes drops."""
    policy = Policy({name: parse_period("30 days") for name in classes})
    return plan(open_dataset(folder).manifest, policy, LATER.date())


def rolled_up(folder: Path, view: str) -> Mapping[Hour, Mapping[str, Any]]:
    """The hourly sums of a view, with the values of its means and ratios."""
    with duckdb.connect() as connection:
        cursor = connection.execute(f"SELECT * FROM read_parquet('{folder}/rollup/{view}/*.parquet')")
        names = [column[0] for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for row in rows:
        for name in [name.removesuffix("_numerator") for name in names if name.endswith("_numerator")]:
            above, below = row[f"{name}_numerator"], row[f"{name}_denominator"]
            row[name] = above / below if above is not None and below else None
    keys = [(row["lpar"], row["qmgr"], row["hour_local"], *(row[name] for name in rollup.VIEWS[view])) for row in rows]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, rows, strict=True))


def by_hour(db: Workspace, view: str) -> Mapping[Hour, list[dict[str, Any]]]:
    """The rows of a view by local hour and subject, with the parts of its ratios."""
    db.keep([[view]])
    groups: dict[Hour, list[dict[str, Any]]] = defaultdict(list)
    for row in db.rows(f"SELECT *{parts(views()[view])} FROM {view}"):
        hour = row["interval_start_local"].replace(minute=0, second=0, microsecond=0)
        groups[(row["lpar"], row["qmgr"], hour, *(row[name] for name in rollup.VIEWS[view]))].append(row)
    return groups


def test_hourly_sums_follow_from_the_rows_of_their_view(made: Path, pruned: Path) -> None:
    """Every hour and subject is there, and every value: sums, ends, extremes, and quotients of the parts."""
    cells = means = 0
    with open_data(dataset=made, selection=UNTIL) as db:
        for view in SINGLE:
            columns, kept, groups = views()[view].columns, rolled_up(pruned, view), by_hour(db, view)
            assert kept.keys() == groups.keys(), view
            assert all(len({row["interval_start_utc"] for row in rows}) == len(rows) for rows in groups.values()), view
            names = {column.name for _, _, column in rollup.columns_of(view)}
            for key, row in kept.items():
                assert row["rows"] == len(groups[key])
                for name in names:
                    value, way = row[name], columns[name].way.over_time
                    known = [each for each in groups[key] if each[name] is not None]
                    assert (value is None) == (not known), f"{view}: {name} {key}"
                    if value is not None:
                        wrong = fault(columns[name], float(value), groups[key], groups[key], way)
                        assert not wrong, f"{view}: {name} ({way}) {key}: {wrong}"
                        cells, means = cells + 1, means + (way in ("mean", "ratio"))
    assert cells > 10_000
    assert means > 500


def test_hourly_sums_agree_with_reports_by_hour(made: Path, pruned: Path) -> None:
    """A column of a view in a report about the same subjects has the same figure by hour, and without records."""
    compared = 0
    with open_data(dataset=made, selection=UNTIL) as db:
        data = Data(db)
        for unit in (unit for unit in reports().values() if has_intervals(unit) and "grain" in unit.header):
            for view in (
                view
                for view in SINGLE
                if view in unit.needs and {"lpar", "qmgr", *rollup.VIEWS[view]} == set(subject_of(unit))
            ):
                columns = views()[view].columns
                kept = rolled_up(pruned, view)
                names = [
                    name for name in {column.name for _, _, column in rollup.columns_of(view)} & set(unit.columns)
                    if unit.columns[name].way == columns[name].way
                ]  # fmt: skip
                for row in data.together(unit, "hour", None):
                    local = row["hour_start_utc"] + dt.timedelta(hours=1)
                    hour = kept[(row["lpar"], row["qmgr"], local, *(row[name] for name in rollup.VIEWS[view]))]
                    for name in names if hour["rows"] == row["intervals"] else ():  # a report may omit rows
                        same = hour[name] is row[name] or hour[name] == pytest.approx(row[name] or 0.0, rel=1e-9)
                        assert same, f"{unit.id}: {name} {local}: {hour[name]}, {row[name]}"
                        compared += row[name] is not None
    assert compared > 5_000


def test_days_follow_from_hours(made: Path, pruned: Path) -> None:
    """The parts of a ratio add up to its value of the day."""
    ratio = "sum(pool_hit_pct_numerator) / sum(pool_hit_pct_denominator)"
    with duckdb.connect() as connection:
        query = f"SELECT lpar, qmgr, pool_id, date, {ratio} FROM read_parquet('{pruned}/rollup/buffer_pool/*.parquet') GROUP BY ALL"
        days = {tuple(row[:4]): row[4] for row in connection.execute(query).fetchall()}
    with open_data(dataset=made, selection=UNTIL) as db:
        rows = Data(db).together(reports()["buffer_pool/io"], "day", None)
    shown = {
        (row["lpar"], row["qmgr"], row["pool_id"], row["day_start_local"].date()): row["pool_hit_pct"] for row in rows
    }
    assert shown == pytest.approx(days)
    assert len({value for value in days.values() if value is not None}) > 5


def test_sums_of_an_older_version_are_made_again_while_their_records_are_there(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollup, "VIEWS", {"log": (), "task": ("connection_job",)})
    folder = Path(shutil.copytree(made, tmp_path / "data"))
    steps = steps_of(folder, "115", "116")
    with monkeypatch.context() as older:
        older.setattr(rollup, "CONTRACT_VERSION", 0)
        assert rollup.roll_up(folder, steps) == ["log", "task"]
    assert "made by version 0 of the aggregation, which is 1 now" in " ".join(verify(folder).remarks)
    assert rollup.roll_up(folder, steps) == ["log", "task"]
    assert {entry.path.split("/")[2][7:11] for entry in open_dataset(folder).manifest.hourly} == {"-v1-"}
    assert "version 0" not in " ".join(verify(folder).remarks)
    assert rollup.roll_up(folder, steps) == []


def test_sums_of_an_older_version_stay_without_their_records(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are named in one sentence, and rows that arrive later are in a file of their own."""
    monkeypatch.setattr(rollup, "VIEWS", {"log": ()})
    folder = Path(shutil.copytree(made, tmp_path / "data"))
    steps = steps_of(folder, "115")
    with monkeypatch.context() as older:
        older.setattr(rollup, "CONTRACT_VERSION", 0)
        assert rollup.roll_up(folder, steps) == ["log"]
    before = {entry.path: (folder / entry.path).read_bytes() for entry in open_dataset(folder).manifest.hourly}
    drop(folder, steps)
    late = smf_file(intervals(QueueManager("MQ08", "SYS8"), rich_estate.EIGHT, 1))
    assert run(["ingest", str(file_of(late, tmp_path)), "--into", str(folder), "--jobs", "1"]) == 0
    assert rollup.roll_up(folder, steps_of(folder, "115")) == ["log"]
    after = [entry.path for entry in open_dataset(folder).manifest.hourly]
    assert before.keys() < set(after)
    assert all((folder / path).read_bytes() == data for path, data in before.items())
    remarks = [text for text in verify(folder).remarks if "hourly sums" in text]
    assert len(remarks) == 1
    assert remarks[0].startswith(f"{len(before)} file")
