"""The one report model: what a report says, without how it looks. Every writer renders this and computes nothing."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mqstat.database import Database
from mqstat.sqlfile import Column


@dataclass(frozen=True)
class LocalTimes:
    """Turns GMT into the local time of a queue manager, with the offset that held at that moment."""

    changes: Mapping[tuple[str | None, str | None], tuple[tuple[datetime, int], ...]]
    one_day: bool = False

    def local(self, lpar: str | None, qmgr: str | None, utc: datetime | None) -> datetime | None:
        """Local time, or None when the moment or the offset is not known."""
        known = self.changes.get((lpar, qmgr))
        if utc is None or not known:
            return None
        place = max(0, bisect.bisect_right(known, (utc, 10**6)) - 1)
        return utc + timedelta(minutes=known[place][1])

    def text(self, lpar: str | None, qmgr: str | None, utc: datetime | None) -> str:
        """Local time for a sentence: the time of day alone when all data is of one day, marked Z when only GMT is known."""
        if utc is None:
            return ""
        local = self.local(lpar, qmgr, utc)
        shown = (local or utc).strftime("%H:%M" if self.one_day else "%Y-%m-%d %H:%M")
        return shown if local else shown + "Z"


@dataclass(frozen=True)
class Verdict:
    """One line per area: its state, and the deciding figure or what is missing, as a sentence (`text`) and in parts."""

    area: str
    state: str
    text: str
    measure: str = ""
    value: str = ""
    limit: str = ""
    where: str = ""
    when: str = ""
    share: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Finding:
    """A breach or a broken rule as a reader needs it; `short` is its one line below others of the rule, `row` its row of view finding.

    `depth` is 0 for a finding of its own, more for one that the finding above it explains; `summary` its advice without the remedy.
    """

    severity: str
    rule_id: str
    place: str
    title: str
    advice: str
    facts: str
    short: str
    row: Mapping[str, Any]
    depth: int = 0
    summary: str = ""


@dataclass(frozen=True)
class Table:
    """A report: its columns, the rows for a screen, how many there are, and a way to all of them."""

    report_id: str
    title: str
    question: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    marked: tuple[bool, ...]
    total: int
    database: Database
    sql: str

    def batches(self, size: int = 2000) -> Iterator[list[tuple[Any, ...]]]:
        """All rows in order, some at a time."""
        cursor = self.database.execute(self.sql)  # the same connection: views that were computed once are its own
        while batch := cursor.fetchmany(size):
            yield batch


@dataclass(frozen=True)
class Report:
    """A whole report. `only_tables` = the user asked for named reports, the sentences around them are left out."""

    title: str
    head: tuple[tuple[str, str], ...]
    coverage: tuple[tuple[str, str], ...]
    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    tables: tuple[Table, ...]
    all_findings: Table
    foot: tuple[tuple[str, str], ...]
    times: LocalTimes
    return_code: int
    only_tables: bool = False
    hidden: frozenset[str] = field(default_factory=frozenset)
