"""Mutants of the SQL of views, which the oracle must notice: `python -m campaign.view_mutants VIEW...` prints those of
some views that survive.

A mutant is one change of the syntax tree (DuckDB's parser) of a view: a column for its neighbour, another denominator,
max for min, an offset, a filter or a part of a join left out, another constant, another comparison. The changed view
runs over the views below it, and its rows are compared with those of the oracle (tests/oracle). A mutant that gives the
same rows over any data is stated in `tests/oracle/equivalent.toml` with the reason.
"""

from __future__ import annotations

import copy
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from mqstat.sql import sqlfile
from mqstat.sql.query import nodes, parser
from mqstat.sql.schemas import quoted
from mqstat.sql.workspace import Workspace
from tests import oracle
from tests.oracle_data import RULED, SIDED, opened, rows_of

Node = dict[str, Any]
Path_ = tuple[Any, ...]
EQUIVALENT = Path(__file__).resolve().parent.parent / "tests" / "oracle" / "equivalent.toml"
DATA = (
    ("rich_estate", "differ"),
    ("applications_wasteful", "differ"),
    ("rich_estate", "small"),
    ("rich_estate", "small unnamed"),
    ("rich_estate", "restarted"),
    ("restarts_then_long", "differ"),
    ("three_levels", "differ"),
    ("queues_used_badly", "differ"),
    ("unknown_contents", "own"),
    ("accounting_day", "small"),
    ("channels_troubled", "differ"),
    ("shared_queue_habits", "differ"),
    ("hostile_everywhere", "differ"),
    ("truncated_transfer", "differ"),
    ("duplicates", "differ"),
    ("missing_classes", "differ"),
    ("classes_ended", "own"),
    ("queues_used_badly", "unnamed"),
    ("applications_wasteful", "small"),
    ("odd_accounting", "differ"),
    ("rich_estate", "short"),
    ("rich_estate", "thin"),
    ("damaged_transfer", "own"),
    ("upgrade", "differ"),
    ("latch_storm", "small"),
    ("hostile_names", "small"),
    ("limits_in_two_weeks", "own"),
    ("rich_estate", "own"),
    ("rich_estate", "empty"),
    ("rich_estate", "clocked"),
    ("rich_estate", "sectioned"),
    ("rich_estate", "skipped"),
    ("accounting_day", "loose"),
    ("accounting_day", "crossed doubled"),
    ("limits_in_two_weeks", "growing"),
    ("sample", "own"),
    ("missing_intervals", "own"),
    ("smf_data_lost", "own"),
    ("missing_intervals", "lossy"),
    ("rich_estate", "resized"),
    ("restarts_then_long", "small lossy"),
    ("rich_estate", "shorter"),
    ("overlapping_intervals", "crossed lossy"),
    ("rich_estate", "crossed"),
    ("rich_estate", "doubled"),
    ("applications_wasteful", "wide"),
    ("rich_estate", "headless"),
    ("rich_estate", "without offset"),
    ("rich_estate", "partless"),
    ("rich_estate", "shuffled"),
    ("rich_estate", "holed"),
    ("rich_estate", "small backwards"),
    ("rich_estate", "mixed"),
    ("applications_wasteful", "mixed"),
    ("rich_estate", "ones"),
    ("rich_estate", "small holed"),
    ("applications_wasteful", "small holed"),
    ("rich_estate", "other lossy"),
    ("rich_estate", "renamed"),
    ("rich_estate", "spiked"),
    ("rich_estate", "lacking"),
    ("rich_estate", "cut"),
    ("rich_estate", "brief"),
    ("rich_estate", "rare"),
    ("rich_estate", "minutes"),
    ("queues_used_badly", "brief"),
    ("restarts_then_long", "crossed lossy"),
    ("missing_intervals", "cut"),
    ("pools_oversized", "own"),
    ("limits_in_two_weeks", "other places"),
)
"""The data that kill mutants, those that kill most first: scenarios, and how `oracle_data.opened` changes them."""
EMPTY = ("side", "side_figure", "side_setting")
"""Views of tables that only a comparison of two periods fills: they have no rows in any of these data."""
AGGREGATES = {
    "min": "max", "max": "min", "sum": "max", "avg": "max", "median": "max", "count": "", "bool_or": "bool_and", "bool_and": "bool_or",
    "arg_min": "arg_max", "arg_max": "arg_min", "greatest": "least", "least": "greatest", "first": "last", "last": "first", "any_value": "",
    "count_star": "", "quantile_cont": "",
}  # fmt: skip
COMPARISONS = {
    "COMPARE_EQUAL": "COMPARE_NOTEQUAL", "COMPARE_NOTEQUAL": "COMPARE_EQUAL", "COMPARE_LESSTHAN": "COMPARE_GREATERTHAN",
    "COMPARE_GREATERTHAN": "COMPARE_LESSTHAN", "COMPARE_LESSTHANOREQUALTO": "COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO": "COMPARE_LESSTHAN",
}  # fmt: skip


NULL_TESTS = ("OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL")
EVERY_ROW = ("interval_cut", "queue_sharing_group", "channel_interval", "chinit_interval", "task_identity")
"""Views that have a row for each row that joins them, because they are made from the same records: left and inner joins
of them are equal."""


@dataclass(frozen=True)
class Mutant:
    """A changed view: what was changed, and how its syntax tree is made."""

    view: str
    what: str
    make: Callable[[], Node]

    @property
    def sql(self) -> str:
        """The SQL of the changed view; duckdb.Error if the tree has no text."""
        return text_of(self.make())


def tree_of(sql: str) -> Node:
    """The syntax tree of a query."""
    row = parser().execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchone()
    tree: Node = json.loads(row[0]) if row else {}
    return tree


def text_of(tree: Node) -> str:
    """The SQL of a syntax tree."""
    row = parser().execute("SELECT json_deserialize_sql($tree::JSON)", {"tree": json.dumps(tree)}).fetchone()
    return str(row[0]) if row else ""


def paths(tree: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Node]]:
    """All objects of a syntax tree with their places."""
    if isinstance(tree, dict):
        yield path, tree
        for key, value in tree.items():
            yield from paths(value, (*path, key))
    elif isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from paths(value, (*path, number))


def at(tree: Any, path: Path_) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def replaced(tree: Node, path: Path_, value: Any) -> Node:
    """The tree with another object at a place; what does not change is shared with the tree."""
    if isinstance(value, dict) and "alias" in (old := at(tree, path)) and "alias" in value:
        value = {**value, "alias": old["alias"]}
    for depth in range(len(path) - 1, -1, -1):
        holder = copy.copy(at(tree, path[:depth]))
        holder[path[depth]] = value
        value = holder
    out: Node = value
    return out


def arguments(node: Node) -> list[Node]:
    """The arguments of a function, an operator or a conjunction."""
    return (
        [given["expression"] for given in node["arguments"]] if "arguments" in node else list(node.get("children", ()))
    )


def literal(node: Node) -> str:
    """The text of a constant; empty for null."""
    if "literal" in node:
        return "" if node["literal"]["kind"] == "NULL_LITERAL" else str(node["literal"]["text"])
    value = node.get("value", {})
    return "" if value.get("is_null", True) else str(value.get("value"))


def called(node: Node, name: str) -> Node:
    """The same call of another function."""
    return {**node, "function_name": name} | ({"qualified_name": {"path": [name]}} if "qualified_name" in node else {})


def constant(node: Node, text: str) -> Node:
    """Another number in the place of a constant."""
    if "literal" in node:
        return {**node, "literal": {**node["literal"], "text": text}}
    return {**node, "value": {**node["value"], "value": float(text) if "." in text else int(text)}}


def shown(node: Node) -> str:
    """An expression as short text."""
    kind = node.get("class")
    if kind == "COLUMN_REF":
        return ".".join(node["column_names"])
    if kind == "CONSTANT":
        return literal(node) or "NULL"
    if kind == "FUNCTION":
        inside = [shown(child) for child in arguments(node)]
        return (
            f" {node['function_name']} ".join(inside)
            if node.get("is_operator")
            else f"{node['function_name']}({', '.join(inside)})"
        )
    if kind == "COMPARISON":
        return f"{shown(node['left'])} {node['type'].removeprefix('COMPARE_')} {shown(node['right'])}"
    if kind in ("OPERATOR", "CONJUNCTION"):
        return f"{node['type'].removeprefix('OPERATOR_').lower()}({', '.join(map(shown, arguments(node)))})"
    if kind == "CAST":
        return shown(node["child"])
    return str(kind or node.get("type")).lower()


NUMBER = re.compile(r"-?\d+(\.\d+)?\Z")


def doubled(text: str) -> str:
    """Another number: twice as much, or 1 for 0."""
    return "1" if float(text) == 0 else str(2 * (float(text) if "." in text else int(text)))


def changes(node: Node, columns: Sequence[Node]) -> Iterator[tuple[str, Any]]:
    """What one object of a tree may become, with a description; `columns` are the columns that the same SELECT uses."""
    kind = node.get("class")
    if kind == "CONSTANT" and NUMBER.match(literal(node)) and node.get("literal", {}).get("kind") != "STRING":
        yield f"{literal(node)} -> {doubled(literal(node))}", constant(node, doubled(literal(node)))
    elif kind == "COLUMN_REF":
        same = [
            c
            for c in columns
            if c["column_names"][:-1] == node["column_names"][:-1] and c["column_names"] != node["column_names"]
        ]
        later = [c for c in same if c["column_names"] > node["column_names"]]
        for other in (later or same)[:1]:
            yield f"{shown(node)} -> {shown(other)}", {**node, "column_names": other["column_names"]}
    elif kind == "FUNCTION":
        yield from _of_function(node)
    elif kind == "COMPARISON":
        yield f"{shown(node)} turned", {**node, "type": COMPARISONS.get(node["type"], "COMPARE_EQUAL")}
    elif kind == "CONJUNCTION":
        yield from _of_conjunction(node)
    elif kind == "OPERATOR" and node["type"] == "OPERATOR_COALESCE":
        yield f"{shown(node)} -> {shown(arguments(node)[0])}", arguments(node)[0]
    elif kind == "CASE":
        for check in node["case_checks"]:
            yield f"case {shown(check['when_expr'])}: always {shown(check['then_expr'])}", check["then_expr"]
        yield f"case {shown(node['case_checks'][0]['when_expr'])}: always {shown(node['else_expr'])}", node["else_expr"]
    elif node.get("type") == "JOIN" and node.get("join_type") in ("LEFT", "INNER"):
        if (node["right"].get("table_name")) not in EVERY_ROW:
            yield (
                f"{node['join_type']} join of {node['right'].get('table_name')} turned",
                {**node, "join_type": "INNER" if node["join_type"] == "LEFT" else "LEFT"},
            )
    elif node.get("type") == "SELECT_NODE":
        for clause in ("where_clause", "having", "qualify"):
            if node.get(clause):
                yield f"without {clause} {shown(node[clause])[:60]}", {**node, clause: None}


def _of_function(node: Node) -> Iterator[tuple[str, Any]]:
    name, given = str(node["function_name"]), arguments(node)
    if AGGREGATES.get(name):
        yield f"{shown(node)} -> {AGGREGATES[name]}", called(node, AGGREGATES[name])
    if node.get("filter"):
        yield f"{shown(node)} without FILTER {shown(node['filter'])[:40]}", {**node, "filter": None}
    if node.get("distinct"):
        yield f"{shown(node)} without DISTINCT", {**node, "distinct": False}
    if name in ("+", "-", "*", "/") and len(given) == 2:
        yield f"{shown(node)} -> {shown(given[0])}", given[0]
        if name in ("+", "-"):
            yield f"{shown(node)}: {name} turned", called(node, "-" if name == "+" else "+")


def _of_conjunction(node: Node) -> Iterator[tuple[str, Any]]:
    both = node["type"] == "CONJUNCTION_AND"
    yield (
        f"{shown(node)[:60]}: {'or' if both else 'and'}",
        {**node, "type": "CONJUNCTION_OR" if both else "CONJUNCTION_AND"},
    )
    for number, child in enumerate(node["children"]):
        rest = [c for i, c in enumerate(node["children"]) if i != number]
        yield f"without {shown(child)}", rest[0] if len(rest) == 1 else {**node, "children": rest}


def mutants(view: str) -> list[Mutant]:
    """All mutants of a view; two changes with one description are numbered."""
    tree = tree_of(sqlfile.views()[view].select)
    places = list(paths(tree))
    selects = {
        path: [n for n in nodes(node) if n.get("class") == "COLUMN_REF"]
        for path, node in places
        if node.get("type") == "SELECT_NODE"
    }
    ordered = {path: sorted(columns, key=lambda column: column["column_names"]) for path, columns in selects.items()}
    out: dict[str, Mutant] = {}
    for path, node in places:
        if "order_bys" in path or "modifiers" in path or "group_expressions" in path:
            continue
        inside = max((p for p in selects if path[: len(p)] == p), key=len, default=())
        if (
            path[len(inside) :][:1] == ("select_list",)
            and node.get("class") == "COLUMN_REF"
            and len(path) == len(inside) + 2
        ):
            continue  # a column that is passed on; those of expressions are exchanged
        is_tested = path[-2:-1] == ("children",) and at(tree, path[:-2]).get("type") in NULL_TESTS
        for what, value in changes(node, ordered.get(inside, [])):
            if is_tested and what.endswith(" turned"):
                continue  # a sum is null where the difference is
            label, number = what[:150], 2
            while label in out:
                label, number = f"{what[:150]} #{number}", number + 1
            out[label] = Mutant(view, label, partial(replaced, tree, path, value))
    return [*out.values(), *_exchanged(view, tree, selects)]


def _exchanged(view: str, tree: Node, selects: dict[Path_, list[Node]]) -> Iterator[Mutant]:
    """Mutants in which two columns next to each other in a SELECT have each other's names; in the later parts of a
    UNION by place, whose names nobody reads, each other's places. Equal expressions, as two NULL, are not exchanged.
    """
    for path in selects:
        listed = at(tree, path)["select_list"]
        by_place = _later_part(tree, path) or _read_by_place(tree, path)
        named = [
            (number, entry)
            for number, entry in enumerate(listed)
            if by_place or entry.get("alias") or entry.get("class") == "COLUMN_REF"
        ]
        for (one, first), (two, second) in pairwise(named):
            if _unnamed(first) == _unnamed(second):
                continue
            entries = [*listed]
            if by_place:
                names = [entry.get("alias") or shown(entry)[:40] for entry in (first, second)]
                entries[one], entries[two] = second, first
            else:
                names = [entry.get("alias") or entry["column_names"][-1] for entry in (first, second)]
                entries[one], entries[two] = {**first, "alias": names[1]}, {**second, "alias": names[0]}
            make = partial(replaced, tree, (*path, "select_list"), entries)
            yield Mutant(view, f"{names[0]} <-> {names[1]} in {'/'.join(map(str, path[-3:]))}", make)


def _later_part(tree: Node, path: Path_) -> bool:
    """Whether a place is in a part after the first one of a UNION that puts columns together by their places."""
    return any(
        step == "children" and number and at(tree, path[:depth]).get("setop_type") != "UNION_BY_NAME"
        for depth, (step, number) in enumerate(pairwise(path))
    )


def _read_by_place(tree: Node, path: Path_) -> bool:
    """Whether a SELECT is a common table expression that only later parts of a UNION read, with `*`: nobody reads its
    names.
    """
    if path[-2:] != ("value", "query_node"):
        return False
    name = at(tree, path[:-2])["key"]
    users = [(place, node) for place, node in paths(tree) if node.get("table_name") == name]
    return bool(users) and all(_later_part(tree, place) and _is_star(at(tree, place[:-1])) for place, _ in users)


def _is_star(select: Node) -> bool:
    return [entry.get("class") for entry in select.get("select_list", ())] == ["STAR"]


def _unnamed(entry: Node) -> Node:
    """An expression without its alias and its place in the text."""
    return {name: value for name, value in entry.items() if name not in ("alias", "query_location")}


def compared_views() -> list[str]:
    """The views that the oracle computes and that have rows."""
    return [view for view in sqlfile.views() if view in oracle.load() and view not in {*EMPTY, *SIDED, *RULED}]


Alive = dict[str, list[Mutant]]


def survivors(views: Sequence[str], report: Callable[[str], object] = print, part: int = 1) -> tuple[int, list[Mutant]]:
    """The number of mutants of some views that run, and those that no data kill; `part` = only one of so many mutants
    is tried.
    """
    alive: Alive = {view: mutants(view)[::part] for view in views}
    valid: set[tuple[str, str]] = set()
    for name, kind in DATA:
        if not any(alive.values()):
            break
        with opened(name, kind) as db:
            alive, tried = left_alive(db, alive)
        valid |= tried
        report(f"{name}, {kind}: {sum(map(len, alive.values()))} left")
    return len(valid), [mutant for given in alive.values() for mutant in given]


def left_alive(db: Workspace, alive: Alive) -> tuple[Alive, set[tuple[str, str]]]:
    """The mutants that the data of a database do not kill, and the view and description of those that run."""
    read = frozenset[str]().union(*(sqlfile.with_views_below(view) for view, given in alive.items() if given))
    db.keep_named([view for view in sqlfile.views() if view in read])
    data = oracle.Data(db.execute)
    checked: dict[str, oracle.Checked] = {}
    for view in (view for view, given in alive.items() if given):
        with suppress(
            TypeError, KeyError, ZeroDivisionError, duckdb.Error
        ):  # nor do data of which the oracle has no rows
            checked[view] = oracle.check(view, data, rows_of(db, view))
    out, valid = {**alive}, set()
    for view, found in checked.items():
        if found.differences:
            continue  # these data decide nothing about a view that the oracle computes otherwise; test_oracle.py compares them
        digest, out[view] = Digest(db, view, found), []
        for mutant in alive[view]:
            try:
                other = digest.other(mutant.sql)
                rows = rows_of(db, view, mutant.sql) if other is None else []
            except duckdb.Error:
                continue
            valid.add((view, mutant.what))
            if not (_noticed(view, data, rows, found) if other is None else other):
                out[view].append(mutant)
    return out, valid


class Digest:
    """The rows of a view in a few numbers, of the columns that the oracle computes; most mutants have others, and their
    rows need not be fetched.
    """

    def __init__(self, db: Workspace, view: str, checked: oracle.Checked) -> None:
        self._db = db
        types = {row[0]: row[1] for row in db.execute(f"DESCRIBE FROM {quoted(view)}").fetchall()}
        names = sorted(checked.columns)
        self._floats = [quoted(name) for name in names if types[name] == "DOUBLE"]
        whole = [quoted(name) for name in names if not re.search("DOUBLE|FLOAT", types[name])]
        sums = [f"count({name}), sum({name}), sum(abs({name}))" for name in self._floats]
        hashes = [f"sum(hash({', '.join(given) or 'NULL'})::HUGEINT)" for given in (whole, list(map(quoted, names)))]
        self._select = ", ".join(["SELECT count(*)", *hashes, *sums])
        self._own = self._of(quoted(view))

    def _of(self, rows: str) -> tuple[Any, ...]:
        (row,) = self._db.execute(f"{self._select} FROM {rows}").fetchall()
        return tuple(row)

    def other(self, sql: str) -> bool | None:
        """Whether the rows of a query are others; None if a fraction differs so little that only its cells can
        decide.
        """
        try:
            found = self._of(f"({sql})")
        except duckdb.BinderException:
            return None
        own = self._own
        if found == own:
            return False
        if found[:2] != own[:2]:
            return True
        for place in range(3, len(own), 3):
            (count, total, size), (known, own_total, own_size) = found[place : place + 3], own[place : place + 3]
            if count != known:
                return True
            if count and abs(total - own_total) > 1e-6 * (size + own_size):
                return True
        return None


def _noticed(view: str, data: oracle.Data, rows: list[oracle.Row], checked: oracle.Checked) -> bool:
    """Whether a check notices these rows."""
    if rows and not checked.columns <= rows[0].keys():
        return True
    return bool(oracle.check(view, data, rows, most=1).differences)


def equivalent() -> dict[str, dict[str, str]]:
    """Mutants that give the same rows over any data, by view, with the reason."""
    stated: dict[str, dict[str, str]] = (
        tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}
    )
    return stated


def main(names: Sequence[str]) -> int:
    """Try the mutants of some views, or of all that the oracle computes, and print those that survive."""
    views = list(names) or compared_views()
    number, left = survivors(views)
    stated = equivalent()
    left = [mutant for mutant in left if mutant.what not in stated.get(mutant.view, {})]
    for mutant in left:
        print(f"ALIVE  {mutant.view}: {mutant.what}")
    print(f"{number - len(left)} of {number} mutants of {len(views)} views are killed or equivalent")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
