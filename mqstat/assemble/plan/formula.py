"""The steps and the answer of a plan over its inputs, in a database of its own that has nothing else: `plan_input` and
the tables of constants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import duckdb
import pyarrow as pa

from mqstat.assemble.plan.model import KEY_COLUMNS, Plan, Value, profile_rows
from mqstat.sql import sqlfile
from mqstat.sql.schemas import quoted

MOST_COMBINED = 4
"""Constants with several published values that are combined; more of them are varied one at a time."""

STEP = 1.1
"""By how much an input is changed to see how much it changes the answer."""

Values = Mapping[str, Value | None]


@cache
def _connection(profiles: tuple[str, ...]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config={"threads": "1", "enable_external_access": "false"})
    connection.execute(sqlfile.macros())
    for name in profiles:
        connection.register("incoming", pa.Table.from_pylist([dict(row) for row in profile_rows(name)]))
        connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM incoming")  # noqa: S608 - the name of one of our files
        connection.unregister("incoming")
    return connection


def input_schema(plan: Plan) -> pa.Schema:
    """The columns of `plan_input`."""
    types = {"text": pa.string(), "flag": pa.bool_(), "tally": pa.string()}
    return pa.schema(
        [
            *((name, pa.string()) for name in KEY_COLUMNS),
            *((name, types.get(each.unit, pa.float64())) for name, each in plan.parameters.items()),
        ]
    )


def computed(plan: Plan, inputs: Sequence[Values]) -> list[dict[str, Any]]:
    """The row of steps and answer for each of these inputs, in their order; it is empty if a step is too large for its
    column.
    """
    try:
        by_number = _rows(plan, inputs)
    except duckdb.DataError:
        if len(inputs) == 1:
            return [{}]
        half = len(inputs) // 2
        return [*computed(plan, inputs[:half]), *computed(plan, inputs[half:])]
    return [by_number.get(number, {}) for number in range(len(inputs))]


def _rows(plan: Plan, inputs: Sequence[Values]) -> dict[int, dict[str, Any]]:
    rows = [{"lpar": "", "qmgr": "", "subject": str(number), **values} for number, values in enumerate(inputs)]
    connection = _connection(plan.profiles)
    connection.register("plan_input", pa.Table.from_pylist(rows, schema=input_schema(plan)))
    try:
        result = connection.execute(plan.steps_sql)
        names = [column[0] for column in result.description]
        return {
            int(row["subject"]): row for row in (dict(zip(names, values, strict=True)) for values in result.fetchall())
        }
    finally:
        connection.unregister("plan_input")


def alternatives(plan: Plan, values: Values, constants: Sequence[str]) -> list[Values]:
    """The inputs with every combination of the values that sources give for these constants; if they are many, with one
    of them changed at a time.
    """
    varied = {name: (values[name], *plan.parameters[name].others) for name in constants}
    if len(varied) > MOST_COMBINED:
        return [{**values, name: other} for name, (_, *others) in varied.items() for other in others]
    return (
        [{**values, **dict(zip(varied, chosen, strict=True))} for chosen in product(*varied.values())] if varied else []
    )


def nudged(plan: Plan, values: Values) -> dict[str, Values]:
    """The inputs with one of them a tenth higher, by its name; a level of MQ or of a coupling facility is no amount."""
    return {
        name: {**values, name: value * STEP}
        for name, value in values.items()
        if plan.parameters[name].is_number
        and plan.parameters[name].unit != "level"
        and isinstance(value, float)
        and value
    }
