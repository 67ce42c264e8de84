"""Tables of a report as lines of text: the columns that fit, and the cells as a screen shows them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from mqstat.assemble.model import Report
from mqstat.assemble.table_model import Column, LocalTimes, Table
from mqstat.base.formatting import clean, plural
from mqstat.render.card_text import Line, hanging
from mqstat.render.values import cell_number


def section(title: str) -> Iterator[Line]:
    """An empty line, and a heading."""
    yield []
    if title:
        yield [(title, "bold")]


def table_lines(table: Table, report: Report, width: int) -> Iterator[Line]:
    """A table with as many of its columns as fit; those with the highest number in `screen` are left out first."""
    yield from section("")
    yield [(f"{table.report_id}  ", "bold"), (table.title, "bold")]
    yield from hanging([("  ", "")], table.question, width)
    if not table.rows:
        yield [("  no rows in this data", "dim")]
        return
    marks = any(table.marked)
    chosen = table.on_screen(report.hidden)
    cells = {number: [cell_text(table, row, number, report.times) for row in table.rows] for number in chosen}
    room = width - 2 - (2 if marks else 0)
    widths = {number: _width(table.columns[number], cells[number]) for number in chosen}
    ranked = sorted(chosen, key=lambda number: (table.columns[number].screen or 0, number))
    left_out: list[int] = []
    while len(ranked) > 1 and sum(widths[number] + 2 for number in ranked) - 2 > room:
        left_out.insert(0, ranked.pop())
    for number in left_out:  # a narrow column has room where a wide one has not
        if sum(widths[other] + 2 for other in ranked) + widths[number] <= room:
            ranked.append(number)
    chosen = sorted(ranked)
    titles = {
        number: textwrap.wrap(label(table.columns[number]), widths[number], break_long_words=True) for number in chosen
    }
    height = max(len(title) for title in titles.values())
    for level in range(height):
        parts = []
        for number in chosen:
            title = [""] * (height - len(titles[number])) + titles[number]
            parts.append(_aligned(title[level], widths[number], table.columns[number]))
        yield [((" " * (4 if marks else 2) + "  ".join(parts)).rstrip(), "bold")]
    for index, marked in enumerate(table.marked):
        text = "  ".join(_aligned(cells[number][index], widths[number], table.columns[number]) for number in chosen)
        lead = ("  ! " if marked else "    ") if marks else "  "
        yield [((lead + text).rstrip(), "yellow" if marked else "")]
    remarks = []
    if table.total > len(table.rows):
        remarks.append(plural(table.total - len(table.rows), "more row"))
    hidden = table.left_out(chosen, report.hidden)
    if hidden:
        remarks.append(plural(hidden, "more column"))
    if marks:
        remarks.append("! = in breach")
    if remarks:
        named = "" if report.only_tables and report.baseline is not None else f"--report {table.report_id} "
        text = f"{', '.join(remarks)}; {named}--format csv for all"
        for line in hanging([("  ", "")], text, width):
            yield [(part, "dim") for part, _ in line]
    if table.note:
        yield from hanging([("  ", "")], table.note, width)


def label(column: Column) -> str:
    """The heading of a column; for times it names the clock, because other formats have GMT."""
    clock = " (local)" if column.unit in ("ts_utc", "ts_local") and column.format != "day" else ""
    return (column.label or column.name.replace("_", " ")) + clock


def is_text(column: Column) -> bool:
    """Whether a column is left-aligned: it is not a number."""
    return column.unit in ("text", "texts", "ts_utc", "ts_local", "flag")


def _width(column: Column, cells: list[str]) -> int:
    longest_word = max(len(word) for word in label(column).split())
    # A heading may take three lines, so it needs a third of its length at least.
    return max(longest_word, -(-len(label(column)) // 3), *(len(cell) for cell in cells))


def _aligned(text: str, width: int, column: Column) -> str:
    return f"{text:<{width}}" if is_text(column) else f"{text:>{width}}"


def cell_text(table: Table, row: tuple[Any, ...], number: int, times: LocalTimes) -> str:
    """A value as a screen shows it: times in local time, marked Z where only GMT is known; numbers in the format of
    their column.
    """
    column, value = table.columns[number], row[number]
    if value is None and column.name == "interval_start_utc":  # records before 7.1 have only the end
        ends = [
            at for at, other in enumerate(table.columns) if other.name == "interval_end_utc" and row[at] is not None
        ]
        return f"until {cell_text(table, row, ends[0], times)}" if ends else column.null
    if value is None:
        return column.null
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return clean(", ".join(map(str, value)))
    if isinstance(value, datetime):
        if column.format == "day":
            return f"{value:%Y-%m-%d}"
        if column.format == "minute":  # days that are not those of the report
            return f"{value:%Y-%m-%d %H:%M}"
        if column.unit != "ts_utc":
            return _moment(value, times)
        names = [other.name for other in table.columns]
        key_values = [row[names.index(key)] if key in names else None for key in ("lpar", "qmgr")]
        local = times.local(key_values[0], key_values[1], value)
        return (
            _moment(local, times) + times.zone(key_values[0], key_values[1], value)
            if local
            else _moment(value, times) + "Z"
        )
    return cell_number(value, column) if isinstance(value, (int, float)) else clean(str(value))


def _moment(value: datetime, times: LocalTimes) -> str:
    return value.strftime("%H:%M:%S" if times.one_day else "%Y-%m-%d %H:%M:%S")
