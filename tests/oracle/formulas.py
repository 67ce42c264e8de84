"""The language of formulas: `name = expression` on a line, in Python's syntax over the columns of a row, with the rules
of SQL for nulls.

- arithmetic and comparisons with a null are null; a division by 0 is null; `and`, `or` and `not` have three values
- times are microseconds since 1970
- a later formula may use the column of an earlier one
- in the formulas of a group (`grouped`), `sum`, `min`, `max`, `mean`, `median`, `count`, `any`, `all`, `texts`, `top`
and the like read the rows of the
  group: `sum(x, where=y > 0)`; outside of them names are the columns of the group itself
- text after `#` names the source: a field of IBM's, a document, or the description of the column
"""

from __future__ import annotations

import ast
import math
import operator
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import S32
from tests.costs import cache
from tests.oracle import Row

Formula = Callable[[Mapping[str, Any], Sequence[Row]], Any]

SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000
PAGE, MIB, GIB = 4096, 1 << 20, 1 << 30


def _null(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(*given: Any) -> Any:
        return None if any(value is None for value in given) else function(*given)

    return of


def known(given: Iterable[Any]) -> list[Any]:
    """The values that are not null."""
    return [value for value in given if value is not None]


def judgeable(row: Mapping[str, Any]) -> bool:
    """Whether the interval of a row is no fragment; where that is not known, 10 seconds are enough."""
    return bool(row["interval_seconds"] >= 10 if row.get("fragment") is None else not row["fragment"])


def _average(given: Iterable[Any]) -> Any:
    values = known(given)
    return math.fsum(values) / len(values) if values else None


def _sum(given: Iterable[Any]) -> Any:
    values = known(given)
    return None if not values else math.fsum(values) if any(isinstance(v, float) for v in values) else sum(values)


def quantile(given: Iterable[Any], share: float) -> Any:
    """The value at a share of the sorted values, between two of them by linear interpolation."""
    values = sorted(known(given))
    if not values:
        return None
    position = share * (len(values) - 1)
    low = math.floor(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (position - low)


def mode(given: Iterable[Any]) -> Any:
    """The most frequent value; of several the lowest."""
    counts: dict[Any, int] = defaultdict(int)
    for value in known(given):
        counts[value] += 1
    return min(counts, key=lambda value: (-counts[value], value)) if counts else None


def _deviation(given: Iterable[Any]) -> Any:
    values = known(given)
    return statistics.stdev(values) if len(values) > 1 else None


def _any(given: Iterable[Any]) -> Any:
    values = known(given)
    return any(values) if values else None


def _all(given: Iterable[Any]) -> Any:
    values = known(given)
    return all(values) if values else None


AGGREGATES: dict[str, Callable[[Iterable[Any]], Any]] = {
    "sum": _sum,
    "min": lambda given: min(known(given), default=None),
    "max": lambda given: max(known(given), default=None),
    "mean": _average,
    "median": lambda given: quantile(given, 0.5),
    "p95": lambda given: quantile(given, 0.95),
    "p99": lambda given: quantile(given, 0.99),
    "p05": lambda given: quantile(given, 0.05),
    "mode": mode,
    "distinct": lambda given: len(set(known(given))),
    "any": _any,
    "all": _all,
    "deviation": _deviation,
    "texts": lambda given: ", ".join(sorted({str(value) for value in known(given)})) or None,
    "first_row": lambda given: next(iter(given), None),
}


def _divided(one: Any, other: Any) -> Any:
    return None if one is None or not other else one / other


def _and(*given: Any) -> Any:
    return False if any(value is not None and not value for value in given) else None if None in given else True


def _or(*given: Any) -> Any:
    return True if any(given) else None if None in given else False


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq, "NotEq": operator.ne,
    "In": lambda a, b: a in b, "NotIn": lambda a, b: a not in b,
}  # fmt: skip


def _chain(operators: str, *given: Any) -> Any:
    parts: list[Any] = []
    for number, name in enumerate(operators.split()):
        left, right = given[number], given[number + 1]
        if name in ("Is", "IsNot"):
            parts.append((left is right) is (name == "Is"))
        else:
            parts.append(None if left is None or right is None else _COMPARE[name](left, right))
    return _and(*parts) if len(parts) > 1 else parts[0]


def level(text: str) -> int:
    """An MQ level as one number: 10.0.0 = 100000."""
    version, release, modification = (int(part) for part in text.split("."))
    return version * 10_000 + release * 100 + modification


def first(*given: Any) -> Any:
    """The first value that is not null."""
    return next((value for value in given if value is not None), None)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "_add": _null(lambda a, b: a + b), "_sub": _null(lambda a, b: a - b), "_mult": _null(lambda a, b: a * b), "_div": _divided,
    "_floordiv": lambda a, b: None if a is None or not b else a // b, "_mod": lambda a, b: None if a is None or not b else a % b,
    "_pow": _null(lambda a, b: a**b), "_bitand": _null(lambda a, b: a & b), "_usub": _null(lambda a: -a), "_not": _null(lambda a: not a),
    "_and": _and, "_or": _or, "_chain": _chain,
    "first": first,
    "least": lambda *given: min(known(given), default=None),
    "greatest": lambda *given: max(known(given), default=None),
    "ceil": _null(math.ceil), "floor": _null(math.floor), "sqrt": _null(math.sqrt), "magnitude": _null(abs), "whole": _null(int),
    "hour": _null(lambda time: time // HOUR * HOUR), "day_start": _null(lambda time: time // DAY * DAY),
    "log10": _null(math.log10), "rounded": _null(lambda value, digits=0: math.copysign(math.floor(abs(value) * 10**digits + 0.5), value) / 10**digits),
    "length": _null(len), "nearest": _null(round), "text": _null(str), "thousands": _null(lambda number: f"{number:,}"), "starts": _null(lambda text, start: text.startswith(start)), "level": _null(level),
}  # fmt: skip
CONSTANTS = {
    "SECOND": SECOND,
    "MINUTE": MINUTE,
    "HOUR": HOUR,
    "DAY": DAY,
    "PAGE": PAGE,
    "MIB": MIB,
    "GIB": GIB,
    "KIB": 1024,
}


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


class _Nulls(ast.NodeTransformer):
    """Replaces operators by functions with the rules of SQL for nulls, and names by columns."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in CONSTANTS:
            return ast.Constant(CONSTANTS[node.id])
        return _call("_column", ast.Name("row", ast.Load()), ast.Constant(node.id))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return _call(f"_{type(node.op).__name__.lower()}", self.visit(node.left), self.visit(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return _call(f"_{type(node.op).__name__.lower()}", self.visit(node.operand))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        return _call(f"_{type(node.op).__name__.lower()}", *map(self.visit, node.values))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        names = " ".join(type(each).__name__ for each in node.ops)
        return _call("_chain", ast.Constant(names), *map(self.visit, (node.left, *node.comparators)))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id  # type: ignore[attr-defined]
        if name in AGGREGATES or name in ("count", "top", "last", "earliest"):
            condition = next((self.visit(keyword.value) for keyword in node.keywords), ast.Constant(value=True))
            values = [self._of_row(self.visit(argument)) for argument in node.args]
            return _call(f"_{name}", ast.Name("rows", ast.Load()), self._of_row(condition), *values)
        return _call(name, *map(self.visit, node.args))

    @staticmethod
    def _of_row(body: ast.expr) -> ast.Lambda:
        return ast.Lambda(ast.arguments([], [ast.arg("row")], None, [], [], None, []), body)


def _over(aggregate: Callable[[Iterable[Any]], Any]) -> Callable[..., Any]:
    return lambda rows, where, value: aggregate([value(row) for row in rows if where(row)])


def _count(rows: Sequence[Row], where: Callable[[Row], Any], value: Callable[[Row], Any] | None = None) -> int:
    return sum(1 for row in rows if where(row) and (value is None or value(row) is not None))


def _by(rows: Sequence[Row], where: Any, value: Any, orders: Sequence[Any], *, highest: bool) -> Any:
    """The value of the row with the highest (lowest) order; rows with a null in it do not count."""
    found = [(tuple(order(row) for order in orders), row) for row in rows if where(row)]
    found = [(order, row) for order, row in found if order[0] is not None]
    if not found:
        return None
    choose = max if highest else min
    return value(choose(found, key=lambda pair: pair[0])[1])


def _column(row: Mapping[str, Any], name: str) -> Any:
    return row[name]


SCOPE: dict[str, Any] = {
    **FUNCTIONS, **{f"_{name}": _over(function) for name, function in AGGREGATES.items()}, "_count": _count, "_column": _column,
    "_top": lambda rows, where, value, *orders: _by(rows, where, value, orders, highest=True),
    "_last": lambda rows, where, value, *orders: _by(rows, where, value, orders, highest=True),
    "_earliest": lambda rows, where, value, *orders: _by(rows, where, value, orders, highest=False),
}  # fmt: skip


@cache
def expression(text: str) -> Formula:
    """A formula as a function of a row and of the rows of its group."""
    tree = ast.Expression(_Nulls().visit(ast.parse(text.strip(), mode="eval").body))
    lines = ast.Expression(
        ast.Lambda(ast.arguments([], [ast.arg("row"), ast.arg("rows")], None, [], [], None, []), tree.body)
    )
    return eval(compile(ast.fix_missing_locations(lines), text, "eval"), SCOPE)  # type: ignore[no-any-return]  # noqa: S307


@cache
def formulas(text: str) -> tuple[tuple[str, Formula], ...]:
    """The formulas of a text by name; a line that is indented continues the one before."""
    lines: list[str] = []
    indent = None
    for line in text.splitlines():
        code = line.partition("#")[0].rstrip()
        if not code.strip():
            continue
        depth = len(code) - len(code.lstrip())
        indent = depth if indent is None else indent
        if depth > indent:
            lines[-1] += " " + code.strip()
        else:
            lines.append(code.strip())
    parts = [line.partition(" = ") for line in lines]
    return tuple((name.strip(), expression(right)) for name, _, right in parts)


def computed(rows: Iterable[Mapping[str, Any]], text: str) -> list[Row]:
    """The rows with further columns."""
    steps = formulas(text)
    out = []
    for given in rows:
        row = dict(given)
        for name, formula in steps:
            row[name] = formula(row, ())
        out.append(row)
    return out


NEVER_TWO_BILLION = (
    "tape_contention_delays bsds_accesses archive_read_allocations archive_write_allocations checkpoints log_reads_delayed lookahead_mounts_tried "
    "lookahead_mounts_ok new_logs_copy1 new_logs_copy2 new_logs_zhyperwrite_capable new_logs_zhyperwrite_enabled new_logs_encrypted"
).split()
"""Signed counters of the log manager that cannot reach 2,147,483,648 in an interval: data sets, mounts, checkpoints."""


def unsigned(rows: Iterable[Row], layout: str, most_per_us: int) -> list[Row]:
    """Rows with the words of signed counters as the unsigned numbers that they are, up to the most that a component can
    count.
    """
    names = [
        field.name
        for field in LAYOUTS[layout].fields
        if field.type is S32 and field.kind == "counter" and field.name not in NEVER_TWO_BILLION
    ]
    out = [dict(row) for row in rows]
    for row in out:
        for name in names:
            if (row[name] or 0) < 0:
                word = row[name] % (1 << 32)
                row[name] = word if word <= most_per_us * row["interval_us"] else row[name]
    return out


def groups(rows: Iterable[Row], by: str) -> dict[tuple[Any, ...], list[Row]]:
    """The rows by the values of some columns, in the order of their first row."""
    names = by.split()
    out: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        out[tuple(row[name] for name in names)].append(row)
    return out


def grouped(rows: Iterable[Row], by: str, text: str) -> list[Row]:
    """One row for each value of the columns `by`, with the columns of the formulas."""
    steps, names, out = formulas(text), by.split(), []
    for key, members in groups(rows, by).items():
        row: Row = dict(zip(names, key, strict=True))
        for name, formula in steps:
            row[name] = formula(row, members)
        out.append(row)
    return out


def joined(
    rows: Iterable[Row], other: Mapping[tuple[Any, ...], Row], by: str, columns: str, *, inner: bool = False
) -> list[Row]:
    """The rows with columns of the row of `other` that has the same key; null without one, unless `inner` leaves such
    rows out.

    A queue manager or LPAR without a name is no other one without a name.
    """
    names, wanted = by.split(), columns.split()
    out = []
    for row in rows:
        nameless = any(row[name] is None for name in names if name in ("lpar", "qmgr"))
        match = None if nameless else other.get(tuple(row[name] for name in names))
        if match is None and inner:
            continue
        out.append({**row, **{name: None if match is None else match[name] for name in wanted}})
    return out


def where(rows: Iterable[Row], condition: str) -> list[Row]:
    """The rows for which a condition is true."""
    test = expression(condition)
    return [row for row in rows if test(row, ())]
