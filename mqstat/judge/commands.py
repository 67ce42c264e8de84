"""The commands of a finding: those that show its object, and what to change, with the values of its worst row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mqstat.judge.model import rules
from mqstat.judge.mqsc import OF_THE_SUBJECT, Template, UnfitError, is_command
from mqstat.judge.sentences import figures_of, filled

__all__ = ["do_of", "is_command", "look_of"]


def look_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The commands that show the object of a finding in breach or silenced, a sentence for one that its values do not allow; empty for other states."""
    return tuple(dict.fromkeys(_texts(row, rules()[row["rule_id"]].commands.look))) if row["figures"] else ()


def do_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What to change about a finding in breach or silenced: commands, each followed by the cost of its sizes, or sentences; empty for other states."""
    return tuple(dict.fromkeys(_texts(row, rules()[row["rule_id"]].commands.do))) if row["figures"] else ()


def _texts(row: Mapping[str, Any], items: tuple[Template | str, ...]) -> Iterator[str]:
    values = {**{name: row[name] for name in OF_THE_SUBJECT}, **figures_of(row)}
    sizes = rules()[row["rule_id"]].commands.sizes
    for item in items:
        if isinstance(item, str):
            yield filled(row, item)
            continue
        named = [sizes[name] for name in sizes if name in item.columns]
        without = [size.otherwise for size in named if values.get(size.name) is None and size.otherwise]
        if without:
            yield from (filled(row, text) for text in without)
            continue
        try:
            yield item.fill(values)
        except UnfitError as error:
            yield f"No command {' '.join(item.text.partition('(')[0].split()[:2])}: {error}."
        else:
            yield from (filled(row, size.cost) for size in named)
