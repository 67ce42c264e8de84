"""What the functions of the API take as a dump: a path or bytes, and the name of a framing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeAlias

from mqstat.base.errors import UsageError
from mqstat.base.object_store import is_uri, without_file
from mqstat.parsers.framing import Framing
from mqstat.sources.source import Source, find_sources, sources_of_bytes, sources_of_file

PathName: TypeAlias = str | os.PathLike[str]
"""The path of a file, folder or archive; `-` for standard input."""

Input: TypeAlias = PathName | BinaryIO | bytes | bytearray | memoryview
"""A path, a file that is open for reading bytes, or the bytes themselves."""

Dump: TypeAlias = Input | Sequence[Input]
"""A dump: one input or several."""


def sources_of(dump: Dump) -> Iterator[Source]:
    """The sources that a dump consists of; an input that cannot be read is a source that raises InputError when it is
    opened.
    """
    if isinstance(dump, (bytes, bytearray, memoryview)):
        return sources_of_bytes(bytes(dump))
    if isinstance(dump, (str, os.PathLike)):
        return find_sources([os.fspath(dump)])
    if isinstance(dump, Sequence):
        return chain.from_iterable(sources_of(each) for each in dump)  # type: ignore[arg-type] # bytes are excluded above
    if not hasattr(dump, "read") or hasattr(dump, "encoding"):
        raise UsageError(
            f"A dump is bytes, a path, a list of inputs or a file opened with 'rb', not {type(dump).__name__}."
        )
    return sources_of_file(dump)


def local_path(name: PathName) -> Path:
    """A local path (`file://` may precede it); UsageError for a URI of another scheme."""
    text = without_file(os.fspath(name))
    if is_uri(text):
        raise UsageError(f"{text}: {text.partition('://')[0]} is not supported here; give a local path.")
    return Path(text)


def framing_named(name: str | None) -> Framing | None:
    """The framing with this name, None to recognise it; UsageError for an unknown one."""
    return None if name is None else Framing(name)
