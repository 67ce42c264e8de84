"""Messages and APARs that `mqstat explain` knows: rules/messages.toml states each with its source and the rules and
reports with figures about it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType


@dataclass(frozen=True)
class Message:
    """A message or an APAR: what it states about the queue manager, the rules, reports and columns about that, and the
    document with its section.

    `levels`: those that have the error, of an APAR about an error of IBM's data.
    """

    states: str
    see: tuple[str, ...]
    source: str
    levels: str = ""


@cache
def messages() -> Mapping[str, Message]:
    """All messages and APARs by id."""
    stated = tomllib.loads(resources.files("mqstat.rules").joinpath("messages.toml").read_text(encoding="utf-8"))
    apars = stated.pop("apar")
    made = {
        id_: Message(states, tuple(see), source)
        for source, entries in stated.items()
        for id_, (states, *see) in entries.items()
    }
    made |= {
        id_: Message(states, tuple(see), f"IBM documentation, APAR {id_}", levels)
        for id_, (levels, states, *see) in apars.items()
    }
    return MappingProxyType(dict(sorted(made.items())))


def about(name: str) -> list[str]:
    """The messages and APARs that name a rule, report or column."""
    return [id_ for id_, message in messages().items() if name in message.see]
