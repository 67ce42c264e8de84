"""The two statements of a plan: over a view, for what is measured, and over `plan_input`, for steps and answers."""

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
"""The column of views that names a subject, by kind of subject."""

COVERED = "sum(interval_seconds) / 3600"
"""The hours of the data, as column `covered` unless the file of a plan states another expression."""


def words(sql: str) -> str:
    """A formula in words: names have blanks, and a divisor has no `nullif`."""
    while "nullif(" in sql:
        before, _, rest = sql.partition("nullif(")
        divisor, _, after = rest.partition(", 0)")
        sql = f"{before}{divisor}{after}"
    return sql.replace("_", " ")


def _names(sql: str) -> set[str]:
    """The words of an expression outside strings, such as columns and functions, without columns of tables
    (`r.rate`).
    """
    tokens = duckdb.tokenize(sql)
    ends = [*(start for start, _ in tokens[1:]), len(sql)]
    return {
        sql[start:end].strip().strip('"')
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind != duckdb.token_type.string_const and sql[start - 1 : start] != "."
    }


def over_views(view: str, name: str, where: str, columns: Mapping[str, Mapping[str, str]]) -> str:
    """The statement with a row for each subject of a view, whose column `name` names it.

    A column of the result has its `sql`, or the highest value of `peak`. With `at` or `peak`, another column has the
    local time of its highest value.
    """
    selected = ["lpar", "qmgr", f"{name} AS subject"]
    for column, stated in columns.items():
        peak = stated.get("peak")
        if "sql" in stated:
            selected.append(f"{stated['sql']} AS {quoted(column)}")
        elif peak is not None:
            selected.append(f"max({peak}) AS {quoted(column)}")
        at = stated.get("at", peak)
        if at is not None:
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
    """The statement with the steps of each row of `source`, and the name of its answer.

    That is the first one of `conditions` (by answer) that holds, otherwise the last one; NULL where `unanswered` holds.
    `formulas` has the expressions of the steps, and of others that only they name; each is computed after those that
    it names. SqlFileError if some need one another, or if the conditions are not those of all answers but the last.
    """
    needed = {name: _names(sql) & set(formulas) - {name} for name, sql in formulas.items()}
    order = TopologicalSorter(needed)
    try:
        order.prepare()
    except CycleError as error:
        raise SqlFileError(f"{file}: the steps {', '.join(sorted(set(error.args[1])))} need one another.") from None
    query, columns = f"FROM {source}", "i.*"
    while order.is_active():
        ready = order.get_ready()
        order.done(*ready)
        computed = ", ".join(f"{formulas[name]} AS {quoted(name)}" for name in ready)
        query = f"FROM (SELECT {columns}, {computed} {query})"
        columns = "*"
    *conditional, last = conditions
    if conditions[last] or "" in [conditions[name] for name in conditional]:
        raise SqlFileError(f"{file}: the last answer has no key when, and each other one has it.")
    cases = " ".join(f"WHEN {conditions[name]} THEN '{name}'" for name in conditional)
    shown = ", ".join(map(quoted, steps))
    choice = f"CASE WHEN {unanswered} THEN NULL {cases} ELSE '{last}' END AS answer"
    return f"SELECT lpar, qmgr, subject, {shown}, {choice} {query}"
