"""The texts of all scenarios, line by line: rounded numbers, units that fit, plurals, glued words, lines wider than the
terminal.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

import pytest

from mqstat.base.formatting import DIGITS, SMALL
from tests.estates import in_tiers, judged_together
from tests.outputs import Outputs
from tests.test_plurals import plurals_in

NUMBER = re.compile(
    r"(?<![\w.,:/@$~-])(?!11[56]\.\d)(\d[\d,]*\.\d+)(?![\w.:]|-\d)(?: (%|µs|ms|s|KiB|MiB|GiB)(?![\w/]))?"
)
"""A fraction with its unit; not a record class, a release or a time."""

LARGE = re.compile(r"(?<![\w.,])(\d[\d,]*)(?:\.\d+)? (µs|ms|KiB|MiB)(?![\w/])")

TOO_LARGE = {"µs": 10_000_000, "ms": 1_000_000, "KiB": 10_000_000, "MiB": 10_000_000}
"""From here on a larger unit is printed; a sentence about a limit keeps the unit in which the site file states it."""

GLUED = re.compile(
    r"[a-z][A-Z]{2}\d{3}\b|\b(?:judged|collected|clear|idle|broken|critical|warning|info|off|breach)[A-Z]\w*"
)
"""A rule or a name without a blank before it."""

WIDEST_LABEL = 24
"""Columns before the text of a line; a word that is longer than the rest of a line cannot be wrapped."""


def in_sentence(line: str) -> bool:
    """Whether a line is outside tables, whose columns have a format of their own."""
    return not re.search(r"\S {2,}\S.*\S {2,}\S", line) and not line.startswith("|")


def odd_numbers(line: str, following: str = "") -> Iterator[str]:
    """Numbers of a sentence with too many digits, or in a unit that does not fit."""
    for match in NUMBER.finditer(line):
        digits = len(match[1].replace(",", "").replace(".", "").lstrip("0"))
        context = f"{line} {following.strip()}"
        is_compared = re.search(r"[<>=]|limit|compared", context[max(0, match.start() - 60) : match.end() + 60])
        if digits > DIGITS and not is_compared:
            yield f"{digits} digits: {match[0]}"
        if match[2] and 0 < float(match[1].replace(",", "")) < SMALL:
            yield f"a smaller unit: {match[0]}"
    for match in LARGE.finditer(line):
        if float(match[1].replace(",", "")) >= TOO_LARGE[match[2]]:
            yield f"a larger unit: {match[0]}"


def faults(text: str, width: int = 0) -> Iterator[str]:
    """What is wrong with a text of lines of at most `width` columns (0: of any width)."""
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        for fault in odd_numbers(line, following) if in_sentence(line) else ():
            yield f"{fault} in: {line.strip()}"
        for glued in GLUED.finditer(line):
            yield f"no blank: {glued[0]} in: {line.strip()}"
        longest = max(map(len, line.split()), default=0)
        if width and len(line) > width and longest <= width - WIDEST_LABEL:
            yield f"{len(line)} of {width} columns: {line}"
    yield from (f"plural: {place}" for place in plurals_in(text))


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("took 12.345678 ms", 0, "8 digits"), ("0.000008333 % of the bytes", 0, "a smaller unit"), ("took 25,000,000 µs", 0, "a larger unit"),
        ("1 intervals", 0, "plural"), ("active, not judgedQU003", 0, "no blank"), ("a " * 50, 80, "99 of 80"),
    ],
)  # fmt: skip
def test_the_lint_finds(text: str, width: int, expected: str) -> None:
    assert [fault for fault in faults(text.rstrip(), width) if fault.startswith(expected)], list(faults(text, width))


@pytest.mark.parametrize(
    "text", ["MQ 9.3.1, class 115.215", "14.9999 % (< 15 %)", "12:30.5", "1.25 µs of 200 MiB", "1 interval"]
)
def test_the_lint_accepts(text: str) -> None:
    assert list(faults(text)) == []


def sentences_of(page: str) -> list[str]:
    """The texts between the tags of a page, without tables, charts and what can be copied."""
    shown = re.sub(r"(?s)<(script|style|svg|pre|table)\b.*?</\1>", "", page)
    return [html.unescape(text) for text in re.split(r"<[^>]*>", shown) if text.strip()]


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_the_texts_of_a_scenario(name: str, outputs: Outputs, record_property: Callable[[str, object], None]) -> None:
    output = outputs.scenario(name)
    texts = [(text, width) for width, text in output.screens]
    texts += [(text, 0) for text in (output.markdown, *sentences_of(output.page))]
    wrong = {fault: None for text, width in texts for fault in faults(text, width)}
    assert list(wrong) == []
    for what, pattern in (("lines", "\n"), ("numbers", r"\d[\d,.]*")):
        record_property(f"{what} of texts in the lint", sum(len(re.findall(pattern, text)) for text, _ in texts))
