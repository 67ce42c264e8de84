"""The columns of views and reports: what a header states of a column, and what the column inherits from the views and
decoded tables that `needs` names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, TypeAlias

from mqstat.base.errors import SqlFileError
from mqstat.sql.ways import UNSTATED, Way, default_way, stated_way

UNITS = frozenset(
    "count pages buffers blocks bytes kib mib gib us us2 ms s min h days percent ratio per_s per_min per_h mib_per_s mib_per_h "
    "ts_utc ts_local date text texts id flag number".split()
)
KINDS = frozenset("counter gauge high low setting duration clock code key text flag internal derived".split())

INHERITED = ("unit", "kind", "doc", "way", "label", "format", "null", "screen")
"""What a column has from its sources if its header does not state it."""

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_FORMAT = re.compile(r"(,?(\.\d+)?[dfg]?|day|minute)\Z")
_CLASS = re.compile(r"11[56]\.\d+\Z")
_WAY = ("over", "over_time", "across", "ratio", "why", "whole")
_KEYS = {
    "label": str, "unit": str, "kind": str, "format": str, "doc": str, "screen": int, "null": str, "over": str,
    "over_time": str, "across": str, "ratio": dict, "why": str, "whole": list, "classes": list, "from": str,
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column of a view or report.

    `screen` is its priority on a screen (1 = always shown; the highest number is dropped first if there is no room),
    None = in files only, for which a header states 0 if the column inherits another priority. `null` is what a screen
    shows instead of a missing value; `way` is how the values of several rows become one. Without a record of any of
    its `classes` the column is null; () = those of its view.
    """

    name: str
    unit: str
    label: str = ""
    kind: str = "derived"
    format: str = ""
    doc: str = ""
    screen: int | None = None
    null: str = ""
    way: Way = UNSTATED
    classes: tuple[str, ...] = ()


Source: TypeAlias = Callable[[str], Mapping[str, Column]]
"""Finds the columns of a view or decoded table by its name in `needs`."""


def no_source(table: str) -> Mapping[str, Column]:
    """The source of a file that inherits common columns alone."""
    return {}


class Columns(Mapping[str, Column]):
    """The columns of a file by name, each put together when it is first read: a run needs only the names of most.

    `stated` is the table `columns` of the header, `names` are all columns, stated or inherited. SqlFileError names the
    `file` and the column.
    """

    def __init__(
        self, stated: Mapping[str, Any], names: Iterable[str], file: str, needs: Iterable[str], source: Source
    ) -> None:
        self._stated, self._file, self._needs, self._source = stated, file, tuple(needs), source
        self._names = dict.fromkeys((*names, *stated))
        self._made: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._column(name)
        return self._made[name]

    def _column(self, name: str) -> Column:
        stated = self._stated.get(name, {})
        sources = {need: self._source(need) for need in self._needs}
        return _column(name, stated, inherited(name, stated, sources), f"{self._file}: columns.{name}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


@cache
def common_columns() -> Mapping[str, Column]:
    """Columns that mean the same everywhere (lpar, qmgr, times ...), documented once in `reports/common.toml`."""
    stated = tomllib.loads(_text_of("common.toml"))
    return MappingProxyType(
        {name: _column(name, given, {}, f"reports/common.toml: columns.{name}") for name, given in stated.items()}
    )


@cache
def selected_columns() -> Mapping[str, Mapping[str, str]]:
    """The columns of every view and report in the order of its SELECT, each with its type, by its id.

    They are in `reports/columns.txt`, which `make docs` writes with DuckDB.
    """
    lines = (line.partition(": ") for line in _text_of("columns.txt").splitlines())
    return {unit: dict(column.split(" ", 1) for column in columns.split("; ")) for unit, _, columns in lines}


def _text_of(file: str) -> str:
    return (resources.files("mqstat.reports") / file).read_text(encoding="utf-8")


@cache
def decoded_columns(table: str) -> Mapping[str, Column]:
    """The columns of a decoded table as the layouts describe them; none for a table that the program fills."""
    from mqstat.parsers.tables import tables

    # Table numbered_record has columns of table record.
    described = tables().get("record" if table == "numbered_record" else table, ("", ()))[1]
    return MappingProxyType(
        {c.name: Column(c.name, c.unit, kind=c.kind, doc=c.doc, way=default_way(c.kind, c.unit)) for c in described}
    )


Inherited: TypeAlias = Mapping[str, Mapping[Any, Sequence[str]]]
"""For each inherited key its values, each with the sources that have it."""


def inherited(name: str, stated: Any, sources: Mapping[str, Mapping[str, Column]]) -> Inherited:
    """What a column inherits: for each of the keys `INHERITED` its values, each with the sources that have it; a key
    with several must be stated.

    A common column is the same everywhere. Other names come from the source that the header states (`from`), otherwise
    from every source that has a column of this name; without one the result is empty.
    """
    if name in common_columns():
        having = {"common.toml": common_columns()[name]}
    else:
        having = {source: columns[name] for source, columns in sources.items() if name in columns}
        if isinstance(stated, dict) and "from" in stated:
            having = {source: column for source, column in having.items() if source == stated["from"]}
    values: dict[str, dict[Any, list[str]]] = {}
    for source, column in having.items():
        for key in INHERITED:
            values.setdefault(key, {}).setdefault(getattr(column, key), []).append(source)
    return values


def _column(name: str, stated: Any, above: Inherited, where: str) -> Column:
    """One column from its table in a header and from what it inherits; SqlFileError names its location `where`."""
    if not _NAME.match(name):
        raise SqlFileError(f"{where} is not a lowercase snake_case name.")
    if not isinstance(stated, dict):
        raise SqlFileError(f"{where} must be a table.")
    for key, value in stated.items():
        if key not in _KEYS or not isinstance(value, _KEYS[key]):
            raise SqlFileError(f"{where}.{key} is unknown or of the wrong type.")
    merged: dict[str, Any] = {}
    for key, values in above.items():
        if len(values) == 1:
            merged[key] = next(iter(values))
        elif not any(own in stated for own in (_WAY if key == "way" else (key,))):
            raise SqlFileError(f"{where}.{key} must be stated, because {_differing(values)}.")
    if "unit" in merged and stated.get("unit", merged["unit"]) != merged["unit"]:
        raise SqlFileError(f"{where}.unit is {stated['unit']!r}, elsewhere the column has {merged['unit']!r}.")
    if "from" in stated and not above:
        raise SqlFileError(f"{where}.from is {stated['from']!r}, which is not in needs or does not have this column.")
    merged |= {key: value for key, value in stated.items() if key != "from" and key not in _WAY}
    if "unit" not in merged:
        raise SqlFileError(f"{where}.unit is missing, and no view or table in needs has this column.")
    if merged["unit"] not in UNITS:
        raise SqlFileError(f"{where}.unit is {merged['unit']!r}, which is not in the list of units.")
    if merged.get("kind", "derived") not in KINDS:
        raise SqlFileError(f"{where}.kind is {merged['kind']!r}, which is not in the list of kinds.")
    if not _FORMAT.match(merged.get("format", "")):
        raise SqlFileError(f"{where}.format {merged['format']!r} is not a number format.")
    way = merged.get("way", UNSTATED)
    merged["way"] = stated_way(
        stated, way if way.over_time else default_way(merged.get("kind", "derived"), merged["unit"]), where
    )
    if not (merged["way"].over_time and merged["way"].across):
        raise SqlFileError(f"{where} must state how its rows are put together: over, over_time and across, or ratio.")
    if "none" in (merged["way"].over_time, merged["way"].across) and not merged["way"].why:
        raise SqlFileError(f"{where}.why is missing: why its rows have no common value.")
    merged["screen"] = merged.get("screen") or None
    merged["classes"] = tuple(merged.get("classes", ()))
    if not all(isinstance(name, str) and _CLASS.match(name) for name in merged["classes"]):
        raise SqlFileError(f"{where}.classes must be a list of record classes such as 115.215.")
    return Column(name, **merged)


def _differing(values: Mapping[Any, Iterable[str]]) -> str:
    """The values of one key with the sources that have them, as a clause."""
    return " and ".join(f"{', '.join(sources)} has {value!r}" for value, sources in values.items())
