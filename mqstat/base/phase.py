"""What a long command is doing, for who waits at a terminal."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar


def _nowhere(text: str) -> None:
    """Nobody waits."""


shown: ContextVar[Callable[[str], None]] = ContextVar("shown", default=_nowhere)
"""Shows a phase in place of the one before; an empty text removes it."""
