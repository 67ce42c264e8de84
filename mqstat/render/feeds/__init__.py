"""Values of intervals and findings in the formats of systems that keep them. There is no list: every module with a constant FORMAT in this folder is a format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqstat.render.feeds.format import FeedFormat

OTHERS = frozenset({"__init__", "format", "writing"})


def names() -> tuple[str, ...]:
    """The names of all formats."""
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in OTHERS))


@cache
def formats() -> Mapping[str, FeedFormat]:
    """All formats by name."""
    return {name: import_module(f"{__name__}.{name}").FORMAT for name in names()}


def event_names() -> tuple[str, ...]:
    """The names of the formats that have findings."""
    return tuple(name for name, known in formats().items() if known.events is not None)


def described(name: str) -> str:
    """What a format is: the docstring of its file."""
    return " ".join((import_module(f"{__name__}.{name}").__doc__ or "").split())
