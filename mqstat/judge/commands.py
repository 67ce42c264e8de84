"""The commands of a finding: those that show its object, and what to change, with the values of its worst row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mqstat.judge.model import rules
from mqstat.judge.mqsc import OF_THE_SUBJECT, SINCE, Template, UnfitError, is_command, placeholders
from mqstat.judge.sentences import figures_of, filled

__all__ = ["do_of", "is_command", "look_of"]


def look_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The commands that show the object of a finding in breach or silenced, a sentence for one that its values do not
    allow; empty for other states.
    """
    return _texts(row, rules()[row["rule_id"]].commands.look) if row["figures"] else ()


def do_of(row: Mapping[str, Any], planned: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What to change about a finding in breach or silenced: commands, each followed by what it costs, or sentences;
    empty for other states.

    `planned` = what a plan answers, in place of the commands of the rule. There is nothing to do if a setting changed
    and nothing was in breach since; a sentence states why nothing is advised.
    """
    if not row["figures"]:
        return ()
    values = figures_of(row)
    if "setting_settled" in values:
        return ()
    if "setting_instead" in values:
        return (values["setting_instead"],)
    since = {name.removeprefix(SINCE): value for name, value in values.items() if name.startswith(SINCE)}
    own = planned or _texts({**row, "figures": json.dumps({**values, **since})}, rules()[row["rule_id"]].commands.do)
    about = (values[name] for name in ("setting_changed", "setting_condition") if name in values)
    if not own or not (planned or any(map(is_command, own)) or not _has_command(row)):
        return own  # a sentence replaces the command
    return tuple(dict.fromkeys((*own, *about)))


def _has_command(row: Mapping[str, Any]) -> bool:
    """Whether the rule has a command. If a finding lacks one, a sentence states why."""
    return any(isinstance(item, Template) for item in rules()[row["rule_id"]].commands.do)


def _texts(row: Mapping[str, Any], items: tuple[Template | str, ...]) -> tuple[str, ...]:
    """The items with their values; a sentence after a command is about it, and is left out with it."""
    texts: list[str] = []
    shown = True
    for item in items:
        if isinstance(item, Template):
            written = list(_command(row, item))
            shown = bool(written) and is_command(written[0])
            texts += written
        elif shown:
            texts.append(filled(row, item))
    return tuple(dict.fromkeys(texts))


def _command(row: Mapping[str, Any], item: Template) -> Iterator[str]:
    """A command and the cost of its sizes, or why there is none."""
    values = {**{name: row[name] for name in OF_THE_SUBJECT}, **figures_of(row)}
    sizes = [size for size in rules()[row["rule_id"]].commands.sizes.values() if size.name in item.columns]
    for size in sizes:
        is_left_out = size.name in item.optional and values.get(size.decided)
        if size.otherwise is not None and values.get(size.name) is None and not is_left_out:
            text = size.otherwise if values.get(size.decided) is False else size.unknown
            if text and all(values.get(name) is not None for name in placeholders(text)):
                yield filled(row, text)
            return
    try:
        yield item.fill(values)
    except UnfitError as error:
        yield f"No command {item.title}: {error}."
    else:
        yield from (filled(row, size.cost) for size in sizes if values.get(size.name) is not None)
