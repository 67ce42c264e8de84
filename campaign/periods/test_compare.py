"""Comparing two periods: a built pair, a month with an odd day, and different sides."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from mqstat.assemble import compare
from mqstat.assemble.baseline import compared_report, usual_baseline
from mqstat.assemble.usual import History, add_history
from mqstat.base.errors import UsageError
from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.cli.app import app
from mqstat.dataset.store import open_dataset
from mqstat.fixtures import periods
from mqstat.fixtures.day import DAY, intervals, morning
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.month import FIRST, busy_month
from mqstat.fixtures.objects import POOLS
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.open_data import columns_of, open_data
from mqstat.render.layout import all_lines
from mqstat.sql import sqlfile
from mqstat.sql.schemas import view_schema
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.opening import open_database
from tests.support import file_of, reading

DAYS, SECONDS = 28, 3600
LAST = (FIRST + dt.timedelta(days=DAYS)).date()


@contextmanager
def compared(before: Path, after: Path) -> Iterator[tuple[Workspace, compare.Sides]]:
    """A database with what was measured on both sides."""
    wanted = {table: set(columns) for table, columns in columns_of(compare.QUERIES)().items()}
    with ExitStack() as stack:
        sides = [stack.enter_context(reading(path, wanted)) for path in (before, after)]
        match = compare.match(*map(compare.extent, sides))
        measured = [compare.measure(db, name, match.rows) for db, name in zip(sides, ("before", "after"), strict=True)]
    with open_database({}, views=False) as db:
        compare.fill(db, measured)
        yield db, match


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The day before and the day after the change."""
    folder = tmp_path_factory.mktemp("pair")
    return file_of(periods.before(), folder, "before.smf"), file_of(periods.after(), folder, "after.smf")


@pytest.fixture(scope="module")
def moved(pair: tuple[Path, Path]) -> Iterator[tuple[Workspace, compare.Sides]]:
    """The pair, compared."""
    with compared(*pair) as comparison:
        yield comparison


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four weeks of one queue manager, and an unusual day."""
    folder = tmp_path_factory.mktemp("month")
    busy_month(folder / "month.smf", DAYS, 1, SECONDS)
    file_of(periods.odd_day(DAYS, SECONDS), folder, "odd.smf")
    assert run(["ingest", str(folder / "month.smf"), str(folder / "odd.smf"), "--into", str(folder / "data")]) == 0
    return folder / "data"


def mqstat(*arguments: str | Path) -> tuple[int, str]:
    """Return code and output of a command."""
    # The width of a job's output, whatever the terminal of the tests.
    result = CliRunner(env={"COLUMNS": "132"}).invoke(app, [str(argument) for argument in arguments])
    code = result.return_value if isinstance(result.return_value, int) else result.exit_code
    if isinstance(result.exception, UsageError):
        return 16, str(result.exception)
    return code, result.output


def half_day(
    folder: Path, name: str, owner: QueueManager | None = None, first: dt.datetime = DAY, **options: Any
) -> Path:
    """Five hours of a queue manager from eight on, without accounting."""
    start = first + dt.timedelta(hours=options.pop("hour", 8))
    return file_of(
        smf_file(intervals(owner or QueueManager(), start, options.pop("count", 10), with_accounting=False)),
        folder,
        name,
    )


def texts(sides: compare.Sides) -> str:
    """The warnings of a comparison."""
    return "\n".join(text for _, text in sides.careful)


# ------------------------------------------------------------------------------------------------------------- the pair


def test_the_two_changes_are_named_first(moved: tuple[Workspace, compare.Sides]) -> None:
    changes = moved[0].ask_rows("SELECT * FROM compare_moved ORDER BY moved_rank")
    assert [row["subject"] for row in changes] == ["buffer pool 3", "application CICSPRD2/SRV1", ""]
    assert [row["moved_class"] for row in changes] == ["changed", "figures", "totals"]
    assert changes[0]["moved_text"].startswith("buffers 60,000 before, 30,000 after (-50 %)")
    assert "log data" in changes[1]["moved_text"]
    assert changes[1]["moved_figures"] == 1


def test_a_setting_has_the_largest_effect(moved: tuple[Workspace, compare.Sides]) -> None:
    (row,) = moved[0].ask_rows("SELECT * FROM compare_figure WHERE subject = 'buffer pool 3' AND metric = 'buffers'")
    assert row["effect_size"] == pytest.approx(-2)
    assert row["change_pct"] == pytest.approx(-50)
    assert row["noteworthy"]


def test_every_effect_is_within_its_bounds(moved: tuple[Workspace, compare.Sides]) -> None:
    figures = moved[0].ask_rows(
        "SELECT effect_size, difference FROM (SELECT *, after_mean - before_mean AS difference FROM compare_figure)",
    )
    assert len(figures) > 100
    assert all(abs(row["effect_size"]) <= 2 + 1e-9 for row in figures)


def test_the_pair_in_every_format(pair: tuple[Path, Path], tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    files = [tmp_path / f"pair.{ending}" for ending in ("md", "json", "html")]
    code, text = mqstat("compare", *pair, *(argument for file in files for argument in ("--write", file)))
    assert code == 0
    assert max(map(len, text.splitlines())) <= 132
    golden("compare/pair.txt", text)
    assert mqstat("compare", *pair, "--format", "csv", "--output", tmp_path / "tables")[0] == 0
    table = (tmp_path / "tables" / "overview" / "changes.csv").read_text(encoding="utf-8")
    markdown, document, page = (file.read_text(encoding="utf-8") for file in files)
    golden("compare/pair.md", "\n".join(line for line in markdown.splitlines() if not line.startswith("| ")) + "\n")
    tables = json.loads(document)["baseline"]["tables"]
    names = [column["name"] for column in tables["overview/compare"]["columns"]]
    first = dict(zip(names, tables["overview/compare"]["rows"][0], strict=True))
    assert (first["subject"], first["metric"], first["noteworthy"]) == ("buffer pool 3", "buffers", True)
    assert len(tables["overview/compare"]["rows"]) > 100
    assert table.splitlines()[0].startswith("lpar,qmgr,subject,setting,change")
    assert "MQ comparison" in page
    assert "buffer pool 3" in page


def test_equal_sides_have_no_changes(pair: tuple[Path, Path]) -> None:
    with compared(pair[1], pair[1]) as (db, sides):
        assert sides.careful == ()
        assert db.ask_rows("SELECT * FROM compare_moved") == []
        assert db.ask_rows("SELECT * FROM compare_setting") == []
        figures = db.ask_rows("SELECT * FROM compare_figure")
        assert figures
        assert {row["effect_size"] for row in figures} == {0}
        assert not any(row["noteworthy"] or row["appeared"] or row["vanished"] for row in figures)
        assert any("nothing:" in line for line in all_lines(compared_report(db, sides, ("a", "b"))))


@settings(max_examples=25, deadline=None)
@example(before=[0.0], after=[5e-296], number=1)
@given(
    before=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30),
    after=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30),
    number=st.sampled_from([1, 11, 31, 61]),
)
def test_effects_are_sound_whatever_the_values(before: list[float], after: list[float], number: int) -> None:
    """The effect is between -2 and 2, has the sign of the change, turns around with the sides, and is 0 if both sides
    are equal.
    """
    forward, back, same = effects(number, (before, after), (after, before), (before, before))
    assert abs(forward["effect_size"]) <= 2 + 1e-9
    assert forward["effect_size"] == pytest.approx(-back["effect_size"], abs=1e-9)
    assert forward["effect_size"] * (forward["after_mean"] - forward["before_mean"]) >= 0
    assert same["effect_size"] == 0
    assert not same["noteworthy"]
    apart = abs(before[0] - after[0])
    if len(set(before)) == len(set(after)) == 1 and apart > max(1e-6 * max(abs(before[0]), abs(after[0])), 1e-90):
        assert abs(forward["effect_size"]) == pytest.approx(2)


def effects(number: int, *pairs: tuple[list[float], list[float]]) -> list[dict[str, Any]]:
    """The rows of compare_figure of subjects of which a figure had these values, before and after, in one hour."""
    figures = [
        {
            "lpar": "SYS1", "qmgr": "MQ01", "side_name": side, "slot_by": "week", "slot": slot, "subject": str(subject), "figure_number": number,
            "figure_count": len(values), "figure_mean": fmean(values), "figure_variance": pvariance(values),
        }
        for subject, pair in enumerate(pairs)
        for side, values in zip(("before", "after"), pair, strict=True)
        for slot in (None, 10)
    ]  # fmt: skip
    db = empty()
    compare.fill(db, [[("side_figure", pa.Table.from_pylist(figures, schema=view_schema("side_figure")))]])
    compared = db.rows("SELECT * FROM compare_figure ORDER BY subject")
    assert [row["subject"] for row in compared] == [str(subject) for subject in range(len(pairs))]
    return compared


@cache
def empty() -> Workspace:
    """A database without data, with the view of the figures."""
    return open_database({}, views=["compare_figure"])


@pytest.mark.parametrize("name", ["overview/moved", "overview/changes", "overview/compare"])
def test_reports_of_the_pair(name: str, moved: tuple[Workspace, compare.Sides]) -> None:
    report = sqlfile.reports()[name]
    result = moved[0].ask(report.text)
    assert [column[0] for column in result.description] == list(report.columns)
    assert result.fetchall()


def test_every_column_has_a_value_somewhere(
    moved: tuple[Workspace, compare.Sides], dataset: Path, tmp_path: Path
) -> None:
    """As tests/test_report_columns.py for the reports that only a comparison fills."""
    names = ("overview/moved", "overview/changes", "overview/compare", "overview/usual")
    missing = {(name, column) for name in names for column in sqlfile.reports()[name].columns}

    def collect(db: Workspace) -> None:
        for name in names:
            counted = ", ".join(f'count("{column}")' for column in sqlfile.reports()[name].columns)
            db.keep([sqlfile.reports()[name].text])
            body = sqlfile.reports()[name].text.rstrip().rstrip(";")
            counts = db.execute(f"SELECT {counted} FROM ({body})").fetchall()[0]
            columns = zip(sqlfile.reports()[name].columns, counts, strict=True)
            missing.difference_update((name, column) for column, count in columns if count)

    collect(moved[0])
    with day_of(dataset, DAYS) as (db, _):
        collect(db)
    paths = half_day(tmp_path, "one.smf", count=2), half_day(tmp_path, "other.smf", count=2)
    with compared(*paths) as (db, _):
        collect(db)
    assert sorted(missing) == []


# ---------------------------------------------------------------------------------------------------- sides that differ


def test_levels_queue_managers_and_pools_that_come_and_go(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    old, new = QueueManager(level="9.3.0"), QueueManager(level="10.0.0")
    removed, come = QueueManager("MQ08", "SYS2"), QueueManager("MQ09", "SYS3")
    more = replace(new, pools=(*POOLS, replace(POOLS[0], pool_id=7)), adapters=12)
    before = [*morning(owner=old, count=4), *morning(owner=removed, count=4)]
    after = [*morning(owner=more, count=4), *morning(owner=come, count=4)]
    paths = file_of(smf_file(before), tmp_path, "before.smf"), file_of(smf_file(after), tmp_path, "after.smf")
    with compared(*paths) as (db, sides):
        changes = {
            (row["qmgr"], row["subject"], row["setting"]): row for row in db.ask_rows("SELECT * FROM compare_setting")
        }
        report = compared_report(db, sides, ("before.smf", "after.smf"))
        levels = db.ask_rows("SELECT DISTINCT mq_level_before, mq_level_after FROM compare_figure WHERE qmgr = 'MQ01'")
        golden("compare/estate.txt", "\n".join(all_lines(report)) + "\n")
    assert changes["MQ01", "", "MQ level"]["after_value"] == "10.0.0"
    assert changes["MQ01", "buffer pool 7", "there"]["change"] == "appeared"
    assert changes["MQ01", "channel initiator", "adapters"]["setting_change_pct"] == 50
    assert changes["MQ08", "", "there"]["change"] == "vanished"
    assert changes["MQ09", "", "there"]["change"] == "appeared"
    # What came and went with a queue manager is not listed again.
    assert {key for key in changes if key[0] != "MQ01"} == {("MQ08", "", "there"), ("MQ09", "", "there")}
    assert levels == [{"mq_level_before": "9.3.0", "mq_level_after": "10.0.0"}]
    assert "only before: MQ08 on SYS2;" in texts(sides)
    assert "only after: MQ09 on SYS3;" in texts(sides)


def test_other_days_of_the_week_are_compared_by_the_hour_of_the_day(tmp_path: Path) -> None:
    monday, tuesday = (
        half_day(tmp_path, "monday.smf"),
        half_day(tmp_path, "tuesday.smf", first=DAY + dt.timedelta(days=1)),
    )
    with compared(monday, tuesday) as (db, sides):
        assert dict(sides.lines)["Matched"].startswith("hours of the day")
        assert sides.careful == ()
        assert db.ask_rows("SELECT * FROM compare_moved") == []


def test_different_hours_are_reported(tmp_path: Path) -> None:
    night, noon = half_day(tmp_path, "night.smf", hour=0, count=6), half_day(tmp_path, "noon.smf", hour=11, count=6)
    with compared(night, noon) as (_, sides):
        assert "no hour of the day in common" in texts(sides)
    early, late = half_day(tmp_path, "early.smf", hour=8), half_day(tmp_path, "late.smf", hour=10)
    with compared(early, late) as (db, sides):
        assert "3 hours on both sides; 4 hours on one side only and not compared" in texts(sides)
        assert {
            row["before_intervals"] for row in db.ask_rows("SELECT * FROM compare_figure WHERE metric = 'puts_per_s'")
        } == {6}


def test_different_lengths_are_reported_and_counts_are_per_hour(tmp_path: Path) -> None:
    owner, start = QueueManager(), DAY + dt.timedelta(hours=9)
    changes = {"qjst": {"log_buffer_waits": 60}}
    long = owner.interval(start, 1800, overrides=changes) + owner.interval(
        start + dt.timedelta(minutes=30), 1800, overrides=changes
    )
    changes = {"qjst": {"log_buffer_waits": 20}}
    short: list[bytes] = []
    for number in range(6):
        short += owner.interval(start + number * dt.timedelta(minutes=10), 600, overrides=changes)
    paths = file_of(smf_file(long), tmp_path, "long.smf"), file_of(smf_file(short), tmp_path, "short.smf")
    with compared(*paths) as (db, sides):
        assert "intervals of 30 minutes before and of 10 minutes after" in texts(sides)
        assert "fewer than 4 intervals before" in texts(sides)
        (waits,) = db.ask_rows("SELECT * FROM compare_figure WHERE metric = 'log_buffer_waits'")
        assert (waits["before_mean"], waits["after_mean"], waits["effect_size"]) == (120, 120, 0)


def test_two_intervals_are_enough_for_settings_only(tmp_path: Path) -> None:
    owner = replace(QueueManager(), rate=300.0)
    halved = replace(QueueManager(), pools=(*POOLS[:3], replace(POOLS[3], buffers=30_000)))
    before, after = half_day(tmp_path, "one.smf", owner, count=2), half_day(tmp_path, "other.smf", halved, count=2)
    with compared(before, after) as (db, sides):
        assert "only changes of settings are reliable" in texts(sides)
        figures = db.ask_rows("SELECT * FROM compare_figure WHERE noteworthy")
        assert [(row["subject"], row["metric"]) for row in figures] == [("buffer pool 3", "buffers")]


def test_no_queue_manager_in_common(tmp_path: Path) -> None:
    first = half_day(tmp_path, "one.smf", count=4)
    other = half_day(tmp_path, "other.smf", QueueManager("MQ77", "SYS7"), count=4)
    with compared(first, other) as (db, sides):
        assert not sides.comparable
        assert "nothing to compare" in texts(sides)
        assert db.ask_rows("SELECT * FROM compare_figure") == []


# ------------------------------------------------------------------------------------------------ a day and its history


def test_the_odd_day_compared_with_its_month(dataset: Path, golden: Callable[[str, str], None]) -> None:
    code, text = mqstat("report", "--from", dataset, "--date", str(LAST), "--baseline", "28d", "-v")
    assert code in (0, 4, 8)
    start = text.index("Compared with before")
    section = text[start : text.index("\n  Limits ", start)]
    golden("compare/odd_day.txt", section.rstrip() + "\n")
    assert "4 Thursdays" in section
    assert "logger busy" in section


@pytest.fixture(scope="module")
def day_before_last(dataset: Path) -> Iterator[tuple[Workspace, History]]:
    """A day like all others, which has only 27 days before it."""
    with day_of(dataset, DAYS - 1) as compared:
        yield compared


@contextmanager
def day_of(dataset: Path, number: int) -> Iterator[tuple[Workspace, History]]:
    """A day of the month, by its number, compared with the days before it."""
    start = FIRST + dt.timedelta(days=number)
    selection = Selection(since=start, until=start + dt.timedelta(days=1))
    with open_data(dataset=dataset, selection=selection, may_be_empty=True) as db:
        yield db, add_history(db, start.date(), 28)


def test_repeated_records_of_the_days_before_count_once(tmp_path: Path) -> None:
    """A dump that overlaps another one: the days before have these records twice, and what is usual does not change."""
    days: list[bytes] = []
    for number in range(6):
        owner, start = replace(QueueManager(), rate=40.0 + number), FIRST + dt.timedelta(days=number, hours=9)
        days.append(smf_file(intervals(owner, start, 4, with_accounting=False)))
    dumps = {"once": b"".join(days), "twice": days[0] + days[1]}
    usual: dict[str, list[dict[str, Any]]] = {}
    repeats: dict[str, int] = {}
    counted: dict[str, int] = {}
    dataset = tmp_path / "dataset"
    for name, data in dumps.items():
        assert run(["ingest", str(file_of(data, tmp_path, f"{name}.smf")), "--into", str(dataset)]) == 0
        with day_of(dataset, 5) as (db, history):
            assert history.enough
            figures = db.ask_rows("SELECT * FROM usual_figure") + db.ask_rows("SELECT * FROM side_setting")
        # DuckDB adds floating-point numbers in any order, so the last digits vary.
        rounded = [{k: float(f"{v:.9g}") if isinstance(v, float) else v for k, v in row.items()} for row in figures]
        usual[name] = sorted(rounded, key=str)
        with open_database({"record": open_dataset(dataset).files["record"]}, views=False) as db:
            repeats[name] = db.ask_rows("SELECT count(*) AS rows FROM decoded.repeated_record")[0]["rows"]
        with open_data(dataset=dataset, tables={"qmst"}) as db:  # not asked for the records that show repeats
            counted[name] = db.ask_rows("SELECT count(*) AS rows FROM decoded.qmst")[0]["rows"]
    assert repeats["once"] == 0
    assert repeats["twice"] > 20
    assert len(usual["once"]) > 100
    assert usual["twice"] == usual["once"]
    assert counted == {"once": 24, "twice": 24}


def test_a_day_like_all_others_is_usual(day_before_last: tuple[Workspace, History]) -> None:
    db, history = day_before_last
    assert history.enough
    figures = db.ask_rows("SELECT * FROM usual_figure WHERE abs(usual_times_out) > 1")
    judged = db.ask_rows("SELECT count(*) AS hours FROM usual_figure WHERE usual_basis = 'day'")[0]["hours"]
    assert judged > 1000
    assert len(figures) <= 0.01 * judged


def test_three_days_of_the_week_are_too_little_history(day_before_last: tuple[Workspace, History]) -> None:
    check_history(*day_before_last, "only 3 of the 4 required Wednesdays have data", enough=True)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (5, "on any weekday: only 0 of the 4 required Tuesdays have data"),
        (2, "too little history: 2 days before 2026-01-03"),
        (0, "too little history: no data of the 28 days before 2026-01-01"),
        (40, "no intervals of statistics on 2026-02-10"),
    ],
)
def test_too_little_history_is_reported(number: int, message: str, dataset: Path) -> None:
    with day_of(dataset, number) as (db, history):
        check_history(db, history, message, enough=number == 5)


def check_history(db: Workspace, history: History, message: str, *, enough: bool) -> None:
    baseline = usual_baseline(db, history)
    assert message in "\n".join(text for _, text in baseline.lines)
    assert baseline.enough == enough
    assert any(label == "Unusual" for label, _ in baseline.lines) == baseline.enough


def test_periods_of_a_dataset(dataset: Path) -> None:
    code, text = mqstat("compare", "--from", dataset, "2026-01-01..2026-01-02", "2026-01-08..2026-01-09")
    assert code == 0
    assert "hours of the week with the same hours of the week" in text
    assert "2026-01-01..2026-01-02: 2026-01-01 00:00 to 2026-01-03 00:00 local time, 48 intervals of 60 minutes" in text


def test_a_dataset_compared_with_a_dump(
    pair: tuple[Path, Path], tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    assert run(["ingest", str(pair[0]), "--into", str(tmp_path / "data")]) == 0
    code, text = mqstat("compare", tmp_path / "data", pair[1])
    assert code == 0
    assert "  data: 2026-03-02 00:00 to 2026-03-03 00:00" in text
    golden("compare/pair.txt", text.replace("  data: ", "  before.smf: "))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report", "--from", "x", "--baseline", "28d"), "--baseline requires a day"),
        (("report", "x", "--date", "2026-01-01", "--baseline", "28d"), "--baseline requires a day"),
        (("report", "--from", "x", "--date", "2026-01-01", "--baseline", "month"), "28d or 4w"),
        (("report", "--from", "x", "--date", "2026-01-01", "--baseline", "500d"), "at most 120 days"),
        (("report", "x", "--date", "yesterday"), "is not a date"),
        (("report", "x", "--date", "2026-01-01", "--since", "2026-01-01"), "remove --since and --until"),
        (("compare", "--from", "x", "2026-01-01", "2026-99-01"), "is not a date"),
        (("compare", "--from", "x", "2026-01-07..2026-01-01", "2026-01-01"), "ends before it begins"),
        (
            ("compare", "--from", "x", "monday", "2026-01-01"),
            "write a date (2026-05-21) or a period (2026-05-01..2026-05-07)",
        ),
        (("compare", "a", "b", "--format", "openmetrics"), "--format openmetrics: choose text, "),
    ],
)
def test_contradicting_options(arguments: Sequence[str], message: str) -> None:
    code, text = mqstat(*arguments)
    assert code == 16
    assert message in text
