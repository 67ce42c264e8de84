"""The steps of a grid: they do not change findings, and each step matches a count of its rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqstat.assemble.curves import (
    MAX_STEPS,
    WIDTHS,
    curves,
    day_rows,
    grid_of,
    limit_shown,
    make_grid,
    worst_intervals,
)
from mqstat.assemble.page_model import Grid
from mqstat.assemble.table_model import LocalTimes
from mqstat.judge import engine
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.judge.states import rule_states
from mqstat.sql.workspace import Workspace
from tests.cases import START, case_database, load_cases, rows_of_case, rules_of

CASES = load_cases()
NOBODY = LocalTimes({})


def steps(count: int, seconds: int, start: datetime = START) -> Grid:
    """A grid of so many steps."""
    starts = tuple(start + timedelta(seconds=seconds * number) for number in range(count))
    return Grid(starts, starts, seconds)


def findings(db: Workspace, site: Any = None, only: Any = None, grid: Grid | None = None) -> list[dict[str, Any]]:
    return [dict(row) for row in run_rules(db, site, only, grid=grid).rows]


# ----------------------------------------------------------------------------------------------------------- rule cases


TOGETHER = 8
"""Number of rules whose cases are judged in one run, each case on an LPAR of its own."""


def judged_together(cases: list[tuple[str, dict[str, Any]]]) -> dict[int, list[dict[str, Any]]]:
    """The findings of each case from one run, by its identity; not of cases with a rule that is off or broken on all
    queue managers.
    """
    numbers, given_rows = count(1000), dict[str, list[dict[str, Any]]]()
    for number, (_, case) in enumerate(cases):
        for view, rows in rows_of_case(case, numbers).items():
            given_rows.setdefault(view, []).extend({**row, "lpar": f"{row['lpar']}#{number}"} for row in rows)
    wanted = set[str]().union(*(rules_of(rule_id, case) for rule_id, case in cases))
    with case_database({"given": given_rows}, wanted) as db:
        found = engine.run_rules(db, only=wanted).rows
    everywhere = {row["rule_id"] for row in found if row["lpar"] is None}
    ends: dict[int, list[dict[str, Any]]] = {id(case): [] for _, case in cases}
    for row in found:
        if row["lpar"] is None:
            continue
        mark = row["lpar"].rpartition("#")[2]
        own = {key: value.replace(f"#{mark}", "") if isinstance(value, str) else value for key, value in row.items()}
        ends[id(cases[int(mark)][1])].append(own)
    return {id(case): ends[id(case)] for rule_id, case in cases if not everywhere & rules_of(rule_id, case)}


# ------------------------------------------------------------------------------------------------ steps against a count

WIDTH = 900
COUNT = 8
PROBE = 0.4


def steps_of(begin: float, length: float) -> list[int]:
    """The steps that cover an interval, by definition: those whose probe is in it, else the one of its middle."""
    probed = [number for number in range(-50, 60) if begin <= (number + PROBE) * WIDTH < begin + length]
    return [n for n in probed or [math.floor((begin + length / 2) / WIDTH)] if 0 <= n < COUNT]


row = st.fixed_dictionaries(
    {
        "qmgr": st.sampled_from(["MQ01", "MQ02"]),
        "task_index": st.integers(0, 2),
        "begin": st.integers(-2000, COUNT * WIDTH + 2000),
        "length": st.sampled_from([5, 60, 299, 300, 900, 1800, 5000]),
        "busy": st.none() | st.sampled_from([10.0, 50.0, 89.5, 90.0, 95.0, 99.0]),
    }
)


@given(st.lists(row, min_size=1, max_size=40))
@settings(max_examples=25, deadline=None)
@pytest.mark.slow
def test_steps_match_a_count(rows: list[dict[str, Any]]) -> None:
    """Rule CH005 over any intervals: findings as without steps, and in each step the worst of the rows that cover
    it.
    """
    case = {
        "given": {
            "chinit_dispatcher": [
                {
                    "qmgr": row["qmgr"],
                    "task_index": row["task_index"],
                    "task_busy_pct": "null" if row["busy"] is None else row["busy"],
                    "interval_start_utc": START + timedelta(seconds=row["begin"]),
                    "interval_seconds": float(row["length"]),
                }
                for row in rows
            ]
        }
    }
    with case_database(case, ["CH005"]) as db:
        plain = findings(db, only=["CH005"])
        assert findings(db, only=["CH005"], grid=steps(COUNT, WIDTH)) == plain
        judged = {
            (row["qmgr"], row["subject"], row["step"]): (
                row["observed"],
                row["limit_value"],
                row["judged"],
                row["breached"],
            )
            for row in db.rows("SELECT * FROM rule_step")
        }
    short = 10 if "G1" in rules()["CH005"].guards else 0
    expected: dict[tuple[str, str, int], list[float]] = {}
    for row in rows:
        if row["busy"] is not None and row["length"] >= short:
            for step in steps_of(row["begin"], row["length"]):
                expected.setdefault((row["qmgr"], f"dispatcher {row['task_index']}", step), []).append(row["busy"])
    blind = {row["qmgr"] for row in plain if row["state"] == "not collected"}
    assert {key: value for key, value in judged.items() if key[0] not in blind} == {
        key: (max(busy), 90.0, len(busy), sum(value >= 90 for value in busy)) for key, busy in expected.items()
    }


def test_a_step_has_a_value_in_breach_where_there_is_one() -> None:
    """BP004 has a second clause, which may decide the finding: the curve keeps to the figure and the limit of the
    first.
    """
    pool = {"pool_id": 1, "buffers": 100, "interval_seconds": 300.0}
    given_rows = [
        {**pool, "interval_start_utc": START, "lowest_free_pct": 40.0, "deferred_write_starts": 3},
        {
            **pool,
            "interval_start_utc": START + timedelta(minutes=5),
            "lowest_free_pct": 20.0,
            "deferred_write_starts": 0,
        },
    ]
    with case_database({"given": {"buffer_pool": given_rows}}, ["BP004"]) as db:
        (finding,) = findings(db, only=["BP004"], grid=steps(4, 900))
        missing = db.execute(
            "SELECT step, observed, limit_value, judged, breached FROM rule_step WHERE rule_id = 'BP004'"
        ).fetchall()
    assert (finding["observed"], finding["limit_value"]) == (3.0, 0.0)
    assert missing == [(0, 40.0, 15.0, 2, 1)]


def test_a_curve_has_the_limit_of_its_figure() -> None:
    """A finding that the second clause decides has the limit of that clause, which is no limit of the curve."""
    pool = {"pool_id": 1, "buffers": 100, "interval_seconds": 900.0}
    given_rows = [
        {**pool, "interval_start_utc": START + timedelta(minutes=15 * number), "lowest_free_pct": 40.0 - number, "deferred_write_starts": 3}
        for number in range(3)
    ]  # fmt: skip
    grid = steps(4, 900)
    with case_database({"given": {"buffer_pool": given_rows}}, ["BP004"]) as db:
        rows = findings(db, only=["BP004"], grid=grid)
        curve = curves(db, grid, rule_states(rows, []))["BP004"]
    assert [row["limit_value"] for row in rows] == [0.0]
    assert (curve.values, curve.limit, curve.breached) == ((40.0, 39.0, 38.0, None), 15.0, frozenset({0, 1, 2}))


def test_without_time_there_are_no_steps() -> None:
    """A grid without steps leaves no steps; the worst intervals do not depend on it."""
    nothing = Grid((), (), 60)
    with case_database({"given": {"buffer_pool": [{**POOL, "no_buffer_waits": 1}]}}, ["BP001"]) as db:
        assert findings(db, only=["BP001"], grid=nothing) == findings(db, only=["BP001"])
        assert curves(db, nothing, rule_states(db.rows("SELECT * FROM finding"), [])) == {}
        assert day_rows(db, nothing) == ()
        assert len(worst_intervals(db, [])) == 1


# ------------------------------------------------------------------------------------------------------ what pages show

POOL: Mapping[str, Any] = {
    "n": 0,
    "pool_id": 1,
    "buffers": 100,
    "no_buffer_waits": 0,
    "deferred_write_starts": 0,
    "lowest_free_pct": 80.0,
}
ORDER = "ORDER BY CASE outcome WHEN 'breach' THEN 0 ELSE 1 END, CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, rule_id, subject"

CASE: dict[str, Any] = {
    "given": {
        "buffer_pool": [
            {**POOL, "n": [0, 1, 2, 4, 5]},
            {**POOL, "n": 3, "no_buffer_waits": 7, "lowest_free_pct": 0.0, "deferred_write_starts": 1},
            {**POOL, "n": [0, 1, 2, 3, 5], "pool_id": 2, "lowest_free_pct": 60.0},
            {**POOL, "n": 4, "pool_id": 2, "lowest_free_pct": 9.0},
            {**POOL, "n": [0, 1, 2, 3, 4, 5], "qmgr": "MQ02", "lowest_free_pct": 50.0},
        ],
        "log": [{"n": [0, 1, 2, 3, 4, 5], "log_buffer_waits": 0, "logger_task_busy_pct": 20.0}],
    }
}
RULES = ["BP001", "BP003", "BP004", "LG001", "LG002"]
GRID = steps(6, 1800)


@pytest.fixture
def judged_case() -> Iterator[Workspace]:
    """The rules of the story, judged: pool 1 runs out of buffers in the fourth interval, pool 2 is low in the fifth."""
    with case_database(CASE, RULES) as db:
        run_rules(db, only=RULES, grid=GRID)
        yield db


def test_curves_are_those_of_the_deciding_subjects(judged_case: Workspace) -> None:
    drawn = curves(judged_case, GRID, rule_states(judged_case.rows(f"SELECT * FROM finding {ORDER}"), []))
    assert drawn["BP001"].values == (0.0, 0.0, 0.0, 7.0, 0.0, 0.0)
    assert (drawn["BP001"].subject, drawn["BP001"].limit, drawn["BP001"].breached) == (
        "buffer pool 1",
        0.0,
        frozenset({3}),
    )
    # Silenced on pool 1, so pool 2 decides.
    assert drawn["BP004"].subject == "buffer pool 2"
    assert drawn["BP004"].values == (60.0, 60.0, 60.0, 60.0, 9.0, 60.0)
    assert drawn["BP004"].breached == frozenset({4})
    # Green: the nearest to its limit, and nothing of it is marked.
    assert drawn["LG002"].values == (20.0,) * 6
    assert drawn["LG002"].breached == frozenset()


@pytest.mark.parametrize(
    ("clause", "limit", "shown"), [("critical", 90.0, 90.0), ("busy", 90.0, 50.0), ("busy", None, None)]
)
def test_the_limit_of_a_curve_is_that_of_its_finding(clause: str, limit: float | None, shown: float | None) -> None:
    """Rule CH002 compares one figure with two limits: 82 % is in breach of 50 %, not of the 90 % of its leading
    clause.
    """
    finding = {"rule_id": "CH002", "clause": clause, "limit_value": 90.0 if clause == "critical" else 50.0}
    assert limit_shown(finding, limit) == shown


def test_the_overview_has_the_worst_state_of_each_step(judged_case: Workspace) -> None:
    rows = {(row.area, row.qmgr): row for row in day_rows(judged_case, GRID)}
    assert rows["buffer_pool", "MQ01"].states == ("clear", "clear", "clear", "critical", "warning", "clear")
    assert rows["buffer_pool", "MQ02"].states == ("clear",) * 6
    assert rows["log", "MQ01"].states == ("clear",) * 6
    # Judged on one queue manager, so there is a row for the other, with nothing in it.
    assert rows["log", "MQ02"].states == (None,) * 6
    assert [row.area for row in day_rows(judged_case, GRID)] == ["buffer_pool", "buffer_pool", "log", "log"]


def test_a_finding_that_is_only_a_note_is_one_in_every_step() -> None:
    """Three intervals are too few for a rule of consecutive intervals; a severity from the site applies to every
    row.
    """
    log = {"n": [0, 1, 2], "logger_task_busy_pct": 99.0}
    site = '[rules.BP001]\nseverity = "info"\nreason = "pools of a test system"\n'
    pools = [{**POOL, "n": 0}, {**POOL, "n": 1, "no_buffer_waits": 3}]
    with case_database({"given": {"log": [log], "buffer_pool": pools}, "site": site}, ["LG002", "BP001"]) as db:
        run_rules(db, only=["LG002", "BP001"], grid=steps(3, 1800))
        rows = {row.area: row for row in day_rows(db, steps(3, 1800))}
    assert rows["log"].states == ("info", "info", "info")
    assert rows["buffer_pool"].states == ("clear", "info", None)


def test_inactive_rules_are_not_in_the_overview() -> None:
    site = '[rules.BP001.subject."buffer pool 1"]\noff = true\nreason = "being moved"\n'
    pools = [{**POOL, "n": [0, 1], "no_buffer_waits": 3}, {**POOL, "n": 0, "pool_id": 2}]
    with case_database({"given": {"buffer_pool": pools}, "site": site}, ["BP001"]) as db:
        run_rules(db, only=["BP001"], grid=steps(2, 1800))
        (row,) = day_rows(db, steps(2, 1800))
        assert worst_intervals(db, []) == {}
    assert row.states == ("clear", None)


def test_limits_of_the_site_are_those_of_the_steps() -> None:
    site = '[rules.BP004.qmgr.MQ02]\nstealable_pct_min = 55.0\nreason = "agreed"\n'
    with case_database({**CASE, "site": site}, ["BP004"]) as db:
        run_rules(db, only=["BP004"], grid=GRID)
        limits = dict(db.execute("SELECT qmgr, max(limit_value) FROM rule_step GROUP BY qmgr").fetchall())
        worst = worst_intervals(db, [])
    assert limits == {"MQ01": 15.0, "MQ02": 55.0}
    assert [interval.observed for interval in worst["BP004", "SYS1", "MQ02", "buffer pool 1"]] == [50.0] * 5


def test_worst_intervals_are_the_worst_five_with_their_place_in_the_input() -> None:
    pools = [
        {**POOL, "n": n, "no_buffer_waits": waits, "record_id": n} for n, waits in enumerate([3, 0, 9, 1, 5, 4, 7, 2])
    ]
    records = [{"record_id": n, "source_id": 1, "source_offset": 1000 * n} for n in range(8)]
    with case_database({"given": {"buffer_pool": pools, "record": records}}, ["BP001"]) as db:
        run_rules(db, only=["BP001"], grid=GRID)
        worst = worst_intervals(db, [{"source_id": 1, "source_name": "day\x1b.smf"}])
    (key,) = worst
    assert key == ("BP001", "SYS1", "MQ01", "buffer pool 1")
    assert [(interval.observed, interval.offset) for interval in worst[key]] == [
        (9.0, 2000),
        (7.0, 6000),
        (5.0, 4000),
        (4.0, 5000),
        (3.0, 0),
    ]
    assert {(interval.limit, interval.source_name) for interval in worst[key]} == {(0.0, "day?.smf")}
    assert worst[key][0].at_utc == START + timedelta(hours=1)


# ---------------------------------------------------------------------------------------------------------------- grids

ZONES = LocalTimes({("SYS1", "MQ01"): ((datetime(2026, 1, 1), 330), (datetime(2026, 3, 29, 1), 390))})


@given(
    st.integers(0, 10**7),
    st.one_of(st.integers(0, 3000), st.integers(0, 10**5), st.integers(0, 10**9)),
    st.sampled_from([0, 60, 300, 899.8, 1800, 3600.2, 86400]),
    st.sampled_from([NOBODY, ZONES]),
)
def test_grids_cover_their_period_in_few_steps(begin: int, length: int, usual: float, times: LocalTimes) -> None:
    first = datetime(2026, 1, 1) + timedelta(seconds=begin)
    last = first + timedelta(seconds=length)
    grid = grid_of(first, last, usual, times)
    late = timedelta(minutes=1)
    assert 1 <= len(grid.starts) == len(grid.starts_utc) <= MAX_STEPS
    assert grid.seconds >= 0.9 * usual
    assert grid.starts_utc[0] <= first + late
    assert grid.starts_utc[-1] + timedelta(seconds=grid.seconds) >= last - late
    assert {b - a for a, b in zip(grid.starts_utc, grid.starts_utc[1:], strict=False)} <= {
        timedelta(seconds=grid.seconds)
    }
    begun = times.local("SYS1", "MQ01", first) or first
    midnight = grid.starts[0].replace(hour=0, minute=0, second=0, microsecond=0)
    if begun.date() == grid.starts[0].date():
        assert (grid.starts[0] - midnight).total_seconds() % min(grid.seconds, 86400) == 0
    shorter = [width for width in WIDTHS if width < grid.seconds and width >= 0.9 * usual]
    if shorter:
        assert length / shorter[-1] >= MAX_STEPS - 2


@pytest.mark.parametrize(
    ("hours", "usual", "count", "seconds"),
    [
        (24, 300, 96, 900),
        (24, 1800, 48, 1800),
        (25, 300, 50, 1800),
        (1, 60, 60, 60),
        (7 * 24, 900, 84, 7200),
        (30 * 24, 300, 60, 43200),
    ],
)
def test_usual_periods(hours: int, usual: int, count: int, seconds: int) -> None:
    """A record that is written a moment after midnight makes no further step."""
    first = datetime(2026, 3, 1)
    grid = grid_of(first, first + timedelta(hours=hours, seconds=2), usual, NOBODY)
    assert (len(grid.starts), grid.seconds, grid.starts[0]) == (count, seconds, first)


def test_clocks_that_change_move_the_labels() -> None:
    first = datetime(2026, 3, 28, 18, 30)
    grid = grid_of(first, first + timedelta(hours=24), 1800, ZONES)
    assert grid.starts[0] == datetime(2026, 3, 29)
    assert grid.starts[13] - grid.starts[12] == timedelta(minutes=90)


def test_the_period_is_that_of_the_intervals_and_of_what_was_written() -> None:
    """An interval that begins in another year is a mistake."""
    cuts = [
        {
            "interval_start_utc": START + n * timedelta(minutes=30),
            "interval_end_utc": START + (n + 1) * timedelta(minutes=30),
            "median_interval_seconds": 1800.0,
        }
        for n in range(4)
    ]
    odd = {**cuts[0], "interval_start_utc": datetime(1999, 1, 1)}
    records = [
        {"record_id": n, "written_local": START + n * timedelta(minutes=31), "gmt_offset_minutes": 0}
        for n in range(1, 5)
    ]
    with case_database({"given": {"interval_cut": [*cuts, odd], "record": records}}, []) as db:
        grid = make_grid(db, NOBODY)
    assert (grid.starts[0], len(grid.starts), grid.seconds) == (START + timedelta(minutes=30), 4, 1800)
    with case_database({"given": {"interval_cut": cuts, "record": records}}, []) as db:
        grid = make_grid(db, NOBODY)
    assert (grid.starts[0], len(grid.starts), grid.seconds) == (START, 5, 1800)
    with case_database({}, []) as db:
        assert make_grid(db, NOBODY).starts == ()
