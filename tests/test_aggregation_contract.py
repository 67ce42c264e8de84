"""What headers state about putting rows together is true: the parts of a ratio are those of the SQL and give its
values, and the grain is the key of a report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest

from mqstat.assemble.aggregate import keys
from mqstat.sql import sqlfile
from mqstat.sql.columns import Column, inherited
from mqstat.sql.sqlfile import columns_of
from mqstat.sql.syntax import columns_in
from mqstat.sql.ways import Ratio
from tests.each import each
from tests.resolved import Expression, of_view
from tests.resolved import columns_of as resolved

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


# ---------------------------------------------------------------------------------------------------- parts and the SQL


def quotient(expression: Expression) -> tuple[Expression, Expression] | None:
    """Numerator and denominator of a division by something that varies, inside the guards of its CASE, rounding and
    lowest value.
    """
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
"""Ratios with other parts than the division in the SQL, and why; `test_a_ratio_is_the_quotient_of_its_parts` compares
their values."""


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
