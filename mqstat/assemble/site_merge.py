"""Facts written into the text of a site file: lines are only inserted, and a fact that the file has with another value
stays as it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from io import StringIO
from itertools import groupby
from typing import Any

from mqstat.assemble.site_file import key
from mqstat.base.errors import SiteError
from mqstat.base.formatting import clean
from mqstat.base.toml_lines import Lines
from mqstat.intake.display_facts import Facts, KnownFact, toml_value
from mqstat.sql.site import parse_site

Path = tuple[str, ...]


@dataclass
class Merged:
    """The text of a site file with facts; what was written, what it had already, and what it has with another value or
    cannot take.
    """

    text: str
    written: list[KnownFact] = field(default_factory=list)
    same: list[KnownFact] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Insertion:
    """A line to insert before a line of the text (from 0), and the fact that it sets."""

    at: int
    text: str
    fact: KnownFact | None = None
    path: Path = ()


def merge(text: str, facts: Facts, name: str) -> Merged:
    """Insert facts into a site file that is called `name` in messages; SiteError if it is not a site file."""
    parse_site(text, name)
    merged = Merged(text)
    known = tomllib.loads(text)
    lines = Lines(text)
    new: list[KnownFact] = []
    comments: list[_Insertion] = []
    for fact in facts.facts:
        path = _where_set(known, fact)
        if path is None:
            new.append(fact)
        elif _at(known, path) == fact.value:
            merged.same.append(fact)
        else:
            line = lines.of(*path)
            current = clean(toml_value(_at(known, path)))
            comments.append(_Insertion(line - 1, f"# {_setting(fact)}  # {fact.origin}; not changed"))
            merged.kept.append(
                f"{name}, line {line}: {'.'.join(path)} is {current}, not {toml_value(fact.value)} ({fact.origin}); not changed"
            )
    comments += _hints(facts, known, text)
    insertions = [*_insertions(new, known, text), *comments]
    candidate = _with(text, insertions)
    if not _adds(candidate, known, insertions):  # a table that a header cannot extend: one table after the other
        insertions = comments
        for _, group in groupby(_insertions(new, known, text), key=_table):
            added = [*insertions, *group]
            if _adds(_with(text, added), known, added):
                insertions = added
                continue
            merged.kept += [
                f"{name}: {_setting(each.fact)} ({each.fact.origin}) cannot be added to a table in braces or with dots; add it there"
                for each in added[len(insertions) :]
                if each.fact is not None
            ]
        candidate = _with(text, insertions)
        if not _adds(candidate, known, insertions):
            raise SiteError(f"{name}: facts cannot be added to this file; write them to a new file and copy them.")
    parse_site(candidate, name)
    merged.text = candidate
    merged.written = [insertion.fact for insertion in insertions if insertion.fact is not None]
    return merged


def _table(insertion: _Insertion) -> Path:
    """The table to which a line adds a value, or which it begins."""
    return insertion.path[:-1] if insertion.fact is not None else insertion.path


def _setting(fact: KnownFact) -> str:
    """A fact with its table, on one line."""
    names = ["qmgr", key(fact.qmgr), fact.name, *([key(fact.key)] if fact.key is not None else [])]
    return f"{'.'.join(names)} = {toml_value(fact.value)}"


def _at(data: Mapping[str, Any], path: Path) -> Any:
    value: Any = data
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _tables_of(data: Mapping[str, Any], qmgr: str) -> Iterator[Path]:
    """The tables whose facts a queue manager may have, the most specific first."""
    names = [name for name in data.get("qmgr", {}) if name.rpartition(".")[2] == qmgr and name != qmgr]
    yield from (("qmgr", name) for name in names)
    yield ("qmgr", qmgr)
    yield from (("lpar", name) for name in data.get("lpar", {}))
    yield ("site",)


def _where_set(data: Mapping[str, Any], fact: KnownFact) -> Path | None:
    """Where the file sets a fact for a queue manager: in its table, else for an LPAR or everywhere."""
    for table in _tables_of(data, fact.qmgr):
        path = (*table, fact.name, *([fact.key] if fact.key is not None else []))
        if _at(data, path) is not None:
            return path
    return None


def _own_table(data: Mapping[str, Any], qmgr: str) -> str:
    """The name of the table of a queue manager: LPAR.NAME if the file has only that."""
    names = [name for name in data.get("qmgr", {}) if name.rpartition(".")[2] == qmgr]
    return names[0] if len(names) == 1 else qmgr


def _insertions(facts: Sequence[KnownFact], data: Mapping[str, Any], text: str) -> list[_Insertion]:
    """The lines that set facts: after the header of their table, in a new table at the end if there is none."""
    headers = Lines(text).headers
    end = len(_lines(text))
    insertions: list[_Insertion] = []
    begun: set[str] = set()
    for fact in sorted(
        facts, key=lambda fact: (fact.qmgr, fact.key is not None, fact.name if fact.key is not None else "")
    ):
        name = _own_table(data, fact.qmgr)
        table: Path = ("qmgr", name)
        path = (*table, fact.name, *([fact.key] if fact.key is not None else []))
        value = f"{toml_value(fact.value)}  # {fact.origin}"
        if fact.key is not None and path[:-1] in headers:
            insertions.append(_Insertion(headers[path[:-1]], f"{key(fact.key)} = {value}", fact, path))
            continue
        if table not in headers and name not in begun:
            begun.add(name)
            insertions += [_Insertion(end, ""), _Insertion(end, f"[qmgr.{key(name)}]", path=table)]
        shown = fact.name if fact.key is None else f"{fact.name}.{key(fact.key)}"
        insertions.append(_Insertion(headers.get(table, end), f"{shown} = {value}", fact, path))
    return insertions


def _hints(facts: Facts, data: Mapping[str, Any], text: str) -> Iterator[_Insertion]:
    """What a response leaves open, as comments: after the header of the table, else at the end."""
    headers, end = Lines(text).headers, len(_lines(text))
    for qmgr, name, sentence in facts.hints:
        if _where_set(data, KnownFact(qmgr, name, None, "")) is None:
            at = headers.get(("qmgr", _own_table(data, qmgr)), end)
            yield _Insertion(at, f"# qmgr.{key(qmgr)}.{name}: {sentence}")


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends, which are LF as in TOML."""
    return list(StringIO(text))


def _with(text: str, insertions: Sequence[_Insertion]) -> str:
    """The text with inserted lines, which end as its lines do; a comment that is there already is not repeated."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = _lines(text)
    present = {line.strip() for line in lines if line.lstrip().startswith("#")}
    added: dict[int, list[str]] = {}
    for insertion in insertions:
        if insertion.text not in present:
            added.setdefault(insertion.at, []).append(insertion.text + newline)
    result: list[str] = []
    for index in range(len(lines) + 1):
        if index in added and result and not result[-1].endswith("\n"):
            result.append(newline)
        result += added.get(index, [])
        result += lines[index : index + 1]
    return "".join(result)


def _adds(text: str, known: Mapping[str, Any], insertions: Sequence[_Insertion]) -> bool:
    """Whether a text has the values that were known, those of the insertions, and no others."""
    expected = deepcopy(dict(known))
    for insertion in insertions:
        value: Any = expected
        for name in _table(insertion):
            value = value.setdefault(name, {})
        if insertion.fact is not None:
            value[insertion.path[-1]] = insertion.fact.value
    try:
        return tomllib.loads(text) == expected
    except tomllib.TOMLDecodeError:
        return False
