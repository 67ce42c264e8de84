"""Line numbers of TOML keys: the reader of the standard library returns values without lines."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from mqstat.base.errors import MqstatError

Path = tuple[str, ...]
"""A key with the tables around it."""

_MOST_DOTS = 5_000
"""Dots in a line: the time and memory of a dotted key grow with the square of its length."""

_HEADER = re.compile(r"\s*\[\[?.*\]\]?\s*(#.*)?\Z")


class Lines:
    """Line numbers of tables and keys of a text that `tomllib` accepts, from 1. As in TOML, only LF and CR LF end a
    line.

    A table of an array has its number, from 0, after the name. Nothing is read before a line is asked for; `before` =
    lines of the file above the text.
    """

    def __init__(self, text: str, before: int = 0) -> None:
        self._text, self._before = text, before

    @property
    def headers(self) -> Mapping[Path, int]:
        """Lines of the headers of tables."""
        return self._known[1]

    @cached_property
    def _known(self) -> tuple[dict[Path, int], dict[Path, int]]:
        """Lines of tables and keys, and those of the headers of tables."""
        numbers: dict[Path, int] = {}
        headers: dict[Path, int] = {}
        table: Path = ()
        pending: list[str] = []
        start = 0
        arrays: Counter[Path] = Counter()
        for number, line in enumerate(self._text.replace("\r\n", "\n").split("\n"), start=self._before + 1):
            if not pending:
                stripped = line.strip()
                if not stripped or stripped.startswith("#"):
                    continue
                if _HEADER.match(line) and "=" not in line.split("]")[-1].split("#")[0]:
                    header = _parse(line)
                    if header is not None:
                        table = _header_path(header)
                        if stripped.startswith("[["):
                            table = (*table, str(arrays[table]))
                            arrays[table[:-1]] += 1
                        numbers.setdefault(table, number)
                        headers.setdefault(table, number)
                        continue
                start = number
            pending.append(line)
            values = _parse("\n".join(pending))
            if values is not None:
                pending.clear()
                _add(numbers, table, values, start)
        return numbers, headers

    def of(self, *path: str) -> int:
        """The line of a key; of the nearest table around it if the key has no line."""
        for length in range(len(path), 0, -1):
            inside = [number for known_path, number in self._known[0].items() if known_path[:length] == path[:length]]
            if inside:
                return self._known[0].get(path[:length], min(inside))
        return self._before + 1


def _add(numbers: dict[Path, int], table: Path, values: Mapping[str, Any], number: int) -> None:
    for key, value in values.items():
        path = (*table, key)
        numbers.setdefault(path, number)
        if isinstance(value, dict):
            _add(numbers, path, value, number)


class TomlError(MqstatError):
    """A text that cannot be read as TOML: the line and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


def read(text: str) -> tuple[dict[str, Any], Lines]:
    """The values of a TOML text, with the line of each key; TomlError if the text is not TOML, nested too deeply, or
    has a number that is too long.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _MOST_DOTS:
            raise TomlError(number, f"it has more than {_MOST_DOTS:,} dots")
    lines = Lines(text)
    try:
        values = tomllib.loads(text)
        lines.of("")  # reads the lines here, where a text that is nested too deeply is reported
    except tomllib.TOMLDecodeError as error:
        reason, _, position = str(error).partition(" (at ")
        match = re.match(r"line (\d+)", position)
        raise TomlError(int(match[1]) if match else max(1, len(text.splitlines())), reason) from error
    except RecursionError as error:
        depth = [sum(map(line.count, "[{.")) for line in text.splitlines()]
        raise TomlError(depth.index(max(depth)) + 1, "it is nested too deeply") from error
    except ValueError as error:  # more digits than Python converts
        length = [max(map(len, re.findall(r"[0-9_]+", line)), default=0) for line in text.splitlines()]
        raise TomlError(length.index(max(length)) + 1, "a number has too many digits") from error
    return values, lines


def _parse(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _header_path(values: Any) -> Path:
    path: list[str] = []
    while values:
        if isinstance(values, list):
            values = values[-1]
            continue
        (key, values) = next(iter(values.items()))
        path.append(key)
    return tuple(path)
