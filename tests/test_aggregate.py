"""Aggregated rows: hours, days and the first subjects. Sums must stay the same, and rates follow from sums."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble import aggregate
from mqstat.assemble.aggregate import combine, has_intervals, keys, with_parts
from mqstat.assemble.catalogue import reports_named
from mqstat.base.errors import SqlFileError, UsageError
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.judge.engine import run_rules
from mqstat.sql import sqlfile
from mqstat.sql.aggregation import parts_of
from mqstat.sql.columns import Column, common_columns
from mqstat.sql.opened import Opened
from mqstat.sql.schemas import duckdb_type, view_schema
from mqstat.sql.sqlfile import SqlFile
from mqstat.sql.syntax import reads
from mqstat.sql.ways import Ratio, Way, default_way, stated_way
from mqstat.sql.workspace import Workspace
from tests.each import each
from tests.opening import open_database
from tests.support import file_of

REPORTS = sqlfile.reports()
ADDED, SAME = Way("add", "add"), Way("same", "same")
GRAIN = ["lpar", "qmgr", "pool_id", "interval_start_utc"]

FACTS = """
  SELECT * REPLACE (
    interval_seconds::DOUBLE AS interval_seconds, busy_pct::DOUBLE AS busy_pct, size::DOUBLE AS size, average_us::DOUBLE AS average_us
  ) FROM (VALUES
    ('SYS1', 'MQ01', 1, TIMESTAMP '2026-01-05 09:15', 900.0, 90,  10.0, 5,  50.0, 2.0,  9, 'a'),
    ('SYS1', 'MQ01', 1, TIMESTAMP '2026-01-05 09:30', 600.0, 120, 20.0, 3,  10.0, 4.0,  1, 'a'),
    ('SYS1', 'MQ01', 1, TIMESTAMP '2026-01-05 10:00', 300.0, 30,  NULL, 7,  30.0, 6.0,  0, 'a'),
    ('SYS1', 'MQ01', 2, TIMESTAMP '2026-01-05 09:15', 900.0, 9,   1.0,  50, 5.0,  1.0,  4, 'b'),
    ('SYS1', 'MQ01', 2, TIMESTAMP '2026-01-05 23:30', 900.0, 18,  2.0,  60, 15.0, 1.0,  5, 'c'),
    ('SYS1', 'MQ01', 3, TIMESTAMP '2026-01-05 09:15', 900.0, 900, 3.0,  1,  25.0, 10.0, 6, 'b')
  ) AS v(lpar, qmgr, pool_id, interval_start_utc, interval_seconds, calls, busy_pct, lowest, size, average_us, io_count, note)
"""

CLOCK = "CREATE VIEW interval_cut AS SELECT 'SYS1' AS lpar, 'MQ01' AS qmgr, t AS interval_start_utc, t + INTERVAL 60 MINUTE AS interval_start_local FROM (VALUES (TIMESTAMP '2026-01-05 09:15'), (TIMESTAMP '2026-01-05 10:00')) AS v(t)"


def made(**changed: Column) -> SqlFile:
    """A report over some rows with every kind of column."""
    columns = {
        **{name: common_columns()[name] for name in ("lpar", "qmgr", "interval_start_utc", "interval_seconds")},
        "pool_id": Column("pool_id", "id", kind="key", way=SAME), "calls": Column("calls", "count", way=ADDED),
        "busy_pct": Column("busy_pct", "percent", way=Way("mean", "mean")), "lowest": Column("lowest", "buffers", way=Way("min", "min")),
        "size": Column("size", "buffers", way=Way("last", "add")),
        "average_us": Column("average_us", "us", way=Way("ratio", "ratio", Ratio("average_us * io_count", "io_count"))),
        "io_count": Column("io_count", "count", way=ADDED), "note": Column("note", "text", way=SAME),
        "calls_per_s": Column("calls_per_s", "per_s", way=Way("mean", "add")),
        **changed,
    }  # fmt: skip
    text = (
        f"SELECT *, calls / interval_seconds AS calls_per_s FROM ({FACTS})\nORDER BY pool_id DESC, interval_start_utc"
    )
    return SqlFile("report", "test/made", "reports/test/made.sql", text, {"grain": GRAIN}, columns=columns)


@pytest.fixture
def db() -> Iterator[Workspace]:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(CLOCK)
        yield Workspace(Opened({}), connection)


def run(db: Workspace, unit: SqlFile, by: str = "interval", top: int | None = None) -> list[dict[str, Any]]:
    described = db.execute(f"SELECT * FROM ({unit.text}) LIMIT 0").description
    done = combine(unit, {column[0]: str(column[1]) for column in described}, by, top)
    rows = db.rows(done.sql)
    assert not rows or list(rows[0]) == [column.name for column in done.columns]
    return rows


def test_hours(db: Workspace) -> None:
    rows = {(row["pool_id"], row["hour_start_utc"].hour): row for row in run(db, made(), "hour")}
    assert set(rows) == {(1, 9), (1, 10), (2, 9), (2, 23), (3, 9)}
    first = rows[1, 9]
    assert (first["interval_seconds"], first["calls"], first["lowest"], first["intervals"], first["note"]) == (
        1500,
        210,
        3,
        2,
        "a",
    )
    assert first["busy_pct"] == pytest.approx((10 * 900 + 20 * 600) / 1500)
    assert first["size"] == 10
    assert first["average_us"] == pytest.approx((2 * 9 + 4 * 1) / 10)
    assert first["calls_per_s"] * first["interval_seconds"] == pytest.approx(first["calls"])
    assert rows[1, 10]["busy_pct"] is None
    assert rows[1, 10]["average_us"] is None
    assert rows[2, 23]["hour_start_utc"].day == 5


def test_rows_stay_in_the_order_of_the_report(db: Workspace) -> None:
    assert [row["pool_id"] for row in run(db, made(), "hour")] == [3, 2, 2, 1, 1]


def test_days(db: Workspace) -> None:
    rows = [row for row in run(db, made(), "day") if row["pool_id"] == 2]
    assert [(row["day_start_local"].day, row["calls"], row["note"]) for row in rows] == [(5, 9, "b"), (6, 18, "c")]


def test_the_first_subjects(db: Workspace) -> None:
    rows = run(db, made(), top=1)
    assert [row["rank"] for row in rows] == ["1", "others (2)", "total"]
    assert [row["pool_id"] for row in rows] == [3, None, None]
    assert [row["calls"] for row in rows] == [900, 267, 1167]
    assert [row["interval_seconds"] for row in rows] == [900, 1800, 1800]
    assert [row["interval_start_utc"] and row["interval_start_utc"].minute for row in rows] == [15, None, None]
    assert [row["lowest"] for row in rows] == [1, 3, 1]
    assert [row["lpar"] for row in rows] == ["SYS1"] * 3
    assert rows[2]["calls_per_s"] * rows[2]["interval_seconds"] == pytest.approx(1167)
    assert rows[2]["average_us"] == pytest.approx((2 * 9 + 4 * 1 + 1 * 4 + 1 * 5 + 10 * 6) / 25)


def test_more_than_there_are(db: Workspace) -> None:
    assert [row["rank"] for row in run(db, made(), top=9)] == ["1", "2", "3", "total"]


def test_the_first_subjects_of_each_hour(db: Workspace) -> None:
    rows = run(db, made(), "hour", 1)
    ranking = [(row["hour_start_utc"].hour, row["rank"], row["calls"]) for row in rows]
    assert ranking == [
        (9, "1", 900), (9, "others (2)", 219), (9, "total", 1119), (10, "others (1)", 30), (10, "total", 30), (23, "others (1)", 18), (23, "total", 18),
    ]  # fmt: skip


@pytest.mark.parametrize("by", ["hour", "day"])
def test_sums_stay_the_same(db: Workspace, by: str) -> None:
    (whole,) = db.rows(
        f"SELECT sum(calls) AS calls, sum(interval_seconds) AS seconds, sum(io_count) AS io FROM ({FACTS})"
    )
    rows = run(db, made(), by)
    assert {
        "calls": sum(r["calls"] for r in rows),
        "seconds": sum(r["interval_seconds"] for r in rows),
        "io": sum(r["io_count"] for r in rows),
    } == whole
    assert sum(r["calls_per_s"] * r["interval_seconds"] for r in rows) == pytest.approx(float(whole["calls"]))


def test_the_first_known_clock_applies_before_it(db: Workspace) -> None:
    early = made()
    text = early.text.replace("2026-01-05 09:15", "2026-01-05 08:15")
    rows = run(db, SqlFile("report", "test/made", "", text, early.header, columns=early.columns), "hour")
    assert {row["hour_start_utc"].hour for row in rows} == {8, 9, 10, 23}


@pytest.mark.parametrize(
    ("kind", "unit", "way"),
    [
        ("counter", "count", ADDED), ("duration", "us", ADDED), ("low", "count", Way("min", "min")), ("high", "us", Way("max", "max")),
        ("gauge", "percent", Way("last", "add")), ("setting", "mib", Way("last", "same")), ("setting", "text", SAME), ("derived", "flag", SAME),
        *(("derived", unit, Way()) for unit in ("percent", "per_s", "count", "bytes", "ratio")),
    ],
)  # fmt: skip
def test_the_way_follows_from_the_kind_and_never_from_the_unit(kind: str, unit: str, way: Way) -> None:
    assert default_way(kind, unit) == way


def test_ways_of_a_header() -> None:
    ratio = {"numerator": "a", "denominator": "b", "scale": 100}
    stated = Ratio("a", "b", 100)
    for header, way in (
        ({}, ADDED),
        ({"over": "max"}, Way("max", "max")),
        ({"over_time": "last"}, Way("last", "add")),
        ({"ratio": ratio}, Way("ratio", "ratio", stated)),
        ({"ratio": ratio, "over_time": "last"}, Way("last", "ratio", stated)),
        ({"ratio": ratio, "across": "max", "why": "it is one"}, Way("ratio", "max", stated, "it is one")),
    ):
        assert stated_way(header, ADDED, "x") == way
    bad: list[tuple[dict[str, Any], str]] = [
        ({"over": "weighted"}, "not a way"), ({"across": "last"}, "not a way"), ({"over": "ratio"}, "ratio is missing"),
        ({"ratio": {"numerator": "a"}}, "a numerator and a denominator"), ({"ratio": {**ratio, "times": 1}}, "ratio.times is unknown"),
    ]  # fmt: skip
    for header, message in bad:
        with pytest.raises(SqlFileError, match=message):
            stated_way(header, ADDED, "x")


def test_the_last_ratio_of_each_subject_and_their_ratio(db: Workspace) -> None:
    """A share of a size is that of the last interval; across subjects it is computed from the last sizes."""
    free = Way("last", "ratio", Ratio("lowest", "size", 100))
    text = made().text.replace("SELECT *, calls", "SELECT *, 100 * lowest / size AS free_pct, calls")
    unit = made(free_pct=Column("free_pct", "percent", way=free))
    rows = run(db, SqlFile("report", "test/made", "", text, unit.header, columns=unit.columns), top=1)
    assert [row["free_pct"] for row in rows] == pytest.approx([100 / 25, 100 * (7 + 60) / (30 + 15), 100 * 68 / 70])


def test_parts_that_a_report_does_not_show(db: Workspace) -> None:
    """The SELECT gets them, from the table that the column is from; a name of another table is not taken."""
    shown = {
        name: column for name, column in made().columns.items() if name not in ("io_count", "interval_seconds", "size")
    }
    text = f"WITH fact AS ({FACTS}), other AS (SELECT 7 AS io_count, 1 AS interval_seconds)\nSELECT {', '.join(f'f.{name}' for name in shown if name != 'calls_per_s')}, f.calls / f.interval_seconds AS calls_per_s FROM fact AS f, other AS o\nORDER BY pool_id DESC, interval_start_utc"
    unit = SqlFile("report", "test/made", "", text, {"grain": GRAIN}, columns=shown)
    names = ("calls", "average_us", "busy_pct", "calls_per_s")
    for by, top in (("hour", None), ("day", 1), ("interval", 2)):
        hidden, visible = run(db, unit, by, top), run(db, made(), by, top)
        assert [[row[name] for name in names] for row in hidden] == [[row[name] for name in names] for row in visible]
        assert not {name for name in hidden[0] if " " in name}


@pytest.fixture(scope="module")
def empty() -> Iterator[Workspace]:
    """A database without rows, with the views of all reports."""
    with open_database({}, views=False) as db:
        db.keep([unit.text for unit in REPORTS.values()])
        yield db


@pytest.mark.slow
@pytest.mark.parametrize(("by", "top"), [("hour", None), ("day", 2)])
@each(name for name, unit in REPORTS.items() if has_intervals(unit))
def test_every_report_by_interval_can_be_aggregated(name: str, by: str, top: int | None, empty: Workspace) -> None:
    """The statement compiles over empty tables."""
    unit = REPORTS[name]
    empty.keep([unit.text])
    described = empty.execute(f"SELECT * FROM ({unit.text}) LIMIT 0").description
    made = combine(unit, {column[0]: str(column[1]) for column in described}, by, top if keys(unit) else None)
    result = empty.ask(made.sql)
    assert [column[0] for column in result.description] == [column.name for column in made.columns]
    assert result.fetchall() == []


@pytest.mark.slow
@each(name for name, unit in REPORTS.items() if keys(unit))
def test_the_first_subjects_need_no_more_tables(name: str) -> None:
    """Only the tables that a report reads are decoded: the statement for its first subjects reads no other."""
    unit = REPORTS[name]
    sql = combine(unit, dict.fromkeys(unit.columns, "DOUBLE"), top=3).sql
    assert reads(sql) == set(unit.needs)


def test_shares_of_a_queue_manager_add_up(db: Workspace) -> None:
    """The first, the others and the total of one queue manager; the rows of two are no share of either."""
    share = Ratio("share_pct", "100", 100, whole=("lpar", "qmgr"))
    columns = {
        **{name: common_columns()[name] for name in ("lpar", "qmgr")}, "base_name": Column("base_name", "text", kind="key", way=SAME),
        "share_pct": Column("share_pct", "percent", way=Way("ratio", "ratio", share)),
    }  # fmt: skip
    header = {"grain": ["lpar", "qmgr", "base_name"]}
    text = "SELECT lpar, qmgr, base_name, share_pct::DOUBLE AS share_pct FROM (VALUES {}) AS v(lpar, qmgr, base_name, share_pct)\nORDER BY qmgr, share_pct DESC"
    own = "('SYS1', 'MQ01', 'A', 60), ('SYS1', 'MQ01', 'B', 30), ('SYS1', 'MQ01', 'C', 10)"
    for values, shares in ((own, [60.0, 40.0, 100.0]), (f"{own}, ('SYS1', 'MQ02', 'A', 100)", [60.0, None, None])):
        rows = run(db, SqlFile("report", "test/made", "", text.format(values), header, columns=columns), top=1)
        assert [row["share_pct"] for row in rows] == shares


@pytest.mark.slow
def test_a_share_is_never_a_share_of_several_wholes(tmp_path: Path) -> None:
    """In each report: the ranked, the others and the total of one whole add up; where a row combines several wholes, it
    has no share.
    """
    compared = set()
    with open_data([str(file_of(SCENARIOS["rich_estate"].build(), tmp_path))], jobs=1) as data:
        for name, unit in REPORTS.items():
            shares = {
                column.name: column.way.ratio.whole
                for column in unit.columns.values()
                if column.way.ratio and column.way.ratio.whole
            }
            if not shares or not keys(unit):
                continue
            run_rules(data) if reads(unit.text) & {"finding_work"} else None
            data.keep([unit.text, "SELECT lpar FROM interval_cut"])
            every, rows = data.rows(unit.select), run(data, unit, top=1)
            for share, whole in shares.items():
                wholes = {tuple(row[part] for part in whole) for row in every}
                *parts, total = [row[share] for row in rows] or [None]
                assert len(wholes) <= 1 or total is None, (name, share)
                if total is not None:
                    assert sum(parts) == pytest.approx(total), (name, share)
                compared |= {share} if every else set()
    assert {
        "share_of_cpu_pct",
        "share_of_mq_time_pct",
        "share_of_calls_pct",
        "work_share_pct",
        "share_of_pool_puts_pct",
    } <= compared


@pytest.mark.slow
@each(name for name, unit in REPORTS.items() if any(map(parts_of, unit.columns.values())))
def test_parts_are_known(name: str, empty: Workspace) -> None:
    """The SELECT of each report has the columns that its means and ratios are computed from."""
    empty.keep([REPORTS[name].text])
    rows = with_parts(REPORTS[name])
    empty.execute(f"SELECT 1{rows.outside} FROM ({rows.body})")


def test_reports_that_cannot_be_aggregated() -> None:
    with pytest.raises(UsageError, match="no rows by interval"):
        combine(REPORTS["overview/findings"], {}, "hour")
    with pytest.raises(UsageError, match="interval, hour, day"):
        combine(REPORTS["log/busy"], {}, "week")
    assert combine(REPORTS["log/busy"], {}).sql == REPORTS["log/busy"].text
    assert duckdb_type(view_schema("finding").field("observed").type) == "DOUBLE"
    assert aggregate.STEPS == ("interval", "hour", "day")


# ----------------------------------------------------------------------------------------------------- names of reports


def test_reports_are_found_by_dd_and_wsc() -> None:
    assert reports_named(["log/busy", "LOGBUSY"]) == ["log/busy"]
    assert "buffer_pool/usage" in reports_named(dds=["buff"])
    several = reports_named(dds=["SMDS"])
    assert (
        several == [unit.id for unit in sqlfile.reports().values() if "SMDS" in unit.header.get("dd", ())]
        or len(several) > 1
    )
    numbers = {number for unit in REPORTS.values() for number in unit.header.get("wsc", ())}
    for number in numbers:
        assert reports_named(wscs=[number])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["buffer_pool/usag"]}, "did you mean buffer_pool/usage[.]"),
        ({"dds": ["BUF"]}, "did you mean BUFF, BUFFCSV or BUFFIO[.]"),
        ({"wscs": [99]}, "no report for the WSC query 99"),
        ({"names": ["\x1b"]}, r"no report \?"),
    ],
)
def test_unknown_reports(arguments: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        reports_named(**arguments)
