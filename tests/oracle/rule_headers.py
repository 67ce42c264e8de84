"""Rules as their headers state them: conditions with three values, and the combinations of them that are a breach."""

from __future__ import annotations

import ast
import operator
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.costs import cache
from tests.oracle import Row

RULES = Path(__file__).parents[2] / "rules"
LOWER, COMPARE = (
    ("<", "<="),
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq},
)
SEVERITIES = ("critical", "warning", "info")
CONDITION = re.compile(r"(\S+) (?:(is true|is false)|(<=|>=|<|>|=) (\S+))")


@dataclass(frozen=True)
class Condition:
    """A column, how it is compared, and a number, a threshold, a column, or None for a flag."""

    column: str
    operator: str
    limit: Any

    def limit_of(self, row: Row) -> Any:
        return row[self.limit] if isinstance(self.limit, str) else self.limit

    def holds(self, row: Row) -> bool | None:
        value = row[self.column]
        if self.operator.startswith("is"):
            return None if value is None else bool(value) == (self.operator == "is true")
        limit = self.limit_of(row)
        return None if value is None or limit is None else bool(COMPARE[self.operator](value, limit))


def condition(text: str) -> Condition:
    column, flag, compares, limit = CONDITION.fullmatch(text).groups()  # type: ignore[union-attr]
    number = limit is not None and re.fullmatch(r"-?[\d.]+", limit)
    return Condition(column, flag or compares, float(limit) if number else limit)


@dataclass(frozen=True)
class Clause:
    id: str
    main: Condition
    given: dict[str, Any]
    counts: tuple[Condition, ...]

    @property
    def shown(self) -> str | None:
        """The column that the text of a flag names."""
        named = re.search(r"\{(\w+)\}", self.given.get("text", "")) if self.main.operator.startswith("is") else None
        return named and named[1]

    def value(self, row: Row, column: str | None = None) -> Any:
        """The figure; null where it does not count."""
        found = row[column or self.shown or self.main.column]
        return found if all(each.holds(row) for each in self.counts) else None

    def holds(self, row: Row) -> bool | None:
        """With three values; what a clause without its figure counts as is stated by `missing`."""
        parts = [each.holds(row) for each in (*self.counts, self.main)]
        result = False if False in parts else None if None in parts else True
        missing = self.given.get("missing", "unjudged")
        return (missing == "holds") if result is None and missing != "unjudged" else result

    def near(self, row: Row) -> float:
        """The figure as a share of its limit: 1 if the clause holds, 0 without a figure."""
        if self.holds(row):
            return 1.0
        value, limit = self.value(row, self.main.column), self.main.limit_of(row)
        if self.main.operator not in COMPARE or self.main.operator == "=" or value is None or limit is None:
            return 0.0
        above, below = (limit, value) if self.main.operator in LOWER else (value, limit)
        return float(min(1.0, max(0.0, above / below))) if below else 0.0


@dataclass
class Rule:
    header: dict[str, Any]
    body: str
    area: str
    clauses: dict[str, Clause] = field(default_factory=dict)
    ways: list[tuple[str, ...]] = field(default_factory=list)
    """The combinations of clauses that are a breach; the first of each leads it."""

    def __post_init__(self) -> None:
        tables = self.header.get("clause") or {"limit": self.header}
        for name, table in tables.items():
            counts = tuple(map(condition, table.get("counts_when", ())))
            self.clauses[name] = Clause(name, condition(table["when"]), table, counts)
        tree = ast.parse(self.header.get("breach_when", "limit"), mode="eval").body
        self.ways = [tuple(dict.fromkeys(way)) for way in _ways(tree)]

    @property
    def limits(self) -> dict[str, float]:
        return {name: table["value"] for name, table in self.header.get("threshold", {}).items()}

    def low(self, clause: Clause) -> bool:
        """Whether low figures are the worse ones: by the operator, otherwise as the header states."""
        return clause.main.operator in LOWER or (
            clause.main.operator not in (">", ">=") and self.header["worst"] == "lowest"
        )


def _ways(node: ast.expr) -> list[tuple[str, ...]]:
    if isinstance(node, ast.BoolOp):
        parts = [_ways(value) for value in node.values]
        if isinstance(node.op, ast.Or):
            return [way for part in parts for way in part]
        made: list[tuple[str, ...]] = [()]
        for part in parts:
            made = [(*left, *right) for left in made for right in part]
        return made
    assert isinstance(node, ast.Name)
    return [(node.id,)]


@cache
def rules() -> dict[str, Rule]:
    stated = {}
    for path in sorted(RULES.glob("*/*.sql")):
        head, _, body = path.read_text(encoding="utf-8").partition("---*/")
        header = tomllib.loads(head.partition("/*---")[2])
        stated[header["id"]] = (header, body.strip().rstrip(";"), path.parent.name)
    out = {}
    for name, (header, body, area) in stated.items():
        model = stated[header["like"]][0] if "like" in header else {}
        out[name] = Rule(_with_model(header, model), body, area)
    return out


def _with_model(stated: dict[str, Any], model: dict[str, Any]) -> dict[str, Any]:
    """A table, and each table in it, with what only its model states."""
    both = {
        key: _with_model(stated[key], value) if isinstance(value, dict) and key in stated else stated.get(key, value)
        for key, value in model.items()
    }
    return {**stated, **both}


def plural(text: str) -> str:
    """A phrase with its endings for many: `buffer[s]`, `entr[ies|y]`."""
    return re.sub(r"\[([^]|]*)[^]]*\]", r"\1", text)
