"""Views, reports, pictures and rules: one SQL file each, with a TOML header in a block comment. This is their only
loader.

A file begins with `/*---`, TOML, `---*/`, followed by exactly one SELECT. DuckDB runs the whole text unchanged. The
registries are read from the folders `mqstat/reports` and `mqstat/rules`, so adding or deleting a file adds or removes
the unit.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any

from mqstat.base.errors import SqlFileError
from mqstat.base.toml_lines import Lines
from mqstat.base.toml_model import Document
from mqstat.sql.columns import UNITS, Column, Columns, Source, decoded_columns, no_source, selected_columns

_HEADER = re.compile(r"\A/\*---\n(?P<toml>.*?)^---\*/[ \t]*\n(?P<body>.*)\Z", re.DOTALL | re.MULTILINE)
_KEYS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "view": {"id": str, "title": str, "grain": str, "needs": list, "classes": list, "columns": dict, "note": str, "mq_since": str, "keep": bool, "empty_without": bool},
    "report": {
        "id": str, "title": str, "question": str, "needs": list, "rules": list, "columns": dict, "note": str, "mq_since": str, "dd": list,
        "wsc": list, "grain": list, "unmarked": str, "shows": str, "drill_down": list, "site_input": list,
        "left_out": str, "unseen": bool,
    },
    "picture": {
        "id": str, "title": str, "question": str, "kind": str, "unit": str, "worst": str, "report": str, "needs": list, "limits": list,
        "rules": list, "note": str, "mq_since": str,
    },
}  # fmt: skip
_OPTIONAL = frozenset(
    {
        "classes",
        "columns",
        "rules",
        "note",
        "mq_since",
        "dd",
        "wsc",
        "grain",
        "unmarked",
        "shows",
        "drill_down",
        "site_input",
        "left_out",
        "unseen",
        "keep",
        "empty_without",
        "limits",
    }
)
_LIMIT_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "rule": str,
    "threshold": str,
    "column": str,
    "text": str,
    "every": bool,
}

PICTURE_COLUMNS = ("lpar", "qmgr", "series", "interval_start_utc", "interval_seconds", "value")
"""The columns that the SELECT of every picture has; others may follow: those that its limits name, the keys of its
rules, and `judged_by`, the rules that may mark a row, separated by blanks."""


@dataclass(frozen=True)
class SqlFile:
    """A parsed file: `kind` is view, report, picture or rule; `text` is the whole file, which DuckDB runs."""

    kind: str
    id: str
    name: str
    text: str
    header: Mapping[str, Any]
    needs: tuple[str, ...] = ()
    columns: Mapping[str, Column] = field(default_factory=dict)

    @cached_property
    def select(self) -> str:
        """The SELECT alone, without the header, whose parsing takes time, and without its semicolon, for use in another
        statement.
        """
        return _parted(self.text, self.name)[1].strip().rstrip(";")

    @property
    def title(self) -> str:
        """The one-line title of the unit."""
        return str(self.header.get("title", ""))

    @property
    def area(self) -> str:
        """The folder of a report, picture or rule, which is its area in the catalogue."""
        return self.name.split("/")[-2]

    @property
    def classes(self) -> tuple[str, ...]:
        """The record classes (`115.215`) that a view requires; without them it is empty, unless its header states
        `empty_without = false`.
        """
        return tuple(self.header.get("classes", ()))


def split(text: str, name: str) -> tuple[dict[str, Any], str]:
    """Return header and SQL of a file; SqlFileError names the file if it has no TOML header."""
    head, body = _parted(text, name)
    try:
        return tomllib.loads(head), body
    except tomllib.TOMLDecodeError as error:
        raise SqlFileError(f"{name}: the header is not TOML: {error}.") from error


def _parted(text: str, name: str) -> tuple[str, str]:
    match = _HEADER.match(text.replace("\r\n", "\n"))
    if match is None:
        raise SqlFileError(
            f"{name}: the file must begin with a TOML header between /*--- and ---*/, each on a line of its own."
        )
    return match["toml"], match["body"]


def parse(text: str, kind: str, name: str, source: Source = no_source) -> SqlFile:
    """Parse and check one file; error messages call it `name`. `source` finds the columns of what it needs, which its
    own columns inherit from.

    A column is checked when it is first read: our own views have thousands, and a run needs only the names of most.
    Rules are checked further by `mqstat.judge.model`.
    """
    header, body = split(text, name)
    if not body.strip():
        raise SqlFileError(f"{name}: there is no SELECT after the header.")
    stem = name.rsplit("/", 1)[-1].removesuffix(".sql")
    expected = f"{name.split('/')[-2]}/{stem}" if kind in ("report", "picture") else stem
    if header.get("id") != expected:
        raise SqlFileError(
            f"{name}: key id is {header.get('id')!r}, but the location of the file requires {expected!r}."
        )
    if kind == "rule":
        return SqlFile(kind, expected, name, text, MappingProxyType(header))
    check_keys(header, _KEYS[kind], _OPTIONAL, name)
    if kind == "picture":
        _check_picture(header, name)
    needs = tuple(header["needs"])
    names = selected_columns().get(expected, ()) if kind in ("view", "report") else ()
    columns = Columns(header.get("columns", {}), names, name, needs, source)
    return SqlFile(kind, expected, name, text, MappingProxyType(header), needs, columns)


def document(file: SqlFile, header: dict[str, Any]) -> Document:
    """The header of a file, or what it is completed to, for `Document.convert`; errors name the lines of the file."""
    return Document(file.name, header, Lines(_parted(file.text, file.name)[0], before=1), SqlFileError)


def check_keys(
    table: Mapping[str, Any], keys: Mapping[str, type | tuple[type, ...]], optional: frozenset[str], name: str
) -> None:
    """Raise SqlFileError if a key is unknown, missing or of the wrong type; `name` is the file (and the table in
    it).
    """
    for key, value in table.items():
        if key not in keys:
            raise SqlFileError(f"{name}: key {key} is unknown.")
        if not isinstance(value, keys[key]):
            raise SqlFileError(f"{name}: key {key} has a value of the wrong type ({type(value).__name__}).")
    for key in keys:
        if key not in table and key not in optional:
            raise SqlFileError(f"{name}: key {key} is missing.")


def _check_picture(header: Mapping[str, Any], name: str) -> None:
    for key, known in (("kind", ("line", "strip")), ("worst", ("lowest", "highest")), ("unit", sorted(UNITS))):
        if header[key] not in known:
            raise SqlFileError(f"{name}: key {key} is {header[key]!r}, it must be one of {', '.join(known)}.")
    for number, limit in enumerate(header.get("limits", ()), 1):
        where = f"{name}: limits, number {number}"
        if not isinstance(limit, dict):
            raise SqlFileError(f"{where}, must be a table.")
        check_keys(limit, _LIMIT_KEYS, frozenset({"rule", "threshold", "column", "every"}), where)
        if set(limit) - {"every"} not in ({"rule", "threshold", "text"}, {"column", "text"}):
            raise SqlFileError(f"{where}, must name a rule and its threshold, or a column.")


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.startswith(("_", ".")):
            continue
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}/{entry.name}")
        elif entry.name.endswith(".sql"):
            yield f"{prefix}/{entry.name}", entry


_NO_REPORTS = ("reports/views/", "reports/pictures/", "reports/macros.sql")
"""What the folder of reports also has."""


@cache
def macros() -> str:
    """The statements that create the macros which views, reports and rules use."""
    return (resources.files("mqstat.reports") / "macros.sql").read_text(encoding="utf-8")


class Units(Mapping[str, SqlFile]):
    """The files below a folder by id (`area/name`), each parsed when it is first read: a run needs few reports, and a
    header takes a millisecond.
    """

    def __init__(self, folder: Traversable, prefix: str, kind: str, source: Source = no_source) -> None:
        self._kind, self._source = kind, source
        self._files = {
            name.removeprefix(f"{prefix}/").removesuffix(".sql"): (name, entry)
            for name, entry in _walk(folder, prefix)
            if kind != "report" or not name.startswith(_NO_REPORTS)
        }
        self._parsed: dict[str, SqlFile] = {}

    def __getitem__(self, id_: str) -> SqlFile:
        if id_ not in self._parsed:
            name, file = self._files[id_]
            self._parsed[id_] = parse(file.read_text(encoding="utf-8"), self._kind, name, self._source)
        return self._parsed[id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._files

    def ids(self) -> Collection[str]:
        """The ids without a certain order; no file is read."""
        return self._files.keys()


class Views(Units):
    """The views by name, listed each after the views it needs."""

    def __iter__(self) -> Iterator[str]:
        return iter(ordered(self, self.ids()))


@cache
def views() -> Views:
    """All views."""
    return Views(resources.files("mqstat.reports") / "views", "reports/views", "view", columns_of)


def views_for(names: Iterable[str]) -> list[SqlFile]:
    """The views among these names and all that they read, each after the views it needs."""
    return list(ordered(views(), sorted(name for name in names if name in views())).values())


@cache
def reports() -> Units:
    """All reports by id (`area/name`)."""
    return Units(resources.files("mqstat.reports"), "reports", "report", columns_of)


def columns_of(table: str) -> Mapping[str, Column]:
    """The columns of a view, or of a decoded table (`decoded.name`)."""
    decoded = table.removeprefix("decoded.")
    return decoded_columns(decoded) if decoded != table else views()[table].columns


@cache
def pictures() -> Units:
    """All pictures by id (`area/name`), from `reports/pictures`."""
    return Units(resources.files("mqstat.reports") / "pictures", "reports/pictures", "picture")


@cache
def rules() -> Mapping[str, SqlFile]:
    """All rule files by id, headers not yet checked: `mqstat.judge.model` converts them to rules."""
    return MappingProxyType(completed(rule_files(resources.files("mqstat.rules"))))


def rule_files(folder: Traversable) -> dict[str, SqlFile]:
    """All rule files below a folder by id, with the headers that they have; a duplicate id is an error."""
    files: dict[str, SqlFile] = {}
    for file in Units(folder, "rules", "rule").values():
        if file.id in files:
            raise SqlFileError(f"{file.name}: id {file.id} is already taken by {files[file.id].name}.")
        files[file.id] = file
    return files


def completed(files: Mapping[str, SqlFile]) -> dict[str, SqlFile]:
    """The rules with complete headers: one that names another with the key `like` has what it does not state from
    it.
    """
    done = {}
    for rule_id, file in files.items():
        header = file.header
        if "like" in header:
            other = files.get(header["like"])
            if other is None or "like" in other.header:
                raise SqlFileError(f"{file.name}: key like is {header['like']!r}, it must be a rule without this key.")
            header = _merged(other.header, header)
            del header["like"]
        done[rule_id] = replace(file, header=MappingProxyType(header))
    return done


def _merged(model: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """A table with the keys of another one that it does not state; so are the tables in it."""
    merged = {**model, **stated}
    for key in model.keys() & stated.keys():
        if isinstance(model[key], dict) and isinstance(stated[key], dict):
            merged[key] = _merged(model[key], stated[key])
    return merged


def ordered(units: Mapping[str, SqlFile], names: Iterable[str]) -> dict[str, SqlFile]:
    """These views and all that they read in dependency order; a cycle is an error."""
    done: dict[str, SqlFile] = {}
    open_: list[str] = []

    def visit(unit: SqlFile) -> None:
        if unit.id in done:
            return
        if unit.id in open_:
            raise SqlFileError(f"{unit.name}: the views {', '.join(open_)} need one another in a circle.")
        open_.append(unit.id)
        for need in unit.needs:
            if need in units:
                visit(units[need])
        open_.pop()
        done[unit.id] = unit

    for name in names:
        visit(units[name])
    return done


@cache
def with_views_below(view: str) -> frozenset[str]:
    """A view and all views that it reads, directly or through other views."""
    needs = [need for need in views()[view].needs if need in views()]
    return frozenset({view}).union(*map(with_views_below, needs))


def body_and_order(text: str) -> tuple[str, str]:
    """A report's SELECT without its ORDER BY, and the ORDER BY, which names columns of its result."""
    body, _, order = text.rstrip().rstrip(";").rpartition("\nORDER BY")
    return body, order


def order_of(report: str) -> str:
    """The ORDER BY of a report, as columns of its result."""
    return body_and_order(reports()[report].text)[1]
