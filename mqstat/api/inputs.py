"""What the functions of the API take as a dump: a path or bytes, and the name of a framing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TypeAlias

from mqstat.base.errors import UsageError
from mqstat.base.nearest import did_you_mean
from mqstat.parsers.framing import Framing
from mqstat.sources.source import Source, find_sources, sources_of_bytes

Dump: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"
"""A dump: the path of a file, folder or archive, `-` for standard input, or the bytes themselves."""


def sources_of(dump: Dump) -> Iterator[Source]:
    """The sources that a dump consists of; an input that cannot be read is a source that raises InputError when it is opened."""
    if isinstance(dump, (bytes, bytearray, memoryview)):
        return sources_of_bytes(bytes(dump))
    return find_sources([os.fspath(dump)])


def framing_named(name: str | None) -> Framing | None:
    """The framing with this name, None to recognise it; UsageError for an unknown one."""
    if name is None:
        return None
    known = [framing.value for framing in Framing]
    if name not in known:
        raise UsageError(f"There is no framing {name}{did_you_mean(name, known) or '; there are ' + ', '.join(known)}.")
    return Framing(name)
