"""Commands of mqstat in what it prints: found in text, with the placeholders of documents replaced, to be run as they
are.
"""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from mqstat.cli.app import command

ENDS = frozenset(
    "lists list shows show checks uses evaluates prints explains answers reads read writes judges diagnoses states draws "
    "creates describes keeps counts with and or has of to in from is are does takes over for before also needs"
    " names verifies compares loads ends removes gives finds refuses detects makes made signs on that when without # | > && -->".split()
)
"""Words of a sentence after a command, and what ends one for a shell."""

PLACEHOLDERS = {
    "DUMP": "{dump}", "DUMP...": "{dump}", "YOUR.DUMP": "{dump}", "DIR": "{dataset}", "RULE": "BP002", "ID": "BP002",
    "report NAME": "log/busy", "plan NAME": "restart_time", "explain NAME": "BP002",
    "site FILE": "{site}", "report FILE": "{site}", "check FILE": "{site}", "daily CONFIG": "{config}", "RULE/QMGR": "BP002/MQ01", "N": "1", "DAYS": "7", "RECORD": "1",
}  # fmt: skip
"""What replaces the words in capitals of a command, if need be after the command."""


def commands_of(text: str) -> Iterator[list[str]]:
    """The words of each command of mqstat in a text, without `mqstat`; a sentence that goes on after a command is not
    part of it.

    `mqstat raw` alone is the name of a command in a sentence.
    """
    text = re.sub(r" \\\n\s*", " ", text)
    for match in re.finditer(r"(?<![\w./-])mqstat ((?:(?!mqstat )(?:'[^'\n]*'|\"[^\"\n]*\"|[^\n`\"')]))+)", text):
        words: list[str] = []
        try:
            parts = shlex.split(match[1], posix=True)
        except ValueError:
            continue
        for part in parts:
            word = part.rstrip(";,:") if len(part) > 1 else part
            word = word[:-1] if word.endswith(".") and word != "." else word
            if (words and word in ENDS) or not word:
                break
            words.append(word)
            if word != part:
                break
        if len(words) > 1 and words[0] in command().commands:
            yield words


def commands_of_values(value: Any) -> Iterator[list[str]]:
    """The commands in all texts of a JSON value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from commands_of_values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from commands_of_values(inner)
    elif isinstance(value, str):
        yield from commands_of(value)


def commands_of_page(page: str) -> Iterator[list[str]]:
    """The commands in the elements and in the data of a page."""
    for data in re.findall(r"<script[^>]*type=\"application/json\"[^>]*>(.*?)</script>", page, re.DOTALL):
        yield from commands_of_values(json.loads(data))
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    yield from commands_of(html.unescape(re.sub(r"<[^>]*>", "\n", shown)))


def filled(words: list[str], **paths: object) -> list[str]:
    """The command with its placeholders replaced."""
    return [
        PLACEHOLDERS.get(f"{words[0]} {word}", PLACEHOLDERS.get(word, word)).format(**paths)
        if word.isupper() or "..." in word
        else word
        for word in words
    ]


def about(words: list[str]) -> Iterator[str]:
    """What the output of a command has to name: its rule, queue manager or record."""
    for option, value in pairwise(words):
        if option == "--finding":
            yield value.partition("/")[0]
        elif option == "--qmgr":
            yield value
    if words[0] == "trace":
        yield f"offset {words[2].removeprefix('@')}" if words[2].startswith("@") else f"record {words[2]}"
    if words[0] in ("explain", "plan", "prove") and len(words) > 1:
        yield words[1].partition("/")[0]
