"""The columns of views, computed a second time in Python from the decoded records: `check` lists the differences from
the rows of a view.

Nothing here reads the SQL of the product. One file an area has the formulas of its views; each is from the catalogue of
the product, from the description of its column, or from IBM's description of the fields (`tests.oracle.formulas` states
the language). A view is computed from decoded tables and from other views of this oracle, never from rows that the
product computed; judgements are computed from the rows of the rules.
"""

from __future__ import annotations

import datetime as dt
import importlib
import math
import pkgutil
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from tests.costs import cache
from tests.oracle.believed import TOTALS, believed

Row: TypeAlias = dict[str, Any]
Make: TypeAlias = "Callable[[Data], list[Row]]"

EPOCH = dt.datetime(1970, 1, 1)
TOLERANCE = 1e-9
"""Relative difference up to which two fractions are equal: the order of adding changes the last digits."""
MOST = 5
"""Differences of a view that `check` lists."""


@dataclass(frozen=True)
class View:
    """How the oracle computes a view: its `key` identifies a row, `make` returns all rows with the columns that it
    computes.
    """

    name: str
    key: tuple[str, ...]
    make: Make


VIEWS: dict[str, View] = {}


def view(name: str, key: str) -> Callable[[Make], Make]:
    """Register the function that computes a view; `key` = the columns that identify a row."""

    def register(make: Make) -> Make:
        VIEWS[name] = View(name, tuple(key.split()), make)
        return make

    return register


@cache
def load() -> Mapping[str, View]:
    """All views of the oracle, after importing all areas."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return VIEWS


def plain(value: Any) -> Any:
    """A value as the oracle has it: times in microseconds since 1970, days as text, decimals as fractions, lists as
    tuples.
    """
    if isinstance(value, dt.datetime):
        return (value - EPOCH) // dt.timedelta(microseconds=1)
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def plain_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Row]:
    """Rows as dictionaries of `plain` values."""
    simple = (int, float, str, bool, type(None))
    return [
        {name: value if type(value) in simple else plain(value) for name, value in zip(names, row, strict=True)}
        for row in rows
    ]


class Data:
    """The decoded tables of an open database, and the views that the oracle computes from them."""

    def __init__(self, execute: Callable[[str], Any]) -> None:
        self._execute = execute
        self._raw: dict[str, list[Row]] = {}
        self._views: dict[str, list[Row]] = {}
        self._repeated: frozenset[int] | None = None

    def every(self, table: str) -> list[Row]:
        """All rows of a decoded table in the order of the input."""
        cursor = self._execute(f'SELECT * FROM decoded."{table}"')
        names = [column[0] for column in cursor.description]
        rows = plain_rows(names, cursor.fetchall())
        if "record_id" in names:
            rows.sort(key=lambda row: (row["record_id"] or 0, row.get("section") or 0))
        return rows

    def raw(self, table: str) -> list[Row]:
        """The rows of a decoded table without those of repeated records and without longest times that are carried
        over, in the order of the input.
        """
        if table not in self._raw:
            rows = self.every(table)
            if rows and "record_id" in rows[0] and table not in ("damage", "repeated_record"):
                rows = [row for row in rows if row["record_id"] not in self.repeated]
            self._raw[table] = believed(self, table, rows) if table in TOTALS else rows
        return self._raw[table]

    @property
    def repeated(self) -> frozenset[int]:
        """The records that repeat another one: undamaged, with the same hash; the first that has an interval counts, or
        the first.
        """
        if self._repeated is None:
            cursor = self._execute(
                "SELECT record_hash, interval_start_utc IS NULL, record_id FROM decoded.record WHERE damage IS NULL"
            )
            equal_records: dict[Any, list[tuple[bool, int]]] = defaultdict(list)
            for digest, unknown, record in cursor.fetchall():
                if digest is not None:
                    equal_records[digest].append((unknown, record))
            self._repeated = frozenset(record for given in equal_records.values() for _, record in sorted(given)[1:])
        return self._repeated

    def view(self, name: str) -> list[Row]:
        """The rows of a view as the oracle computes them."""
        if name not in self._views:
            self._views[name] = load()[name].make(self)
        return self._views[name]

    def asked(self, query: str) -> list[Row]:
        """The rows of a rule's SELECT, of which the oracle computes the judgement alone (`tests.oracle.judged`)."""
        cursor = self._execute(query)
        return plain_rows([column[0] for column in cursor.description], cursor.fetchall())

    def by(self, name: str, *key: str) -> dict[tuple[Any, ...], Row]:
        """The rows of a view or decoded table (`decoded.name`) by key."""
        rows = self.raw(name.removeprefix("decoded.")) if name.startswith("decoded.") else self.view(name)
        return {tuple(row[column] for column in key): row for row in rows}


def equal(one: Any, other: Any) -> bool:
    """Whether two values are equal; fractions up to `TOLERANCE`."""
    if one is None or other is None:
        return one is other
    if isinstance(one, float) or isinstance(other, float):
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            return False
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-12)
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


@dataclass
class Checked:
    """The result of a check: the columns compared, the number of cells, and the differences as text."""

    columns: frozenset[str]
    cells: int
    differences: list[str]


def check(name: str, data: Data, rows: list[Row], most: int = MOST) -> Checked:
    """Compare the rows of a view (`plain_rows`) with those of the oracle; all columns that both have."""
    known = load()[name]
    expected = data.view(name)
    columns = frozenset(expected[0]).intersection(rows[0]) if expected and rows else frozenset[str]()
    out = list(_differences(known, expected, rows, columns, most))
    return Checked(columns, len(columns) * len(rows), out)


def _differences(
    known: View, expected: list[Row], rows: list[Row], columns: Collection[str], most: int
) -> Iterator[str]:
    def keyed(given: list[Row]) -> dict[tuple[Any, ...], list[Row]]:
        out: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in given:
            out[tuple(row[column] for column in known.key)].append(row)
        return out

    mine, theirs = keyed(expected), keyed(rows)
    listed = 0
    for key in [*mine, *(key for key in theirs if key not in mine)]:
        if len(mine.get(key, ())) != len(theirs.get(key, ())):
            yield f"{known.name}{key}: {len(theirs.get(key, ()))} rows, expected {len(mine.get(key, ()))}"
            listed += 1
        else:
            pairs = zip(*(sorted(given[key], key=_order) if len(given[key]) > 1 else given[key] for given in (mine, theirs)), strict=True)  # fmt: skip
            for own, other in pairs:
                for column in columns:
                    if not equal(own[column], other[column]):
                        yield f"{known.name}{key}.{column}: {other[column]!r}, expected {own[column]!r}"
                        listed += 1
        if listed >= most:
            return


def _order(row: Row) -> str:
    return str(sorted((name, str(value)) for name, value in row.items()))


def derived() -> dict[str, tuple[str, ...]]:
    """The derived columns of every view, as its header and those it inherits from describe them."""
    from mqstat.sql import sqlfile
    from mqstat.sql.columns import selected_columns

    views, names = sqlfile.views(), selected_columns()
    return {name: tuple(c for c in names[name] if views[name].columns[c].kind == "derived") for name in views}


def counted(columns: Iterable[tuple[str, str]]) -> str:
    """Views with their columns as lines `view: column column`."""
    by_view: dict[str, list[str]] = defaultdict(list)
    for name, column in columns:
        by_view[name].append(column)
    return "".join(f"{name}: {' '.join(by_view[name])}\n" for name in sorted(by_view))


__all__ = ["Checked", "Data", "Row", "check", "derived", "load", "plain_rows", "view"]
