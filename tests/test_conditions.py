"""Conditions and headers of rules: what is missing is not judged, no condition is hidden in the SQL, and no header
states a default.
"""

from __future__ import annotations

import dataclasses
import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import combinations_with_replacement, product
from typing import Any

import duckdb
import pytest
from msgspec import structs

from mqstat.base.errors import SqlFileError
from mqstat.judge import scope
from mqstat.judge.clauses import Comparison
from mqstat.judge.model import Rule, make_rule, rules
from mqstat.sql import sqlfile
from mqstat.sql.query import parser
from mqstat.sql.schemas import literal
from tests.costs import cache
from tests.house import cure

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip


# ---------------------------------------------------------------------------------------------- three-valued conditions


def known(condition: Comparison, row: Mapping[str, float | None], limits: Mapping[str, float]) -> bool | None:
    """Whether a condition holds, None = unknown."""
    value = row[condition.column]
    if condition.limit is None:
        return None if value is None else bool(value) == (condition.operator == "is true")
    limit = condition.limit
    against = limit if isinstance(limit, float) else limits.get(limit, row.get(limit))
    return None if value is None or against is None else OPERATORS[condition.operator](value, against)


def every(values: Iterable[bool | None]) -> bool | None:
    """AND of three-valued values."""
    states = list(values)
    return False if False in states else None if None in states else True


def judged(rule: Rule, row: Mapping[str, float | None], limits: Mapping[str, float]) -> bool | None:
    """The condition of a rule over a row, by its header, in plain Python: three-valued, as in SQL."""
    states = []
    for clause in rule.clauses:
        holds = every(known(condition, row, limits) for condition in (*clause.counts_when, clause.comparison))
        states.append({"unjudged": None, "holds": True, "fails": False}[clause.missing] if holds is None else holds)
    parts = [every(states[number] for number in combination) for combination in rule.alternatives]
    return True if True in parts else None if None in parts else False


def test_a_missing_figure_is_not_judged() -> None:
    """Every rule, with each two of its figures at their limits, on either side of them, and missing."""
    with duckdb.connect() as db:
        for rule in rules().values():
            limits, _ = scope.values(rule, (), None)
            plain = structs.replace(rule, judged_when=None)
            rows = list(rows_around(rule, limits))
            names = list(rows[0])
            kinds = {c.column for k in rule.clauses for c in (*k.counts_when, k.comparison) if c.limit is None}
            values = ", ".join(f"({', '.join(literal(row[name]) for name in names)})" for row in rows)
            columns = ", ".join(f"{name}::{'BOOLEAN' if name in kinds else 'DOUBLE'} AS {name}" for name in names)
            text = scope.with_numbers(f"SELECT {plain.breach} FROM (SELECT {columns} FROM (VALUES {values}) AS r({', '.join(names)}))", limits)  # fmt: skip
            made = [value for (value,) in db.execute(text).fetchall()]
            assert made == [judged(rule, row, limits) for row in rows], rule.id


def rows_around(rule: Rule, limits: Mapping[str, float]) -> Iterator[dict[str, float | None]]:
    """Rows of the columns that the clauses of a rule compare, around their limits."""
    conditions = [c for clause in rule.clauses for c in (*clause.counts_when, clause.comparison)]
    around: dict[str, list[float | None]] = {}
    for condition in conditions:
        limit = condition.limit
        if limit is None:
            around.setdefault(condition.column, []).extend([0.0, 1.0])
            continue
        if isinstance(limit, str) and limit not in limits:
            around.setdefault(limit, []).append(7.0)
        at = limit if isinstance(limit, float) else limits.get(limit, 7.0)
        around.setdefault(condition.column, []).extend([at, at - 1, at + 1])
    choices = {name: [*dict.fromkeys(values), None] for name, values in around.items()}
    first = {name: values[0] for name, values in choices.items()}
    for pair in combinations_with_replacement(choices, 2):
        for values in product(*(choices[name] for name in pair)):
            yield {**first, **dict(zip(pair, values, strict=True))}


# ---------------------------------------------------------------------------------------------------- hidden conditions

COMPARES: Mapping[str, str] = {
    "BP019": "the age of the oldest message is that of deep queues whose messages stay long",
    "CH002": "an adapter is at capacity for two intervals: the SELECT reads the next interval",
    "CH013": "severity of a row",
    "CN012": "counts connections that are shorter than a limit",
    "CN008": "the batch size that the command sets depends on the length of messages",
    "CV008": "counts intervals that deviate by more than a limit",
    "CV012": "severity of a row, and its text",
    "CV019": "counts the hours that the text names; only the days of the last week count",
    "DQ003": "the sign that a text names",
    "LG007": "the ratio leaves out a size of write of which either copy had too few",
    "LG010": "only a long interval has a time of its own",
    "LG013": "severity of a row",
    "SM003": "severity of a row",
    "QU005": "a missing member matters only where the queue would be in breach",
    "QU004": "releases without counts of gets have the time of the last one",
}
"""Rules whose SELECT list compares with a threshold, and why this is not a clause."""


def thresholds_in(node: Any) -> Iterator[str]:
    """The parameters below a node of a syntax tree."""
    for child in node if isinstance(node, list) else node.values() if isinstance(node, dict) else ():
        if isinstance(child, dict) and child.get("class") == "PARAMETER":
            yield child["identifier"]
        yield from thresholds_in(child)


def comparisons(node: Any, part: str = "") -> Iterator[str]:
    """Where a syntax tree compares with a threshold: `rows` for conditions that leave rows out, `columns` for the
    others.
    """
    if isinstance(node, list):
        for child in node:
            yield from comparisons(child, part)
    elif isinstance(node, dict):
        if node.get("class") in ("COMPARISON", "BETWEEN") and any(thresholds_in(node)):
            yield part
        for key, child in node.items():
            inner = part
            if node.get("type") in ("SELECT_NODE", "JOIN"):
                inner = "rows" if key in ("where_clause", "having", "qualify", "condition") else "columns"
            yield from comparisons(child, inner)


@cache
def tree_of(sql: str) -> Any:
    """The syntax tree of a SELECT."""
    [(tree,)] = parser().execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()
    return json.loads(tree)["statements"]


def test_no_condition_is_hidden() -> None:
    parts = {rule.id: set(comparisons(tree_of(rule.select))) for rule in rules().values()}
    columns = {rule_id for rule_id, where in parts.items() if "columns" in where}
    assert columns == COMPARES.keys(), cure(
        "rules: compare with a threshold in when, counts_when or judged_when; or state why not in COMPARES",
        sorted(columns ^ COMPARES.keys()),
    )
    silent = [rule.file.name for rule in rules().values() if ("rows" in parts[rule.id]) != bool(rule.leaves_out)]
    assert not silent, cure(
        "state in leaves_out which rows WHERE leaves out because of a threshold, or remove it", silent
    )


PLAIN = frozenset({"0", "1", "100"})
"""Numbers that are no limits: nothing, one, the whole."""

LITERAL = {
    "CH002": "the end of an interval is a fraction of a second before the next one",
    "BP012": "a release",
    "CN008": "the unit of BATCHLIM",
    "CN012": "microseconds in a second",
    "DQ007": "a release",
    "LG010": "a time between log switches needs two",
    "LG029": "the number of a kind of log write",
    "LK001": "the number of a latch class",
    "LK002": "the number of a latch class",
}
"""Rules that compare with another number, and why it is no limit."""


def literals_compared(node: Any) -> Iterator[str]:
    """The numbers that a syntax tree compares something with."""
    if isinstance(node, list):
        for child in node:
            yield from literals_compared(child)
    elif isinstance(node, dict):
        if node.get("class") in ("COMPARISON", "BETWEEN"):
            for child in node.values():
                if isinstance(child, dict):
                    yield from numbers_in(child)
        for child in node.values():
            yield from literals_compared(child)


def numbers_in(node: Any) -> Iterator[str]:
    """The numbers in an expression, without those in nested queries."""
    if isinstance(node, dict) and node.get("class") == "CONSTANT":
        stated = node.get("literal", {})
        if stated.get("kind") in ("INTEGER", "NUMERIC"):
            yield stated["text"]
        elif isinstance(node.get("value", {}).get("value"), (int, float)):  # before DuckDB 1.5
            scale = (node["value"]["type"].get("type_info") or {}).get("scale", 0)
            yield f"{node['value']['value'] / 10**scale:g}"
    elif isinstance(node, (dict, list)) and not (isinstance(node, dict) and node.get("class") == "SUBQUERY"):
        for child in node.values() if isinstance(node, dict) else node:
            yield from numbers_in(child)


def conditions_of(rule: Rule) -> Iterator[str]:
    """All conditions of a rule as SQL: its SELECT, and those of its header."""
    yield rule.select
    stated = [clause.sql.replace("coalesce", "") for clause in rule.clauses]
    for text in (*stated, rule.min_activity, rule.judged_when):
        if text:
            yield f"SELECT 1 WHERE {text}"


def test_limits_have_names() -> None:
    """A number that decides is a threshold with a unit, a reason and a kind, which a site may change."""
    found = {
        rule.id: sorted({number for text in conditions_of(rule) for number in literals_compared(tree_of(text))} - PLAIN)
        for rule in rules().values()
    }
    named = {rule_id for rule_id, numbers in found.items() if numbers}
    assert named == LITERAL.keys(), cure(
        "rules: name these numbers as thresholds, or state in LITERAL why they are no limits",
        (f"{rule_id}: {found[rule_id]}" for rule_id in sorted(named ^ LITERAL.keys())),
    )


def test_numbers_that_are_compared_are_found() -> None:
    assert list(literals_compared(tree_of("SELECT a FROM t WHERE a >= 1000 AND b < 1.5 * c"))) == ["1000", "1.5"]
    assert list(literals_compared(tree_of("SELECT CASE WHEN a < $b THEN 7 END + 8 FROM t"))) == []


def test_conditions_that_are_compared_are_found() -> None:
    def parts(sql: str) -> list[str]:
        return list(comparisons(tree_of(sql)))

    assert parts("SELECT CASE WHEN a > $b THEN c END FROM t") == ["columns"]
    assert parts("SELECT count(*) FILTER (a BETWEEN $b AND 3) FROM t WHERE c = 1") == ["columns"]
    assert parts("WITH s AS (SELECT a FROM t WHERE a < 2 * $b) SELECT a, a / $c FROM s") == ["rows"]
    assert parts("SELECT a FROM t JOIN u ON t.a >= $b") == ["rows"]
    assert parts("SELECT sum(a) FROM t HAVING sum(a) > $b") == ["rows"]
    assert parts("SELECT a * $b FROM t WHERE a > 3") == []


def test_no_rule_selects_breach() -> None:
    """Also under a name that the check of the loader does not see."""
    selected = [
        rule.file.name for rule in rules().values() for node in selects(tree_of(rule.select)) if "breach" in names(node)
    ]
    assert not selected, cure("remove the column breach", selected)


def selects(node: Any) -> Iterator[Mapping[str, Any]]:
    """All SELECTs of a syntax tree."""
    for child in node if isinstance(node, list) else node.values() if isinstance(node, dict) else ():
        if isinstance(child, dict) and child.get("type") == "SELECT_NODE":
            yield child
        yield from selects(child)


def names(select: Mapping[str, Any]) -> set[str]:
    """The names of the columns of a SELECT."""
    return {item.get("alias") or (item.get("column_names") or [""])[-1] for item in select["select_list"]}


# ------------------------------------------------------------------------------------------------------------- defaults


def test_headers_state_no_default() -> None:
    """Without such a line of its header, the rule is the same."""
    stated = [f"{rule.file.name}: {key}" for rule in rules().values() for key in defaults_in(rule)]
    assert not stated, cure("remove these keys from the header, they state the default", stated)


def defaults_in(rule: Rule) -> Iterator[str]:
    """The keys of a header that state what holds without them."""
    header = rule.file.header
    clauses = header.get("clause", {})
    shorter = {key: {k: v for k, v in header.items() if k != key} for key in header}
    for id_, table in clauses.items():
        for key in table:
            less = {k: v for k, v in table.items() if k != key}
            shorter[f"clause.{id_}.{key}"] = {**header, "clause": {**clauses, id_: less}}
    for key, less in shorter.items():
        with suppress(SqlFileError):
            made = make_rule(dataclasses.replace(rule.file, header=less))
            if structs.replace(made, file=rule.file, stated=rule.stated) == rule:
                yield key


@pytest.mark.parametrize(
    "line", ["guards = []", 'mq_since = "base"', "default_on = true", 'breach_when = "limit"', 'leaves_out = ""']
)
def test_a_stated_default_is_found(line: str) -> None:
    text = rules()["BP001"].file.text.replace("\n\n", f"\n{line}\n\n", 1)
    file = sqlfile.parse(text, "rule", "rules/buffer_pool/BP001.sql")
    assert list(defaults_in(make_rule(file))) == [line.partition(" ")[0]]


def test_rules_state_no_order() -> None:
    """The engine groups the rows of a rule, and the statement of a finding has an order."""
    ordered = [rule.file.name for rule in rules().values() if "\nORDER BY" in rule.file.select]
    assert not ordered, cure("remove ORDER BY from the end of the SELECT", ordered)
