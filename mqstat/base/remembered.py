"""Results that depend on a text of this package alone, kept in the user's cache folder: the next run does not work them out again.

Reading the SQL of all views and rules takes a fifth of a run over a small dump. Nothing of the input, of a site or of a user's query is kept. A result is found
by the hash of its text, in a file whose name has a hash of the code that made it and of the versions of Python and of the libraries that this
code calls. So a file of another version is not read, and a damaged one neither: its own hash differs. Without the folder everything is worked out again.
"""

from __future__ import annotations

import atexit
import marshal
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import xxhash

from mqstat.base.atomic_write import replaced
from mqstat.errors import UsageError

Result = TypeVar("Result")

VARIABLE = "MQSTAT_CACHE"
"""The environment variable that names another folder; if it is empty nothing is kept."""
OLDEST = 30 * 86_400
"""Files of other versions are removed after so many seconds."""
LARGEST = 32 << 20
"""A file that would have more bytes, of a tree whose SQL was changed many times, is removed instead."""
_OWN: set[str] = set()


def own(text: str) -> str:
    """Note that a text comes from a file of this package: only what such texts result in is kept."""
    _OWN.add(text)
    return text


def folder() -> Path | None:
    """The folder of the kept results; None if nothing is kept."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (base if base.is_absolute() else Path.home() / ".cache") / "mqstat"
    except RuntimeError:  # a job without a home
        return None


class Remembered:
    """The results of the functions of one module, which take a text and return what `marshal` writes: texts, numbers, None, tuples, lists, sets, dictionaries.

    `libraries` are the distributions whose versions the results depend on. Nobody may change a result: the next caller gets the same object.
    """

    def __init__(self, module: str, *libraries: str) -> None:
        self._module = Path(module)
        self._libraries = libraries
        self._known: dict[bytes, Any] | None = None
        self.has_new = False
        """Whether a result was worked out that is not in the file."""

    def of(self, function: Callable[[str], Result], text: str) -> Result:
        """The result of a function for a text, from an earlier run if this is a text of the package."""
        if text not in _OWN:
            return function(text)
        key = xxhash.xxh3_128_digest(f"{function.__qualname__}\n{text}".encode())
        if self._known is None:
            self._known = self.read()
        if key not in self._known:
            self._known[key] = function(text)
            if not self.has_new:
                self.has_new = True
                atexit.register(self.write)
        result: Result = self._known[key]
        return result

    @property
    def path(self) -> Path | None:
        """The file of these results; None if nothing is kept, such as without the version of a library."""
        at = folder()
        code = _code(self._module)
        if at is None or code is None:
            return None
        try:
            versions = "\n".join([sys.version, *map(_version, self._libraries)])
        except ImportError:  # a copy of the library without its metadata
            return None
        key = xxhash.xxh3_128_hexdigest(code + versions.encode())
        return at / f"{self._module.stem}-{key}.results"

    def read(self) -> dict[bytes, Any]:
        """The results in the file, by the hash of their function and text; none if the file is not sound."""
        try:
            path = self.path
            data = _own_file(path) if path else b""
            if path and data[:16] == _digest(path, data[16:]):
                return marshal.loads(data[16:])  # type: ignore[no-any-return]  # noqa: S302 - what this user's run wrote
        except (OSError, ValueError, EOFError, TypeError):
            pass
        return {}

    def write(self) -> None:
        """Write the results if there are new ones; a folder that cannot be written to is no error."""
        path = self.path
        if path is None or self._known is None or not self.has_new:
            return
        self.has_new = False
        with suppress(UsageError, OSError, ValueError):
            data = marshal.dumps(self._known)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if len(data) > LARGEST:
                path.unlink(missing_ok=True)
                return
            with replaced(path) as part:
                part.write_bytes(_digest(path, data) + data)
            path.chmod(0o600)
            for other in path.parent.glob(f"{self._module.stem}-*.results"):
                if other != path and time.time() - other.stat().st_mtime > OLDEST:
                    other.unlink(missing_ok=True)


def _own_file(path: Path) -> bytes:
    """The bytes of a file of this user; empty if others could have written it."""
    with path.open("rb") as file:
        state = os.fstat(file.fileno())
        theirs = hasattr(os, "geteuid") and (state.st_uid != os.geteuid() or state.st_mode & 0o022)
        return b"" if theirs else file.read()


def _digest(path: Path, data: bytes) -> bytes:
    return xxhash.xxh3_128_digest(path.name.encode() + data)


@cache
def _code(module: Path) -> bytes | None:
    """The source of a module; None if it is not in a file."""
    try:
        return module.read_bytes()
    except OSError:
        return None


@cache
def _version(library: str) -> str:
    from importlib import metadata

    return f"{library} {metadata.version(library)}"
