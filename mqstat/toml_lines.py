"""Where the keys of a TOML text stand: the reader of the standard library tells values, not lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

Path = tuple[str, ...]
"""A key with the tables around it."""

_HEADER = re.compile(r"\s*\[\[?.*\]\]?\s*(#.*)?\Z")


class Lines:
    """Line numbers of tables and keys of a text that `tomllib` accepts, from 1."""

    def __init__(self, text: str) -> None:
        self._found: dict[Path, int] = {}
        table: Path = ()
        pending: list[str] = []
        start = 0
        for number, line in enumerate(text.splitlines(), start=1):
            if not pending:
                stripped = line.strip()
                if not stripped or stripped.startswith("#"):
                    continue
                if _HEADER.match(line) and "=" not in line.split("]")[-1].split("#")[0]:
                    header = _parse(line)
                    if header is not None:
                        table = _header_path(header)
                        self._found.setdefault(table, number)
                        continue
                start = number
            pending.append(line)
            values = _parse("\n".join(pending))
            if values is not None:
                pending.clear()
                self._add(table, values, start)

    def _add(self, table: Path, values: Mapping[str, Any], number: int) -> None:
        for key, value in values.items():
            path = (*table, key)
            self._found.setdefault(path, number)
            if isinstance(value, dict):
                self._add(path, value, number)

    def of(self, *path: str) -> int:
        """The line of a key; of the nearest table around it where it has none itself."""
        for length in range(len(path), 0, -1):
            inside = [number for found, number in self._found.items() if found[:length] == path[:length]]
            if inside:
                return self._found.get(path[:length], min(inside))
        return 1


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
