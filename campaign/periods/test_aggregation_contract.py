"""What headers state about putting rows together is true: the parts of a ratio are those of the SQL and give its values, and the grain is the key of a report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.aggregate import combine, keys, with_parts
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.sql import sqlfile
from mqstat.sql.aggregation import part_values, parts_of
from mqstat.sql.columns import Column, inherited
from mqstat.sql.database import Database
from mqstat.sql.plans import keep
from mqstat.sql.sqlfile import SqlFile, columns_of
from mqstat.sql.syntax import columns_in
from mqstat.sql.ways import Ratio
from tests.each import each
from tests.outside import outside
from tests.resolved import Expression, of_view
from tests.resolved import columns_of as resolved
from tests.support import file_of

VIEWS, REPORTS = sqlfile.views(), sqlfile.reports()


def stated(columns: Mapping[str, Column]) -> dict[str, Ratio]:
    """The ratios among columns."""
    return {name: column.way.ratio for name, column in columns.items() if column.way.ratio}


@each(VIEWS)
def test_the_parts_of_a_ratio_are_columns_of_the_view(name: str) -> None:
    columns = VIEWS[name].columns
    assert {whole for column in columns.values() for whole in column.way.whole} <= set(columns)
    for column, ratio in stated(columns).items():
        missing = columns_in(f"({ratio.numerator}) + ({ratio.denominator})") | set(ratio.whole)
        assert missing <= set(columns), f"{column}: {', '.join(sorted(missing - set(columns)))}"


@each(REPORTS)
def test_a_report_overrides_a_way_only_with_a_reason(name: str) -> None:
    unit = REPORTS[name]
    sources = {need: columns_of(need) for need in unit.needs}
    for column, header in unit.header.get("columns", {}).items():
        ways = inherited(column, header, sources).get("way", {})
        own = unit.columns[column].way
        if ways and own not in ways:
            assert own.why, f"{column}: state why its rows are put together in another way than {next(iter(ways))}"
        elif ways and {"over", "over_time", "across", "ratio"} & set(header):
            assert len(ways) > 1, f"{column} inherits its way"


@each(REPORTS)
def test_every_report_has_a_grain_of_its_columns(name: str) -> None:
    grain = REPORTS[name].header["grain"]
    assert set(grain) <= set(REPORTS[name].columns)
    assert keys(REPORTS[name]), "its rows have a subject"


# ------------------------------------------------------------------------------------------------------- parts and the SQL


def quotient(expression: Expression) -> tuple[Expression, Expression] | None:
    """Numerator and denominator of a division by something that varies, inside the guards of its CASE, rounding and lowest value."""
    name = expression[0]
    if name == "case" and len(expression) == 4 and expression[3] == ("const", "NULL"):
        return quotient(expression[2])
    if name == "nullif":
        return quotient(expression[1])
    if name == "/" and expression[2][0] != "const":
        below = expression[2]
        return expression[1], below[1] if below[0] == "nullif" else below
    return None


def scaled(expression: Expression) -> tuple[float, Expression]:
    """A factor and the expression without its constant factors."""
    if expression[0] == "const" and re.fullmatch(r"[\d.e]+", expression[1]):
        return float(expression[1]), ("const", "1")
    if expression[0] in ("*", "/") and len(expression) == 3:
        (first, one), (second, other) = scaled(expression[1]), scaled(expression[2])
        if expression[0] == "*":
            return first * second, one if other == ("const", "1") else other if one == ("const", "1") else (
                "*",
                one,
                other,
            )
        return first / second, one if other == ("const", "1") else ("/", one, other)
    return 1.0, expression


def unguarded(expression: Expression) -> Expression:
    """An expression without the CASE that restricts it to some rows."""
    return expression[2] if expression[0] == "case" and expression[3:] == (("const", "NULL"),) else expression


def with_own(expression: Expression, view: str) -> Expression:
    """An expression over columns of a view, with their expressions in place of the columns."""
    if expression[0] == "col" and expression[1] == view:
        return of_view(view)[expression[2]][0]
    return tuple(
        with_own(part, view) if isinstance(part, tuple) and part and isinstance(part[0], str) else part
        for part in expression
    )


OTHERWISE = {
    "queue_use.readlist_per_move": "the same sums are columns, null without CF sections",
    "log_site.share_of_log_peak_pct": "the limit is a setting, so the share is a mean by seconds",
    "channel_initiator.wait_share_pct": "the times are not columns, their means per request are",
    "temporary_queue_use.open_suspend_share_pct": "the times are not columns, their means per open are",
}
"""Ratios with other parts than the division in the SQL, and why; `test_a_ratio_is_the_quotient_of_its_parts` compares their values."""


def test_parts_are_those_of_the_sql() -> None:
    """Wherever the SQL of a column of a view divides columns, its header has the same division."""
    compared, wrong = 0, []
    for view, unit in VIEWS.items():
        for column, ratio in stated(unit.columns).items():
            expressions = of_view(view)[column]
            divided = quotient(expressions[0]) if len(expressions) == 1 else None
            own_name = column in columns_in(f"{ratio.numerator} + {ratio.denominator}")
            if divided is None or own_name or f"{view}.{column}" in OTHERWISE:
                continue
            header = resolved(f"SELECT {ratio.numerator} AS above, {ratio.denominator} AS below FROM {view}")
            own = [scaled(with_own(unguarded(header[part][0]), view)) for part in ("above", "below")]
            sql = [scaled(part) for part in divided]
            compared += 1
            same = [part for _, part in own] == [part for _, part in sql]
            factors = ratio.scale * own[0][0] / own[1][0], sql[0][0] / sql[1][0]
            if not same or factors[0] != pytest.approx(factors[1]):
                wrong.append(f"{view}.{column}: {ratio}")
    assert not wrong, f"{len(wrong)} of {compared} differ from the SQL:\n" + "\n".join(wrong)
    assert compared > 150


def averaged(expression: Expression) -> Iterator[tuple[str, str]]:
    """The columns whose unweighted mean is in an expression, each with its view."""
    if expression[0] == "avg" and expression[1][0] == "col":
        yield expression[1][1:]
    for part in expression:
        if isinstance(part, tuple) and part and isinstance(part[0], str):
            yield from averaged(part)


def is_mean(column: Column) -> bool:
    """Whether a column is a ratio, or a mean that MQ computed, as the times of messages on a queue."""
    return column.way.ratio is not None or re.search(r"\b(mean|average)\b", column.doc, re.IGNORECASE) is not None


@pytest.mark.slow
def test_no_column_is_an_unweighted_mean_of_ratios() -> None:
    """A mean over the period of the means of intervals is weighted by what they are means of."""
    every = {**{name: of_view(name) for name in VIEWS}, **{name: resolved(unit.text) for name, unit in REPORTS.items()}}
    wrong = [
        f"{name}.{column}: the mean of {view}.{mean}"
        for name, columns in every.items()
        for column, expressions in columns.items()
        for expression in expressions
        for view, mean in averaged(expression)
        if view in VIEWS and is_mean(VIEWS[view].columns[mean])
    ]
    assert wrong == []
    assert is_mean(VIEWS["queue_statistics"].columns["queue_time_short_us"])
    assert list(averaged(resolved("SELECT 2 * avg(exit_average_us) AS x FROM channel")["x"][0])) == [
        ("channel", "exit_average_us")
    ]


def test_another_division_is_noticed() -> None:
    divided = quotient(
        resolved("SELECT CASE WHEN gets > 0 THEN pct(get_bytes / 1024, gets) END AS x FROM queue_use")["x"][0]
    )
    assert divided is not None
    assert scaled(divided[0])[0] == pytest.approx(100 / 1024)
    assert divided[1] == ("col", "queue_use", "gets")


# --------------------------------------------------------------------------------------------------------- data and results

DATA = ("sample", "rich_estate", "accounting_day", "MQ10_MQ1O.dat", "TEST115.dat", "TEST116.dat", "TESTCHL.dat")


def dump_of(name: str, folder: Path) -> Path:
    """A scenario, which the sample is too, as a file, or a real dump."""
    if name in SCENARIOS:
        return file_of(SCENARIOS[name].build(), folder)
    return outside("MQSTAT_DUMPS", "the real dumps") / name


@pytest.fixture(params=DATA)
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database over one dump."""
    with open_data([str(dump_of(request.param, tmp_path))], jobs=1) as database:
        yield database


def unequal(db: Database, rows: str, columns: list[Column]) -> list[str]:
    """The columns whose values are not the scaled quotient of their parts, or null without it, with the number of such rows."""
    counts = []
    for column in columns:
        parts, ratio = parts_of(column), column.way.ratio
        assert parts
        assert ratio
        value = f'{ratio.scale!r} * "{parts.numerator}" / nullif("{parts.denominator}", 0)'
        near = f'coalesce(abs("{column.name}" - {value}) <= 1e-9 * greatest(1, abs({value})), false)'
        counts.append(
            f'count(*) FILTER (("{column.name}" IS NULL) <> ({value} IS NULL) OR "{column.name}" IS NOT NULL AND NOT {near})'
        )
    (found,) = db.execute(f"SELECT {', '.join(counts)} FROM ({rows})").fetchall()
    return [f"{column.name}: {count} rows" for column, count in zip(columns, found, strict=True) if count]


@pytest.mark.slow
def test_a_ratio_is_the_quotient_of_its_parts(data: Database) -> None:
    """In every row of every view and report, the stated parts give the value of the column."""
    wrong: dict[str, list[str]] = {}
    for name, unit in (*VIEWS.items(), *REPORTS.items()):
        columns = [column for column in unit.columns.values() if column.way.ratio]
        if not columns:
            continue
        if unit.kind == "view":
            keep(data, [f"SELECT * FROM {name}"])
            parts = [
                pair for column in columns for pair in zip(part_values(column), parts_of(column) or (), strict=True)
            ]
            rows = f"SELECT *{''.join(f', {value} AS {chr(34)}{part}{chr(34)}' for value, part in parts)} FROM {name}"
        else:
            keep(data, [unit.text])
            made = with_parts(unit)
            rows = f"SELECT *{made.outside} FROM ({made.body})"
        wrong |= {name: bad} if (bad := unequal(data, rows, columns)) else {}
    assert wrong == {}


@pytest.mark.slow
def test_the_grain_is_the_key_of_a_report(data: Database) -> None:
    repeated = []
    for name, unit in REPORTS.items():
        keep(data, [unit.text])
        key = ", ".join(unit.header["grain"])
        (rows,) = data.execute(f"SELECT count(*), count(DISTINCT ({key},)) FROM ({unit.select})").fetchall()
        repeated += [name] if rows[0] != rows[1] else []
    assert repeated == []


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with open_data([str(dump_of("sample", tmp_path_factory.mktemp("sample")))], jobs=1) as database:
        yield database


def aggregated(db: Database, report: str, by: str = "interval", top: int | None = None) -> list[dict[str, Any]]:
    """The rows of a report that --by and --top show."""
    unit: SqlFile = REPORTS[report]
    keep(db, [unit.text, "SELECT lpar FROM interval_cut"])
    described = db.execute(f"SELECT * FROM ({unit.select}) LIMIT 0").description
    return db.rows(combine(unit, {column[0]: str(column[1]) for column in described}, by, top).sql)


@pytest.mark.slow
def test_a_day_has_the_averages_of_its_sums_and_the_gauges_of_its_intervals(sample: Database) -> None:
    """A reserve and a mean message are no sums of those of 96 intervals; a deferred write has at most 16 pages."""
    for row in aggregated(sample, "message_manager/persistence", "day"):
        for kind in ("persistent", "nonpersistent"):
            assert row[f"average_{kind}_bytes"] == pytest.approx(row[f"{kind}_put_bytes"] / row[f"{kind}_puts"])
    for row in aggregated(sample, "storage/region", "day"):
        assert row["sos_reserve_31_mib"] == row["sos_reserve_31_bytes"] / 1048576
        assert row["sos_reserve_31_bytes"] + row["cushion_64_bytes"] in {
            interval["sos_reserve_31_bytes"] + interval["cushion_64_bytes"]
            for interval in sample.rows(REPORTS["storage/region"].text)
        }
    writes = [row["pages_per_deferred_write"] for row in aggregated(sample, "page_set/io", "day")]
    assert max(filter(None, writes)) <= 16
    rates = {row["qmgr"]: row for row in aggregated(sample, "log/rate", "day")}
    for row in aggregated(sample, "message_manager/persistence", "day"):
        puts = row["persistent_puts"] + row["nonpersistent_puts"]
        assert rates[row["qmgr"]]["log_bytes_per_put"] == pytest.approx(
            row["log_bytes_per_persistent_put"] * row["persistent_puts"] / puts
        )


@pytest.mark.slow
@pytest.mark.parametrize("report", ["application/cpu", "queue/cpu", "task/summary"])
def test_the_first_subjects_keep_their_names_and_shares(sample: Database, report: str) -> None:
    """Each keeps its key and the share that it has in the report; the total is everything, and averages are not added."""
    rows, whole = aggregated(sample, report, top=6), sample.rows(REPORTS[report].text)
    key = keys(REPORTS[report])
    first = [row for row in rows if row["rank"].isdigit()]
    assert [[row[name] for name in key] for row in first] == [[row[name] for name in key] for row in whole[:6]]
    shares = [[row["share_of_cpu_pct"] for row in part] for part in (first, whole[:6])]
    assert shares[0] == pytest.approx(shares[1])
    total = rows[-1]
    assert total["share_of_cpu_pct"] == pytest.approx(100)
    average = "average_put_bytes" if report == "queue/cpu" else "cpu_per_message_us"
    known = [row[average] for row in whole if row[average] is not None]
    assert min(known) <= total[average] <= max(known)
    assert not [
        name
        for name in total
        if name.endswith(("_utc", "_local")) and total[name] is not None and name.startswith("interval")
    ]
