"""Clauses: the conditions of a rule as data. Each compares one column of the rule's result with a limit; `breach_when`
combines them.

`breach_sql` writes them as SQL with three values: a row is in breach, clear, or not judged (NULL) because a figure is
missing. A finding shows the clause that decided it, with its figure and limit. Limits are parameters (`$name`) of the
SQL.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from mqstat.base.errors import SqlFileError
from mqstat.base.formatting import exact_text, with_endings
from mqstat.base.toml_model import Table, Text, Wanted, one_of
from mqstat.sql.columns import UNITS

OPERATORS = ("<", "<=", ">", ">=", "=", "is true", "is false")
"""How a clause compares its column; the last two have no limit."""

COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
"""Those that have a limit."""

MISSING = ("unjudged", "holds", "fails")
"""What a clause counts as without its figure: as unknown (then other clauses decide, or the row is not judged), as
fulfilled, or as not fulfilled."""

COUNTS = frozenset({"count", "buffers"})
"""Units that follow their number without a further word: 3 log switches."""

MOST_BELOW = 100
"""The greatest distance of a figure below its limit: without it, a figure near 0 would precede everything."""

_WHEN = re.compile(
    r"(?P<column>[a-z][a-z0-9_]*) (?:(?P<flag>is true|is false)|(?P<operator><=|>=|<|>|=) (?P<limit>[a-z][a-z0-9_]*|-?\d+(?:\.\d+)?))"
)
_ID = re.compile(r"[a-z][a-z0-9_]*\Z")
_FIGURE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class ClauseKeys(Table, frozen=True):
    """The keys of a clause in a header."""

    when: Annotated[
        str, Wanted("must be 'column operator limit', 'column is true' or 'column is false'", _WHEN.fullmatch)
    ]
    measure: Text
    text: Text | None = None
    clear: Text = ""
    compared_with: Text = "limit {limit}"
    unit: Annotated[str, one_of(sorted(UNITS))] | None = None
    summary: Text = ""
    remedy: Text = ""
    counts_when: Annotated[
        tuple[str, ...], Wanted("must be a list of conditions such as 'column operator limit'", _WHEN.fullmatch)
    ] = ()
    missing: Annotated[str, one_of(MISSING)] = "unjudged"


@dataclass(frozen=True)
class Comparison:
    """A column of the result compared with a limit: the name of a threshold, a column, or a number; None = the column
    is a flag.
    """

    column: str
    operator: str
    limit: str | float | None
    limit_sql: str
    """The limit in SQL: a threshold as a parameter; NULL for a flag."""

    @property
    def sql(self) -> str:
        """The comparison in SQL; NULL if the column or its limit is."""
        if self.limit is None:
            return self.column if self.operator == "is true" else f"NOT {self.column}"
        return f"{self.column} {self.operator} {self.limit_sql}"

    @property
    def stated(self) -> str:
        """The comparison as text, with the name of its limit."""
        return f"{self.column} {self.operator}" + ("" if self.limit is None else f" {self.limit_sql.lstrip('$')}")


@dataclass(frozen=True)
class Clause:
    """One condition: `column` of the result compared by `operator` with `limit`, the name of a threshold, a column, or
    a number.

    `measure` names the figure; `text` is the phrase that prints it ({value}), `clear` replaces it if the condition does
    not hold; plural endings in brackets agree with the number (`formatting.with_endings`). `compared_with` prints the
    limit ({limit}). `value` is the column whose figure is shown for a condition without a limit: in a header, its text
    names that column instead of {value}. `summary` and `remedy` are the advice if this clause decides, empty = those of
    the rule. The figure counts only where all of `counts_when` hold; elsewhere it is not shown, and the clause does not
    hold. `missing` is one of `MISSING`.
    """

    id: str
    measure: str
    comparison: Comparison
    unit: str
    text: str
    clear: str = ""
    compared_with: str = "limit {limit}"
    value: str = ""
    summary: str = ""
    remedy: str = ""
    counts_when: tuple[Comparison, ...] = ()
    missing: str = "unjudged"

    @property
    def column(self) -> str:
        """The column of the result that is compared."""
        return self.comparison.column

    @property
    def operator(self) -> str:
        """How it is compared, one of `OPERATORS`."""
        return self.comparison.operator

    @property
    def limit(self) -> str | float | None:
        """The name of a threshold, a column, or a number; None for a flag."""
        return self.comparison.limit

    @property
    def shown(self) -> str:
        """The column of the result whose figure a finding shows."""
        return self.value or self.column

    @property
    def stated(self) -> str:
        """The condition in words: measure, operator and the name or number of its limit."""
        if self.limit is None:
            return (
                with_endings(self.text, None).format(value="n") if self.operator == "is true" else f"not {self.measure}"
            )
        return f"{self.measure} {self.operator} {self.limit if isinstance(self.limit, str) else exact_text(self.limit)}"

    @property
    def has_limit(self) -> bool:
        """Whether the clause compares with a limit."""
        return self.limit is not None

    @property
    def prints_limit(self) -> bool:
        """Whether a reader needs the limit: a fixed number (more than 0 of something) is already in the phrase."""
        return isinstance(self.limit, str)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the result that the clause reads, except a limit that is a column."""
        return tuple(dict.fromkeys((self.column, self.shown)))

    @property
    def sql(self) -> str:
        """The condition in SQL, with three values."""
        text = " AND ".join(each.sql for each in (*self.counts_when, self.comparison))
        return text if self.missing == "unjudged" else f"coalesce({text}, {str(self.missing == 'holds').lower()})"

    def figure(self, column: str) -> str:
        """A column in SQL, NULL where it does not count."""
        if not self.counts_when:
            return column
        return f"CASE WHEN {' AND '.join(each.sql for each in self.counts_when)} THEN {column} END"

    def distance(self, observed: float | None, limit: float | None) -> float | None:
        """How far a figure in breach is beyond its limit, as a ratio that rules can be compared by: 1 at the limit;
        None without a figure.

        A figure of 0 below a limit has no ratio: 100 is the most. Nor has any figure above a limit of 0: the ratio is 1
        more than their difference.
        """
        if self.limit is None or self.operator == "=":
            return 1.0
        if observed is None or limit is None:
            return None
        if limit <= 0:
            return 1 + abs(observed - limit)
        return limit / max(observed, limit / MOST_BELOW) if self.operator in ("<", "<=") else observed / limit


def opposite(operator: str) -> str:
    """The negated operator."""
    return {
        "<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "<>", "is true": "is false", "is false": "is true",
    }[operator]  # fmt: skip


def make_clause(id_: str, keys: ClauseKeys, thresholds: Mapping[str, Any], unit: str, where: str) -> Clause:
    """A clause from its table in a header; `unit` is the unit of the rule. SqlFileError begins with `where`."""
    if not _ID.match(id_):
        raise SqlFileError(f"{where}: the id must be lowercase with underscores.")
    comparison = _comparison(keys.when, thresholds)
    limit, is_flag = comparison.limit, comparison.limit is None
    if is_flag and keys.text is None:
        raise SqlFileError(f"{where}: a condition without a limit needs a text.")
    shown = _FIGURE.search(keys.text or "") if is_flag else None
    if isinstance(limit, str) and limit in thresholds:
        unit = thresholds[limit].unit
    elif comparison.column != "observed":
        unit = "count" if not is_flag or shown else "flag"
    own, measure = keys.unit or unit, with_endings(keys.measure, None)
    text = keys.text or (f"{{value}} {keys.measure}" if own in COUNTS else f"{measure} {{value}}")
    if shown:
        text = text.replace(shown[0], "{value}")
    return Clause(
        id_, measure, comparison, own, text, keys.clear, keys.compared_with, shown[1] if shown else "", keys.summary, keys.remedy,
        tuple(_comparison(each, thresholds) for each in keys.counts_when), keys.missing,
    )  # fmt: skip


def _comparison(text: str, thresholds: Collection[str]) -> Comparison:
    """A condition of a header."""
    match = _WHEN.fullmatch(text)
    if match is None:
        raise SqlFileError(f"{text!r} is not a condition.")
    operator, limit = match["flag"] or match["operator"], match["limit"]
    if limit is None:
        return Comparison(match["column"], operator, None, "NULL")
    if not limit[0].isalpha():
        return Comparison(match["column"], operator, float(limit), limit)
    return Comparison(match["column"], operator, limit, f"${limit}" if limit in thresholds else limit)


def alternatives(expression: str, ids: Sequence[str], name: str) -> tuple[tuple[int, ...], ...]:
    """The combinations of clauses that are a breach, as positions in `ids`: `a or (b and c)` is ((0,), (1, 2)). The
    first clause of each leads it.
    """
    try:
        tree = ast.parse(expression, mode="eval").body
    except SyntaxError:
        tree = ast.Constant(None)
    made = tuple(tuple(dict.fromkeys(combination)) for combination in _products(tree, list(ids), name))
    if {number for combination in made for number in combination} != set(range(len(ids))):
        raise SqlFileError(f"{name}: key breach_when must name every clause of the rule.")
    return made


def _products(node: ast.AST, ids: list[str], name: str) -> list[list[int]]:
    if isinstance(node, ast.Name) and node.id in ids:
        return [[ids.index(node.id)]]
    if isinstance(node, ast.BoolOp):
        parts = [_products(value, ids, name) for value in node.values]
        if isinstance(node.op, ast.Or):
            return [combination for part in parts for combination in part]
        made: list[list[int]] = [[]]
        for part in parts:
            made = [[*left, *right] for left in made for right in part]
        return made
    raise SqlFileError(f"{name}: key breach_when must combine the ids of clauses with and, or and parentheses.")


# --- SQL over the rows of a rule

FIGURES = ("clause_value", "clause_limit", "clause_hold")
"""The figures of a clause in the rows of a rule, each as a column for every clause (`clause_value_1`)."""


def breach_sql(clauses: Sequence[Clause], combined: Sequence[Sequence[int]], judged_when: str | None = None) -> str:
    """The whole condition of a rule in SQL: true = breach, false = clear, NULL = not judged, as are all rows for which
    `judged_when` does not hold.
    """
    parts = [" AND ".join(clauses[number].sql for number in combination) for combination in combined]
    text = " OR ".join(f"({part})" if len(parts) > 1 and " AND " in part else part for part in parts)
    return text if judged_when is None else f"CASE WHEN {judged_when} THEN {text} END"


def deciding_sql(
    columns: str,
    origin: str,
    clauses: Sequence[Clause],
    combined: Sequence[Sequence[int]],
    worst: str,
) -> str:
    """A SELECT of columns from `origin`, and also `alternative` (the combination that decides a row), its distance from
    the limit, and the figures of all clauses.

    The figures are columns: many rows are counted in half the time without lists. For a row in breach the first
    combination that holds decides, for other rows the one whose leading figure is nearest to its limit. `clause_order`
    sorts the worst figure first; `clause_near` is the figure as a share of its limit, for clear rows. Each condition is
    written once: over few rows DuckDB spends most of its time on compiling conditions.
    """
    parts = (
        [f"({clause.figure(clause.shown)})::DOUBLE" for clause in clauses],
        [f"({clause.comparison.limit_sql})::DOUBLE" for clause in clauses],
        [_known(clause) for clause in clauses],
    )
    figures = ", ".join(
        f"{figure} AS {name}_{number}"
        for name, part in zip(FIGURES, parts, strict=True)
        for number, figure in enumerate(part, 1)
    )
    value, _, flag = (f"{name}_{{}}" for name in FIGURES)
    leads = [clauses[combination[0]] for combination in combined]
    turned = _is_low(leads[0], worst) != (worst == "lowest")
    signs = ["" if _is_low(lead, worst) != turned else "-" for lead in leads]
    if len(combined) == 1:
        order = f"{signs[0]}({leads[0].figure(leads[0].shown)})::DOUBLE"
        return f"SELECT {columns}, 0 AS alternative, 0 AS clause_near, {order} AS clause_order, {figures} FROM {origin}"
    near = ", ".join(f"{_near(lead)} AS near_{number}" for number, lead in enumerate(leads))
    judged = f"SELECT {columns}, {figures}, {near} FROM {origin}"
    holds = [" AND ".join(flag.format(number + 1) for number in combination) for combination in combined]
    nearest = f"greatest({', '.join(f'near_{number}' for number in range(len(leads)))})"
    first = " ".join(f"WHEN {condition} THEN {number}" for number, condition in enumerate(holds))
    last = " ".join(f"WHEN near_{number} = {nearest} THEN {number}" for number in range(len(leads)))
    hidden = ", ".join(f"near_{number}" for number in range(len(leads)))
    decided = (
        f"SELECT * EXCLUDE ({hidden}), CASE {first} {last} ELSE 0 END AS alternative, "
        f"CASE WHEN {' OR '.join(f'({combination})' for combination in holds)} THEN 0 ELSE {nearest} END AS clause_near FROM ({judged})"
    )
    orders = [sign + value.format(combination[0] + 1) for sign, combination in zip(signs, combined, strict=True)]
    return f"SELECT *, CASE alternative {_cases(orders)} END AS clause_order FROM ({decided})"


def _known(clause: Clause) -> str:
    """The condition of a clause in SQL, false if it is unknown."""
    return f"coalesce({clause.sql}, false)" if clause.missing == "unjudged" else clause.sql


def _cases(parts: Sequence[str]) -> str:
    return " ".join(f"WHEN {number} THEN {part}" for number, part in enumerate(parts))


def _is_low(clause: Clause, worst: str) -> bool:
    """Whether low figures of a clause are bad; `worst` applies if its operator does not show it."""
    return clause.operator in ("<", "<=") or (clause.operator not in (">", ">=") and worst == "lowest")


def _near(clause: Clause) -> str:
    """How close a figure is to its limit, as a share: 1 at the limit and beyond it, 0 without a figure."""
    if clause.operator in ("=", "is true", "is false"):
        return f"CASE WHEN {clause.sql} THEN 1.0 ELSE 0.0 END"
    value, limit = f"({clause.figure(clause.column)})", f"({clause.comparison.limit_sql})"
    share = f"{limit} / nullif({value}, 0)" if clause.operator in ("<", "<=") else f"{value} / nullif({limit}, 0)"
    return f"CASE WHEN {clause.sql} THEN 1.0 ELSE coalesce(least(1.0, greatest(0.0, {share})), 0.0) END"
