"""The sentences of findings: figures filled in, and the fixed beginnings that say why a rule could not be judged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from mqstat.errors import RuleError

NEEDS_SITE = "Needs site input: "
"""How the advice of a rule begins that waits for facts of the site file; their names follow, with commas between."""

NOT_COLLECTED = "Not collected: "
"""How the advice of a rule begins whose records are not in the data."""

NOT_IN_RELEASE = "Not in this release: "
"""How the advice of a rule begins whose data a later release writes first."""

_COLLECT = "; collect them with "

_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def clean(text: str) -> str:
    """Text without control, direction and invisible characters: names in records are not ours and must not steer a terminal."""
    return _CONTROL.sub("?", text)


def not_collected(what: str, command: str | None) -> str:
    """The advice of a rule whose records are not there, with the command that collects them where it is known."""
    return f"{NOT_COLLECTED}{what}" + (f"{_COLLECT}{command}." if command else ".")


def command_of(advice: str) -> str:
    """The command that collects what an advice misses, empty when it names none."""
    return advice.partition(_COLLECT)[2].removesuffix(".") if advice.startswith(NOT_COLLECTED) else ""


def facts_of(advice: str) -> tuple[str, ...]:
    """The facts of the site file that an advice waits for, by the names that the site file gives them."""
    if not advice.startswith(NEEDS_SITE):
        return ()
    return tuple(advice.removeprefix(NEEDS_SITE).removesuffix(".").split(", "))


def why_blind(advice: str) -> str:
    """What is missing, without the state before it, to stand within a sentence."""
    text = advice.removeprefix(NOT_COLLECTED).removeprefix(NOT_IN_RELEASE).rstrip(".")
    return text[0].lower() + text[1:] if text else text


class _Filler(Formatter):
    """Fills a sentence from a row; a missing value reads n/a whatever its format."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        if field_name not in kwargs:
            raise RuleError(
                f"the advice names {{{field_name}}}, which is neither a column of the result nor a threshold"
            )
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return "n/a"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float) and not format_spec:
            return f"{value:.6g}"
        if isinstance(value, (int, float)):
            return format(value, format_spec)
        return clean(str(value))


def fill(text: str, values: Mapping[str, Any]) -> str:
    """The sentence with its placeholders filled; raises RuleError when one is unknown."""
    return _Filler().vformat(text, (), dict(values))
