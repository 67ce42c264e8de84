"""The ways to put rows of a column together, as headers state them; `mqstat.sql.aggregation` has what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mqstat.base.errors import SqlFileError

LINEAGE = ("record_id", "source_id", "section")
"""Keys of single records: aggregated rows do not have them."""

OVER_TIME = frozenset("add first last min max mean ratio same none".split())
ACROSS = frozenset("add min max mean ratio same none".split())

NOT_NUMERIC = frozenset("text texts flag id ts_utc ts_local date".split())
"""Units of values that are not numbers: they are kept if all rows have the same."""


@dataclass(frozen=True)
class Ratio:
    """A column that is `scale` times its numerator divided by its denominator, both expressions over columns of the
    same row.

    If the denominator is a whole of which rows are shares, `whole` has the columns that name the whole: rows that agree
    in them and in the interval have the same denominator, which counts once.
    """

    numerator: str
    denominator: str
    scale: float = 1
    whole: tuple[str, ...] = ()


@dataclass(frozen=True)
class Way:
    """How the rows of a column are put together; "" = not stated. `why` is the reason of an override in a report, or of
    `none`.

    If the value is that of a larger whole, such as the queue in a row of one of its applications, `whole` has the
    columns that name the whole: of the rows that agree in them one counts across subjects.
    """

    over_time: str = ""
    across: str = ""
    ratio: Ratio | None = None
    why: str = ""
    whole: tuple[str, ...] = ()

    def in_words(self) -> str:
        """The result of several rows, for readers: `last value over time; across subjects the sum`."""
        words = dict(_WORDS)
        if self.ratio:
            times = f"{self.ratio.scale:.15g} * " if self.ratio.scale != 1 else ""
            words["ratio"] = f"{times}sum of {self.ratio.numerator} / sum of {self.ratio.denominator}"
        once = f", each {', '.join(self.whole)} once" if self.whole else ""
        if self.over_time == self.across:
            return f"{words[self.across]}{once}"
        return f"{words[self.over_time]} over time; {words[self.across]} across subjects{once}"


_WORDS = {
    "add": "sum", "first": "first value", "last": "last value", "min": "lowest value", "max": "highest value", "mean": "mean by seconds",
    "same": "the value that all rows have", "none": "no value",
}  # fmt: skip

UNSTATED = Way()

_BY_KIND = {
    "counter": Way("add", "add"),
    "duration": Way("add", "add"),
    "low": Way("min", "min"),
    "high": Way("max", "max"),
    "gauge": Way("last", "add"),
    "setting": Way("last", "same"),
}
_SAME = Way("same", "same")
_SAME_KINDS = frozenset("text flag code key clock internal".split())


def default_way(kind: str, unit: str) -> Way:
    """The way that follows from IBM's kind of a column; `UNSTATED` for a computed number. Of the unit it only counts
    whether the value is a number.
    """
    if unit in NOT_NUMERIC or kind in _SAME_KINDS:
        return _SAME
    return _BY_KIND.get(kind, UNSTATED)


def stated_way(stated: Mapping[str, Any], inherited: Way, where: str) -> Way:
    """The way that a header states (`over` for both, or `over_time`, `across`, `ratio`, `why`), completed by what the
    column inherits.
    """
    ratio = _ratio(stated["ratio"], where) if "ratio" in stated else None
    both = stated.get("over", "ratio" if ratio else "")
    over_time = stated.get("over_time", both or inherited.over_time)
    across = stated.get("across", both or inherited.across)
    if "ratio" in (over_time, across) and ratio is None:
        ratio = inherited.ratio
    if ratio is not None and "ratio" not in (over_time, across):
        ratio = None
    for key, value, known in (("over_time", over_time, OVER_TIME), ("across", across, ACROSS)):
        if value and value not in known:
            raise SqlFileError(f"{where}.{key} {value!r} is not a way to put rows together.")
    if "ratio" in (over_time, across) and ratio is None:
        raise SqlFileError(f"{where}.ratio is missing.")
    return Way(over_time, across, ratio, stated.get("why", inherited.why), tuple(stated.get("whole", inherited.whole)))


def _ratio(stated: Mapping[str, Any], where: str) -> Ratio:
    keys = {"numerator": str, "denominator": str, "scale": (int, float), "whole": list}
    for key, value in stated.items():
        if key not in keys or not isinstance(value, keys[key]):  # type: ignore[arg-type]
            raise SqlFileError(f"{where}.ratio.{key} is unknown or of the wrong type.")
    if not {"numerator", "denominator"} <= set(stated):
        raise SqlFileError(f"{where}.ratio must have a numerator and a denominator.")
    return Ratio(
        stated["numerator"], stated["denominator"], float(stated.get("scale", 1)), tuple(stated.get("whole", ()))
    )
