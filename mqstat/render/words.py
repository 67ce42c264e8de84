"""Small texts that several parts of a report share: figures with units, plurals, names of areas."""

from __future__ import annotations

import re

_UNIT_TEXT = {
    "percent": " %",
    "us": " us",
    "s": " s",
    "ratio": "",
    "count": "",
    "number": "",
    "buffers": "",
    "flag": "",
}
_UNIT_WORDS = {
    "mib": " MiB", "kib": " KiB", "gib": " GiB", "mib_per_s": " MiB/s", "mib_per_h": " MiB/h", "per_s": " per s", "per_min": " per min",
    "per_h": " per h",
}  # fmt: skip
_AREAS = {
    "smds": "SMDS", "cf": "Coupling facility", "db2": "Db2", "qsg": "Sharing group", "ims": "IMS", "opentelemetry": "OpenTelemetry",
}  # fmt: skip


def figure(value: float | None, unit: str | None) -> str:
    """A figure with its unit, as sentences print it."""
    if value is None:
        return "n/a"
    if unit == "us" and abs(value) >= 1_000_000:
        value, unit = value / 1_000_000, "s"
    number = f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"
    return number + unit_text(unit)


def unit_text(unit: str | None) -> str:
    """What stands behind a figure of this unit, with its space; nothing for counts."""
    return _UNIT_TEXT.get(unit or "", _UNIT_WORDS.get(unit or "", f" {unit}"))


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
