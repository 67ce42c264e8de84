"""Aggregated rows: hours, days and the first subjects. Sums must stay the same, and rates follow from sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mqstat.assemble import aggregate
from mqstat.assemble.aggregate import combine, has_intervals, keys
from mqstat.assemble.catalogue import reports_named
from mqstat.base.errors import UsageError
from mqstat.sql import sqlfile
from mqstat.sql.aggregation import aggregation
from mqstat.sql.columns import Column
from mqstat.sql.database import Database, open_database
from mqstat.sql.plans import ask, keep
from mqstat.sql.schemas import duckdb_type, finding_schema
from mqstat.sql.sqlfile import SqlFile
from mqstat.sql.syntax import reads
from tests.each import each

REPORTS = sqlfile.reports()

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
        "lpar": Column("lpar", "text", kind="key"), "qmgr": Column("qmgr", "text", kind="key"), "pool_id": Column("pool_id", "id", kind="key"),
        "interval_start_utc": Column("interval_start_utc", "ts_utc", kind="clock"),
        "interval_seconds": Column("interval_seconds", "s", kind="duration"), "calls": Column("calls", "count", kind="counter"),
        "busy_pct": Column("busy_pct", "percent"), "lowest": Column("lowest", "buffers", kind="low"),
        "size": Column("size", "buffers", kind="gauge"), "average_us": Column("average_us", "us", over="weighted:io_count"),
        "io_count": Column("io_count", "count", kind="counter"), "note": Column("note", "text"), "calls_per_s": Column("calls_per_s", "per_s"),
        **changed,
    }  # fmt: skip
    text = (
        f"SELECT *, calls / interval_seconds AS calls_per_s FROM ({FACTS})\nORDER BY pool_id DESC, interval_start_utc"
    )
    return SqlFile("report", "test/made", "reports/test/made.sql", text, {}, columns=columns)


@pytest.fixture
def db() -> Iterator[Database]:
    import duckdb

    from mqstat.sql.site import Site

    with duckdb.connect() as connection:
        connection.execute(CLOCK)
        yield Database(connection, Site())


def run(db: Database, unit: SqlFile, by: str = "interval", top: int | None = None) -> list[dict[str, Any]]:
    described = db.execute(f"SELECT * FROM ({unit.text}) LIMIT 0").description
    done = combine(unit, {column[0]: str(column[1]) for column in described}, by, top)
    rows = db.rows(done.sql)
    assert not rows or list(rows[0]) == [column.name for column in done.columns]
    return rows


def test_hours(db: Database) -> None:
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
    assert first["size"] == pytest.approx((50 * 900 + 10 * 600) / 1500)
    assert first["average_us"] == pytest.approx((2 * 9 + 4 * 1) / 10)
    assert first["calls_per_s"] * first["interval_seconds"] == pytest.approx(first["calls"])
    assert rows[1, 10]["busy_pct"] is None
    assert rows[1, 10]["average_us"] is None
    assert rows[2, 23]["hour_start_utc"].day == 5


def test_rows_stay_in_the_order_of_the_report(db: Database) -> None:
    assert [row["pool_id"] for row in run(db, made(), "hour")] == [3, 2, 2, 1, 1]


def test_days(db: Database) -> None:
    rows = [row for row in run(db, made(), "day") if row["pool_id"] == 2]
    assert [(row["day_start_local"].day, row["calls"], row["note"]) for row in rows] == [(5, 9, "b"), (6, 18, "c")]


def test_the_first_subjects(db: Database) -> None:
    rows = run(db, made(), top=1)
    assert [row["rank"] for row in rows] == ["1", "others (2)", "total"]
    assert [row["pool_id"] for row in rows] == [3, None, None]
    assert [row["calls"] for row in rows] == [900, 267, 1167]
    assert [row["interval_seconds"] for row in rows] == [900, 1800, 1800]
    assert [row["lowest"] for row in rows] == [1, 3, 1]
    assert [row["lpar"] for row in rows] == ["SYS1"] * 3
    assert rows[2]["calls_per_s"] * rows[2]["interval_seconds"] == pytest.approx(1167)
    assert rows[2]["average_us"] == pytest.approx((2 * 9 + 4 * 1 + 1 * 4 + 1 * 5 + 10 * 6) / 25)


def test_more_than_there_are(db: Database) -> None:
    assert [row["rank"] for row in run(db, made(), top=9)] == ["1", "2", "3", "total"]


def test_the_first_subjects_of_each_hour(db: Database) -> None:
    rows = run(db, made(), "hour", 1)
    ranking = [(row["hour_start_utc"].hour, row["rank"], row["calls"]) for row in rows]
    assert ranking == [
        (9, "1", 900), (9, "others (2)", 219), (9, "total", 1119), (10, "others (1)", 30), (10, "total", 30), (23, "others (1)", 18), (23, "total", 18),
    ]  # fmt: skip


@pytest.mark.parametrize("by", ["hour", "day"])
def test_sums_stay_the_same(db: Database, by: str) -> None:
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


def test_the_first_known_clock_applies_before_it(db: Database) -> None:
    early = made()
    text = early.text.replace("2026-01-05 09:15", "2026-01-05 08:15")
    rows = run(db, SqlFile("report", "test/made", "", text, {}, columns=early.columns), "hour")
    assert {row["hour_start_utc"].hour for row in rows} == {8, 9, 10, 23}


@pytest.mark.parametrize(
    ("column", "way"),
    [
        (Column("x", "count", kind="counter"), "sum"), (Column("x", "us", kind="duration"), "sum"), (Column("x", "count", kind="low"), "min"),
        (Column("x", "count", kind="high"), "max"), (Column("x", "count", kind="gauge"), "mean"), (Column("x", "count", kind="setting"), "same"),
        (Column("x", "text"), "same"), (Column("x", "flag"), "same"), (Column("x", "percent"), "mean"), (Column("x", "mib_per_s"), "mean"),
        (Column("x", "bytes"), "sum"), (Column("x", "ratio"), "none"), (Column("x", "us"), "none"), (Column("x", "us", over="max"), "max"),
        (Column("record_id", "id", kind="key"), "none"), (Column("interval_end_utc", "ts_utc", kind="clock"), "max"), (Column("x", "ts_utc"), "none"),
    ],
)  # fmt: skip
def test_aggregation_of_values(column: Column, way: str) -> None:
    assert aggregation(column) == way


@pytest.fixture(scope="module")
def empty() -> Iterator[Database]:
    """A database without rows, with the views of all reports."""
    with open_database({}, views=False) as db:
        keep(db, [unit.text for unit in REPORTS.values()])
        yield db


@pytest.mark.slow
@pytest.mark.parametrize(("by", "top"), [("hour", None), ("day", 2)])
@each(name for name, unit in REPORTS.items() if has_intervals(unit))
def test_every_report_by_interval_can_be_aggregated(name: str, by: str, top: int | None, empty: Database) -> None:
    """The statement compiles over empty tables."""
    unit = REPORTS[name]
    keep(empty, [unit.text])
    described = empty.execute(f"SELECT * FROM ({unit.text}) LIMIT 0").description
    made = combine(unit, {column[0]: str(column[1]) for column in described}, by, top if keys(unit.columns) else None)
    result = ask(empty, made.sql)
    assert [column[0] for column in result.description] == [column.name for column in made.columns]
    assert result.fetchall() == []


@pytest.mark.slow
@each(name for name, unit in REPORTS.items() if keys(unit.columns))
def test_the_first_subjects_need_no_more_tables(name: str) -> None:
    """Only the tables that a report reads are decoded: the statement for its first subjects reads no other."""
    unit = REPORTS[name]
    sql = combine(unit, dict.fromkeys(unit.columns, "DOUBLE"), top=3).sql
    assert reads(sql) == set(unit.needs)


def test_shares_of_a_queue_manager_add_up(db: Database) -> None:
    """The first, the others and the total of one queue manager; shares are not added across queue managers."""
    columns = {
        "lpar": Column("lpar", "text", kind="key"), "qmgr": Column("qmgr", "text", kind="key"), "base_name": Column("base_name", "text", kind="key"),
        "share_pct": Column("share_pct", "percent", over="share"),
    }  # fmt: skip
    text = "SELECT lpar, qmgr, base_name, share_pct::DOUBLE AS share_pct FROM (VALUES {}) AS v(lpar, qmgr, base_name, share_pct)\nORDER BY qmgr, share_pct DESC"
    own = "('SYS1', 'MQ01', 'A', 60), ('SYS1', 'MQ01', 'B', 30), ('SYS1', 'MQ01', 'C', 10)"
    for values, shares in ((own, [60.0, 40.0, 100.0]), (f"{own}, ('SYS1', 'MQ02', 'A', 100)", [60.0, None, None])):
        rows = run(db, SqlFile("report", "test/made", "", text.format(values), {}, columns=columns), top=1)
        assert [row["share_pct"] for row in rows] == shares


def test_weights_are_columns_of_the_report() -> None:
    bad = [
        (name, column.name)
        for name, unit in REPORTS.items()
        for column in unit.columns.values()
        if aggregation(column).startswith("weighted:")
        and aggregation(column).removeprefix("weighted:") not in unit.columns
    ]
    assert bad == []


def test_reports_that_cannot_be_aggregated() -> None:
    with pytest.raises(UsageError, match="no rows by interval"):
        combine(REPORTS["overview/findings"], {}, "hour")
    with pytest.raises(UsageError, match="interval, hour, day"):
        combine(REPORTS["log/busy"], {}, "week")
    assert combine(REPORTS["log/busy"], {}).sql == REPORTS["log/busy"].text
    assert duckdb_type(finding_schema().field("observed").type) == "DOUBLE"
    assert aggregate.STEPS == ("interval", "hour", "day")


# --------------------------------------------------------------------------------------------------------------- names of reports


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
