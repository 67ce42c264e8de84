"""Amounts with units, as a user writes them, in the units of parameters: 4GiB, 30min, 450MB/s.

MB (1,000,000 bytes) and MiB (1,048,576 bytes) are different units, and KB is refused, because documents use it for both
1,000 and 1,024 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from mqstat.base.errors import UsageError
from mqstat.base.formats import choice

_BYTES = {"B": 1.0} | {
    name: float(base**power)
    for power, prefix in enumerate("kMGT", 1)
    for base, name in ((1000, f"{prefix}B"), (1024, f"{prefix.upper()}iB"))
}
_SECONDS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_PLAIN = {"": 1.0}


def _in(scale: Mapping[str, float], unit: float) -> dict[str, float]:
    return {name: size / unit for name, size in scale.items()}


def _rate(amounts: Mapping[str, float], of: float, seconds: float) -> dict[str, float]:
    return {
        f"{amount}/{time}": size / of * seconds / _SECONDS[time]
        for amount, size in amounts.items()
        for time in ("s", "min", "h", "d")
    }


SCALES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "bytes": _in(_BYTES, 1), "kib": _in(_BYTES, 1024), "mib": _in(_BYTES, 1024**2), "gib": _in(_BYTES, 1024**3),
        "us": _in(_SECONDS, 1e-6), "ms": _in(_SECONDS, 1e-3), "s": _in(_SECONDS, 1), "min": _in(_SECONDS, 60), "h": _in(_SECONDS, 3600),
        "days": _in(_SECONDS, 86400), "mib_per_s": _rate(_BYTES, 1024**2, 1), "mib_per_h": _rate(_BYTES, 1024**2, 3600),
        "per_s": _rate(_PLAIN, 1, 1), "per_h": _rate(_PLAIN, 1, 3600), "per_day": _rate(_PLAIN, 1, 86400), "percent": {"%": 1.0, "": 1.0},
        **dict.fromkeys(("count", "number", "ratio", "level"), _PLAIN), "pages": {"": 1.0, "pages": 1.0}, "buffers": {"": 1.0, "buffers": 1.0},
        "us_per_mib": {"us/MiB": 1.0, "µs/MiB": 1.0},
    }
)  # fmt: skip
"""The units of a value that a user may write for a parameter of each unit, and how much of it each is."""

KNOWN = frozenset(SCALES)

LEAST, MOST = 1e-12, 1e18
"""The bounds of an amount, so that no step is infinite."""

_AMOUNT = re.compile(
    r"([+-]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9][0-9_]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9.,].*)?\Z"
)


def amount(text: str, unit: str, what: str) -> float:
    """A number with its unit in the unit of the parameter `what`; UsageError if the unit is missing, wrong or
    ambiguous.
    """
    match = _AMOUNT.match(text.strip())
    if match is None:
        decimal = "; decimals have a point" if "," in text else ""
        raise UsageError(f"--set {what}={text}: this is not a number{_example(unit)}{decimal}.")
    given, scale = (match[2] or "").strip(), SCALES[unit]
    if given in scale:
        value = float(re.sub("[,_]", "", match[1])) * scale[given]
        if value and not LEAST <= abs(value) <= MOST:
            raise UsageError(f"--set {what}={text}: this is too {'large' if abs(value) > MOST else 'small'}.")
        return value
    if not given:
        raise UsageError(f"--set {what}={text}: the unit is missing{_example(unit)}.")
    if given.partition("/")[0] == "KB":
        raise UsageError(
            f"--set {what}={text}: KB may be 1,000 or 1,024 bytes; write {given.replace('KB', 'kB')} or {given.replace('KB', 'KiB')}."
        )
    raise UsageError(f"--set {what}={text}: {given} is not a unit of {what}{_example(unit)}.")


def _example(unit: str) -> str:
    names = list(SCALES[unit])
    if names == [""]:
        return "; it has no unit"
    shown = [f"{'' if name == '%' else ' '}{name}".strip() or "none" for name in names]
    return f"; its units are {choice(shown)}" if len(shown) > 1 else f"; its unit is {shown[0]}"
