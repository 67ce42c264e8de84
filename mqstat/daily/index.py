"""index.html: the days and their states, and the findings of 90 days."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TextIO

from mqstat.assemble.status import STATE_OF
from mqstat.base.formatting import plural
from mqstat.daily.index_findings import SHOWN_OPEN, Findings
from mqstat.daily.state import Day, State
from mqstat.judge.states import BROKEN, CLEAR, NOT_COLLECTED, PARTLY, WARNING

LABEL_OF = {0: CLEAR, 4: "warnings", 8: "critical", 12: "input not usable", 16: "a rule failed"}
"""Short label of a return code."""

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

LONGEST_GAP = 62
"""Days without data that are listed one by one."""

OPEN_MONTHS = 2
"""Months that are expanded in the index; older ones are folded."""

HEIGHTS = {"critical": 0, "warning": 4, "info": 9, "clear": 14}
"""Distance of the top of a bar from that of its area, of 16."""


@dataclass(frozen=True)
class Row:
    """One day as the index shows it; a day without data has no files."""

    day: dt.date
    name: str
    state: str
    word: str
    counts: Mapping[str, int]
    finding: str
    qmgrs: str
    files: tuple[tuple[str, str], ...]
    remark: str
    news: str = ""
    ended: int | None = None


def missing(day: Day | None, expected: Sequence[str]) -> list[str]:
    """The expected queue managers without data on a day."""
    pairs = day.qmgrs if day else ()
    have = {name for lpar, qmgr in pairs for name in (qmgr, f"{lpar}.{qmgr}")}
    return [name for name in expected if name.upper() not in have]


def index_rows(
    state: State, today: dt.date, expected: Sequence[str] = (), findings: Findings | None = None
) -> list[Row]:
    """The days from the newest to the oldest, including days without data between them unless there are too many;
    `findings` know what was new on them.
    """
    known = sorted(state.days)
    days = list(known)
    for day, following in pairwise([*known, today] if known else []):
        between = (following - day).days - 1
        if between <= LONGEST_GAP:  # a record with an impossible date must not add thousands of lines
            days += [day + dt.timedelta(days=number) for number in range(1, between + 1)]
    rows = [_row(day, state.days.get(day), today, expected) for day in sorted(days, reverse=True)]
    if findings is None:
        return rows
    return [replace(row, news=findings.news.get(row.day, ""), ended=findings.ended.get(row.day)) for row in rows]


def _row(day: dt.date, entry: Day | None, today: dt.date, expected: Sequence[str]) -> Row:
    name = f"{WEEKDAYS[day.weekday()]} {day}"
    if entry is None:
        return Row(day, name, NOT_COLLECTED, "no data", {}, "", "", (), "no dump with data of this day has arrived")
    absent = missing(entry, expected)
    remarks = ["the day is not complete yet"] if day >= today else []
    remarks += [f"no data of {', '.join(absent)}"] if absent else []
    state, word = state_of(entry)
    return Row(
        day,
        name,
        WARNING if absent and not entry.code else state,
        "incomplete" if absent and not entry.code else word,
        entry.counts,
        entry.findings[0] if entry.findings and (entry.counts.get("critical") or entry.counts.get("warning")) else "",
        plural(len(entry.qmgrs), "queue manager"),
        tuple(entry.files.items()),
        "; ".join(remarks),
    )


def state_of(entry: Day) -> tuple[str, str]:
    """The state of a day and its label: from the return code; without warnings it also shows if hardly any rule was
    judged.
    """
    if not entry.code and entry.state == PARTLY:
        return PARTLY, PARTLY
    return STATE_OF.get(entry.code, BROKEN), LABEL_OF.get(entry.code, f"return code {entry.code}")


def render_index(
    rows: Sequence[Row], today: dt.date, notes: Sequence[str], stream: TextIO, findings: Findings | None = None
) -> None:
    """Write index.html: like the page of a day it fetches nothing, and it is complete without script."""
    from mqstat.render.html import file_text, write_document

    yesterday = today - dt.timedelta(days=1)
    months: dict[str, list[Row]] = {}
    for row in rows:
        months.setdefault(f"{calendar.month_name[row.day.month]} {row.day.year}", []).append(row)
    write_document(
        "index.html", stream, script=file_text("index.js"), own_style=file_text("index.css"),
        newest=next((row for row in rows if row.day <= yesterday), None), months=list(months.items()), open_months=OPEN_MONTHS,
        findings=findings, shown_open=SHOWN_OPEN, heights=HEIGHTS, notes=list(notes), plural=plural,
    )  # fmt: skip
    stream.write("\n")
