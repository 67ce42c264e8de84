"""View headroom against values computed by hand, its line in every format, and the kinds of limits over real
records.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from mqstat.assemble.check import check
from mqstat.assemble.headroom import headroom_text, no_forecast, undeclared
from mqstat.assemble.table_model import LocalTimes
from mqstat.fixtures.day import DAY, HALF_HOUR
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.objects import Overrides
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.sql import sqlfile
from mqstat.sql.columns import selected_columns
from mqstat.sql.needs import decoded_columns, rule_columns
from mqstat.sql.site import parse_site
from tests.costs import cache
from tests.outputs import Outputs
from tests.support import file_of, reading

Row = dict[str, Any]

FIRST = dt.datetime(2026, 3, 2)
SET, STORAGE, CHANNELS, ADAPTERS, POOL, RATE, LOGS, ENTRIES = 1, 3, 7, 9, 14, 15, 16, 19
"""Numbers of kinds of limits."""


def use(
    values: Sequence[float], limit: float | None = 1000, number: int = CHANNELS, *, days: float = 1, **other: Any
) -> list[Row]:
    """One interval for each value, every `days` days, without any gap."""
    length = dt.timedelta(days=days)
    return [
        {
            "lpar": "SYS1", "qmgr": "MQ01", "interval_start_utc": FIRST + n * length, "interval_start_local": FIRST + n * length,
            "interval_seconds": length.total_seconds(), "limit_number": number, "used_value": value, "limit_value": limit,
            "limit_ends_service": True, "limit_source": "record", **other,
        }
        for n, value in enumerate(values)
    ]  # fmt: skip


def headroom(rows: Sequence[Row], restarts: Sequence[dt.datetime] = (), classes: Sequence[Row] = ()) -> list[Row]:
    """The rows of view headroom over these rows of view headroom_use."""
    cuts: dict[tuple[str, dt.datetime], Row] = {}
    for row in rows:
        at = row["interval_start_utc"]
        cuts[row["lpar"] + row["qmgr"], at] = {
            "lpar": row["lpar"], "qmgr": row["qmgr"], "interval_start_utc": at, "interval_start_local": row["interval_start_local"],
            "interval_end_utc": at + dt.timedelta(seconds=row["interval_seconds"]), "interval_seconds": row["interval_seconds"], "restart_seen": at in restarts, "startup_interval": False,
        }  # fmt: skip
    db = views_over_tables()
    for view, given in zip(BELOW, (rows, list(cuts.values()), list(classes)), strict=True):
        db.execute(f"TRUNCATE {view}")
        if given:
            keys = dict.fromkeys(name for row in given for name in row)
            db.register("given", pa.table({name: [row.get(name) for row in given] for name in keys}))
            db.execute(f"INSERT INTO {view} BY NAME SELECT * FROM given")
    result = db.execute("SELECT * FROM headroom ORDER BY qmgr, limit_number, limit_subject")
    names = [column[0] for column in result.description]
    return [dict(zip(names, values, strict=True)) for values in result.fetchall()]


BELOW = ("headroom_use", "interval_cut", "collection")
"""Views that view headroom reads."""


@cache
def views_over_tables() -> duckdb.DuckDBPyConnection:
    """A database, for as long as the tests run, in which the views that view headroom reads are empty tables."""
    db = duckdb.connect(config={"threads": 1})
    db.execute(sqlfile.macros())
    for view in BELOW:
        columns = ", ".join(f"{name} {kind}" for name, kind in selected_columns()[view].items())
        db.execute(f"CREATE TABLE {view} ({columns})")
    for view in ("queue_manager_move", "headroom_limit", "headroom_step", "headroom"):
        db.execute(f"CREATE VIEW {view} AS {sqlfile.views()[view].select}")
    return db


def only(rows: Sequence[Row], **keywords: Any) -> Row:
    """The one row of the view over rows of one limit."""
    (row,) = headroom(rows, **keywords)
    return row


def test_a_steady_growth_has_its_date() -> None:
    # 16 days from 400 by 20 a day: 700 on the last, 300 left, 15 days after the end of the data.
    row = only(use([400 + 20 * n for n in range(16)]))
    end = FIRST + dt.timedelta(days=16)
    assert (row["headroom_state"], row["limit_place"], row["days_used"]) == ("date known", 1, 16)
    assert (row["used_value"], row["used_share_pct"], row["headroom_pct"]) == (700, 70, 30)
    assert row["growth_per_day"] == row["growth_per_day_low"] == row["growth_per_day_high"] == 20
    assert row["reach_date"] == row["reach_date_early"] == row["reach_date_late"] == end + dt.timedelta(days=15)
    assert row["when_utc"] == FIRST + dt.timedelta(days=15)


def test_the_trend_follows_a_queue_manager_that_moved() -> None:
    """Ten days on one LPAR and six on another are sixteen; storage counts from the move, and two of one name at once
    stay two.
    """
    values = [400 + 20 * n for n in range(16)]
    for number, days in ((CHANNELS, 16), (STORAGE, 6)):
        moved = [row | {"lpar": "SYS1" if n < 10 else "SYS2"} for n, row in enumerate(use(values, number=number))]
        row = only(moved)
        assert (row["lpar"], row["days_used"], row["used_value"]) == ("SYS2", days, 700)
    both = [*use(values), *use(values[:6], lpar="SYS2")]
    assert sorted((row["lpar"], row["days_used"]) for row in headroom(both)) == [("SYS1", 16), ("SYS2", 6)]


def test_a_growth_in_steps_has_a_range() -> None:
    # By 10 and by 30 in turn. Pairs of even distance grow by 20 a day, those of odd distance d by 20 - 10/d or 20 +
    # 10/d.
    values = [400.0]
    for n in range(15):
        values.append(values[-1] + (10, 30)[n % 2])
    slopes = sorted((values[b] - values[a]) / (b - a) for a in range(16) for b in range(a + 1, 16))
    assert len(slopes) == 120

    def quantile(share: float) -> float:
        position = share * (len(slopes) - 1)
        below = int(position)
        return slopes[below] + (position - below) * (slopes[below + 1] - slopes[below])

    row = only(use(values))
    assert values[-1] == 690
    assert [row["growth_per_day_low"], row["growth_per_day"], row["growth_per_day_high"]] == [
        pytest.approx(quantile(share)) for share in (0.05, 0.5, 0.95)
    ] == [10, 20, pytest.approx(30)]  # fmt: skip
    end = FIRST + dt.timedelta(days=16)
    dates = [row["reach_date_early"], row["reach_date"], row["reach_date_late"]]
    expected = [end + dt.timedelta(days=310 / growth) for growth in (30, 20, 10)]
    assert [abs((date - wanted).total_seconds()) < 1 for date, wanted in zip(dates, expected, strict=True)] == [
        True
    ] * 3


FLAT = [500.0] * 16
FALLING = [700.0 - 10 * n for n in range(16)]
NOISY = [500.0 + 2 * n + (0, 90, -70, 40)[n % 4] for n in range(16)]
WANDERING = [500, 540, 520, 560, 610, 580, 550, 600, 640, 600, 570, 590, 620, 650, 610, 640]


@pytest.mark.parametrize(
    ("values", "state"),
    [
        (FLAT, "no growth"),
        (FALLING, "no growth"),
        (NOISY, "no steady growth"),
        (WANDERING, "no steady growth"),
        ([400 + 20 * n for n in range(13)], "too few days"),
        ([400 + 20 * n for n in range(14)], "date known"),
        ([400 + 12 * n for n in range(16)], "date known"),  # 420 left of 12 a day: 35 days of at most 48
        ([400 + 8 * n for n in range(16)], "too far"),  # 480 left of 8 a day: 60 days
        ([400 + 40 * n for n in range(16)], "reached"),
    ],
)
def test_there_is_a_date_only_if_the_data_shows_growth(values: list[float], state: str) -> None:
    row = only(use(values))
    assert row["headroom_state"] == state
    assert (row["reach_date"] is not None) == (state == "date known")
    assert (row["limit_place"] == 1) == (state in ("date known", "reached"))


def test_the_date_is_never_beyond_a_year() -> None:
    row = only(use([400 + n for n in range(200)], 1000))
    assert row["headroom_state"] == "too far"  # 401 left by 1 a day


def test_a_late_date_that_is_too_far_is_open() -> None:
    values = [600 + 10 * n + (0, 8)[n % 2] for n in range(16)]
    row = only(use(values))
    assert row["headroom_state"] == "date known"
    assert row["growth_per_day_low"] < 5
    assert (row["reach_date_late"], row["reach_date"] is None) == (None, False)


def test_of_a_day_the_highest_use_counts_and_half_days_do_not() -> None:
    # Four intervals a day; the last day has one, 150 above the trend: the date counts from it, the growth does not use
    # it.
    values = [400 + 20 * (n // 4) + (0, 60, 30, 10)[n % 4] for n in range(64)] + [910]
    row = only(use(values, days=0.25))
    assert (row["days_used"], row["growth_per_day"], row["used_value"]) == (16, 20, 910)
    assert row["reach_date"] == FIRST + dt.timedelta(days=16.25 + 90 / 20)


def test_storage_counts_from_the_last_restart() -> None:
    values = [900 - 5 * n for n in range(10)] + [300 + 50 * n for n in range(8)]
    restart = FIRST + dt.timedelta(days=10)
    row = only(use(values, number=STORAGE), restarts=[restart])
    assert (row["headroom_state"], row["days_used"], row["growth_per_day"]) == ("date known", 8, 50)
    assert row["used_value"] == 900  # the peak is of the whole period
    assert row["reach_date"] == FIRST + dt.timedelta(days=18 + 350 / 50)
    assert only(use(values[:-2], number=STORAGE), restarts=[restart])["headroom_state"] == "too few days since restart"
    assert only(use(values, number=SET), restarts=[restart])["days_used"] == 18


def test_rates_have_a_trend_of_weeks() -> None:
    week = (10, 30, 20, 25, 40, 2, 1)
    values = [week[n % 7] + n // 7 for n in range(27)]
    assert only(use(values, 100, RATE))["headroom_state"] == "too few days"
    values.append(values[-1])
    row = only(use(values, 60, RATE))
    # Maxima of the weeks: 40, 41, 42, 43, so 1/7 a day; 17 left are 119 days, beyond three times 28.
    assert (row["headroom_state"], row["days_used"], row["growth_per_day"]) == ("too far", 28, pytest.approx(1 / 7))
    row = only(use(values, 50, RATE))
    assert row["reach_date"] == FIRST + dt.timedelta(days=28 + 7 * 7)
    assert row["planning_share_pct"] == 50


def test_shares_of_time_have_no_date() -> None:
    row = only(use([20 + 3 * n for n in range(16)], 100, ADAPTERS))
    assert (row["headroom_state"], row["used_share_pct"], row["growth_per_day"]) == ("no date", 65, None)


@pytest.mark.parametrize(
    ("number", "used_days", "restarted", "state"),
    [
        (SET, 13, None, "too few days"),
        (SET, 14, None, "date known"),
        (POOL, 13, None, "too few days"),
        (POOL, 14, None, "date known"),
        (STORAGE, 13, None, "too few days"),
        (STORAGE, 14, None, "date known"),
        # A restart begins a new trend of storage, but the days before it are data.
        (STORAGE, 13, 6, "too few days"),
        (STORAGE, 14, 7, "date known"),
        (STORAGE, 14, 8, "too few days since restart"),
        (RATE, 27, None, "too few days"),
        (RATE, 28, None, "date known"),
    ],
)
def test_no_forecast_from_less_than_14_days_of_data(
    number: int, used_days: int, restarted: int | None, state: str
) -> None:
    growth = [40 + n for n in range(used_days)]
    restarts = [] if restarted is None else [FIRST + dt.timedelta(days=restarted)]
    row = only(use(growth, growth[-1] + 18, number), restarts=restarts)
    assert (row["headroom_state"], row["has_forecast"]) == (state, state == "date known")
    assert row["data_days"] == (used_days // 7 * 7 if number == RATE else used_days)
    assert row["days_left"] == (18 if state == "date known" else None)


def test_what_is_reached_and_grows_has_no_days_left() -> None:
    assert only(use([400 + 40 * n for n in range(16)]))["days_left"] == 0
    assert only(use([1000] + [500] * 15))["days_left"] is None


def test_an_event_is_a_reached_limit_even_if_nobody_knows_the_limit() -> None:
    rows = use([100] * 16, None, ENTRIES, limit_subject="structure APPL1", limit_source=None)
    assert only(rows)["headroom_state"] == "no limit declared"
    rows[5]["limit_events"] = 2
    row = only(rows)
    assert (row["headroom_state"], row["limit_place"], row["reached_at_utc"]) == (
        "reached",
        1,
        FIRST + dt.timedelta(days=5),
    )


def test_the_members_of_a_group_share_a_structure() -> None:
    mine = use([100] * 16, 1000, ENTRIES, limit_subject="structure APPL1", limit_owner="QSG1")
    others = [
        {**row, "qmgr": "MQ02", "used_value": 500 + 20 * n}
        for n, row in enumerate(use([0] * 16, 1000, ENTRIES, limit_subject="structure APPL1", limit_owner="QSG1"))
    ]
    alone = [{**row, "qmgr": "MQ03", "limit_owner": "QSG2"} for row in mine]
    rows = headroom([*mine, *others, *alone])
    assert [(row["qmgr"], row["used_value"], row["headroom_state"]) for row in rows] == [
        ("MQ01", 800, "date known"),
        ("MQ02", 800, "date known"),
        ("MQ03", 100, "no growth"),
    ]
    assert rows[0]["reach_date"] == rows[1]["reach_date"] == FIRST + dt.timedelta(days=26)


def test_what_is_reached_comes_first_and_then_the_earliest_date() -> None:
    rows = headroom(
        [
            *use([400 + 20 * n for n in range(16)]),
            *use([900 + 2 * n for n in range(16)], number=SET, limit_subject="page set 4"),
            *use([500 + 40 * n for n in range(16)], number=STORAGE),
            *use([99 + n for n in range(16)], 95, POOL + 0, limit_subject="buffer pool 1"),
            *use([99.0] * 16, 85, POOL - 1, limit_subject="buffer pool 1", limit_ends_service=False),
        ]
    )
    assert [(row["limit_number"], row["headroom_state"], row["limit_place"]) for row in rows] == [
        (1, "date known", 4),  # 70 left by 2 a day
        (3, "reached", 2),  # on the 14th day
        (7, "date known", 3),  # 300 left by 20 a day
        (13, "reached", None),  # a threshold
        (14, "reached", 1),  # on the first day
    ]


def test_what_was_not_collected_is_listed() -> None:
    base = {"lpar": "SYS1", "qmgr": "MQ01"}
    classes = [
        {**base, "record_class": "115.7", "records": 0, "coverage_state": "not collected"},
        {**base, "record_class": "115.201", "records": 0, "coverage_state": "not in this release"},
        {**base, "record_class": "115.231", "records": 4, "coverage_state": "collected"},
    ]
    rows = headroom(use([1.0] * 2), classes=classes)
    assert [
        (row["limit_name"], row["headroom_state"], row["limit_note"]) for row in rows if row["used_value"] is None
    ] == [
        ("page set, present size", "not in this release", "115.201"),
        ("31-bit storage without its reserve", "not collected", "115.7"),
        ("64-bit storage without its cushion", "not collected", "115.7"),
    ]
    short = [{**row, "interval_seconds": 5.0} for row in use([1.0] * 2)]
    assert {row["headroom_state"] for row in headroom(short, classes=classes) if row["used_value"] is None} == {
        "not in this release",
        "not collected",
        "no usable interval",
    }


# --- over records


def of_records(dump: bytes, folder: Path, site: str = "") -> dict[tuple[str, str | None], Row]:
    """The rows of the view by limit and subject, of a dump of one queue manager."""
    query = "SELECT * FROM headroom"
    wanted = columns_to_decode(decoded_columns([query]))
    with reading(file_of(dump, folder), wanted, site=parse_site(site, "site.toml")) as db:
        limits = db.ask_rows(query)
    return {(row["limit_name"], row["limit_subject"]): row for row in limits}


SITE = """
[site]
log_peak_mb_s = 50
active_logs = 40
active_log_mb = 1000
chin_31bit_total_mb = 1600
page_set_max_gb = { 4 = 4 }
"""


def test_every_kind_of_limit_is_filled(tmp_path: Path) -> None:
    story: Overrides = {
        "qsrs": {"available_31_bytes": 859 << 20, "region_31_bytes": 1_619 << 20, "sos_reserve_31_bytes": 100 << 20},
        "qcct": {"current_channels": 400, "active_channels": 125, "chinit_31_mib": 400, "chinit_64_mib": 1_024},
        "qis1": {4: {"total_pages": 100_000, "unused_pages": 25_000}},
        "qpst": {1: {"buffers": 1_000, "lowest_stealable": 250}},
    }
    dump = []
    for number in range(48):
        start = DAY + number * HALF_HOUR
        dump += QueueManager().interval(start, overrides=story if number == 30 else None)
    rows = of_records(smf_file(dump), tmp_path, SITE)
    share = {key: round(row["used_share_pct"], 3) for key, row in rows.items() if row["used_share_pct"] is not None}
    assert share["31-bit storage without its reserve", None] == round(100 * 760 / 1519, 3)
    assert share["64-bit storage without its cushion", None] == round(100 * 2384 / (16_384 - 1_638), 3)
    assert share["current channels", None] == 80
    assert share["active channels", None] == 25
    assert share["channel initiator 31-bit storage", None] == 25
    assert share["channel initiator 64-bit storage", None] == 25
    assert share["buffer pool, 5 % free", "buffer pool 1"] == round(100 * 75 / 95, 3)
    assert share["buffer pool, 15 % free", "buffer pool 1"] == round(100 * 75 / 85, 3)
    assert {
        rows[key]["when_utc"] for key in [("31-bit storage without its reserve", None), ("current channels", None)]
    } == {DAY + 30 * HALF_HOUR - dt.timedelta(hours=1)}
    assert rows["log data rate", None]["limit_value"] == 50
    assert rows["active logs", None]["limit_value"] == 40_000
    assert rows["page set, largest size", "page set 4"]["limit_value"] == 4 * 262_144
    assert rows["page set, largest size", "page set 4"]["limit_source"] == "site file"
    assert {row["headroom_state"] for row in rows.values()} == {"too few days", "no date"}


def test_the_volume_of_a_day_is_that_of_24_hours(tmp_path: Path) -> None:
    dump, created = [], 256  # 1 MiB an interval
    for number in range(60):
        story: Overrides = {"qjst": {"cis_created": created * (10 if number >= 40 else 1)}}
        dump += QueueManager().interval(DAY + number * HALF_HOUR, overrides=story)
    row = of_records(smf_file(dump), tmp_path, SITE)["active logs", None]
    assert row["used_value"] == 28 * 1 + 20 * 10  # the last 48 of 60 half hours
    assert row["when_utc"] == DAY + 59 * HALF_HOUR - dt.timedelta(hours=1)


@pytest.mark.slow
def test_a_page_set_has_the_growth_of_the_page_set_report(tmp_path: Path) -> None:
    growth = (
        "SELECT h.growth_per_day, g.growth_pages_per_day, epoch(h.reach_date - h.last) / 86400, g.days_to_full FROM page_set_growth AS g "
        "JOIN (SELECT *, (SELECT max(step_last_end_local) FROM headroom_step) AS last FROM headroom) AS h "
        "ON h.limit_number = 1 AND h.limit_subject = 'page set ' || g.page_set_id"
    )
    dump = file_of(SCENARIOS["page_set_trend"].build(), tmp_path)
    with reading(dump, columns_to_decode(decoded_columns([growth]))) as db:
        compared = db.ask(growth).fetchall()
    assert len(compared) == 5
    assert all(mine == theirs for mine, theirs, _, _ in compared)
    assert [(round(days, 6), round(full, 6)) for _, _, days, full in compared if days is not None] == [
        (round(71 / 12, 6),) * 2
    ]


# --- the rules


def planted(days: int, left: int) -> bytes:
    """Whole days in intervals of eight hours, in which the use of 31-bit storage and of page set 3 grows evenly until
    its limit is this many days away.
    """
    owner, dump = QueueManager(pool_headers=4, getmains=4), []
    length = dt.timedelta(hours=8)
    for number in range(3 * days):
        to_go = left + days - 1 - number // 3
        story: Overrides = {
            "qsrs": {"available_31_bytes": (100 + 30 * to_go) << 20, "sos_reserve_31_bytes": 100 << 20},
            "qis1": {3: {"total_pages": 100_000, "unused_pages": 2_000 * to_go, "persistent_pages": 0, "nonpersistent_pages": 0}},
        }  # fmt: skip
        start = DAY - days * dt.timedelta(days=1) + number * length
        dump += owner.interval(start, length.total_seconds(), load=0.2, overrides=story)
    return smf_file(dump)


@pytest.mark.parametrize(
    ("days", "left", "judged"),
    [(14, 13, True), (14, 14, True), (14, 15, True), (13, 13, False), (20, 12, True)],
)
def test_a_limit_that_is_reached_within_two_weeks_is_a_warning(
    days: int, left: int, judged: bool, tmp_path: Path
) -> None:
    """The findings have the days of view headroom, and return code 4; nothing is forecast from less than 14 days of
    data.
    """
    only = ("PS006", "ST007")
    query = "SELECT limit_number, days_left FROM headroom WHERE limit_number = 3 OR limit_subject = 'page set 3' AND limit_number = 1"
    wanted = columns_to_decode(rule_columns())
    with reading(file_of(planted(days, left), tmp_path), wanted) as db:
        report = check(db, only=only)
        days_left = {row["limit_number"]: row["days_left"] for row in db.ask_rows(query)}
    breaches = {row["rule_id"]: row["observed"] for row in report.outcomes if row["outcome"] == "breach"}
    assert days_left == ({SET: left, STORAGE: left} if judged else {SET: None, STORAGE: None})
    assert breaches == ({"PS006": left, "ST007": left} if judged and left <= 14 else {})
    assert report.return_code == (4 if breaches else 0)


# --- the line


@pytest.mark.slow
def test_the_scenario_reaches_its_limits_on_the_dates_of_its_story(outputs: Outputs) -> None:
    """Storage: 660 of 1519 MiB left by 60 a day = 11 days. Channels: 114 of 340 left by 6 a day = 19 days, by 6.5 =
    17.5, by 5 = 22.8.
    """
    report, names = outputs.of_story("limits_approaching")
    manager = names["MQ01"]
    line = (
        "first 31-bit storage without its reserve: 56.6 % used, reached about 2026-03-13; "
        "then current channels: 66.5 % used, reached about 2026-03-21 (2026-03-19 to 2026-03-24)"
    )
    assert line in " ".join(report.text.split())
    assert line in report.page
    assert line in report.markdown
    assert [m["qmgr"] for m in report.document["queue_managers"] if m["headroom"].startswith(line)] == [manager]
    table = report.document["trend"]["overview/headroom"]
    at = [column["name"] for column in table["columns"]].index("qmgr")
    assert sum(row[at] == manager for row in table["rows"]) > 20


ROW: Row = {
    "lpar": "SYS1", "qmgr": "MQ01", "limit_name": "31-bit storage", "limit_subject": None, "headroom_state": "no growth", "limit_place": None,
    "used_share_pct": 40.0, "planning_share_pct": 80.0, "limit_ends_service": True, "reach_date": None, "reach_date_early": None,
    "reach_date_late": None, "reached_at_utc": None, "limit_note": None, "used_value": 40.0, "days_needed": 14,
}  # fmt: skip
TIMES = LocalTimes({("SYS1", "MQ01"): ((FIRST, 60),)})


def test_the_line_names_what_is_reached_what_follows_and_what_is_unknown() -> None:
    full = {
        **ROW,
        "limit_name": "page set, present size",
        "limit_subject": "page set 4",
        "headroom_state": "reached",
        "limit_place": 1,
    }
    pool = {
        **ROW,
        "limit_name": "buffer pool, 5 % free",
        "limit_subject": "buffer pool 0",
        "headroom_state": "reached",
        "limit_place": 2,
    }
    soon = {
        **ROW, "headroom_state": "date known", "limit_place": 3, "reach_date_early": FIRST, "reach_date": FIRST + dt.timedelta(days=2),
    }  # fmt: skip
    assert headroom_text([full], TIMES) == "reached: page set 4, present size"
    assert headroom_text([soon, pool, full], TIMES) == (
        "reached: page set 4, present size and 1 more limit; next 31-bit storage: 40 % used, reached about 2026-03-04 (2026-03-02 or later)"
    )
    undeclared_limit = {
        **ROW,
        "limit_name": "log data rate",
        "headroom_state": "no limit declared",
        "used_share_pct": None,
    }
    missing = {**ROW, "headroom_state": "not collected", "used_share_pct": None, "limit_note": "115.231"}
    few = {**ROW, "headroom_state": "too few days", "days_needed": 14}
    assert headroom_text([ROW, undeclared_limit, missing, few], TIMES) == headroom_text([], TIMES) == ""
    free = {
        **ROW,
        "limit_name": "buffer pool, 5 % free",
        "limit_subject": "buffer pool 1",
        "used_value": 58.0,
        "used_share_pct": 61.1,
        "planning_share_pct": 60.0,
    }
    assert headroom_text([free], TIMES) == "closest: buffer pool 1, 42 % free at worst"
    assert headroom_text([{**ROW, "used_share_pct": 80.0}], TIMES) == "closest: 31-bit storage, 20 % free at worst"
    assert headroom_text([{**ROW, "used_share_pct": 97.0}], TIMES) == "closest: 31-bit storage, 3 % free at worst"
    hostile = {**full, "limit_subject": "structure \x1b[31m"}
    assert "\x1b" not in headroom_text([hostile], TIMES)


def test_what_has_no_forecast_is_one_line_over_all_queue_managers() -> None:
    few = {**ROW, "headroom_state": "too few days", "days_needed": 14}
    weekly = {**ROW, "limit_name": "log data rate", "headroom_state": "too few days", "days_needed": 28}
    restarted = {**ROW, "headroom_state": "too few days since restart", "days_needed": 14}
    of_others = [{**row, "qmgr": "MQ02"} for row in (few, restarted)]
    end = "; mqstat report DUMP --report overview/headroom"
    assert list(no_forecast([ROW])) == []
    assert list(no_forecast([few, weekly, *of_others])) == [
        (
            "no forecast",
            f"less than 14 days of data; restarted less than 7 days before the end of the data: 31-bit storage{end}",
        )
    ]
    assert list(no_forecast([weekly])) == [("no forecast", f"less than 28 days of data for log data rate{end}")]
    rows = [{**ROW, "limit_name": name, "headroom_state": "no limit declared"} for name in ("active logs", "log, rate")]
    assert undeclared([*rows, *rows, few]) == ("active logs", "log rate")


def test_a_manager_without_a_table_has_no_line() -> None:
    from mqstat.assemble.headroom import with_headroom
    from mqstat.assemble.page_model import QmgrState

    manager = QmgrState("SYS1", "MQ01", "clear", 1, 1, {}, "")
    assert with_headroom([manager], [], TIMES) == (manager,)
