"""TOML files read into declared models (`msgspec.Struct`). An error names the file, the line and the key, and states
what is allowed.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from mqstat.base.errors import MqstatError
from mqstat.base.nearest import nearest_or_known
from mqstat.base.toml_lines import Lines, TomlError, read

Model = TypeVar("Model")

MOST_CHARACTERS = 1_000_000
"""Length of the longest file that is read."""

Parse = Callable[[type, Any], Any]
"""Returns a value of a type that is not one of TOML; ValueError if it is not valid."""


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the models of tables. A key without a default is required."""


def _anything(_: Any) -> bool:
    return True


@dataclass(frozen=True)
class Wanted:
    """What a value must be, as the end of a sentence such as "must be a whole number, 0 or more", and a check of it, or
    of each item of a list.
    """

    text: str
    fits: Callable[[Any], object] = _anything


def one_of(known: Collection[str]) -> Wanted:
    """That a text, or each of a list, is one of these."""
    return Wanted(f"must be one of {', '.join(known)}", known.__contains__)


Text = Annotated[str, Wanted("must be a text")]
Number = Annotated[int | float, Wanted("must be a number")]
KeyOfTable = Annotated[str, Wanted("is the key of its table, not one in it", lambda _: False)]
"""The key of a table in the table around it, which the program fills in."""


@dataclass(frozen=True)
class Field:
    """A key of a model: its name in the file and in the model, its type, and what its value must be."""

    name: str
    attribute: str
    type: Any
    wanted: Wanted
    is_checked: bool
    """Whether there is a check of its value, or of the tables in it."""


@cache
def fields(model: type[msgspec.Struct]) -> list[Field]:
    """The keys of a model in the order of the file."""
    hints = get_type_hints(model, include_extras=True)
    known = []
    for field in msgspec.structs.fields(model):
        wanted = next((mark for mark in _marks(hints[field.name]) if isinstance(mark, Wanted)), Wanted(""))
        hint = hints[field.name]
        is_checked = wanted.fits is not _anything or table_of(hint) is not None
        known.append(Field(field.encode_name, field.name, hint, wanted, is_checked))
    return known


def table_of(hint: Any) -> type[Table] | None:
    """The model of the table, or of the tables of an array, of a type; None for a value."""
    if isinstance(hint, type) and issubclass(hint, Table):
        return hint
    return next((table for part in get_args(hint) if (table := table_of(part)) is not None), None)


def _marks(hint: Any) -> list[Any]:
    """The annotations of a type and of all that it consists of, the outermost first."""
    marks = list(hint.__metadata__) if get_origin(hint) is Annotated else []
    return marks + [mark for part in get_args(hint) for mark in _marks(part)]


_FAULT = re.compile(r" - at (?:`key` in `\$(?P<map>.*)`|`\$(?P<path>.*)`)\Z", re.DOTALL)
_NAME = re.compile(r"Object (?P<what>contains unknown|missing required) field `(?P<name>.*)`", re.DOTALL)
_PART = re.compile(r"\[(\.\.\.|\d+)\]|\.([^.\[]+)")


@dataclass(frozen=True)
class Document:
    """A TOML file that was read: its name, its values, the lines of its keys, and the class of its errors."""

    name: str
    values: dict[str, Any]
    lines: Lines
    error: type[MqstatError]

    def fault(self, path: Sequence[str], message: str) -> MqstatError:
        """The error about a key: file, line and key, then the message."""
        names: list[str] = []
        value: Any = self.values
        for part in path:
            names += [] if isinstance(value, list) else [part]
            value = _inside(value, part)
        return self.error(f"{self.name}, line {self.lines.of(*path)}: {'.'.join(names)} {message}.")

    def convert(self, model: type[Model], path: Sequence[str] = (), parse: Parse | None = None) -> Model:
        """The value of a key as a model; raises `error`."""
        value = _at(self.values, path)
        try:
            result = _converted(value, model, parse)
        except msgspec.ValidationError as error:
            raise self._fault(str(error), model, path, value, parse) from None
        if isinstance(result, Table):
            self._check(result, path)
        return result

    def _check(self, table: Table, path: Sequence[str]) -> None:
        """`error` for a text of a table, or of the tables in it, that does not pass its check."""
        for field in fields(type(table)):
            if not field.is_checked:
                continue
            value, here = getattr(table, field.attribute), (*path, field.name)
            several = enumerate(value) if isinstance(value, tuple) else value.items() if isinstance(value, dict) else ()
            for inner, item in several or [("", value)]:
                if isinstance(item, Table):
                    self._check(item, (*here, str(inner)) if inner != "" else here)
                elif _at(self.values, here) is not None and not field.wanted.fits(item):
                    raise self.fault(here, field.wanted.text)

    def _fault(self, message: str, model: Any, path: Sequence[str], value: Any, parse: Parse | None) -> MqstatError:
        """The error for a message of msgspec about a value; the message ends in the rest of the path."""
        position = _FAULT.search(message)
        text, steps = (
            (message, "")
            if position is None
            else (message[: position.start()], position["path"] or f"{position['map']}[...]")
        )
        must = ""
        is_key = position is not None and position["map"] is not None
        for number, name in _PART.findall(steps):
            part = name or number
            if name:
                field = next(field for field in fields(_bare(model)) if field.name == name)
                model, must = field.type, field.wanted.text or must
            elif number == "...":  # the path does not name keys of maps
                part = next(key for key in value if not _fits({key: value[key]}, model, parse))
                model = get_args(_bare(model))[1]
            else:
                model = get_args(_bare(model))[0]
            path, value = (*path, part), _inside(value, part)
        if named := _NAME.fullmatch(text):
            known = fields(_bare(model))
            if named["what"] == "contains unknown":
                return self.fault((*path, named["name"]), f"is not known{_hint(named['name'], known)}")
            return self._missing(path, next(field for field in known if field.name == named["name"]))
        if table_of(model) is not None and not must:
            must = f"must be a table: write {_header('.'.join(path), model)} on a line of its own"
        elif get_origin(_bare(model)) is dict and not isinstance(value, dict):
            must = "must be a table"
        return self.fault(path, "must be keyed by a number" if is_key else must)

    def _missing(self, path: Sequence[str], field: Field) -> MqstatError:
        """The error about a key or table that must be there."""
        line = f", line {self.lines.of(*path)}" if path else ""
        if table_of(field.type) is not None:
            return self.error(f"{self.name}{line}: the table [{field.name}] is missing; add it.")
        names = ".".join((*(part for part in path if not part.isdecimal()), field.name))
        return self.error(f"{self.name}{line}: {names} is missing; it {field.wanted.text}.")


def open_document(path: Path, what: str, error: type[MqstatError], hint: str = "") -> Document:
    """Read a TOML file; `error` if it cannot be read or is not TOML. Messages call it `what`; `hint` ends the one about
    a file that cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig") as stream:  # editors of Windows write a byte order mark
            text = stream.read(MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as fault:
        why = getattr(fault, "strerror", None) or "it is not UTF-8 text"
        raise _error(error, f"{what} {path} cannot be read: {why}{hint or '.'}") from fault
    if len(text) > MOST_CHARACTERS:
        raise _error(error, f"{what} {path} has more than {MOST_CHARACTERS:,} characters.")
    return document_of(text, path.name, what, error)


def document_of(text: str, name: str, what: str, error: type[MqstatError]) -> Document:
    """The TOML text of a file with this name; `error` if it is not TOML."""
    try:
        values, lines = read(text)
    except TomlError as fault:
        raise _error(error, f"{name}, line {fault.line}: {what} is not TOML: {fault.reason}.") from fault
    return Document(name, values, lines, error)


def _error(kind: type[MqstatError], text: str) -> MqstatError:
    return kind(text)


def _converted(value: Any, model: type[Model], parse: Parse | None) -> Model:
    """A value as a model; ValidationError if it does not fit."""
    times = (dt.date, dt.datetime, dt.time)
    return msgspec.convert(value, model, builtin_types=times, str_keys=True, dec_hook=parse)


def _fits(value: Any, model: Any, parse: Parse | None) -> bool:
    try:
        _converted(value, model, parse)
    except msgspec.ValidationError:
        return False
    return True


def _inside(value: Any, part: str) -> Any:
    """The value of a key, or of a number in a list; None if there is none."""
    if isinstance(value, list):
        return value[int(part)]
    return value.get(part) if isinstance(value, dict) else None


def _at(value: Any, path: Sequence[str]) -> Any:
    """The value of a path; None if there is none."""
    for part in path:
        value = _inside(value, part)
    return value


def _bare(hint: Any) -> Any:
    """A type without annotations, and without None."""
    while get_origin(hint) in (Annotated, Union, UnionType):
        hint = get_args(hint)[0]
    return hint


def _header(name: str, hint: Any) -> str:
    """The header of a table, of a table of an array, or of a named one."""
    kind = get_origin(_bare(hint))
    return f"[[{name}]]" if kind is tuple else f"[{name}.NAME]" if kind is dict else f"[{name}]"


def _hint(name: str, known: Sequence[Field]) -> str:
    """Where an unknown key belongs, the nearest known keys, or all of them."""
    tables = ((field, table_of(field.type)) for field in known)
    owners = [
        _header(field.name, field.type) for field, table in tables if table and name in table.__struct_encode_fields__
    ]
    if owners:
        return f"; it belongs in {' or '.join(owners)}"
    names = [field.name for field in known]
    return nearest_or_known(name, names)
