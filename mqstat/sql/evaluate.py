"""A second computation of the columns of views and rules: DuckDB parses the SQL, Python evaluates its syntax tree over rows that the caller reads.

Columns are computed when they are asked for, each with the fields that it read, so that the result names its operands; a LEFT JOIN is done when a column
of its right side is asked for. It is slow and meant for a few thousand rows. What it does not know raises `UnsupportedError`; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Protocol, TypeAlias

from mqstat.sql import sqlfile
from mqstat.sql.expressions import Env, Expressions, Relation, Row
from mqstat.sql.functions import FUNCTIONS, UnsupportedError
from mqstat.sql.syntax import select_node
from mqstat.sql.trees import (
    OTHER_INTERVALS,
    Node,
    arguments_of,
    conjuncts,
    constant_of,
    has_aggregate,
    is_unnest,
    is_within,
    key_of,
    name_of,
    reads_only,
)

Read: TypeAlias = "tuple[BaseRow, str]"


class BaseRow(Protocol):
    """A row of a decoded table."""

    def get(self, column: str) -> Any:
        """The value of a column; KeyError if there is none."""

    def is_field(self, column: str) -> bool:
        """Whether the column is read from a field of a record."""


Tables: TypeAlias = Callable[[str], "tuple[Sequence[str], Sequence[BaseRow]]"]
"""Columns and rows of a decoded table by its name."""


class _SeveralMatchesError(Exception):
    """A LEFT JOIN that was to be done later has several rows on its right side."""


class Evaluator:
    """Evaluates queries over decoded tables. `within` restricts it to queries that need no rows of other intervals."""

    def __init__(self, tables: Tables, *, within_interval: bool = False) -> None:
        self.tables, self.within_interval = tables, within_interval
        self.reads: list[set[Any]] = [set()]
        self.eager: set[int] = set()
        self._views: dict[str, Relation] = {}

    def values(
        self, sql: str, chosen: Callable[[Callable[[str], Any]], bool], column: str
    ) -> list[tuple[Any, frozenset[Read]]]:
        """The column of those rows of a query that `chosen` selects by their columns, each with the fields that it was computed from."""
        while True:
            try:
                rows = [row for row in self.query(select_node(sql), {}, None).rows if self.aside(chosen, row.get)]
                return [self.with_reads(row.get, column) for row in rows]
            except _SeveralMatchesError:
                self._views.clear()

    def with_reads(self, compute: Callable[..., Any], *given: Any) -> tuple[Any, frozenset[Any]]:
        """The value of a function, with what computing it read."""
        self.reads.append(set())
        try:
            value = compute(*given)
        finally:
            reads = self.reads.pop()
        return value, frozenset(reads)

    def aside(self, compute: Callable[..., Any], *given: Any) -> Any:
        """A value whose reads do not count as operands: a key or a condition that only selects rows."""
        return self.with_reads(compute, *given)[0]

    # --- relations

    def relation(self, name: str, schema: str | None) -> Relation:
        """A view or a decoded table."""
        key = f"decoded.{name}" if schema == "decoded" or name not in sqlfile.views() else name
        if key not in self._views:
            if key.startswith("decoded."):
                columns, rows = self.tables(name)
                self._views[key] = Relation(tuple(columns), lambda: [self._base(row) for row in rows])
            else:
                self._views[key] = self.query(_view(name), {}, None)
        return self._views[key]

    def _base(self, row: BaseRow) -> Row:
        def compute(column: str) -> Any:
            value = row.get(column)
            if row.is_field(column):
                self.reads[-1].add((row, column))
            return value

        return Row(self, compute, row)

    def query(self, node: Node, ctes: Mapping[str, Relation], outer: Env | None) -> Relation:
        """The relation of a query."""
        own = dict(ctes)
        for entry in (node.get("cte_map") or {}).get("map", ()):
            value = entry["value"]
            inner = value.get("query_node") or value["query"]["node"]
            own[entry["key"]] = _renamed(self.query(inner, dict(own), outer), value.get("aliases"), self)
        if node["type"] == "SELECT_NODE":
            select = Select(self, node, own, outer)
            return Relation(select.columns, select.rows)
        if node["type"] == "CTE_NODE":
            raise UnsupportedError("a query of this kind")
        if node["type"] != "SET_OPERATION_NODE" or not str(node["setop_type"]).startswith("UNION"):
            raise UnsupportedError("a query of this kind")
        sides = [node[side] for side in ("left", "right") if isinstance(node.get(side), dict)] or node["children"]
        return self._union([self.query(side, own, outer) for side in sides], node)

    def _union(self, parts: Sequence[Relation], node: Node) -> Relation:
        by_name = node["setop_type"] == "UNION_BY_NAME"
        columns = tuple(dict.fromkeys(name for part in parts for name in part.columns)) if by_name else parts[0].columns

        def rows() -> list[Row]:
            renamed = [part if by_name else _renamed(part, columns, self) for part in parts]
            out = [_padded(row, part.columns, self) for part in renamed for row in part.rows]
            if node.get("setop_all"):
                return out
            first: dict[Any, Row] = {}
            for row in out:
                first.setdefault(self.aside(_key_of_row, row, columns), row)
            return list(first.values())

        return Relation(columns, rows)


def _renamed(relation: Relation, names: Sequence[str] | None, evaluator: Evaluator) -> Relation:
    """A relation with other names of its columns."""
    if not names:
        return relation
    old = dict(zip(names, relation.columns, strict=False))

    def renamed(row: Row) -> Row:
        return Row(evaluator, lambda column: row.get(old[column]), row)

    return Relation(tuple(names), lambda: list(map(renamed, relation.rows)))


def _padded(row: Row, columns: Sequence[str], evaluator: Evaluator) -> Row:
    """A row of one side of a UNION BY NAME: null in the columns of other sides."""
    return Row(evaluator, lambda column: row.get(column) if column in columns else None, row)


def _key_of_row(row: Row, columns: Sequence[str]) -> Any:
    return key_of([row.get(column) for column in columns])


@cache
def _view(name: str) -> Node:
    return select_node(sqlfile.views()[name].body)


class Select(Expressions):
    """One SELECT."""

    evaluator: Evaluator

    def __init__(self, evaluator: Evaluator, node: Node, ctes: Mapping[str, Relation], outer: Env | None) -> None:
        super().__init__(evaluator, node, ctes, outer)
        self.tables = list(self._tables(node.get("from_table")))
        self.items = dict(self._items())
        self.columns = tuple(self.items)

    # --- FROM

    def _tables(self, node: Node | None) -> Iterator[tuple[str, Relation]]:
        """Alias and relation of the tables in a FROM clause, from left to right."""
        kind = (node or {}).get("type")
        if node is None or kind == "EMPTY":
            return
        if kind == "JOIN":
            yield from self._tables(node["left"])
            if node["join_type"] not in ("SEMI", "ANTI"):
                yield from self._tables(node["right"])
        else:
            yield self._table(node)

    def _table(self, node: Node) -> tuple[str, Relation]:
        known = self.evaluator._views.get(f"#{id(node)}#{id(self)}")
        if node["type"] == "BASE_TABLE":
            name, schema = node["table_name"], node.get("schema_name") or None
            known = self.ctes[name] if name in self.ctes and not schema else self.evaluator.relation(name, schema)
            return node.get("alias") or name, known
        if node["type"] == "SUBQUERY":
            if known is None:
                inner = node["subquery"].get("node") or node["subquery"]
                known = _renamed(self.evaluator.query(inner, self.ctes, self.outer), node.get("column_name_alias"), self.evaluator)  # fmt: skip
                self.evaluator._views[f"#{id(node)}#{id(self)}"] = known
            return node.get("alias") or f"#{id(node)}", known
        if node["type"] == "EXPRESSION_LIST":
            values = node["values"]
            names = tuple(f"col{number}" for number in range(len(values[0])))
            env = Env(outer=self.outer, query=self)

            def listed(row: Sequence[Node]) -> Row:
                return Row(self.evaluator, lambda column: self.expression(row[names.index(column)], env))

            rows = list(map(listed, values))
            return node.get("alias") or f"#{id(node)}", Relation(names, lambda: rows)
        if node["type"] == "PIVOT" and not node.get("aggregates"):
            return self._unpivoted(node)
        raise UnsupportedError(f"{node['type']} in a view")

    def _unpivoted(self, node: Node) -> tuple[str, Relation]:
        """UNPIVOT of the columns that match a pattern: a row for each value that is not null."""
        _, source = self._table(node["source"])
        (value,), (pivot,) = node["unpivot_names"], node["pivots"]
        (name,), (entry,) = pivot["unpivot_names"], pivot["entries"]
        star = entry.get("star_expr") or {}
        if not star.get("columns"):
            raise UnsupportedError("an UNPIVOT of this kind")
        pattern = constant_of(star["expr"])
        moved = [column for column in source.columns if FUNCTIONS["regexp_matches"](column, pattern)]
        kept = tuple(column for column in source.columns if column not in moved)

        def of_column(row: Row, moved_from: str) -> Row:
            def compute(column: str) -> Any:
                return moved_from if column == name else row.get(moved_from if column == value else column)

            return Row(self.evaluator, compute, row)

        def rows() -> list[Row]:
            made = [of_column(row, column) for row in source.rows for column in moved]
            return [row for row in made if self.evaluator.aside(row.get, value) is not None]

        return f"#{id(node)}", Relation((*kept, name, value), rows)

    def _from(self, node: Node | None) -> list[Env]:
        if node is None or node["type"] == "EMPTY":
            return [Env(outer=self.outer)]
        if node["type"] != "JOIN":
            alias, relation = self._table(node)
            return [Env({alias: (relation.columns, row)}, outer=self.outer) for row in relation.rows]
        left = self._from(node["left"])
        kind, right = node["join_type"], node["right"]
        if kind == "LEFT" and right["type"] != "JOIN" and id(node) not in self.evaluator.eager:
            alias, relation = self._table(right)
            find = self._finder(node, lambda: self._from(right), right)
            return [Env({**env.sources, alias: (relation.columns, self._later(find, env, alias, node))}, outer=self.outer) for env in left]  # fmt: skip
        find = self._finder(node, lambda: self._from(right), right)
        if kind in ("SEMI", "ANTI"):
            return [env for env in left if bool(find(env)) == (kind == "SEMI")]
        if kind not in ("LEFT", "INNER", "FULL"):
            raise UnsupportedError(f"a join of type {kind}")
        nothing = {
            alias: (relation.columns, Row(self.evaluator, lambda _: None)) for alias, relation in self._tables(right)
        }
        out: list[Env] = []
        matched: set[int] = set()
        for env in left:
            matches = find(env)
            matched.update(map(id, matches))
            out += [Env({**env.sources, **match.sources}, outer=self.outer) for match in matches]
            if not matches and kind != "INNER":
                out.append(Env({**env.sources, **nothing}, outer=self.outer))
        if kind == "FULL":
            empty = {alias: (relation.columns, Row(self.evaluator, lambda _: None)) for alias, relation in self._tables(node["left"])}  # fmt: skip
            out += [Env({**empty, **env.sources}, outer=self.outer) for env in find.every() if id(env) not in matched]
        return out

    def _later(self, find: _Finder, env: Env, alias: str, node: Node) -> Row:
        """The row of a LEFT JOIN that is looked for when a column of it is asked for."""

        def compute(column: str) -> Any:
            matches = self.evaluator.aside(find, env)
            if len(matches) > 1:
                self.evaluator.eager.add(id(node))
                raise _SeveralMatchesError
            return matches[0].sources[alias][1].get(column) if matches else None

        return Row(self.evaluator, compute)

    def _finder(self, node: Node, right: Callable[[], list[Env]], right_node: Node) -> _Finder:
        aliases = {alias: set(relation.columns) for alias, relation in self._tables(right_node)}
        pairs: list[tuple[Node, Node, bool]] = []
        others: list[Node] = []
        using = node.get("using_columns") or ()
        for name in using:
            reference = {"class": "COLUMN_REF", "column_names": [name]}
            pairs.append((reference, reference, True))
        for part in conjuncts(node.get("condition") or None):
            sides = part.get("left") or {}, part.get("right") or {}
            if part.get("type") in ("COMPARE_EQUAL", "COMPARE_NOT_DISTINCT_FROM"):
                mine = [reads_only(side, aliases) for side in sides]
                if mine[0] != mine[1]:
                    near, far = (sides[1], sides[0]) if mine[0] else sides
                    pairs.append((near, far, part["type"] == "COMPARE_EQUAL"))
                    continue
            others.append(part)
        return _Finder(self, right, pairs, others, aliases if node["ref_type"] == "ASOF" else None)

    # --- SELECT list

    def _items(self) -> Iterator[tuple[str, Node | tuple[str, str]]]:
        for item in self.node["select_list"]:
            if item.get("class") != "STAR":
                yield name_of(item), item
                continue
            if item.get("columns") or item.get("expr"):
                raise UnsupportedError("COLUMNS in a view")
            excluded = {
                str(each) if isinstance(each, str) else each.get("column", "")
                for each in item.get("exclude_list") or ()
            }
            excluded |= {
                each["column"] if isinstance(each, dict) else each for each in item.get("qualified_exclude_list") or ()
            }
            replaced = {entry["key"]: entry["value"] for entry in item.get("replace_list") or ()}
            for alias, relation in self.tables:
                if item.get("relation_name") in ("", None, alias):
                    for column in relation.columns:
                        if column not in excluded:
                            yield column, replaced.get(column, (alias, column))

    def rows(self) -> list[Row]:
        """The rows of the result."""
        node = self.node
        where = node.get("where_clause")
        envs = [env for env in self._from(node.get("from_table")) if where is None or self._holds(where, env)]
        for env in envs:
            env.query = self
        groups = node.get("group_expressions") or []
        forced = node.get("aggregate_handling") == "FORCE_AGGREGATES"
        if forced or groups or any(has_aggregate(part) for part in (*node["select_list"], node.get("having"))):
            if len(node.get("group_sets") or ()) > 1:
                raise UnsupportedError("grouping sets")
            if forced:
                groups = [item for item in node["select_list"] if not has_aggregate(item)]
            envs = self._grouped(envs, groups)
        self.envs = envs
        for number, env in enumerate(envs):
            env.number = number
        for condition in (node.get("having"), node.get("qualify")):
            if condition is not None:
                envs = [env for env in envs if self._holds(condition, env)]
        envs = self._modified(envs)
        lists = {name: item for name, item in self.items.items() if isinstance(item, dict) and is_unnest(item)}
        return [row for env in envs for row in (self._unnested(env, lists) if lists else [self._row(env, {})])]

    def _row(self, env: Env, given: Mapping[str, Any]) -> Row:
        """A row of the result; `given` has the values of some columns."""
        return Row(self.evaluator, lambda column: given[column] if column in given else self.item(column, env), env)

    def _unnested(self, env: Env, lists: Mapping[str, Node]) -> Iterator[Row]:
        """A row for each entry of the lists that are unnested, side by side."""
        values = {name: self.expression(arguments_of(item)[0], env) or [] for name, item in lists.items()}
        for number in range(max(map(len, values.values()))):
            yield self._row(
                env, {name: entries[number] if number < len(entries) else None for name, entries in values.items()}
            )

    def _modified(self, envs: list[Env]) -> list[Env]:
        modifiers = {modifier["type"]: modifier for modifier in self.node.get("modifiers") or ()}
        if "ORDER_MODIFIER" in modifiers:
            envs = sorted(envs, key=lambda env: self._order(modifiers["ORDER_MODIFIER"]["orders"], env))
        if "DISTINCT_MODIFIER" in modifiers:
            targets = modifiers["DISTINCT_MODIFIER"].get("distinct_on_targets") or []
            first: dict[Any, Env] = {}
            for env in envs:
                key = [self.expression(target, env) for target in targets] or [
                    self.item(name, env) for name in self.columns
                ]
                first.setdefault(key_of(key), env)
            envs = list(first.values())
        if "LIMIT_MODIFIER" in modifiers:
            envs = envs[: self.expression(modifiers["LIMIT_MODIFIER"]["limit"], Env(query=self))]
        return envs

    def _grouped(self, envs: list[Env], groups: Sequence[Node]) -> list[Env]:
        if self.evaluator.within_interval and not is_within(groups):
            raise UnsupportedError(OTHER_INTERVALS)
        if not groups:
            return [Env(envs[0].sources if envs else self._nothing(), envs, self, outer=self.outer)]
        parts: dict[Any, list[Env]] = {}
        listed = self.node["select_list"]
        ordinals = ((group, constant_of(group) if group.get("class") == "CONSTANT" else None) for group in groups)
        keys = [listed[number - 1] if isinstance(number, int) else group for group, number in ordinals]
        for env in envs:
            key = self.evaluator.aside(self.key, keys, env)
            parts.setdefault(key, []).append(env)
        return [Env(members[0].sources, members, self, outer=self.outer) for members in parts.values()]

    def _nothing(self) -> dict[str, tuple[tuple[str, ...], Any]]:
        return {alias: (relation.columns, Row(self.evaluator, lambda _: None)) for alias, relation in self.tables}


class _Finder:
    """Finds the rows of the right side of a join: those with equal keys, for which the other conditions hold."""

    def __init__(
        self, select: Select, right: Callable[[], list[Env]], pairs: Sequence[tuple[Node, Node, bool]], others: Sequence[Node],
        asof: Mapping[str, set[str]] | None,
    ) -> None:  # fmt: skip
        self.select, self.right, self.pairs, self.others, self.asof = select, right, pairs, others, asof
        self._index: dict[Any, list[Env]] | None = None
        self._every: list[Env] = []

    def every(self) -> list[Env]:
        """All rows of the right side."""
        if self._index is None:
            self._every, self._index = self.right(), {}
            for env in self._every:
                key = self._key(env, 1)
                if key is not None:
                    self._index.setdefault(key, []).append(env)
        return self._every

    def _key(self, env: Env, side: int) -> Any:
        given = self.select.evaluator.aside(self.select.every, [pair[side] for pair in self.pairs], env)
        missing = any(value is None and pair[2] for value, pair in zip(given, self.pairs, strict=True))
        return None if missing else key_of(given)

    def __call__(self, env: Env) -> list[Env]:
        self.every()
        key = self._key(env, 0)
        matches = (self._index or {}).get(key, []) if key is not None else []
        if not self.others:
            return matches
        fitting = [each for each in matches if all(self.select._holds(c, self._joined(env, each)) for c in self.others)]
        if self.asof is None or not fitting:
            return fitting
        (condition,) = self.others
        far = next(condition[side] for side in ("left", "right") if reads_only(condition[side], self.asof))
        latest = (condition["type"] in ("COMPARE_GREATERTHANOREQUALTO", "COMPARE_GREATERTHAN")) == (
            far is condition["right"]
        )
        times = [(self.select.evaluator.aside(self.select.expression, far, each), each) for each in fitting]
        return [(max if latest else min)(times, key=lambda pair: pair[0])[1]]

    def _joined(self, env: Env, other: Env) -> Env:
        return Env({**env.sources, **other.sources}, outer=env.outer)
