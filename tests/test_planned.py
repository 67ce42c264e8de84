"""Planned work: maintenance windows and test queue managers in the site file."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.check import check
from mqstat.base.errors import SiteError
from mqstat.base.return_codes import of_report
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge import engine
from mqstat.judge.sentences import few_of
from mqstat.sql.needs import rule_columns
from mqstat.sql.site import parse_site
from tests.cases import case_database
from tests.support import file_of, reading

WINDOW = """
[[maintenance]]
from = 2026-01-05T02:00:00
to = 2026-01-05T03:00:00
qmgr = "MQ0*"
reason = "change 4711"
"""
"""In local time, one hour east of Greenwich: intervals 2 to 4 of a case begin in it."""


def findings(rule_id: str, given: dict[str, Any], site: str) -> list[dict[str, Any]]:
    """The breaches of a rule over a case whose queue managers are one hour east of Greenwich.

    `given` has the rows of views, and as `interval` the columns that differ from the usual ones, by interval.
    """
    first = dt.datetime(2026, 1, 5, hour=1)
    differing = given.get("interval", {})
    intervals = [
        {"n": n, "interval_start_local": first + dt.timedelta(minutes=30 * n), **differing.get(n, {})} for n in range(5)
    ]
    views = {name: rows for name, rows in given.items() if name != "interval"}
    case = {"given": {"interval_cut": intervals, **views}, "site": site}
    with case_database(case, [rule_id]) as db:
        rows = list(map(dict, engine.run_rules(db, only=[rule_id]).rows))
    return [row for row in rows if row["state"] == "breach"]


def waits(*numbers: int) -> dict[str, Any]:
    """Rows of view buffer_pool with waits for a buffer, which are critical, in these intervals."""
    return {
        "buffer_pool": [
            {"n": n, "pool_id": 3, "buffers": 1000, "no_buffer_waits": 7 * (n in numbers)} for n in range(5)
        ]
    }


def code_of(rows: list[dict[str, Any]]) -> int:
    """The return code of a report with these findings."""
    return of_report([(row["outcome"], row["severity"]) for row in rows], 0)


@pytest.mark.parametrize(
    ("intervals", "planned"), [((2,), True), ((2, 4), True), ((1, 2), False), ((0,), False), ((4,), True)]
)
def test_what_breaches_only_in_a_maintenance_window_is_a_note(intervals: tuple[int, ...], planned: bool) -> None:
    (without_site,) = findings("BP001", waits(*intervals), "")
    (row,) = findings("BP001", waits(*intervals), WINDOW)
    assert (without_site["severity"], without_site["maintenance"]) == ("critical", None)
    assert row["severity"] == ("info" if planned else "critical")
    assert (row["maintenance"] is not None) == planned
    assert code_of([row]) == (0 if planned else 8)
    if planned:
        note = "Only a note: in the maintenance window 2026-01-05 02:00 to 2026-01-05 03:00 MQ0*: change 4711."
        assert few_of(row) == note
        assert note in row["advice"]


def weekly(days: str, start: str, end: str) -> str:
    return f'[[maintenance]]\nweekdays = {days}\nfrom = "{start}"\nto = "{end}"\nreason = "restart"'


@pytest.mark.parametrize(
    ("halves", "site", "planned"),
    [
        ((2, 4), weekly('["Monday"]', "02:00", "03:00"), True),
        ((2, 4), weekly('["Sunday"]', "02:00", "03:00"), False),
        ((0, 2), weekly('["Sunday"]', "22:00", "02:00"), True),  # over midnight
        ((0, 3), weekly('["Sunday"]', "22:00", "02:00"), False),
        ((2, 338), weekly('["Sunday", "Monday"]', "02:00", "03:00"), True),  # a week later
        ((2, 290, 338), weekly('["Monday"]', "02:00", "03:00"), False),  # the Sunday between them
        ((2, 3), weekly('["Monday"]', "02:00", "02:40"), True),
    ],
)
def test_a_weekly_window_comes_every_week(halves: tuple[int, ...], site: str, planned: bool) -> None:
    rows = {"buffer_pool": [{"n": n, "pool_id": 3, "buffers": 1000, "no_buffer_waits": 7} for n in halves]}
    (row,) = findings("BP001", rows, site)
    assert row["severity"] == ("info" if planned else "critical")
    if planned:
        assert f"in the maintenance window each {'Sunday' if 'Sunday' in site else 'Monday'}" in row["advice"]


@pytest.mark.parametrize(("end", "planned"), [("03:30", True), ("03:00", False)])
def test_a_weekly_window_is_a_time_of_the_clock_on_the_wall(end: str, planned: bool) -> None:
    """Clocks go forward at 02:30: the half hour after 02:00 begins at 03:30."""
    changed = {3: {"interval_start_local": dt.datetime(2026, 1, 5, 3, 30)}}
    (row,) = findings("BP001", {"interval": changed, **waits(2, 3)}, weekly('["Monday"]', "02:00", end))
    assert (row["maintenance"] is not None) == planned


def test_another_queue_manager_is_not_in_maintenance() -> None:
    (row,) = findings("BP001", waits(2), WINDOW.replace("MQ0*", "MQ02"))
    assert row["severity"] == "critical"


def test_a_planned_crash_loop_is_no_warning() -> None:
    starts = {"interval": {n: {"restart_seen": True} for n in (2, 3, 4)}}
    (without_site,) = findings("CV012", starts, "")
    assert without_site["severity"] == "warning"
    (row,) = findings("CV012", starts, WINDOW)
    assert row["severity"] == "info"
    assert row["maintenance"] is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[maintenance]]\nfrom = 2026-01-05T02:00:00\nreason = "x"',
            "line 1: maintenance.to must be a local time such as",
        ),
        (
            '[[maintenance]]\nfrom = "2026-01-05"\nto = 2026-01-05T02:00:00\nreason = "x"',
            "line 2: maintenance.from must be a local time such as",
        ),
        (
            '[[maintenance]]\nfrom = 2026-01-05T02:00:00\nto = 2026-01-05T02:00:00\nreason = "x"',
            "line 3: maintenance.to is not after from: the window ends before it begins",
        ),
        (
            f'{WINDOW}[[maintenance]]\nweekdays = ["Sundy"]\nfrom = "02:00"\nto = "03:00"\nreason = "x"',
            "line 8: .*did you mean Sunday",
        ),
        (weekly('"Sunday"', "02:00", "03:00"), "line 2: maintenance.weekdays must be a list of days"),
        (
            weekly('["Sunday"]', "25:00", "03:00"),
            'line 3: maintenance.from must be a local time of the day such as "22:00"',
        ),
        (
            f'{WINDOW}[[maintenance]]\nweekday = ["Sunday"]',
            "line 8: maintenance.weekday is not known; did you mean weekdays",
        ),
        (
            "[[maintenance]]\nfrom = 2026-01-05T02:00:00\nto = 2026-01-05T03:00:00",
            "maintenance.reason is missing; it must be a text",
        ),
        ('[[maintenance]]\nfrom = 2026-01-05T02:00:00\nto = 2026-01-05T03:00:00\nreson = "x"', "did you mean reason"),
        ("[maintenanc]", "did you mean maintenance"),
        ('[qmgr.MQ01]\nrole = "prod"', "must be one of production, test"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(SiteError, match=message):
        parse_site(text, "site.toml")


@pytest.mark.slow
def test_a_test_queue_manager_may_log_once(tmp_path: Path) -> None:
    """MQ01 is reported, MQ02 declares single logging, MQ03 is a test."""
    scenario = SCENARIOS["single_logging"]
    dump = file_of(scenario.build(), tmp_path)
    for text, reported in (
        (scenario.site, {"MQ01"}),
        (scenario.site.replace('"test"', '"production"'), {"MQ01", "MQ03"}),
    ):
        with reading(dump, columns_to_decode(rule_columns()), site=parse_site(text, "site.toml")) as db:
            rows = check(db, only=("LG008",)).outcomes
        assert {row["qmgr"] for row in rows if row["state"] == "breach"} == reported
