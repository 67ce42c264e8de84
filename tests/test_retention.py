"""Retention by class: periods, holds, what is dropped, and the hourly sums that stay."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from mqstat.base.errors import ConfigError, UsageError
from mqstat.cli import run as command
from mqstat.daily.config import load_config
from mqstat.dataset import log, retention
from mqstat.dataset.classes import CLASSES, class_of
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.prune import days_of
from mqstat.dataset.retention import Period, Policy, parse_hold, parse_period, plan
from mqstat.dataset.store import day_of, open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake import rollup
from mqstat.intake.open_data import open_data
from mqstat.share import view_file
from mqstat.sql.sqlfile import views, with_views_below
from tests.installation import Installation, dump, installed_fixture, real_fixture  # noqa: F401 - fixtures

NEWEST = dt.date(2026, 5, 21)
DAYS = (NEWEST - dt.timedelta(days=500), NEWEST - dt.timedelta(days=60), NEWEST - dt.timedelta(days=20), NEWEST)
LATER = dt.date(2026, 5, 22)


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with an hour of statistics and accounting on each of four days."""
    root = tmp_path_factory.mktemp("retention")
    records = []
    for day in DAYS:
        records += intervals(QueueManager("MQ01", "SYS1"), dt.datetime.combine(day, dt.time(8)), 3)
    (root / "a.smf").write_bytes(smf_file(records))
    assert command(["ingest", str(root / "a.smf"), "--into", str(root / "data"), "--jobs", "1"]) == 0
    return root / "data"


@pytest.fixture(scope="module")
def pruned(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That dataset without the accounting of the first two days, whose files are deleted."""
    folder = Path(shutil.copytree(made, tmp_path_factory.mktemp("pruned") / "data"))
    for keep in ("--retention", "116=30d"), ("--before", "2000-01-01"):  # the second one deletes the files
        assert command(["prune", str(folder), *keep]) == 0
    return folder


def few_hourly_views(patch: pytest.MonkeyPatch) -> None:
    """Hourly sums of one view only, which take less time."""
    patch.setattr(rollup, "VIEWS", {"task": rollup.VIEWS["task"]})


def manifest_of(folder: Path) -> Manifest:
    return open_dataset(folder).manifest


def tables_on(folder: Path, day: dt.date) -> set[str]:
    """The classes of the tables that a dataset has of a day."""
    return {class_of(entry.table) for entry in manifest_of(folder).files if day_of(entry) == day}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("1 day", NEWEST),
        ("30d", dt.date(2026, 4, 22)),
        ("1 month", dt.date(2026, 4, 22)),
        ("13 months", dt.date(2025, 4, 22)),
        ("3m", dt.date(2026, 2, 22)),
        ("2 years", dt.date(2024, 5, 22)),
        ("9999 years", dt.date.min),
    ],
)
def test_periods(text: str, first: dt.date) -> None:
    assert parse_period(text).first_kept(NEWEST) == first


def test_a_month_ends_at_the_last_day_of_a_shorter_one() -> None:
    assert Period("", months=1).first_kept(dt.date(2026, 3, 31)) == dt.date(2026, 3, 1)


@pytest.mark.parametrize("text", ["", "30", "0 days", "-1 days", "1.5 months", "30 weeks", "9999999 days"])
def test_what_is_not_a_period(text: str) -> None:
    with pytest.raises(UsageError, match="is not a period; write 30 days"):
        parse_period(text)


@pytest.mark.parametrize(
    "text", ["", "2026-02-30", "2026-03-05..2026-03-01", "march", "2026-03-01..", "2026-03-01reason"]
)
def test_what_is_not_a_hold(text: str) -> None:
    with pytest.raises(UsageError, match="is not a day or a range of days"):
        parse_hold(text)
    assert parse_hold("2026-03-01..2026-03-05 incident 4711").reason == "incident 4711"


def test_the_classes_of_tables() -> None:
    assert {name: class_of(name) for name in ("qpst", "qest_structure", "wtas", "wq_cf", "qcst", "record", "qwhs", "source", "nothing")} == {
        "qpst": "115", "qest_structure": "115", "wtas": "116", "wq_cf": "116", "qcst": "116",
        "record": "", "qwhs": "", "source": "", "nothing": "",
    }  # fmt: skip


def test_what_a_policy_drops(made: Path) -> None:
    """Accounting goes first; table record and whole days go with the class that is kept longest, and what is on hold stays."""
    manifest = manifest_of(made)

    def dropped(policy: Policy, keep: tuple[dt.date, ...] = ()) -> dict[str, list[dt.date]]:
        return {step.name: list(step.days) for step in plan(manifest, policy, LATER, keep)}

    month, year = parse_period("30 days"), parse_period("13 months")
    both = {"115": year, "116": month}
    assert dropped(Policy()) == {}
    assert dropped(Policy({"116": month})) == {"116": list(DAYS[:2])}, "without a period for 115 its days stay"
    assert dropped(Policy(both)) == {"116": [DAYS[1]], "all": [DAYS[0]]}
    assert dropped(Policy({"115": month, "116": year})) == {"115": [DAYS[1]], "all": [DAYS[0]]}
    assert dropped(Policy(both), (DAYS[1],)) == {"all": [DAYS[0]]}
    assert dropped(Policy(both, (parse_hold(f"{DAYS[0]}..{DAYS[1]} case"),))) == {}
    (step,) = plan(manifest, Policy({"116": month}, (parse_hold(str(DAYS[0])),)), LATER)
    assert {class_of(entry.table) for entry in step.files} == {"116"}
    assert step.text("would drop").startswith(f"would drop class 116 of {DAYS[1]}: {step.records} records, ")


def select(query: str) -> list[tuple[Any, ...]]:
    """The rows of a query of another engine."""
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def sums(
    folder: Path, view: str, columns: list[str], days: list[dt.date], capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """The sums of some columns of a view over some days, as mqstat shows them."""
    capsys.readouterr()
    listed = ", ".join(f"sum({name})" for name in columns)
    moment = "interval_start_local" if "interval_start_local" in views()[view].columns else "written_local"
    where = ", ".join(f"DATE '{day}'" for day in days)
    assert (
        command(
            [
                "sql",
                f"SELECT {listed} FROM {view} WHERE {moment}::DATE IN ({where})",
                "--from",
                str(folder),
                "--format",
                "csv",
            ]
        )
        == 0
    )
    return capsys.readouterr().out.splitlines()[1].split(",")


@pytest.mark.slow
def test_the_detail_goes_and_hourly_sums_stay(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing but the announced class goes; the sums are those of the views before; a second run changes nothing, and the dump still verifies."""
    folder = tmp_path / "data"
    shutil.copytree(made, folder)
    added = {
        view: [name for name, expression, _ in rollup.columns_of(view) if expression.startswith("sum(")][:8]
        for view in ("task", "queue_use")
    }
    before = {view: sums(folder, view, columns, list(DAYS[:2]), capsys) for view, columns in added.items()}
    words = ["prune", str(folder), "--retention", "116=30d", "--hold", str(NEWEST)]
    assert command([*words, "--dry-run"]) == 0
    would = capsys.readouterr().out
    assert would.startswith(f"would drop class 116 of {DAYS[0]} to {DAYS[1]} (2 days): ")
    assert tables_on(folder, DAYS[0]) == {"", "115", "116"}
    assert command(words) == 0
    assert capsys.readouterr().out == would.replace("would drop", "dropped")
    assert [tables_on(folder, day) for day in DAYS] == [
        {"", "115"},
        {"", "115"},
        {"", "115", "116"},
        {"", "115", "116"},
    ]
    assert verify(folder).problems == []
    for view, columns in added.items():
        listed = ", ".join(f"sum({name})::DOUBLE" for name in columns)
        kept = select(f"SELECT {listed} FROM read_parquet('{folder}/rollup/{view}/*.parquet')")[0]
        assert [None if text == "" else float(text) for text in before[view]] == pytest.approx(list(kept)), view
        assert any(kept)
        text = (pq.read_metadata(min((folder / "rollup" / view).iterdir())).metadata or {})[b"mqstat"]
        described = json.loads(text)["columns"]
        assert set(described) == {
            row[0] for row in select(f"DESCRIBE FROM read_parquet('{folder}/rollup/{view}/*.parquet')")
        } - {"date"}
        assert described[columns[0]][0] == views()[view].columns[columns[0]].unit
    files = {path: path.read_bytes() for path in (folder / "rollup").rglob("*.parquet")}
    assert command(words) == 0
    assert capsys.readouterr().out == "nothing to drop.\n"
    assert {path: path.read_bytes() for path in (folder / "rollup").rglob("*.parquet")} == files
    dump_file = made.parent / "a.smf"
    assert command(["verify", str(folder), "--against", str(dump_file), "--jobs", "1"]) == 0
    assert f"not compared because class 116 was dropped: {DAYS[0]}, {DAYS[1]})" in capsys.readouterr().out


@pytest.mark.slow
def test_no_sums_are_made_of_a_file_that_was_changed(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sums would have a checksum that fits, and the file would be dropped, so that nobody could see the change."""
    folder = tmp_path / "data"
    shutil.copytree(made, folder)
    path = next(path for path in sorted((folder / "wtas").iterdir()) if str(DAYS[0]) in path.name)
    table = pq.ParquetFile(path).read()
    pq.write_table(table.slice(1), path)
    before = manifest_of(folder)
    assert command(["prune", str(folder), "--retention", "116=30d", "--hold", str(NEWEST)]) == 16
    assert f"{path.relative_to(folder)} is missing or was changed since it was written" in capsys.readouterr().err
    assert manifest_of(folder) == before
    case = f"{DAYS[0]} case 4711"
    assert command(["prune", str(folder), "--retention", "116=30d", "--hold", str(NEWEST), "--hold", case]) == 0
    assert len(verify(folder).problems) >= 1


@pytest.mark.slow
def test_a_killed_run_adds_no_hour_twice(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sums are written before anything is dropped; a run that ends between both is repeated."""
    few_hourly_views(monkeypatch)
    folder = tmp_path / "data"
    shutil.copytree(made, folder)
    steps = plan(manifest_of(folder), Policy({"116": parse_period("30 days")}), LATER)
    assert rollup.roll_up(folder, steps)
    count = f"SELECT count(*), sum(rows) FROM read_parquet('{folder}/rollup/task/*.parquet')"
    once = select(count)
    assert rollup.roll_up(folder, steps) == []
    merged = [
        dataclasses.replace(
            step, files=tuple(dataclasses.replace(file, path=f"{file.path[:-8]}-merged.parquet") for file in step.files)
        )
        for step in steps
    ]
    assert rollup.roll_up(folder, merged) == [], "files may have been merged between both runs"
    retention.drop(folder, steps)
    retention.drop(folder, steps)
    assert select(count) == once
    assert not list((folder / "rollup").rglob(".*"))


@pytest.mark.slow
def test_hours_of_one_month_are_one_file(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later day of a month makes a file that replaces the earlier one; a file that was changed stays, with the new day next to it."""
    few_hourly_views(monkeypatch)
    folder = tmp_path / "data"
    shutil.copytree(made, folder)
    files = manifest_of(folder).files
    count = f"SELECT count(DISTINCT hour_local), sum(rows) FROM read_parquet('{folder}/rollup/task/*.parquet')"
    for day in (DAYS[2], DAYS[3]):
        step = retention.Step("116", (day,), tuple(each for each in files if day_of(each) == day), 0)
        assert rollup.roll_up(folder, [step])
    assert len(list((folder / "rollup" / "task").iterdir())) == 1
    assert verify(folder).problems == []
    hours, rows = select(count)[0]
    assert hours >= 2
    (path,) = (folder / "rollup" / "task").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    late = retention.Step("116", (DAYS[2],), tuple(each for each in files if day_of(each) == DAYS[2]), 0)
    assert rollup.roll_up(folder, [late])
    assert len(list((folder / "rollup" / "task").iterdir())) == 2
    assert [problem.split(":")[0] for problem in verify(folder).problems] == [path.relative_to(folder).as_posix()]
    assert rows


@pytest.mark.slow
@pytest.mark.parametrize("lost", [False, True])
def test_a_dropped_class_is_not_missing_after_a_rebuild(
    pruned: Path, tmp_path: Path, lost: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log states which classes were dropped; without it a class without any table of a day is taken as dropped. Hourly sums stay in the manifest."""
    folder = tmp_path / "data"
    shutil.copytree(pruned, folder)
    before = manifest_of(folder)
    assert {each.day for each in before.dropped} == {str(day) for day in DAYS[:2]}
    assert {each.name for each in before.dropped} == {"116"}
    stale = folder / before.hourly[0].path
    shutil.copy(stale, stale.with_name(stale.name.replace("-g0", "-g1")))
    if lost:
        for name in (log.NAME, log.HEAD):
            (folder / name).unlink(missing_ok=True)
    capsys.readouterr()
    assert command(["verify", str(folder), "--rebuild"]) == 0
    text = capsys.readouterr().out
    assert ("class 116 has no tables of 2 days from " in text) is lost
    after = manifest_of(folder)
    assert {(each.name, each.day) for each in after.dropped} == {(each.name, each.day) for each in before.dropped}
    assert all(bool(each.on) is not lost for each in after.dropped)
    assert {entry.path for entry in after.files} == {entry.path for entry in before.files}
    assert len(after.hourly) == len(before.hourly)
    assert [entry.path for entry in after.retired if entry.path.startswith("rollup/")] == [before.hourly[0].path]
    (folder / after.hourly[-1].path).unlink()
    assert command(["verify", str(folder), "--rebuild"]) == 12
    assert "these hourly sums are missing" in capsys.readouterr().out


@pytest.mark.slow
def test_a_dropped_class_is_not_shown_as_collected(
    made: Path, pruned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """View collection, the head of the report and a file of views state that a retention dropped the class, on which date, and how much of it."""
    folder = Path(shutil.copytree(pruned, tmp_path / "data"))
    query = (
        "SELECT record_class, coverage_state, records, records_dropped, dropped_on FROM collection WHERE records > 0"
    )

    def states(dataset: Path, days: list[dt.date] | None = None) -> dict[str, tuple[Any, ...]]:
        with open_data(dataset=dataset, days=days) as database:
            return {row[0]: row[1:] for row in database.ask(query).fetchall()}

    before, of_a_day = states(made), states(made, [DAYS[0]])
    on = dt.date.fromisoformat(manifest_of(folder).dropped[0].on)
    whole, day = states(folder), states(folder, [DAYS[0]])
    statistics = [name for name in before if name.startswith("115.")]
    assert [whole[name] for name in statistics] == [before[name] for name in statistics]
    for name in sorted({*before} - {*statistics}):
        assert day[name] == ("dropped by retention", of_a_day[name][1], of_a_day[name][1], on)
        assert whole[name][0] == "dropped in part"
        assert whole[name][1] == before[name][1] == 2 * whole[name][2]
    capsys.readouterr()
    for verbose in ([], ["-v"]):
        assert command(["report", "--from", str(folder), "--date", str(DAYS[0]), *verbose]) in (0, 4, 8)
        text = " ".join(capsys.readouterr().out.split())
        assert "dropped by retention 116.0 class 1 accounting" in text
        assert f"on {on}" in text
    assert command(["report", "--from", str(folder)]) in (0, 4, 8)
    text = " ".join(capsys.readouterr().out.split())
    assert "dropped in part 116.0 class 1 accounting" in text
    assert {row[2:] for row in states(folder, [NEWEST]).values()} == {(0, None)}
    # The files of all views take seconds.
    monkeypatch.setattr(view_file, "view_names", lambda **_: frozenset(with_views_below("collection")))
    assert command(["views", str(folder), "--into", str(folder / "mq.duckdb")]) == 0
    with duckdb.connect(str(folder / "mq.duckdb"), read_only=True) as connection:
        connection.execute(f"SET file_search_path = '{folder}'")
        assert {row[0]: row[1:] for row in connection.execute(query).fetchall()} == whole


def test_files_lost_from_a_day_are_missing_after_a_rebuild(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a readable log, a class without tables is a loss unless the log states that it was dropped."""
    folder = tmp_path / "data"
    shutil.copytree(made, folder)
    for entry in manifest_of(folder).files:
        if class_of(entry.table) == "116" and day_of(entry) == DAYS[1]:
            (folder / entry.path).unlink()
    assert command(["verify", str(folder), "--rebuild"]) == 12
    assert "files are missing, such as " in capsys.readouterr().out


@pytest.mark.parametrize("view", sorted(rollup.VIEWS))
def test_every_hourly_view_follows_from_kinds(view: str) -> None:
    """Each has a subject of its view, a class, and columns; no column is text, and none has two meanings."""
    known = views()[view].columns
    assert set(rollup.VIEWS[view]) <= set(known)
    columns = rollup.columns_of(view)
    assert len({name for name, _, _ in columns}) == len(columns) > 1
    assert all(column.unit not in ("text", "flag", "id") for _, _, column in columns)
    assert any(view in rollup.views_of(name) for name in CLASSES)
    assert view in rollup.views_of("all")


def test_the_page_about_datasets_lists_every_hourly_view() -> None:
    """With its subject and its classes."""
    text = (Path(__file__).parent.parent / "docs" / "dataset.md").read_text(encoding="utf-8")
    for view, subject in rollup.VIEWS.items():
        classes = [name for name in CLASSES if view in rollup.views_of(name)]
        assert (
            f"| `{view}` | {', '.join(f'`{name}`' for name in subject)} | {', '.join(classes)} |".replace(
                "|  |", "|  |"
            )
            in text
        ), view


# ------------------------------------------------------------------------------------------------------------------ daily runs


def configured(installed: Installation, periods: str) -> None:
    installed.configure(retention=periods, reports='formats = ["text"]\nbaseline_days = 0')


def test_daily_keeps_a_day_with_a_file_that_was_changed(
    installed: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warning at every run until somebody decides; the rest of the run is not stopped."""
    few_hourly_views(monkeypatch)
    old = NEWEST - dt.timedelta(days=9)
    configured(installed, '115 = "60 days"\n116 = "60 days"')
    for name, day in (("old", old), ("new", NEWEST)):
        installed.arrive(f"{name}.smf", dump(day))
    assert installed.run()[0] == 0
    path = next(path for path in sorted((installed.dataset / "record").iterdir()) if str(old) in path.name)
    path.write_bytes(path.read_bytes() + b"x")
    configured(installed, '115 = "5 days"\n116 = "5 days"')
    assert installed.run()[0] == 0, "announced"
    code, output = installed.run()
    assert code == 4
    sentence = f"record/{path.name} is missing or was changed since it was written: {old} is not dropped"
    assert output.count(sentence) == 1
    assert old in days_of(manifest_of(installed.dataset))


@pytest.mark.slow
def test_a_shorter_retention_is_announced_one_run_ahead(
    installed: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, second = NEWEST - dt.timedelta(days=40), NEWEST - dt.timedelta(days=10)
    for name, day in (("a", NEWEST), ("old", old), ("second", second)):
        installed.arrive(f"{name}.smf", dump(day))
    assert installed.run()[0] == 0
    monkeypatch.setattr(rollup, "VIEWS", {"buffer_pool": ("pool_id",)})
    for days, so_far, dropped_day in ((30, "all days", old), (5, "115 30 days, 116 30 days", second)):
        configured(installed, f'115 = "{days} days"\n116 = "{days} days"')
        present = days_of(manifest_of(installed.dataset))
        code, output = installed.run()
        assert code == 0
        sentence = f"The retention is new: 115 {days} days, 116 {days} days, so far {so_far}. Nothing is dropped for it in this run."
        assert sentence in output
        mail = " ".join((installed.reports / "mail.txt").read_text().split())
        assert sentence in mail
        assert f"! The next run drops {dropped_day}: " in mail
        assert days_of(manifest_of(installed.dataset)) == present
        code, output = installed.run()
        assert code == 0
        assert f"dropped {dropped_day}: " in output
        assert "rollup   hourly sums of buffer_pool added" in output
        assert days_of(manifest_of(installed.dataset)) == [day for day in present if day != dropped_day]
        assert "The retention is new" not in installed.run()[1]
    installed.check()


@pytest.mark.slow
def test_days_on_hold_stay(installed: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    few_hourly_views(monkeypatch)
    old = NEWEST - dt.timedelta(days=40)
    configured(installed, f'115 = "30 days"\n116 = "30 days"\nhold = ["{old} incident"]')
    for name, day in (("a", NEWEST), ("old", old), ("other", old - dt.timedelta(days=1))):
        installed.arrive(f"{name}.smf", dump(day))
    for _ in range(4):
        assert installed.run()[0] == 0
    assert days_of(manifest_of(installed.dataset)) == [old, NEWEST]
    assert command(["daily", "--check", str(installed.config)]) == 0
    assert f"115 30 days, 116 30 days; on hold: {old}..{old} (incident)" in installed.capsys.readouterr().out


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('116 = "30"', 'line 9: retention.116 must be a period in quotes, such as "30 days"'),
        ("116 = 30", "line 9: retention.116 must be a period"),
        ('hold = ["yesterday"]', "line 9: retention.hold must be a list of days or ranges"),
        ("rollup = 1", "line 9: retention.rollup must be true or false"),
        ('117 = "30 days"', "line 9: retention.117 is not known"),
        ('116 = "20 days"', "line 9: retention.116 is 20 days, so there are no 28 days to compare with"),
    ],
)
def test_faults_of_the_configuration(tmp_path: Path, keys: str, message: str) -> None:
    path = tmp_path / "daily.toml"
    path.write_text(
        f'[inbox]\nfolder = "inbox"\n[dataset]\nfolder = "dataset"\n[reports]\nfolder = "reports"\n\n[retention]\n{keys}\n'
    )
    with pytest.raises(ConfigError) as fault:
        load_config(path)
    assert message in str(fault.value)


@pytest.mark.parametrize(
    "words",
    [
        ["--retention", "117=30d"],
        ["--retention", "116"],
        ["--retention", "116=soon"],
        ["--hold", "x", "--keep", "3"],
        ["--keep", "3", "--retention", "116=3d"],
    ],
)
def test_options_that_are_not_valid(made: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["prune", str(made), *words]) == 16
    assert capsys.readouterr().err.count("\n") == 1


def test_prune_keeps_days_on_hold(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(made, tmp_path / "data")
    assert command(["prune", str(tmp_path / "data"), "--keep", "1", "--hold", f"{DAYS[0]}..{DAYS[1]}"]) == 0
    assert days_of(manifest_of(tmp_path / "data")) == [DAYS[0], DAYS[1], DAYS[3]]
    assert capsys.readouterr().out.startswith(f"dropped {DAYS[2]}: ")
