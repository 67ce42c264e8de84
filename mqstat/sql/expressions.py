"""Evaluates the expressions of a syntax tree in Python, with the rules of SQL for nulls: columns, functions, aggregates, windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mqstat.sql.functions import FUNCTIONS, NAMED_AGGREGATES, Order, UnsupportedError, aggregate, cast, compared
from mqstat.sql.trees import (
    OTHER_INTERVALS,
    Node,
    argument_names,
    arguments_of,
    constant_of,
    entry_of,
    key_of,
    macro_trees,
)

SECTIONS = "sections"
"""In place of a column: the number of sections that a triplet states, which is what a count of rows reads."""


class Runs(Protocol):
    """What runs the queries of a SELECT (`mqstat.sql.evaluate.Evaluator`)."""

    within_interval: bool
    reads: list[set[Any]]

    def aside(self, compute: Callable[..., Any], *given: Any) -> Any:
        """A value whose reads do not count as operands."""

    def with_reads(self, compute: Callable[..., Any], *given: Any) -> tuple[Any, frozenset[Any]]:
        """A value with what computing it read."""

    def query(self, node: Node, ctes: Mapping[str, Relation], outer: Env | None) -> Relation:
        """The relation of a query."""


@dataclass
class Relation:
    """A table in a FROM clause: its columns, and its rows when they are asked for."""

    columns: tuple[str, ...]
    make: Callable[[], list[Row]]
    _rows: list[Row] | None = None

    @property
    def rows(self) -> list[Row]:
        """The rows, computed once."""
        if self._rows is None:
            self._rows = self.make()
        return self._rows


class Row:
    """A row whose columns are computed once, when they are asked for."""

    __slots__ = ("_below", "_compute", "_known", "evaluator")

    def __init__(self, evaluator: Runs, compute: Callable[[str], Any], below: Any = None) -> None:
        """A row whose columns `compute` returns; `below` is what it is made from: a row, the row of a decoded table, or the scope of a SELECT."""
        self.evaluator, self._compute, self._below = evaluator, compute, below
        self._known: dict[str, tuple[Any, frozenset[Any]]] = {}

    def count(self) -> None:
        """Note that the row was counted: that it exists is part of the result."""
        if isinstance(self._below, (Row, Env)):
            self._below.count()
        elif self._below is not None and self._below.is_field(SECTIONS):
            self.evaluator.reads[-1].add((self._below, SECTIONS))

    def get(self, column: str) -> Any:
        """The value of a column."""
        known = self._known.get(column)
        if known is None:
            with_reads = self.evaluator.with_reads
            known = self._known[column] = with_reads(self._compute, column)
        self.evaluator.reads[-1].update(known[1])
        return known[0]


@dataclass
class Env:
    """What names mean in an expression: tables by alias, the rows of a group, the columns of the SELECT list, parameters of a lambda, the query around it."""

    sources: dict[str, tuple[tuple[str, ...], Any]] = field(default_factory=dict)
    members: list[Env] | None = None
    query: Expressions | None = None
    names: dict[str, Any] = field(default_factory=dict)
    outer: Env | None = None
    number: int = 0

    def count(self) -> None:
        """Note that its rows were counted."""
        for env in [self] if self.members is None else self.members:
            for _, row in env.sources.values():
                row.count()


class Expressions:
    """The expressions of one SELECT: `items` has its columns by name, `envs` its rows before they are computed."""

    def __init__(self, evaluator: Runs, node: Node, ctes: Mapping[str, Relation], outer: Env | None) -> None:
        self.evaluator, self.node, self.ctes, self.outer = evaluator, node, ctes, outer
        self.items: dict[str, Any] = {}
        self.envs: list[Env] = []
        self._frames: dict[int, list[Any]] = {}
        self._computing: set[str] = set()

    def item(self, column: str, env: Env) -> Any:
        """A column of the SELECT list."""
        item = self.items[column]
        if isinstance(item, tuple):
            return env.sources[item[0]][1].get(item[1])
        return self.expression(item, env)

    def _order(self, orders: Sequence[Node], env: Env) -> list[Order]:
        def ordered() -> list[Order]:
            return [
                Order(self.expression(order["expression"], env), descending=order["type"] == "DESCENDING")
                for order in orders
            ]

        made: list[Order] = self.evaluator.aside(ordered)
        return made

    def _holds(self, condition: Node, env: Env) -> bool:
        return self.evaluator.aside(self.expression, condition, env) is True

    def every(self, nodes: Sequence[Node], env: Env) -> list[Any]:
        """The values of expressions."""
        return [self.expression(node, env) for node in nodes]

    def key(self, nodes: Sequence[Node], env: Env) -> Any:
        """The values of expressions as a key."""
        return key_of(self.every(nodes, env))

    def expression(self, node: Node, env: Env) -> Any:
        """The value of an expression."""
        kind = node["class"]
        handler = getattr(self, f"_{kind.lower()}", None)
        if handler is None:
            raise UnsupportedError(f"{kind} in a view")
        return handler(node, env)

    def _constant(self, node: Node, env: Env) -> Any:
        return constant_of(node)

    def _column_ref(self, node: Node, env: Env) -> Any:
        return self.named(node["column_names"], env)

    def named(self, names: Sequence[str], env: Env) -> Any:
        """The value of a name: `table.column`, `column`, an entry of the SELECT list, each maybe with fields of a struct."""
        around: Env | None = env
        while around is not None:
            if names[0] in around.names:
                return entry_of(around.names[names[0]], names[1:])
            if len(names) > 1 and names[0] in around.sources and names[1] in around.sources[names[0]][0]:
                return entry_of(around.sources[names[0]][1].get(names[1]), names[2:])
            for columns, row in around.sources.values():
                if names[0] in columns:
                    return entry_of(row.get(names[0]), names[1:])
            query = around.query
            if query is not None and names[0] in query.items and names[0] not in query._computing:
                query._computing.add(names[0])
                try:
                    return entry_of(query.item(names[0], around), names[1:])
                finally:
                    query._computing.discard(names[0])
            around = around.outer
        raise UnsupportedError(f"the name {'.'.join(names)}")

    def _cast(self, node: Node, env: Env) -> Any:
        kind = node["type_expr"]["type_name"] if "type_expr" in node else node["cast_type"]["id"]
        return cast(self.expression(node["child"], env), kind)

    def _comparison(self, node: Node, env: Env) -> Any:
        return compared(node["type"], self.expression(node["left"], env), self.expression(node["right"], env))

    def _between(self, node: Node, env: Env) -> Any:
        value, low, high = (self.expression(node[name], env) for name in ("input", "lower", "upper"))
        return None if None in (value, low, high) else low <= value <= high

    def _conjunction(self, node: Node, env: Env) -> Any:
        ends = node["type"] == "CONJUNCTION_OR"
        unknown = False
        for child in node["children"]:
            value = self.expression(child, env)
            if value is not None and bool(value) == ends:
                return ends
            unknown = unknown or value is None
        return None if unknown else not ends

    def _case(self, node: Node, env: Env) -> Any:
        for check in node["case_checks"]:
            if self.expression(check["when_expr"], env):
                return self.expression(check["then_expr"], env)
        return self.expression(node["else_expr"], env)

    def _operator(self, node: Node, env: Env) -> Any:
        kind, children = node["type"], node["children"]
        if kind == "OPERATOR_COALESCE":
            return next((value for child in children if (value := self.expression(child, env)) is not None), None)
        values = self.every(children, env)
        if kind in ("OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL"):
            return (values[0] is None) == (kind == "OPERATOR_IS_NULL")
        if kind == "OPERATOR_NOT":
            return None if values[0] is None else not values[0]
        if kind in ("ARRAY_EXTRACT", "STRUCT_EXTRACT"):
            return FUNCTIONS["array_extract"](*values)
        if kind == "COMPARE_IN":
            given, wanted = values[0], values[1:]
            return None if given is None else given in wanted or (None if None in wanted else False)
        raise UnsupportedError(f"{kind} in a view")

    def _function(self, node: Node, env: Env) -> Any:
        name, arguments = node["function_name"], arguments_of(node)
        if name in NAMED_AGGREGATES:
            return self._aggregate(node, name, arguments, env)
        if name in macro_trees():
            names, body = macro_trees()[name]
            given = dict(zip(names, (self.expression(each, env) for each in arguments), strict=True))
            return self.expression(body, Env(names=given, query=None))
        if name in ("list_filter", "list_transform"):
            return self._over_list(name, arguments, env)
        values = self.every(arguments, env)
        if name == "struct_pack":
            return dict(zip(argument_names(node), values, strict=True))
        if name == "list_aggregate":
            return aggregate(values[1], [(value,) for value in values[0] or ()])
        if name not in FUNCTIONS:
            raise UnsupportedError(f"the function {name}")
        return FUNCTIONS[name](*values)

    def _over_list(self, name: str, arguments: Sequence[Node], env: Env) -> Any:
        items, function = self.expression(arguments[0], env), arguments[1]
        if items is None:
            return None
        (parameter,) = function["lhs"]["column_names"]
        made = [(item, self.expression(function["expr"], Env(names={parameter: item}, outer=env))) for item in items]
        return [item for item, kept in made if kept] if name == "list_filter" else [value for _, value in made]

    def _aggregate(self, node: Node, name: str, arguments: Sequence[Node], env: Env) -> Any:
        group: Env | None = env
        while group is not None and group.members is None:
            group = group.outer
        if group is None or group.members is None:
            raise UnsupportedError("an aggregate outside a group")
        return self._over(node, name, arguments, group.members)

    def _over(self, node: Node, name: str, arguments: Sequence[Node], members: Sequence[Env]) -> Any:
        condition = node.get("filter") or node.get("filter_expr")
        members = [each for each in members if condition is None or self._holds(condition, each)]
        orders = (node.get("order_bys") or {}).get("orders") or node.get("arg_orders") or ()
        if orders:
            members = sorted(members, key=lambda each: self._order(orders, each))
        if name == "count_star":
            for member in members:
                member.count()
        rows = [tuple(self.expression(each, member) for each in arguments) for member in members]
        return aggregate(name, rows, distinct=bool(node.get("distinct")))

    def _subquery(self, node: Node, env: Env) -> Any:
        relation = self.evaluator.query(node["subquery"]["node"], self.ctes, env)
        if node["subquery_type"] == "EXISTS":
            return bool(relation.rows)
        values = [row.get(relation.columns[0]) for row in relation.rows]
        if node["subquery_type"] == "SCALAR":
            return values[0] if values else None
        if node["subquery_type"] == "ANY" and node["comparison_type"] == "COMPARE_EQUAL":
            return self.expression(node["child"], env) in values
        raise UnsupportedError("a subquery of this kind")

    def _window(self, node: Node, env: Env) -> Any:
        if self.evaluator.within_interval:
            raise UnsupportedError(OTHER_INTERVALS)
        if id(node) not in self._frames:
            self._frames[id(node)] = [None] * len(self.envs)
            parts: dict[Any, list[Env]] = {}
            for each in self.envs:
                key = self.evaluator.aside(self.key, node["partitions"], each)
                parts.setdefault(key, []).append(each)
            for members in parts.values():
                ordered = sorted(members, key=lambda each: self._order(node["orders"], each))
                for position, each in enumerate(ordered):
                    self._frames[id(node)][each.number] = (ordered, position)
        ordered, position = self._frames[id(node)][env.number]
        return self._in_frame(node, ordered, position)

    def _in_frame(self, node: Node, ordered: list[Env], position: int) -> Any:
        kind, arguments = node["type"], arguments_of(node)
        if kind == "WINDOW_ROW_NUMBER":
            return position + 1
        if kind in ("WINDOW_LAG", "WINDOW_LEAD"):
            step = self.expression(arguments[1], ordered[position]) if len(arguments) > 1 else 1
            at = position - step if kind == "WINDOW_LAG" else position + step
            if 0 <= at < len(ordered):
                return self.expression(arguments[0], ordered[at])
            return self.expression(arguments[2], ordered[position]) if len(arguments) > 2 else None
        if kind == "WINDOW_LAST_VALUE":
            here = self._order(node["orders"], ordered[position])
            members = [each for each in ordered if not here < self._order(node["orders"], each)]
            values = [self.expression(arguments[0], each) for each in members]
            return next((v for v in reversed(values) if v is not None or not node.get("ignore_nulls")), None)
        if kind != "WINDOW_AGGREGATE":
            raise UnsupportedError("a window of this kind")
        members = ordered
        if node["start"] == "EXPR_PRECEDING_RANGE" and node["end"] == "CURRENT_ROW_RANGE":
            (order,) = node["orders"]
            at = self.expression(order["expression"], ordered[position])
            first = at - self.expression(node["start_expr"], ordered[position])
            times = [(self.evaluator.aside(self.expression, order["expression"], each), each) for each in ordered]
            members = [each for time, each in times if time is not None and first <= time <= at]
        elif node["start"] != "UNBOUNDED_PRECEDING":
            raise UnsupportedError("a window of this kind")
        elif node["orders"] and node["end"] == "CURRENT_ROW_ROWS":
            members = ordered[: position + 1]
        elif node["orders"] and node["end"] == "CURRENT_ROW_RANGE":
            here = self._order(node["orders"], ordered[position])
            members = [each for each in ordered if not here < self._order(node["orders"], each)]
        elif node["end"] not in ("UNBOUNDED_FOLLOWING", "CURRENT_ROW_RANGE"):
            raise UnsupportedError("a window of this kind")
        return self._over(node, node["function_name"], arguments, members)
