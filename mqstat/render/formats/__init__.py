"""The formats of reports. There is no list: every module in this folder is a format, and its constant FORMAT describes
it.

The modules are imported for the help of each command: libraries, and what loads them, are imported inside functions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType

from mqstat.base.errors import UsageError
from mqstat.base.formats import choice
from mqstat.render.format import Format

DEFAULT = "text"
"""The format of standard output unless --format selects another."""

in_use: ContextVar[Format | None] = ContextVar("in_use", default=None)
"""The format that the running command writes to standard output, which may have a line and a return code for errors."""


@cache
def formats() -> Mapping[str, Format]:
    """All formats by name, the default first."""
    names = sorted((module.name for module in iter_modules(__path__)), key=lambda name: (name != DEFAULT, name))
    return MappingProxyType({name: import_module(f"{__name__}.{name}").FORMAT for name in names})


def described(name: str) -> str:
    """What a format is: the first paragraph of the docstring of its file."""
    return " ".join((import_module(f"{__name__}.{name}").__doc__ or "").partition("\n\n")[0].split())


def formats_of(command: str) -> tuple[str, ...]:
    """The names of the formats that a command writes."""
    return tuple(name for name, known in formats().items() if command in known.commands)


def endings(names: Collection[str]) -> dict[str, str]:
    """The format of each file extension of these formats."""
    return {ending: name for name in names for ending in formats()[name].endings}


def format_of(path: Path, command: str = "report") -> str:
    """The format of a file extension; UsageError if the command does not write it."""
    known = endings(formats_of(command))
    try:
        return known[path.suffix.lower()]
    except KeyError:
        raise UsageError(
            f"{path} has no known extension ({choice(known)}); rename it, or use --format with --output."
        ) from None


def needs_of(names: Collection[str]) -> frozenset[str]:
    """What these formats need in addition to the content of every report."""
    return frozenset().union(*(formats()[name].needs for name in names))
