"""Numbers in sentences: short, and never rounded across the limit that they are compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable

DIGITS = 4
"""Significant digits of a fraction in a sentence; whole numbers keep all of theirs."""

_MOST = 17
"""Significant digits that distinguish any two numbers."""


def number_text(value: float, digits: int = DIGITS) -> str:
    """A number as sentences print it: thousands separated, a fraction with this many significant digits."""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}"
    if not math.isfinite(value) or not 1e-6 <= abs(value) < 1e15:
        return f"{value:.{digits}g}"
    text = f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact_text(value: float) -> str:
    """A limit with all of its digits."""
    return number_text(value) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def value_of(text: str) -> float:
    """The number that a text of this module shows."""
    return float(text.replace(",", ""))


def side(value: float, limit: float) -> int:
    """Below (-1), at (0) or above (1) a limit."""
    return (value > limit) - (value < limit)


def compared(value: float, limits: Iterable[float | None], preferred: str = "") -> str:
    """A number that is compared with limits (each printed by `exact_text`), with the digits it takes to stay on its side of each.

    `preferred` is printed where it is enough.
    """
    known = [limit for limit in limits if limit is not None]
    texts = [preferred] if preferred else []
    texts += [number_text(value, digits) for digits in range(DIGITS, _MOST + 1)]
    right = (one for one in texts if all(side(value_of(one), limit) == side(value, limit) for limit in known))
    return next(right, repr(float(value)))


def steady(value: float) -> float:
    """A fraction in 12 digits: sums of fractions may differ in the last of their digits from run to run, which no reader should see."""
    return float(f"{value:.12g}") + 0.0
