"""What equal values of columns and expressions identify: an LPAR and queue manager, a queue-sharing group, a record, or nothing.

Rows of different queue managers meet where they have equal values in the keys of a join, group or window (`mqstat.sql.extent`); the roles of these keys show which rows that may be.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mqstat.sql.trees import Node, argument_names, arguments_of, constant_of

QMGR, GROUP, ALL = "queue manager", "queue-sharing group", "all"

EXTENTS = (QMGR, GROUP, ALL)
"""Queue manager is a pair of LPAR and queue manager; each of them includes those before it."""

Roles: TypeAlias = frozenset[str]
"""What equal values of a column have in common: `lpar`, `qmgr`, GROUP, or QMGR (records and row numbers identify the queue manager); `null` = it may be null; `unmatched` = it is null
in rows for which an outer join found no partner, whatever their owner."""

NO_ROLES: Roles = frozenset()

NULL: Roles = frozenset({"null"})

UNMATCHED: Roles = frozenset({"null", "unmatched"})

START = "start of an interval"

DAY_PARTS = frozenset({"lpar of an interval", "qmgr of an interval", START})
"""The roles of columns that identify an interval of a queue manager together, and so its local day (`mqstat.sql.window`)."""

NULLABLE = frozenset({GROUP, START, "unmatched"})
"""Roles of columns whose missing values have nothing in common."""

_TOGETHER = (frozenset({"lpar", "qmgr"}), DAY_PARTS)
"""Roles that identify an owner together."""


@dataclass(frozen=True)
class Extent:
    """A relation: the columns that identify owners, its extent, and whether its rows are those of queue managers (else each shard has all of them)."""

    columns: Mapping[str, Roles]
    extent: str = QMGR
    is_owned: bool = False
    wider: Mapping[str, str] = field(default_factory=dict)
    """Columns whose values need more rows than the relation."""
    key: frozenset[str] = frozenset()
    """Columns that identify a row; empty if none are known to."""

    def of_columns(self, names: Iterable[str]) -> str:
        """The extent of the rows with these columns."""
        return widest([self.extent, *(self.wider[name] for name in names if name in self.wider)])


Basis: TypeAlias = Callable[[str], Extent]
"""The extent of a decoded table by its name. Another basis than that of queue managers finds what else rows are computed by, such as days."""


def widest(extents: Iterable[str]) -> str:
    """The extent that includes all of these."""
    return max(extents, key=EXTENTS.index, default=QMGR)


def of_keys(keys: Iterable[Roles]) -> str:
    """The extent of rows with equal values in columns with these roles."""
    given = frozenset[str]().union(
        *(roles - UNMATCHED for roles in keys if roles and not ("null" in roles and roles & NULLABLE))
    )
    if QMGR in given or _identify(given):
        return QMGR
    return GROUP if GROUP in given else ALL


def _identify(roles: Roles) -> bool:
    """Whether these roles identify an owner together."""
    return any(whole <= roles for whole in _TOGETHER)


@dataclass(frozen=True)
class Names:
    """What names of tables mean in a query: its common table expressions, and the basis of decoded tables."""

    ctes: Mapping[str, Extent]
    basis: Basis


@dataclass
class Scope:
    """The tables in the FROM of a SELECT, and the SELECT around it."""

    tables: dict[str, Extent]
    outer: Scope | None
    names: Names
    certain: set[str] = field(default_factory=set)
    """Columns that WHERE requires to be not null."""

    def find(self, names: Sequence[str]) -> tuple[Extent, str] | None:
        """The table that has a column, and the name of the column in it."""
        for alias, table in self.tables.items():
            if len(names) > 1 and names[0] == alias and names[1] in table.columns:
                return table, names[1]
        if len(names) == 1 or names[0] not in self.tables:
            for table in self.tables.values():
                if names[0] in table.columns:
                    return table, names[0]
        return self.outer.find(names) if self.outer else None

    def roles(self, table: Extent, name: str) -> Roles:
        """The roles of a column of a table."""
        return table.columns[name] - (UNMATCHED if name in self.certain else NO_ROLES)

    @property
    def is_owned(self) -> bool:
        return any(table.is_owned for table in self.tables.values())


def either(roles: Sequence[Roles]) -> Roles:
    """The roles of a value that is one of several, the last one if the others are null."""
    given = [each for each in roles if each != NULL]
    nulls = given[-1] & UNMATCHED if given else NO_ROLES
    if len(given) < len(roles):
        nulls |= NULL
    known = {each - UNMATCHED for each in given}
    if len(known) == 1:
        return known.pop() | nulls
    if all(known) and frozenset[str]().union(*known) <= {QMGR, GROUP}:
        return frozenset({GROUP}) | nulls
    return NULL if not given else NO_ROLES


def nulls_in(roles: Roles) -> int:
    """How many kinds of missing values these roles have."""
    return len(roles & UNMATCHED)


def nodes_of(node: Any, kind: str) -> Iterator[Node]:
    """The nodes of a class in expressions, without those in subqueries."""
    if isinstance(node, list):
        for child in node:
            yield from nodes_of(child, kind)
    elif isinstance(node, dict):
        if node.get("class") == kind:
            yield node
        if node.get("class") != "SUBQUERY":
            yield from nodes_of(list(node.values()), kind)


def widened(table: Extent, extent: str) -> Extent:
    """A table whose values need at least this extent."""
    wider = {name: widest([extent, table.wider.get(name, QMGR)]) for name in table.columns}
    return Extent(table.columns, QMGR, table.is_owned, wider, table.key)


def unmatched(table: Extent) -> Extent:
    """A table whose columns are null in rows of the other side of an outer join that have no partner in it."""
    columns = {name: roles and roles | UNMATCHED for name, roles in table.columns.items()}
    return dataclasses.replace(table, columns=columns)


KEEPING = frozenset(
    {"min", "max", "any_value", "first", "last", "arg_min", "arg_max", "lag", "lead", "first_value", "last_value"}
)
"""Functions that return one of the values of their first argument."""


def roles_of(node: Node | None, scope: Scope) -> Roles:
    """The roles of the value of an expression."""
    if not isinstance(node, dict):
        return NO_ROLES
    kind, sort = node.get("class"), node.get("type")
    if kind == "COLUMN_REF":
        column = scope.find(node["column_names"])
        return scope.roles(*column) if column else NO_ROLES
    if kind == "CONSTANT":
        return NULL if constant_of(node) is None else NO_ROLES
    if kind == "CAST":
        return roles_of(node["child"], scope)
    if sort == "ARRAY_EXTRACT":
        return _field(node["children"][0], node["children"][1], scope)
    if sort == "OPERATOR_COALESCE":
        return either([roles_of(child, scope) for child in node["children"]])
    if kind == "CASE":
        branches = [check["then_expr"] for check in node["case_checks"]]
        last = node.get("else_expr")
        return either(
            [*([roles_of(last, scope)] if last else [NULL]), *(roles_of(branch, scope) for branch in branches)]
        )
    if kind == "WINDOW":
        if sort == "WINDOW_ROW_NUMBER" and not node.get("partitions") and not node.get("orders"):
            return frozenset({QMGR})  # a number of a row, in no order, which no result shows
        arguments = arguments_of(node)
        return roles_of(arguments[0], scope) if node.get("function_name") in KEEPING and arguments else NO_ROLES
    if kind == "FUNCTION":
        arguments = arguments_of(node)
        name = node["function_name"]
        if name in KEEPING:
            return roles_of(arguments[0], scope) if arguments else NO_ROLES
        if name in ("||", "concat", "struct_pack", "row"):
            every = frozenset[str]().union(*(roles_of(argument, scope) for argument in arguments))
            nulls = UNMATCHED if "unmatched" in every else NO_ROLES
            every -= UNMATCHED
            return (frozenset({QMGR}) if _identify(every) else every) | nulls
    return NO_ROLES


def _field(struct: Node, name: Node, scope: Scope) -> Roles:
    """The roles of a field of a struct that is chosen as a whole, such as that of the highest row."""
    if struct.get("class") == "FUNCTION" and struct["function_name"] in KEEPING and name.get("class") == "CONSTANT":
        packed = arguments_of(struct)[0]
        if packed.get("class") == "FUNCTION" and packed["function_name"] == "struct_pack":
            fields = dict(zip(argument_names(packed), arguments_of(packed), strict=True))
            return roles_of(fields.get(str(constant_of(name))), scope)
    return NO_ROLES
