"""What headers state about putting rows together is true: the parts of a ratio are those of the SQL and give its values, and the grain is the key of a report."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mqstat.assemble.aggregate import with_parts
from mqstat.intake.open_data import open_data
from mqstat.sql import sqlfile
from mqstat.sql.aggregation import Parts, part_values, parts_of
from mqstat.sql.columns import Column, inherited
from mqstat.sql.database import Database
from mqstat.sql.plans import keep
from mqstat.sql.sqlfile import columns_of
from mqstat.sql.syntax import columns_in
from mqstat.sql.ways import NOT_NUMERIC, Ratio, Way
from tests.each import each
from tests.resolved import Expression, macros, of_view
from tests.resolved import columns_of as resolved

VIEWS, REPORTS = sqlfile.views(), sqlfile.reports()


def stated(columns: Mapping[str, Column]) -> dict[str, Ratio]:
    """The ratios among columns."""
    return {name: column.way.ratio for name, column in columns.items() if column.way.ratio}


@each(VIEWS)
def test_the_parts_of_a_ratio_are_columns_of_the_view(name: str) -> None:
    columns = VIEWS[name].columns
    for column, ratio in stated(columns).items():
        missing = columns_in(ratio.numerator) | columns_in(ratio.denominator) - set(columns)
        missing -= set(columns)
        assert not missing, f"{column}: {', '.join(sorted(missing))}"


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


def test_numbers_are_never_kept_by_their_unit() -> None:
    """A number that is kept only if it is the same in all rows says so, or is a code."""
    silent = [
        f"{name}.{column.name}"
        for name, unit in VIEWS.items()
        for column in unit.columns.values()
        if column.unit not in NOT_NUMERIC and column.kind == "derived" and column.way == Way()
    ]
    assert not silent


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


def with_own(expression: Expression, view: str) -> Expression:
    """An expression over columns of a view, with their expressions in place of the columns."""
    if expression[0] == "col" and expression[1] == view:
        return of_view(view)[expression[2]][0]
    return tuple(
        with_own(part, view) if isinstance(part, tuple) and part and isinstance(part[0], str) else part
        for part in expression
    )


def test_parts_are_those_of_the_sql() -> None:
    """Wherever the SQL of a column of a view divides columns, its header has the same division."""
    compared, wrong = 0, []
    for view, unit in VIEWS.items():
        for column, ratio in stated(unit.columns).items():
            expressions = of_view(view)[column]
            divided = quotient(expressions[0]) if len(expressions) == 1 else None
            if divided is None or column in columns_in(f"{ratio.numerator} + {ratio.denominator}"):
                continue
            header = resolved(f"SELECT {ratio.numerator} AS above, {ratio.denominator} AS below FROM {view}")
            own = [scaled(with_own(header[part][0], view)) for part in ("above", "below")]
            sql = [scaled(part) for part in divided]
            compared += 1
            same = [part for _, part in own] == [part for _, part in sql]
            factors = ratio.scale * own[0][0] / own[1][0], sql[0][0] / sql[1][0]
            if not same or factors[0] != pytest.approx(factors[1]):
                wrong.append(f"{view}.{column}: {ratio}")
    assert not wrong, f"{len(wrong)} of {compared} differ from the SQL:\n" + "\n".join(wrong)
    assert compared > 150
    assert macros()
