"""Reports as tables of a health report: their first rows, with marks on the rows in breach."""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mqstat.assemble.table_model import Table
from mqstat.judge.model import SEVERITIES, Rule, rules
from mqstat.sql import sqlfile
from mqstat.sql.columns import Column
from mqstat.sql.schemas import literal, quoted
from mqstat.sql.sqlfile import body_and_order, order_of
from mqstat.sql.syntax import counting
from mqstat.sql.workspace import Workspace

SCREEN_ROWS = 20
"""Maximum number of rows of a requested report on a screen; files have all rows."""

READ_ROWS = 1_000
"""Rows of a report of single records that are read from much data, to count them: counting the others runs the report
again."""

FEW_ROWS = 100
"""As READ_ROWS, of little data: to plan the query that counts takes longer than to read so many rows."""

ALL_ROWS = ", count(*) OVER () AS rows_of_report"

BREACH_COLUMNS = (
    Column("in_breach", "flag", "in breach", kind="flag", doc="The row breaks the limit of a rule."),
    Column("breach_rules", "text", "rules in breach", kind="text", doc="Ids of the rules whose limit the row breaks; null where it breaks none."),
)  # fmt: skip
"""Additional columns of reports whose rows are judged by rules."""


def marking_rules(name: str) -> tuple[str, ...]:
    """The rules that mark rows of a report: those that judge exactly the subject of a row. Other rules would mark rows
    that break no limit.
    """
    report = sqlfile.reports()[name]
    grain = set(report.header.get("grain", ()))
    known = rules()
    named = (rule_id for rule_id in report.header.get("rules", ()) if rule_id in known)
    return tuple(rule_id for rule_id in named if grain and set(known[rule_id].row_key) == grain)


TIMES = frozenset({"interval_start_utc", "channel_start_utc"})
"""Keys of rows of rules that a report about a longer time need not have."""

OTHER_NAMES = {
    "queue": "base_name",
    "queue_group": "base_name",
    "application_group": "application",
    "channel_name": "item_name",
}
"""Columns of rules, each with the column that has the same values in a report without it."""

ONE_NAME = {
    "queue": "regexp_replace({}, '[0-9A-F]{{16}}$', '*')",
    "queue_group": "regexp_replace({}, '[0-9A-F]{{16}}$', '*')",
    "application_group": "split_part({}, ' from ', 1)",
}
"""Names of one thing as one: dynamic queues of a prefix, and clients of a channel, which not all rules and reports
distinguish."""


def shared_keys(rule: Rule, name: str) -> Mapping[str, str]:
    """The keys of a rule with the columns of a report that have them; empty if the report lacks a part of the
    subject.
    """
    columns = sqlfile.reports()[name].columns
    named = {key: key if key in columns else OTHER_NAMES.get(key, key) for key in rule.row_key}
    shared = {key: column for key, column in named.items() if column in columns}
    return {} if set(rule.row_key) - shared.keys() - TIMES else shared


def marked_query(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    worst_first: bool,
    counted: bool = False,
    showing: Collection[str] = (),
) -> str:
    """A report with BREACH_COLUMNS, in its own order or the worst rows in breach first; `rows` are findings, those in
    breach or all.

    counted: the last column has the number of all rows.
    showing: only rows in breach, and those about what these rules found: with the same subject, and interval if the
    report has it.
    """
    known = rules()
    hit: dict[str, int] = {}
    for row in rows:
        if row["outcome"] == "breach":
            rank = SEVERITIES.index(row["severity"])
            hit[row["rule_id"]] = min(rank, hit.get(row["rule_id"], rank))
    report = sqlfile.reports()[name]
    body, order = body_and_order(report.select)
    marking = marking_rules(name)
    shows = report.header.get("shows", "true")
    joins, ids, ranks = [], [], []
    for rule_id in (*marking, *sorted(set(showing).difference(marking))):
        keys = shared_keys(known[rule_id], name)
        if rule_id not in hit or not keys:
            continue
        grouping = {} if rule_id in marking else ONE_NAME
        of_row = [f"{grouping.get(key, '{}').format(quoted(key))} AS {quoted(key)}" for key in keys]
        same = [
            f"{rule_id}.{quoted(key)} IS NOT DISTINCT FROM {grouping.get(key, '{}').format(f'r.{quoted(column)}')}"
            for key, column in keys.items()
        ]
        if "interval_start_utc" in keys and "interval_end_utc" in report.columns:
            same.append(
                f"(r.interval_start_utc IS NOT NULL OR {rule_id}.interval_end_utc IS NOT DISTINCT FROM r.interval_end_utc)"
            )
            of_row.append("interval_end_utc")
        worst = f"SELECT {', '.join(of_row)}, min(place) AS place FROM temp.{quoted('breach_' + rule_id)} GROUP BY ALL"
        joins.append(f"LEFT JOIN ({worst}) AS {rule_id} ON {' AND '.join(same)}")
        if rule_id in marking:
            ids.append(f"CASE WHEN {rule_id}.place IS NOT NULL THEN {literal(rule_id)} END")
        when = "true" if rule_id in marking else shows
        ranks.append(f"CASE WHEN {when} THEN {rule_id}.place + {hit[rule_id]} * 1000000000 END")
    named = f"nullif(concat_ws(', ', {', '.join(ids)}), '')" if ids else "NULL::VARCHAR"
    rank_in_breach = f"least({', '.join(ranks)})" if ranks else "NULL::BIGINT"
    marked = (
        f"SELECT r.*, {named} IS NOT NULL AS in_breach, {named} AS breach_rules, {rank_in_breach} AS breach_place{ALL_ROWS if counted else ''} "
        f"FROM ({body}) AS r {' '.join(joins)}"
    )
    hidden = "breach_place" if marking else "breach_place, in_breach, breach_rules"
    only = " WHERE breach_place IS NOT NULL" if showing else ""
    return f"SELECT * EXCLUDE ({hidden}) FROM ({marked}){only} ORDER BY {'breach_place NULLS LAST,' if worst_first and ranks else ''}{order}"


def table(
    db: Workspace,
    name: str,
    rows: Sequence[Mapping[str, Any]] = (),
    limit: int = SCREEN_ROWS,
    showing: Collection[str] = (),
) -> Table:
    """A report with its first rows, those in breach first, the worst at the top; `rows` are the findings in breach.

    showing: only the rows that show what these rules found (`marked_query`); empty if no row does.
    """
    report = sqlfile.reports()[name]
    text = report.select
    db.keep([report.needs])
    columns = tuple(report.columns.values())
    marks = bool(marking_rules(name))
    # Over much data a report that computes its rows from views that are not kept counts them while it sorts them: to
    # run it again costs as much. One of single records would keep all columns of all rows for that.
    computed = any(need in db.seen for need in report.needs) and "record_id" not in report.columns
    counted = computed and not db.is_small
    query, every = text, text
    if marks or showing:
        query = marked_query(name, rows, worst_first=True, counted=counted, showing=showing)
    if marks:
        every = marked_query(name, rows, worst_first=False)
        columns += BREACH_COLUMNS
    elif counted and not showing:
        body, order = body_and_order(text)
        query = f"SELECT *{ALL_ROWS} FROM ({body}) ORDER BY {order}"
    shown, total = (
        _counted_rows(db, query, limit) if counted else _first_rows(db, query, text, limit, is_whole=not showing)
    )
    marked = tuple(marks and bool(row[-2]) for row in shown)
    return replace(
        without_rows(db, name), columns=columns, rows=tuple(shown), marked=marked, total=total, sql=every, waits=False
    )


def without_rows(db: Workspace, name: str) -> Table:
    """A report whose rows are only read when a format writes all of them."""
    report = sqlfile.reports()[name]
    question, note = report.header["question"], report.header.get("note", "")
    columns = tuple(report.columns.values())
    return Table(name, report.title, question, note, columns, (), (), 0, db, report.select, waits=True)


def every_report(db: Workspace) -> list[Table]:
    """Every report, without reading its rows."""
    known = sqlfile.reports()
    db.keep([unit.needs for unit in known.values()])
    return [without_rows(db, name) for name in known]


def every_outcome(db: Workspace, rule_ids: Iterable[str]) -> Table:
    """All rows of view finding of these rules, in the order of overview/findings; rows are only read when a format
    writes them.
    """
    columns = tuple(sqlfile.views()["finding"].columns.values())
    names, chosen = ", ".join(column.name for column in columns), ", ".join(map(literal, sorted(rule_ids)))
    query = f"SELECT {names} FROM finding WHERE rule_id IN ({chosen}) ORDER BY {order_of('overview/findings')}"
    return Table("finding", "", "", "", columns, (), (), 0, db, query, waits=True, kind="view")


def _counted_rows(db: Workspace, query: str, limit: int) -> tuple[list[tuple[Any, ...]], int]:
    """The first rows of a query whose last column is the number of all rows, and this number."""
    rows = db.execute(f"{query}\nLIMIT {limit}").fetchall()
    return [row[:-1] for row in rows], rows[0][-1] if rows else 0


def _first_rows(
    db: Workspace, query: str, text: str, limit: int, *, is_whole: bool
) -> tuple[list[tuple[Any, ...]], int]:
    """The first rows of a query, and the number of all rows of the report `text`; `is_whole` = the query has all of
    them.
    """
    limit_read = max(limit, FEW_ROWS if db.is_small else READ_ROWS)
    shown = db.execute(f"{query}\nLIMIT {limit_read}").fetchall()
    # Fewer rows than requested: these are all rows, and the report need not run twice.
    if is_whole and len(shown) < limit_read:
        return shown[:limit], len(shown)
    every = db.execute(counting(body_and_order(text)[0])).fetchall()
    return shown[:limit], every[0][0]
