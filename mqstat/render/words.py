"""Small texts that several parts of a report share: figures with units, plurals, names of areas."""

from __future__ import annotations

import re

from mqstat.rules.numbers import compared, exact_text

_UNIT_TEXT = {
    "percent": " %",
    "us": " us",
    "s": " s",
    "ratio": "",
    "count": "",
    "number": "",
    "buffers": "",
    "flag": "",
    "us2": " us2",
}
_UNIT_WORDS = {
    "mib": " MiB", "kib": " KiB", "gib": " GiB", "mib_per_s": " MiB/s", "mib_per_h": " MiB/h", "per_s": " per s", "per_min": " per min",
    "per_h": " per h",
}  # fmt: skip
_PLURALS = frozenset({"pages", "blocks", "days", "bytes"})
_AREAS = {
    "smds": "SMDS", "cf": "Coupling facility", "db2": "Db2", "qsg": "Sharing group", "ims": "IMS", "opentelemetry": "OpenTelemetry",
}  # fmt: skip


def figure(value: float | None, unit: str | None) -> str:
    """A figure with its unit, as sentences print it."""
    if value is None:
        return "n/a"
    return figures(value, None, unit)[0]


def figures(value: float | None, limit: float | None, unit: str | None) -> tuple[str, str]:
    """A figure and the limit that it is compared with, both in one unit; no rounding crosses the limit."""
    largest = max((abs(one) for one in (value, limit) if one is not None), default=0)
    if unit == "us" and largest >= 1_000_000:
        value, limit = (None if one is None else one / 1_000_000 for one in (value, limit))
        unit = "s"
    texts = ("n/a" if value is None else compared(value, [limit]), "n/a" if limit is None else exact_text(limit))
    return texts[0] + unit_text(unit, value), texts[1] + unit_text(unit, limit)


def unit_text(unit: str | None, value: float | None = None) -> str:
    """What follows a figure of this unit, with its space; nothing for counts. After a 1 a word loses its plural."""
    text = _UNIT_TEXT.get(unit or "", _UNIT_WORDS.get(unit or "", f" {unit}"))
    return text.removesuffix("s") if value == 1 and unit in _PLURALS else text


def plural(number: int, word: str) -> str:
    """1 interval, 2 intervals."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def short(text: str, width: int = 40) -> str:
    """A list of names cut at a comma."""
    return text if len(text) <= width else text[: width - 4].rsplit(", ", 1)[0] + ", ..."


def area_title(area: str) -> str:
    """The area as a reader calls it."""
    return _AREAS.get(area, area.replace("_", " ").capitalize())


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts names as people do: task 2 before task 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)]
