"""The functions, aggregates and casts of SQL that views and rules use, in Python: for the second computation of a figure (`mqstat.sql.evaluate`)."""

from __future__ import annotations

import datetime as dt
import functools
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from mqstat.base.errors import MqstatError

EPOCH = dt.datetime(1970, 1, 1)
_US = dt.timedelta(microseconds=1)


def _strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, null if an argument is."""
    return lambda *given: None if any(value is None for value in given) else function(*given)


def _divide(part: Any, whole: Any) -> Any:
    return None if not whole else float(part) / whole


def _round(value: Any, digits: int = 0) -> Any:
    """Rounded half away from zero, as SQL does."""
    if isinstance(value, int) and digits >= 0:
        return value
    scaled = Fraction(abs(value)) * 10**digits
    return math.copysign(float(Fraction(math.floor(scaled + Fraction(1, 2)), 10**digits)), value)


def _add(left: Any, right: Any = 0) -> Any:
    if type(left) is dt.date and isinstance(right, dt.timedelta):
        return dt.datetime.combine(left, dt.time()) + right
    return left + right


def _subtract(left: Any, *right: Any) -> Any:
    return left - right[0] if right else -left


def micros(value: Any) -> int:
    """Microseconds of an interval, or of a time since 1970."""
    return int(((value - EPOCH) if isinstance(value, dt.datetime) else value) // _US)


def _truncate(unit: str, value: dt.datetime) -> Any:
    if unit in ("second", "minute", "hour", "day"):
        zero = {"microsecond": 0, "second": 0, "minute": 0, "hour": 0}
        kept = {"second": 1, "minute": 2, "hour": 3, "day": 4}[unit]
        return value.replace(**dict(list(zero.items())[:kept]))  # type: ignore[arg-type]
    raise UnsupportedError(f"date_trunc to {unit}")


class UnsupportedError(MqstatError):
    """What this second computation does not know, with a reason that completes "recomputed: no: "."""


def _concat(*given: Any) -> str:
    return "".join(text(value) for value in given)


def text(value: Any) -> str:
    """A value as text, as SQL casts it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _item(items: Any, key: Any) -> Any:
    if isinstance(items, Mapping):
        return items.get(key)
    if isinstance(items, list | str) and isinstance(key, int):
        at = key - 1 if key > 0 else key
        return items[at] if key and -len(items) <= at < len(items) else None
    raise UnsupportedError("an entry of this kind of value")


def _like(value: str, pattern: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace("%", ".*").replace("_", "."), value, re.DOTALL) is not None


def _glob(value: str, pattern: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), value, re.DOTALL) is not None


def _replaced(value: str, pattern: str, new: str, options: str = "") -> str:
    return re.sub(pattern, new, value, count=0 if "g" in options else 1)


def _extract(value: str, pattern: str, group: int = 0) -> str:
    match = re.search(pattern, value)
    return (match[group] or "") if match else ""


def _printf(pattern: str, *given: Any) -> str:
    return pattern % given


def _format(pattern: str, *given: Any) -> str:
    return pattern.format(*given)


def _series(first: Any, last: Any, step: Any = 1) -> list[Any]:
    """Numbers or times from the first to the last."""
    out = []
    while first <= last:
        out.append(first)
        first += step
    return out


def _part(value: str, separator: str, number: int) -> str:
    parts = value.split(separator)
    return parts[number - 1] if 0 < number <= len(parts) else ""


def _remainder(value: float, by: float) -> float | None:
    """With the sign of the value; whole numbers stay whole."""
    if not by:
        return None
    return (
        abs(value) % abs(by) * (-1 if value < 0 else 1)
        if isinstance(value, int) and isinstance(by, int)
        else math.fmod(value, by)
    )


def _substr(value: str, start: int, length: int | None = None) -> str:
    return value[start - 1 : None if length is None else start - 1 + length]


_STRICT: Mapping[str, Callable[..., Any]] = {
    "+": _add, "-": _subtract, "*": operator.mul, "/": _divide, "//": lambda a, b: a // b if b else None, "%": _remainder,
    "&": operator.and_, "bit_count": int.bit_count, "log2": math.log2, ">>": operator.rshift, "<<": operator.lshift, "abs": abs, "ceil": math.ceil, "floor": math.floor, "round": _round, "trunc": math.trunc,
    "sqrt": math.sqrt, "power": pow, "log10": math.log10, "ln": math.log, "sign": lambda a: (a > 0) - (a < 0),
    "epoch_us": micros, "epoch": lambda a: micros(a) / 1e6, "date_trunc": _truncate, "hour": lambda a: a.hour, "isodow": lambda a: a.isoweekday(),
    "to_microseconds": lambda a: dt.timedelta(microseconds=a), "to_milliseconds": lambda a: dt.timedelta(milliseconds=a),
    "to_seconds": lambda a: dt.timedelta(seconds=a), "to_minutes": lambda a: dt.timedelta(minutes=a), "to_hours": lambda a: dt.timedelta(hours=a),
    "to_days": lambda a: dt.timedelta(days=a), "len": len, "length": len, "trim": str.strip, "rtrim": lambda a, signs=" ": a.rstrip(signs),
    "upper": str.upper, "lpad": lambda a, width, sign: a.rjust(width, sign)[:width], "strftime": lambda a, pattern: a.strftime(pattern), "replace": str.replace, "starts_with": str.startswith, "contains": lambda a, b: b in a, "split_part": _part, "substr": _substr,
    "chr": chr, "regexp_replace": _replaced, "regexp_extract": _extract, "regexp_matches": lambda a, b: re.search(b, a) is not None,
    "~~": _like, "!~~": lambda a, b: not _like(a, b), "~~~": _glob, "||": lambda a, b: a + b if isinstance(a, list) else _concat(a, b),
    "array_extract": _item, "struct_extract": _item, "list_sort": sorted, "list_distinct": lambda a: list(dict.fromkeys(v for v in a if v is not None)),
    "list_contains": lambda a, b: b in a, "array_to_string": lambda a, b: b.join(text(v) for v in a if v is not None),
    "map_keys": list, "map_entries": lambda a: [{"key": key, "value": value} for key, value in a.items()], "flatten": lambda a: [v for part in a for v in part or ()],
    "range": lambda *a: list(range(*a)), "generate_series": _series, "list_position": lambda a, b: a.index(b) + 1 if b in a else None,
    "printf": _printf, "format": _format, "list_has_any": lambda a, b: not set(a).isdisjoint(b), "list_slice": lambda a, b, e: a[max(b - 1, 0) : e],
}  # fmt: skip


def _present(given: Iterable[Any]) -> list[Any]:
    return [value for value in given if value is not None]


FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        **{name: _strict(function) for name, function in _STRICT.items()},
        "nullif": lambda a, b: None if a is not None and a == b else a,
        "greatest": lambda *a: max(_present(a), default=None), "least": lambda *a: min(_present(a), default=None),
        "list_value": lambda *a: list(a), "row": lambda *a: tuple(a), "concat_ws": lambda a, *b: a.join(text(v) for v in _present(b)),
        "list_max": lambda a: max(_present(a or ()), default=None), "list_min": lambda a: min(_present(a or ()), default=None),
    }
)  # fmt: skip
"""Scalar functions and operators by name."""


def _quantile(values: Sequence[Any], share: float) -> Any:
    """A quantile of sorted values with linear interpolation."""
    at = (len(values) - 1) * share
    low, high = values[math.floor(at)], values[math.ceil(at)]
    return low + (high - low) * (at - math.floor(at)) if low != high else low


def _sortable(value: Any) -> Any:
    """A value that compares as in SQL: a struct by its entries in order, nulls last."""
    if isinstance(value, Mapping):
        return [_sortable(each) for each in value.values()]
    if isinstance(value, list | tuple):
        return [_sortable(each) for each in value]
    return Order(value)


def _total(values: list[Any]) -> Any:
    if isinstance(values[0], dt.timedelta):
        return sum(values, dt.timedelta())
    return math.fsum(values) if any(isinstance(value, float) for value in values) else sum(values)


def _median(values: list[Any]) -> Any:
    middle = _quantile(sorted(values), 0.5)
    return middle if isinstance(middle, dt.datetime | dt.timedelta | str) else float(middle)


AGGREGATES: Mapping[str, Callable[[list[Any]], Any]] = MappingProxyType(
    {
        "sum": _total, "min": lambda a: min(a, key=_sortable), "max": lambda a: max(a, key=_sortable), "avg": lambda a: float(_total(a)) / len(a), "median": _median,
        "bit_or": lambda a: functools.reduce(operator.or_, a), "bool_or": any, "bool_and": all, "any_value": lambda a: a[0],
        "var_pop": lambda a: math.fsum((v - math.fsum(a) / len(a)) ** 2 for v in a) / len(a),
    }
)  # fmt: skip
"""Aggregates of one argument over values that are not null; of no values they are null."""

NAMED_AGGREGATES = frozenset(
    {*AGGREGATES, "count", "count_star", "arg_max", "arg_min", "list", "string_agg", "quantile_cont", "regr_r2", "regr_slope"}
)  # fmt: skip
"""The names of all aggregates of views, also of those that are not computed here."""


def aggregate(name: str, rows: list[tuple[Any, ...]], *, distinct: bool = False) -> Any:
    """An aggregate over rows of its arguments, in the order of the rows; UnsupportedError for one that is not known."""
    if name == "count_star" or (name == "count" and rows and not rows[0]):
        return len(rows)
    if name in ("arg_max", "arg_min"):
        known = [row for row in rows if row[0] is not None and row[1] is not None]
        if not known:
            return None
        return (max if name == "arg_max" else min)(known, key=lambda row: _sortable(row[1]))[0]
    values = [row[0] for row in rows if row[0] is not None or name == "list"]
    if distinct:
        values = list({repr(value): value for value in values}.values())
    if name == "count":
        return len(values)
    if name == "list":
        return values or None
    if name == "string_agg":
        separator = next((row[1] for row in rows if len(row) > 1), ",")
        return separator.join(map(text, values)) if values else None
    if name == "quantile_cont":
        return _quantile(sorted(values), rows[0][1]) if values else None
    if name not in AGGREGATES:
        raise UnsupportedError(f"the aggregate {name}")
    return AGGREGATES[name](values) if values else None


def _integer(value: Any) -> int:
    """A number, or the digits of one, as an integer: rounded, and hexadecimal after 0x."""
    if isinstance(value, str):
        return int(value, 16 if value.lower().startswith("0x") else 10)
    return int(_round(value))


def cast(value: Any, kind: str) -> Any:
    """A value as a type of SQL; UnsupportedError for a type that is not known."""
    if value is None:
        return None
    if kind in ("BIGINT", "INTEGER", "HUGEINT", "SMALLINT", "UBIGINT", "INT"):
        return _integer(value)
    if kind in ("DOUBLE", "FLOAT", "DECIMAL"):
        return float(value)
    if kind in ("VARCHAR", "TEXT"):
        return text(value)
    if kind == "BOOLEAN":
        return bool(value)
    if kind == "DATE":
        return dt.date.fromisoformat(value) if isinstance(value, str) else value.date() if isinstance(value, dt.datetime) else value  # fmt: skip
    if kind == "TIMESTAMP":
        return dt.datetime.fromisoformat(value) if isinstance(value, str) else value
    raise UnsupportedError(f"a cast to {kind}")


COMPARE: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "COMPARE_EQUAL": operator.eq, "COMPARE_NOTEQUAL": operator.ne, "COMPARE_LESSTHAN": operator.lt, "COMPARE_GREATERTHAN": operator.gt,
        "COMPARE_LESSTHANOREQUALTO": operator.le, "COMPARE_GREATERTHANOREQUALTO": operator.ge,
    }
)  # fmt: skip


def compared(kind: str, left: Any, right: Any) -> Any:
    """The result of a comparison; null if a side is, except IS [NOT] DISTINCT FROM."""
    if kind == "COMPARE_NOT_DISTINCT_FROM":
        return left == right
    if kind == "COMPARE_DISTINCT_FROM":
        return left != right
    return None if left is None or right is None else COMPARE[kind](left, right)


@dataclass(frozen=True)
class Order:
    """A value in the order of ORDER BY; nulls last."""

    value: Any
    descending: bool = False

    def __lt__(self, other: Order) -> bool:
        """Whether the value comes before another."""
        if self.value is None or other.value is None:
            return self.value is not None and other.value is None
        return bool(self.value > other.value if self.descending else self.value < other.value)
