"""Numbers, units, plurals, names of queue managers and untrusted text. All writers of text use only these functions.

JSON, CSV, Parquet and OpenMetrics hold raw numbers and keys instead.
"""

from __future__ import annotations

import math
import re
import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

DIGITS = 3
"""Significant digits of a fraction in a sentence; whole numbers keep all digits."""

WHOLE = 100.0
"""All of something in percent: rounding never crosses it, as it never crosses a limit."""

SMALL = 0.001
"""A smaller share would have more zeros than digits."""

_MOST = 17
"""Significant digits that distinguish any two numbers."""

UNIT_TEXT = {
    "percent": " %", "us": " µs", "us2": " µs²", "ratio": "", "count": "", "number": "", "level": "", "id": "", "text": "", "buffers": "", "flag": "",
    "mib": " MiB", "kib": " KiB", "gib": " GiB", "mib_per_s": " MiB/s", "mib_per_h": " MiB/h", "per_s": " per s", "per_min": " per min",
    "per_h": " per h", "us_per_mib": " µs/MiB",
}  # fmt: skip
"""The suffix of a number, for units whose suffix is not a space and the unit name."""

_PLURALS = frozenset({"pages", "blocks", "days", "bytes"})
_ENDING = re.compile(r"\[([^\[\]|]*)(?:\|([^\[\]|]*))?\]")


# --- untrusted text


def clean(text: str) -> str:
    """Text in which control, direction and invisible characters are `?`: names in records must not steer a terminal or
    forge a line.
    """
    return text if text.isprintable() else "".join(c if _harmless(c) else "?" for c in text)


def escaped(text: str, keep: str = "") -> str:
    r"""Text in which those characters are escapes (`\x1b`), so that the name of a file can still be recognised; `keep`
    are left as they are.
    """
    return text if text.isprintable() else "".join(c if _harmless(c) or c in keep else _escape(c) for c in text)


def on_one_line(text: str) -> str:
    """Escaped text on one line: a newline in a name cannot forge a line of a job log."""
    return escaped(" ".join(part.strip() for part in text.split("\n") if part.strip()))


def _harmless(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


# --- numbers


def number_text(value: float, digits: int = DIGITS) -> str:
    """A number with thousands separators: all digits of a whole number, `digits` significant digits of a fraction."""
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return f"{value:,.0f}" if isinstance(value, float) else f"{value:,}"
    if not math.isfinite(value) or not 1e-6 <= abs(value) < 1e15:
        return f"{value:.{digits}g}"
    text = f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def formatted(value: float, spec: str) -> str:
    """A number in a format of a column or of a sentence (`.1f`), with thousands separators; without a format as
    `number_text`.

    What rounds to zero has no sign: clocks differ by a microsecond, so an idle logger may be busy for less than no
    time.
    """
    if not spec:
        return number_text(value)
    separated = spec if "," in spec else f",{spec}"
    return format(value, separated if isinstance(value, int) or "+" in spec else f"z{separated}")


def in_sentence(value: float, spec: str) -> str:
    """A number in a format of a sentence; one with a fixed number of decimals has no more digits than any other
    fraction.
    """
    text = formatted(value, spec)
    digits = sum(map(str.isdecimal, text.lstrip("-0.,")))
    return compared(value, [WHOLE]) if "." in text and spec.endswith("f") and digits > DIGITS else text


def exact_text(value: float) -> str:
    """A limit with all of its digits."""
    return number_text(value) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def bare_text(value: float) -> str:
    """A number as input for a site file or a command: all digits, no separators."""
    return exact_text(value).replace(",", "")


def value_of(text: str) -> float:
    """Parse a number formatted by this module."""
    return float(text.replace(",", ""))


def compared(value: float, limits: Iterable[float | None], preferred: str = "") -> str:
    """A number that is compared with limits (each printed by `exact_text`), with enough digits to stay on its side of
    each limit.

    `preferred` digits are printed if they suffice.
    """
    known = [limit for limit in limits if limit is not None]
    texts = [preferred] if preferred else []
    texts += [number_text(value, digits) for digits in range(DIGITS, _MOST + 1)]
    right = (text for text in texts if all(_side(value_of(text), limit) == _side(value, limit) for limit in known))
    return next(right, repr(float(value)))


def _side(value: float, limit: float) -> int:
    """Below (-1), at (0) or above (1) a limit."""
    return (value > limit) - (value < limit)


def steady(value: float) -> float:
    """A fraction rounded to 12 digits: the last digits of a sum of fractions may differ between runs."""
    return float(f"{value:.12g}") + 0.0


# --- numbers with units


def figure(value: float | None, unit: str | None) -> str:
    """A number with its unit."""
    return figures(value, None, unit)[0]


_SHOWN_BYTES = ((" TiB", 1024.0**4), (" GiB", 1024.0**3), (" MiB", 1024.0**2), (" KiB", 1024.0), (" bytes", 1.0))
_SHOWN_TIMES = ((" days", 86400.0), (" h", 3600.0), (" min", 60.0), (" s", 1.0), (" ms", 1e-3), (" µs", 1e-6))
_SHOWN = {
    "bytes": (_SHOWN_BYTES, 1.0, ""), "kib": (_SHOWN_BYTES, 1024.0, ""), "mib": (_SHOWN_BYTES, 1024.0**2, ""),
    "gib": (_SHOWN_BYTES, 1024.0**3, ""), "mib_per_s": (_SHOWN_BYTES, 1024.0**2, "/s"), "mib_per_h": (_SHOWN_BYTES, 1024.0**2, "/h"),
    "us": (_SHOWN_TIMES, 1e-6, ""), "ms": (_SHOWN_TIMES, 1e-3, ""), "s": (_SHOWN_TIMES, 1.0, ""),
    "min": (_SHOWN_TIMES, 60.0, ""), "h": (_SHOWN_TIMES, 3600.0, ""), "days": (_SHOWN_TIMES, 86400.0, ""),
}  # fmt: skip
"""For each unit those that may replace it, the largest first, with its own size and what follows the name of each."""

LEAST_SHOWN, LARGE = 0.01, 100_000
"""Amounts between these are shown in their own unit."""


def is_odd(value: float) -> bool:
    """Whether an amount has so few or so many digits that another unit fits better."""
    return value != 0 and not LEAST_SHOWN <= abs(value) < LARGE


def fitted(value: float, unit: str, largest: float | None = None) -> str:
    """An amount with its unit, or one that fits better, for the largest of several that are compared; a share that is
    too small is only bounded.
    """
    if unit == "percent" and 0 < abs(value) < LEAST_SHOWN:
        return f"below {LEAST_SHOWN} %"
    largest = value if largest is None else largest
    if unit not in _SHOWN or not is_odd(largest):
        return f"{number_text(value)}{unit_text(unit, value)}"
    names, own, tail = _SHOWN[unit]
    base = abs(largest) * own
    name, size = next(((name, size) for name, size in names if base >= size), names[-1])
    return f"{number_text(value * own / size)}{name}{tail}"


def figures(value: float | None, limit: float | None, unit: str | None) -> tuple[str, str]:
    """A number and the limit that it is compared with, both in one unit; no rounding crosses the limit.

    A very small share is only bounded. Without a limit the unit is one that fits.
    """
    if value is not None and limit is None and unit in _SHOWN:
        return fitted(value, unit), "n/a"
    largest = max((abs(number) for number in (value, limit) if number is not None), default=0)
    size, unit = compared_unit(largest, unit or "")
    value, limit = (number if number is None or size == 1 else number / size for number in (value, limit))
    whole = WHOLE if unit == "percent" else None
    shown = "n/a" if value is None else compared(value, [limit, whole]) + unit_text(unit, value)
    if value and abs(value) < SMALL and (limit is None or limit >= SMALL):
        shown = f"below {SMALL} %" if unit == "percent" else shown
    return shown, "n/a" if limit is None else exact_text(limit) + unit_text(unit, limit)


def compared_unit(largest: float, unit: str) -> tuple[int, str]:
    """The unit in which amounts up to the largest are compared with their limit, and its size in their own:
    microseconds are seconds from a million on.
    """
    return (1_000_000, "s") if unit == "us" and largest >= 1_000_000 else (1, unit)


def unit_text(unit: str | None, value: float | None = None) -> str:
    """The suffix of a number of this unit, with its space; empty for counts. Singular after a 1."""
    text = UNIT_TEXT.get(unit or "", f" {unit}" if unit else "")
    return text.removesuffix("s") if value == 1 and unit in _PLURALS else text


def with_unit(name: str, unit: str) -> str:
    """The name of a metric that ends in its unit."""
    return f"{name}_{unit}" if unit and not name.endswith("_" + unit) else name


def pasted(name: str) -> str:
    """The name of a file or folder as an argument of a command that a message suggests: quoted for a shell, and never
    taken for an option.
    """
    return shlex.quote(f"./{name}" if name.startswith("-") and name != "-" else name)


def plural(count: int, word: str, several: str = "") -> str:
    """1 interval, 2 intervals; `several` is the plural of an irregular word."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {several or word + 's'}"


def short_offset(minutes: int) -> str:
    """UTC+2, UTC-3:30 and the like."""
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours}{f':{rest:02d}' if rest else ''}" if minutes else "UTC"


def findings_text(counts: Mapping[str, int]) -> str:
    """The number of findings by severity: 1 critical, 10 warnings, 3 info."""
    names = (("broken", "broken rule"), ("critical", "critical"), ("warning", "warning"), ("info", "info"))
    texts = [
        f"{counts[key]:,} {name}" if key in ("critical", "info") else plural(counts[key], name)
        for key, name in names
        if counts.get(key)
    ]
    return ", ".join(texts) or "no findings"


def with_endings(text: str, value: float | None) -> str:
    """A phrase with its endings for a number: `buffer[s]` is buffer after a 1, `[were|was]` is was; the plural after
    any other number or None.
    """
    return _ENDING.sub((lambda match: match[2] or "") if value == 1 else r"\1", text)


# --- names


def qmgr_name(lpar: str | None, qmgr: str | None, with_lpar: bool = True) -> str:
    """A queue manager: `MQ01 on SYS1`; without its LPAR where there is only one. Empty where there is no queue
    manager.
    """
    lpar, qmgr = clean(lpar or ""), clean(qmgr or "")
    return f"{qmgr} on {lpar}" if qmgr and lpar and with_lpar else qmgr


def subject_name(lpar: str | None, qmgr: str | None, subject: str | None, with_lpar: bool = True) -> str:
    """A queue manager and a subject: `MQ01 pool 3`, `MQ01 on SYS1, pool 3`; the subject alone if there is no queue
    manager.
    """
    where, subject = qmgr_name(lpar, qmgr, with_lpar), clean(subject or "")
    gap = ", " if lpar and with_lpar else " "
    return f"{where}{gap}{subject}" if where and subject else where or subject


def short(text: str, width: int = 40) -> str:
    """A list of names cut at a comma."""
    return text if len(text) <= width else text[: width - 4].rsplit(", ", 1)[0] + ", ..."


def listed(names: Sequence[str], most: int) -> str:
    """The first names, and the number of the others."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def toml_key(name: str) -> str:
    """A name as the quoted key of a TOML table."""
    signs = {"\\": "\\\\", '"': '\\"'}
    return '"' + "".join(signs.get(c) or (c if c.isprintable() else f"\\U{ord(c):08X}") for c in name) + '"'


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts names as people do: task 2 before task 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)]
