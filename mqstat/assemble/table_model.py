"""The report model: local times, and tables whose rows a writer reads when it needs them."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any

import pyarrow as pa

from mqstat.base.formatting import short_offset
from mqstat.sql import sqlfile
from mqstat.sql.columns import Column as Column  # noqa: PLC0414 - part of the model: writers know no other
from mqstat.sql.workspace import Workspace


@dataclass(frozen=True)
class LocalTimes:
    """Converts GMT to the local time of a queue manager, with the offset in force at that moment."""

    changes: Mapping[tuple[str | None, str | None], tuple[tuple[datetime, int], ...]]
    one_day: bool = False

    def local(self, lpar: str | None, qmgr: str | None, utc: datetime | None) -> datetime | None:
        """Local time; None if the moment or the offset is not known. For several queue managers (an LPAR or name of
        None) only if all have the same.
        """
        if utc is None:
            return None
        moments = {
            utc + timedelta(minutes=known[max(0, bisect.bisect_right(known, (utc, 10**6)) - 1)][1])
            for known in self._of(lpar, qmgr)
            if known
        }
        return moments.pop() if len(moments) == 1 else None

    def _of(self, lpar: str | None, qmgr: str | None) -> list[tuple[tuple[datetime, int], ...]]:
        """The changes of the queue managers with this LPAR and name; None = any. Of one without records, such as an
        expected member, those of all others.
        """
        if (lpar, qmgr) in self.changes:
            return [self.changes[lpar, qmgr]]
        named = [
            known for owner, known in self.changes.items() if lpar in (None, owner[0]) and qmgr in (None, owner[1])
        ]
        return named if named or lpar is not None else [*self.changes.values()]

    @cached_property
    def usual(self) -> tuple[str | None, str | None]:
        """The first queue manager with the local time that most have."""
        offsets = {owner: known[0][1] for owner, known in self.changes.items() if known}
        most = Counter(offsets.values()).most_common(1)
        return next((owner for owner, minutes in offsets.items() if minutes == most[0][0]), (None, None))

    def several_zones(self, moments: Iterable[datetime]) -> bool:
        """Whether queue managers have different local times at one of these moments (GMT)."""
        if len({offset for known in self.changes.values() for _, offset in known}) <= 1 and all(self.changes.values()):
            return False
        return any(len({self.local(*owner, utc) for owner in self.changes}) > 1 for utc in moments)

    def zone(self, lpar: str | None, qmgr: str | None, utc: datetime | None) -> str:
        """The offset as a label with a leading blank, such as " (UTC+2)", on a local day on which clocks change;
        otherwise empty.
        """
        local = self.local(lpar, qmgr, utc)
        if local is None or utc is None:
            return ""
        around = [change for known in self._of(lpar, qmgr) for change in pairwise(known)]
        changed = any(
            local.date() in ((at + timedelta(minutes=before)).date(), (at + timedelta(minutes=after)).date())
            for (_, before), (at, after) in around
        )
        return _offset(local, utc) if changed else ""

    def text(self, lpar: str | None, qmgr: str | None, utc: datetime | None) -> str:
        """Local time for a sentence: only the time of day if all data is from one day, with its offset if most queue
        managers have another; marked Z if only GMT is known.
        """
        if utc is None:
            return ""
        local = self.local(lpar, qmgr, utc)
        shown = (local or utc).strftime("%H:%M" if self.one_day else "%Y-%m-%d %H:%M")
        if local is None:
            return shown + "Z"
        return shown + (_offset(local, utc) if local != self.local(*self.usual, utc) else self.zone(lpar, qmgr, utc))


def _offset(local: datetime, utc: datetime) -> str:
    """The offset of a local time as a label, such as " (UTC+2)"."""
    return f" ({short_offset(round((local - utc).total_seconds() / 60))})"


@dataclass(frozen=True)
class Table:
    """A report: its columns, the rows for a screen, the number of rows, and access to all of them."""

    report_id: str
    title: str
    question: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    marked: tuple[bool, ...]
    total: int
    database: Workspace
    sql: str
    waits: bool = False
    """Whether the views of its SQL are only computed when the rows are read."""
    kind: str = "report"
    """What it is: a report, or a view as a whole."""

    def is_marked(self, row: Sequence[Any]) -> bool:
        """Whether a row of the report breaks the limit of a rule."""
        indexes = [number for number, column in enumerate(self.columns) if column.name == "in_breach"]
        return bool(indexes and row[indexes[0]])

    def on_screen(self, hidden: Collection[str]) -> list[int]:
        """The numbers of the columns that a screen may show; `hidden` have the same value everywhere."""
        return [
            number
            for number, column in enumerate(self.columns)
            if column.screen is not None and column.name not in hidden
        ]

    def left_out(self, chosen: Collection[int], hidden: Collection[str]) -> int:
        """How many columns are neither chosen nor hidden."""
        return sum(number not in chosen and column.name not in hidden for number, column in enumerate(self.columns))

    def batches(self, size: int = 2000) -> Iterator[list[tuple[Any, ...]]]:
        """All rows in order, in batches."""
        # the same connection, because only it has the views that were computed once
        cursor = self._prepared().execute(self.sql)
        while batch := cursor.fetchmany(size):
            yield batch

    def reader(self, size: int) -> pa.RecordBatchReader:
        """All rows in order, as Arrow batches."""
        return self._prepared().reader(self.sql, size)

    def _prepared(self) -> Workspace:
        if self.waits:
            report = sqlfile.reports().get(self.report_id)
            self.database.keep([report.needs if report else self.sql])
        return self.database
