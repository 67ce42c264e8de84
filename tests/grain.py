"""Rows of a report by interval compared with the same rows put together: hours, days, first subjects, others, total.

The expected values are computed here from the rows by interval. What unit, kind and name of a column demand is checked
whatever its header states; the stated way is checked too.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import duckdb

from mqstat.assemble.aggregate import combine, has_intervals
from mqstat.base.errors import UsageError
from mqstat.sql.columns import Column
from mqstat.sql.sqlfile import SqlFile
from mqstat.sql.syntax import columns_in
from mqstat.sql.ways import LINEAGE
from mqstat.sql.workspace import Workspace

Row = Mapping[str, Any]
Key = tuple[Any, ...]

VARIANTS: Mapping[str, tuple[str, int | None]] = {
    "by hour": ("hour", None), "by day": ("day", None), "top 1": ("interval", 1), "top 3": ("interval", 3), "by hour, top 3": ("hour", 3),
}  # fmt: skip
"""Step and number of subjects of each variant."""
NEVER_ADDED = frozenset("percent ratio per_s per_min per_h mib_per_s mib_per_h".split())
"""Units whose values have no sum over time."""
MEANS = frozenset(
    "per average mean median usual longest shortest highest lowest largest smallest fullest busiest peak high low".split()
)
"""Words in names of columns whose values have no sum over time."""
SPANS = ("interval_seconds", "interval_us")
"""Lengths of time: added over time, not across subjects."""
INSIDE = frozenset("min max mean first last ratio same".split())
"""Ways whose result is in the range of the values."""
ALL = 10**6
"""More subjects than any report has."""


@dataclass
class Result:
    """Faults of the variants of reports; the variants of columns whose values become empty, with the way; numbers of
    cells and ratios compared.
    """

    faults: list[str] = field(default_factory=list)
    emptied: dict[tuple[str, str], str] = field(default_factory=dict)
    emptied_cells: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    emptied_variants: set[tuple[str, str]] = field(default_factory=set)
    cells: int = 0
    ratios: int = 0


class Data:
    """The rows of the reports of one database, by interval and put together, each read once."""

    def __init__(self, db: Workspace) -> None:
        self.db = db
        self._rows: dict[tuple[str, str, int | None], list[dict[str, Any]]] = {}
        self._types: dict[str, Mapping[str, str]] = {}

    def types(self, unit: SqlFile) -> Mapping[str, str]:
        """The types of the columns of a report."""
        if unit.id not in self._types:
            self.db.keep([unit.needs])
            described = self.db.execute(f"SELECT * FROM ({unit.text}) LIMIT 0").description
            self._types[unit.id] = {column[0]: str(column[1]) for column in described}
        return self._types[unit.id]

    def intervals(self, unit: SqlFile, *, of_subjects: bool = False) -> list[dict[str, Any]]:
        """The rows of a report, with the parts of its ratios whose columns it has; `of_subjects` = without those that
        are sums of others.
        """
        key = (unit.id, "subjects" if of_subjects else "", None)
        if key not in self._rows:
            self.db.keep([unit.needs])
            left_out = f"({unit.header.get('left_out', 'false') if of_subjects else 'false'})"
            self._rows[key] = self.db.rows(f"SELECT *{parts(unit)} FROM ({unit.text}) WHERE {left_out} IS NOT TRUE")
        return self._rows[key]

    def together(self, unit: SqlFile, by: str, top: int | None) -> list[dict[str, Any]]:
        """The rows of a variant of a report; UsageError if it has no such variant."""
        key = (unit.id, by, top)
        if key not in self._rows:
            made = combine(unit, self.types(unit), by, top)
            self._rows[key] = self.db.rows(made.sql)
            shown = [column.name for column in made.columns]
            assert not self._rows[key] or list(self._rows[key][0]) == shown, f"{unit.id}: other columns than described"
        return self._rows[key]

    def numbers(self, unit: SqlFile) -> Iterator[Column]:
        """The columns of a report that are numbers."""
        for name, type_ in self.types(unit).items():
            column = unit.columns[name]
            texts = column.unit in ("id", "text", "texts", "flag") or column.kind in ("key", "code", "flag", "text")
            if not (name in LINEAGE or texts) and type_.startswith(("BIGINT", "INT", "HUGEINT", "DOUBLE", "DECIMAL")):
                yield column

    @cached_property
    def _clocks(self) -> Mapping[Key, list[tuple[dt.datetime, dt.timedelta]]]:
        out: dict[Key, list[tuple[dt.datetime, dt.timedelta]]] = defaultdict(list)
        self.db.keep([["interval_cut"]])
        query = "SELECT DISTINCT lpar, qmgr, interval_start_utc, interval_start_local FROM interval_cut WHERE interval_start_local IS NOT NULL ORDER BY ALL"
        for lpar, qmgr, utc, local in self.db.execute(query).fetchall():
            out[lpar, qmgr].append((utc, local - utc))
        return out

    def period(self, row: Row, by: str) -> dt.datetime | None:
        """The hour (GMT) or the local day of a row."""
        start: dt.datetime | None = row.get("interval_start_utc")
        if by == "interval" or start is None:
            return None
        known = self._clocks.get((row["lpar"], row["qmgr"]), [])
        shift = next((s for at, s in reversed(known) if at <= start), known[0][1] if known else dt.timedelta())
        hour = (start + shift).replace(minute=0, second=0, microsecond=0)
        return hour.replace(hour=0) if by == "day" else hour - shift


def parts(unit: SqlFile) -> str:
    """The parts of the ratios of a report or view, as further columns over its rows: of those whose parts it has."""
    listed = []
    for column in unit.columns.values():
        ratio = column.way.ratio
        if ratio is not None and (columns_in(ratio.numerator) | columns_in(ratio.denominator)) <= set(unit.columns):
            listed += [f', ({ratio.numerator}) AS "{column.name} 0", ({ratio.denominator}) AS "{column.name} 1"']
    return "".join(listed)


def subject_of(unit: SqlFile) -> list[str]:
    """The columns of a report that name its subjects: its grain without the time of a row; of single records, which
    have no such name, all keys.
    """
    grain = dict.fromkeys(unit.header["grain"])
    if grain.keys() & set(LINEAGE):
        grain |= dict.fromkeys(name for name, column in unit.columns.items() if column.kind == "key")
    return [name for name in grain if name not in LINEAGE and not {"interval", "hour", "date"} & set(name.split("_"))]


def compare(data: Data, unit: SqlFile, variant: str, result: Result) -> None:
    """Add what a variant of a report has wrong to a result."""
    by, top = VARIANTS[variant]
    where = f"{unit.id} {variant}"
    if by != "interval" and not has_intervals(unit):
        return
    try:
        made = data.together(unit, by, top)
        every = data.together(unit, by, ALL) if top else made
    except (UsageError, duckdb.Error) as error:
        result.faults.append(f"{where}: {error}")
        return
    subject = subject_of(unit)
    groups: dict[Key, list[Row]] = defaultdict(list)
    for row in data.intervals(unit, of_subjects=top is not None):
        groups[(data.period(row, by), *(row[name] for name in subject))].append(row)
    start = {"hour": "hour_start_utc", "day": "day_start_local"}.get(by, "")

    def key_of(row: Row) -> Key:
        return (row[start] if start else None, *(row[name] for name in subject))

    own = [row for row in made if top is None or row["rank"].isdigit()]
    keys = [key_of(row) for row in own]
    unknown = [key for key in keys if key not in groups]
    if unknown:
        result.faults.append(
            f"{where}: {len(unknown)} rows have a key ({', '.join(subject)}) that no interval has, such as {unknown[0]}"
        )
    if len(set(keys)) < len(keys):
        result.faults.append(f"{where}: {len(keys) - len(set(keys))} rows have the key of another row")
    if top is None and (lost := len(groups.keys() - set(keys))):
        result.faults.append(f"{where}: {lost} keys are lost")
    if by == "interval" and top is not None and len(own) != min(top, len(groups)):
        result.faults.append(f"{where}: {len(own)} of {len(groups)} subjects")
    if unknown or len(set(keys)) < len(keys):
        return
    check = _Check(data, unit, where, result)
    for key, row in zip(keys, own, strict=True):
        check.over_time(row, groups[key])
    if top is None:
        return
    first = {key[1:] for key in keys}
    single = [row for row in every if row["rank"].isdigit()]
    for row in (row for row in made if not row["rank"].isdigit()):
        here = [each for each in single if not start or each[start] == row[start]]
        others = [each for each in here if key_of(each)[1:] not in first]
        if row["rank"] == "total" or by == "interval":
            rows = here if row["rank"] == "total" else others
            check.across(row, rows, [each for one in rows for each in groups[key_of(one)]])


def _close(left: float, right: float, scale: float = 0.0) -> bool:
    return math.isclose(left, right, rel_tol=1e-6, abs_tol=1e-9 + 1e-9 * scale)


@dataclass
class _Check:
    """Compares the cells of rows that were put together; `where` names report and variant."""

    data: Data
    unit: SqlFile
    where: str
    result: Result

    def over_time(self, row: Row, intervals: Sequence[Row]) -> None:
        """A row of one subject, made from its rows by interval."""
        for column in self.data.numbers(self.unit):
            if column.name in row and column.name not in subject_of(self.unit):
                self._cell(column, row, intervals, intervals, column.way.over_time, "")

    def across(self, row: Row, subjects: Sequence[Row], intervals: Sequence[Row]) -> None:
        """A row of several subjects, made from the rows of the single ones, which were made from these rows by
        interval.
        """
        for column in self.data.numbers(self.unit):
            if column.name in row:
                self._cell(column, row, subjects, intervals, column.way.across, f" of {row['rank'].split()[0]}")

    def _cell(self, column: Column, row: Row, rows: Sequence[Row], intervals: Sequence[Row], way: str, of: str) -> None:
        name, value = column.name, row[column.name]
        values = [float(each[name]) for each in rows if each.get(name) is not None]
        self.result.cells += 1
        whole = column.way.ratio.whole if of and column.way.ratio else ()
        if len({tuple(each[part] for part in whole) for each in intervals}) > 1:
            if value is not None:
                self.result.faults.append(f"{self.where}: {name}{of}: {value} is a share of several wholes")
        elif value is None and values:
            self.result.emptied[self.unit.id, name] = way
            self.result.emptied_cells[self.unit.id, name] += 1
            self.result.emptied_variants.add((self.where, name))
        elif value is not None:
            self.result.ratios += way == "ratio" and f"{name} 0" in intervals[0]
            wrong = fault(column, float(value), rows, intervals, way, across=bool(of))
            if wrong:
                self.result.faults.append(f"{self.where}: {name}{of} ({way}): {wrong}")


def fault(
    column: Column, value: float, rows: Sequence[Row], intervals: Sequence[Row], way: str, *, across: bool = False
) -> str:
    """What is wrong with a value that was made from these rows; empty if nothing is. `intervals` are the rows by
    interval, with the parts of ratios.
    """
    name = column.name
    known = [each for each in rows if each.get(name) is not None]
    if not known:
        return f"{value} from rows without values"
    values = [float(each[name]) for each in known]
    low, high, total = min(values), max(values), math.fsum(values)
    slack = 1e-9 + 1e-6 * max(abs(low), abs(high))
    inside, added = low - slack <= value <= high + slack, _close(value, total, max(map(abs, values)))
    if column.unit == "percent" and low >= 0 and high <= 100 < value - 1e-6:
        return f"{value} %, its rows have up to {high} %"
    wanted = demanded(column) if not across else "inside" if name in SPANS else ""
    if across and (
        column.way.whole or (column.way.ratio and column.way.ratio.whole)
    ):  # shares of one whole add up, of several they do not
        if column.way.whole and way == "add":
            added_up = of_wholes(column, rows)
            if added_up is None:
                return f"{value}, rows of one whole differ"
            return "" if _close(value, added_up) else f"{value}, its wholes add up to {added_up}"
        return "" if low - slack <= value <= total + slack else f"{value} is outside {low} to {total}"
    if across and way == "add" and column.way.over_time == "mean":
        return "" if added or is_rate(name, value, known) else f"{value}, its rows add up to {total}"
    if (wanted == "add" or way == "add") and not added:
        return f"{value}, its rows add up to {total}"
    # Where the denominator of a row is 0, the row has no value and the ratio of all is higher: one checkpoint in two
    # intervals.
    higher = way == "ratio" and len(known) < len(rows) and value > low
    if (wanted == "inside" or way in INSIDE) and not (inside or higher):
        return f"{value} is outside {low} to {high}"
    if "min" in (wanted, way) and not _close(value, low):
        return f"{value}, the lowest is {low}"
    if "max" in (wanted, way) and not _close(value, high):
        return f"{value}, the highest is {high}"
    if way in ("first", "last"):
        return at_end(name, value, known, way)
    if (
        way == column.way.over_time == "ratio"
        and f"{name} 0" in intervals[0]
        and not (column.way.ratio and column.way.ratio.whole)
    ):
        return quotient(column, value, intervals)
    return ""


def of_wholes(column: Column, rows: Sequence[Row]) -> float | None:
    """The sum of a figure that all rows of a whole have: each whole counts once. None if rows of a whole have different
    figures.
    """
    found: dict[Key, set[float]] = defaultdict(set)
    for row in rows:
        if row[column.name] is not None:
            found[tuple(row[name] for name in column.way.whole)].add(float(row[column.name]))
    return math.fsum(max(each) for each in found.values()) if all(len(each) == 1 for each in found.values()) else None


def is_rate(name: str, value: float, rows: Sequence[Row]) -> bool:
    """Whether a value is the sum of what all subjects did, divided by the longest of their times."""
    if not all(row.get("interval_seconds") for row in rows):
        return False
    longest = max(float(row["interval_seconds"]) for row in rows)
    return _close(value, math.fsum(float(row[name]) * float(row["interval_seconds"]) for row in rows) / longest)


def at_end(name: str, value: float, rows: Sequence[Row], way: str) -> str:
    """Whether a value is that of the first or last row by time."""
    if not all(row.get("interval_start_utc") for row in rows):
        return ""
    moment = (min if way == "first" else max)(row["interval_start_utc"] for row in rows)
    ends = [float(row[name]) for row in rows if row["interval_start_utc"] == moment]
    return "" if any(_close(value, end) for end in ends) else f"{value}, the {way} is {ends[0]}"


def quotient(column: Column, value: float, intervals: Sequence[Row]) -> str:
    """Whether a ratio is that of its parts, added over the rows that have both."""
    ratio = column.way.ratio
    assert ratio is not None
    above, below = f"{column.name} 0", f"{column.name} 1"
    rows = [row for row in intervals if row[above] is not None and row[below] is not None]
    divisor = math.fsum(float(row[below]) for row in rows)
    if not divisor:
        return f"{value} of a denominator of 0"
    wanted = ratio.scale * math.fsum(float(row[above]) for row in rows) / divisor
    return "" if math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9) else f"{value}, its parts give {wanted}"


def demanded(column: Column) -> str:
    """What unit, kind and name of a column demand over time: add, inside, min, max; empty if they leave it open."""
    if column.kind in ("low", "high"):
        return {"low": "min", "high": "max"}[column.kind]
    if column.unit in NEVER_ADDED or column.kind in ("gauge", "setting") or MEANS & set(column.name.split("_")):
        return "inside"
    return "add" if column.kind in ("counter", "duration") else ""
