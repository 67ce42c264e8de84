"""The statements of a plan: over views, unless its file states it, and over `plan_input`, from the formulas of the steps."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

import duckdb

from mqstat.base.errors import SqlFileError
from mqstat.sql.schemas import quoted

NAMES: Mapping[str, str] = {
    "qmgr": "NULL",
    "buffer_pool": "pool_id",
    "page_set": "page_set_id",
    "structure": "cf_structure",
    "channel": "channel_name",
    "queue": "base_name",
}
"""The column of views that names what a plan answers for."""

COVERED = "sum(interval_seconds) / 3600"
"""The hours of the data."""


def words(sql: str) -> str:
    """A formula in words: names with blanks, and nothing about a division by 0."""
    while "nullif(" in sql:
        before, _, rest = sql.partition("nullif(")
        divisor, _, after = rest.partition(", 0)")
        sql = f"{before}{divisor}{after}"
    return sql.replace("_", " ")


def _names(sql: str) -> set[str]:
    """The columns that an expression names, and functions; those of other tables (`r.rate`) are left out."""
    tokens = duckdb.tokenize(sql)
    ends = [*(start for start, _ in tokens[1:]), len(sql)]
    return {
        sql[start:end].strip().strip('"')
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind != duckdb.token_type.string_const and sql[start - 1 : start] != "."
    }


def over_views(view: str, name: str, where: str, columns: Mapping[str, Mapping[str, str]]) -> str:
    """A row for each subject of a view.

    A column has its `sql`, or the highest value of `peak`, and the local time of the highest `at` or `peak`.
    """
    selected = ["lpar", "qmgr", f"{name} AS subject"]
    for column, stated in columns.items():
        peak = stated.get("peak", "")
        if sql := stated.get("sql") or (peak and f"max({peak})"):
            selected.append(f"{sql} AS {quoted(column)}")
        if at := stated.get("at", peak):
            selected.append(f"at_peak(interval_start_local, {at}, interval_start_utc) AS {column}_at")
    condition = f" WHERE {where}" if where else ""
    return f"SELECT {', '.join(selected)} FROM {view}{condition} GROUP BY ALL"  # noqa: S608 - one of our files


def over_inputs(
    formulas: Mapping[str, str],
    source: str,
    steps: Mapping[str, object],
    conditions: Mapping[str, str],
    unanswered: str,
    file: str,
) -> str:
    """Every step, and the first of the answers whose condition holds, otherwise the last one.

    Each formula comes after those that it names.
    """
    named = {name: _names(sql) & set(formulas) - {name} for name, sql in formulas.items()}
    order = TopologicalSorter(named)
    try:
        order.prepare()
    except CycleError as error:
        raise SqlFileError(f"{file}: the steps {', '.join(sorted(set(error.args[1])))} need one another.") from None
    query, columns = f"FROM {source}", "i.*"
    while order.is_active():
        ready = order.get_ready()
        order.done(*ready)
        query = f"FROM (SELECT {columns}, {', '.join(f'{formulas[name]} AS {quoted(name)}' for name in ready)} {query})"
        columns = "*"
    *conditional, last = conditions
    if conditions[last] or not all(conditions[name] for name in conditional):
        raise SqlFileError(f"{file}: the last answer has no key when, and each other one has it.")
    cases = " ".join(f"WHEN {conditions[name]} THEN '{name}'" for name in conditional)
    shown = ", ".join(map(quoted, steps))
    choice = f"CASE WHEN {unanswered} THEN NULL {cases} ELSE '{last}' END AS answer"
    return f"SELECT lpar, qmgr, subject, {shown}, {choice} {query}"
