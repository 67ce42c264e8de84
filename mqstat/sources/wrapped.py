"""Rows, sentences and attributes in lines that a console may have wrapped anywhere, with or without spaces at the ends of the lines.

A record is read with all lines that can continue it, in every way in which they can be joined. It is used only if one way fits: a number that may have
been cut is not a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from mqstat.sources.console import Line
from mqstat.sources.display_formats import END_OF_RESPONSE, KEYWORD

MOST_WRAPS = 3
"""Lines that continue one line."""


@dataclass(frozen=True)
class Record:
    """A row or sentence: the groups of its pattern, None if no reading of its lines fits or if several do; its first line, and how many it has."""

    groups: tuple[str | None, ...] | None
    line: Line
    size: int = 1
    is_ambiguous: bool = False


def head_of(lines: Sequence[Line], pattern: re.Pattern[str]) -> tuple[re.Match[str] | None, int]:
    """The first line of a message, which may be wrapped, as the match of a pattern; the number of its lines."""
    for size in range(1, 1 + min(MOST_WRAPS, len(lines))):
        reading = next(filter(None, map(pattern.fullmatch, joined_texts(lines[:size]))), None)
        if reading is not None:
            return reading, size
    return None, 1


def joined_texts(lines: Sequence[Line]) -> Iterator[str]:
    """What wrapped lines can have been: with a space at the end of each line, and without one if the line does not end with a space."""
    glues = [(" ",) if line.columns > len(line.text) else ("", " ") for line in lines[:-1]]
    for chosen in product(*glues):
        yield lines[0].text + "".join(glue + line.text.lstrip() for glue, line in zip(chosen, lines[1:], strict=True))


def record_at(
    lines: Sequence[Line],
    start: int,
    matches: Callable[[str], re.Match[str] | None],
    begins: Callable[[str], bool] = lambda _: False,
) -> Record:
    """The record that begins in a line. Its last word must not continue in a line that does not fit.

    matches: the pattern of a record; begins: whether a line begins another record, also if it does not match.
    """
    first, most = lines[start], 1
    while (
        most <= MOST_WRAPS
        and start + most < len(lines)
        and lines[start + most - 1].may_continue_in(lines[start + most])
    ):
        following = lines[start + most].text
        if begins(following) or (matches(first.text) and (matches(following) or END_OF_RESPONSE.fullmatch(following))):
            break
        most += 1
    for size in range(most, 0, -1):
        readings = {
            reading.groups()
            for reading in map(matches, joined_texts(lines[start : start + size]))
            if reading is not None
        }
        if readings:
            last = lines[start + size - 1].text
            is_cut = size < most and last[-1:].isalnum() and lines[start + size].text.lstrip()[:1].isalnum()
            is_ambiguous = len(readings) > 1 or is_cut
            return Record(None if is_ambiguous else readings.pop(), first, size, is_ambiguous)
    return Record(None, first)


def attributes_at(lines: Sequence[Line], start: int) -> tuple[Line, str, int]:
    """The text that begins in a line, with the lines in which its last value or keyword continues."""
    text, size = lines[start].text, 1
    while (
        size <= MOST_WRAPS
        and start + size < len(lines)
        and lines[start + size - 1].may_continue_in(lines[start + size])
    ):
        _, rest = split_attributes(text)
        if not rest or END_OF_RESPONSE.fullmatch(text):
            break
        last = lines[start + size - 1]
        text += (" " if last.columns > len(last.text) else "") + lines[start + size].text.lstrip()
        size += 1
    return lines[start], text, size


def split_attributes(text: str) -> tuple[list[tuple[str, str]], str]:
    """The attributes of a text as keyword and value, and what is left from the first that is not complete."""
    attributes: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        keyword = KEYWORD.match(text, position)
        if keyword is None:
            break
        end = keyword.end()
        if keyword[2]:
            depth = 1
            while end < len(text) and depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            if depth:
                break
            attributes.append((keyword[1].upper(), text[keyword.end() : end - 1].strip()))
        elif end < len(text) and text[end].isspace():
            attributes.append((keyword[1].upper(), ""))
        else:
            break
        position = end
    return attributes, text[position:].strip()
