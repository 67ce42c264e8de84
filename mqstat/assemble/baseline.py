"""Comparisons: the day with the days before it, and the changes between two sides. Figures come from views and
reports.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mqstat.assemble.compare import Lines, Sides
from mqstat.assemble.history import ordinal
from mqstat.assemble.model import Report
from mqstat.assemble.page_model import Baseline
from mqstat.assemble.table_model import LocalTimes, Table
from mqstat.assemble.tables import table, without_rows
from mqstat.assemble.usual import History
from mqstat.base.formatting import clean, number_text, plural, subject_name
from mqstat.base.version import __version__
from mqstat.sql.sqlfile import reports
from mqstat.sql.workspace import Workspace

FIRST = 10
"""Changes that are listed as sentences; the tables have all of them."""

UNUSUAL = 6
"""Figures out of their usual range that are listed as sentences; the table below repeats them with their numbers."""

NO_RANGE = (
    "too little history: no key figure has a usual range; a Saturday or Sunday needs two earlier days of a weekend"
)

ROWS = 15
"""Rows of the table below the sentences."""


def usual_baseline(db: Workspace, history: History) -> Baseline:
    """The day compared with its usual range, after `mqstat.assemble.usual.add_history`."""
    several = len(db.ask_rows("SELECT DISTINCT lpar, qmgr FROM qmgr")) > 1
    lines = [*history.lines]
    tables: list[Table] = []
    unusual = compared = None
    enough = history.enough
    if enough:
        unusual, compared, listed = _out_of_range(db, several, history.weekday)
        enough = compared > 0
        lines += listed if enough else [("Caution", NO_RANGE)]
    if enough:
        tables.append(_marked_rows(table(db, "overview/usual", limit=ROWS), "hours_out"))
    lines += _changed(db, several)
    tables.append(table(db, "overview/changes", limit=ROWS))
    return Baseline(
        _clean(lines), tuple(filled for filled in tables if filled.total), enough, unusual=unusual, compared=compared
    )


def _out_of_range(db: Workspace, several: bool, weekday: str) -> tuple[int, int, Lines]:
    """Number of key figures out of their usual range and of those compared, and sentences about them."""
    query = """
        WITH day AS (
          SELECT lpar, qmgr, subject, figure_number, count(*) FILTER (abs(usual_times_out) > 1) AS hours_out, count(*) AS hours,
            max(abs(usual_times_out)) AS most
          FROM usual_figure
          WHERE usual_basis <> 'none'
          GROUP BY lpar, qmgr, subject, figure_number
        )
        SELECT
          d.lpar, d.qmgr, d.subject, d.hours_out, d.hours, k.metric_name, k.shown_unit, u.usual_hour, u.usual_basis, u.usual_days, u.usual_days_as_far,
          u.usual_value * k.shown_scale AS value, u.usual_median * k.shown_scale AS median
        FROM day AS d
        JOIN usual_figure AS u ON u.lpar = d.lpar AND u.qmgr = d.qmgr AND u.subject = d.subject AND u.figure_number = d.figure_number
        JOIN figure_kind AS k ON k.figure_number = d.figure_number
        WHERE d.hours_out > 0 AND abs(u.usual_times_out) = d.most
        QUALIFY row_number() OVER (PARTITION BY d.lpar, d.qmgr, d.subject, d.figure_number ORDER BY u.usual_hour) = 1
        ORDER BY round(d.most, 6) DESC, d.lpar, d.qmgr, d.subject, d.figure_number
    """
    total = db.ask_rows(
        "SELECT count(DISTINCT (lpar, qmgr, subject, figure_number)) AS figures FROM usual_figure WHERE usual_basis <> 'none'",
    )[0]["figures"]
    figures = db.ask_rows(query)
    lines = [
        (
            "Unusual",
            f"{len(figures) or 'none'} of {total} key figures {'was' if len(figures) == 1 else 'were'} out of the usual range",
        )
    ]
    for row in figures[:UNUSUAL]:
        unit = f" {row['shown_unit']}" if row["shown_unit"] else ""
        hours = f"; {row['hours_out']} of {row['hours']} hours are out of range" if row["hours_out"] > 1 else ""
        days = "days" if row["usual_basis"] == "day" else weekday
        lines.append(
            (
                "",
                f"{_subject(row, several)}: {row['metric_name']} {number_text(row['value'])}{unit} from {row['usual_hour']:02.0f}:00 on, "
                f"usually {number_text(row['median'])}{unit}; {_nth(row['usual_days_as_far'] + 1)} time in {row['usual_days']} {days}{hours}",
            )
        )
    if len(figures) > UNUSUAL:
        lines.append(("", f"and {len(figures) - UNUSUAL} more (--report overview/usual)"))
    return len(figures), total, tuple(lines)


def _nth(number: int) -> str:
    """An ordinal number."""
    words = ("first", "second", "third")
    return words[number - 1] if number <= len(words) else ordinal(number)


def _changed(db: Workspace, several: bool) -> Iterator[tuple[str, str]]:
    """What appeared, vanished or changed, one line per subject."""
    changes = db.ask_rows("SELECT * FROM compare_moved WHERE moved_class = 'changed' ORDER BY moved_rank")
    label = "Changed"
    for row in changes[:FIRST]:
        yield label, f"{_subject(row, several)}: {row['moved_text']}"
        label = ""
    if len(changes) > FIRST:
        yield "", f"and {len(changes) - FIRST} more (--report overview/changes)"
    if not changes:
        known = db.ask_rows("SELECT count(DISTINCT side_name) AS sides FROM side_setting")[0]["sides"]
        if known == 2:
            yield "Changed", "nothing: the same queue managers, pools, structures, levels and settings as before"


def compared_report(db: Workspace, sides: Sides, names: tuple[str, str]) -> Report:
    """The largest changes between two sides, as a separate report, after `mqstat.assemble.compare.fill`; `names` are
    the labels of the sides.
    """
    db.keep([reports()[name].needs for name in ("overview/moved", "overview/changes", "overview/compare")])
    managers = db.ask_rows("SELECT DISTINCT lpar, qmgr FROM side_setting")
    several = len(managers) > 1
    labels = dict(zip(("Before", "After"), names, strict=True))
    head = [(label, f"{labels[label]}: {text}" if label in labels else text) for label, text in sides.lines]
    lines = [*sides.careful, *_moved(db, several)]
    tables = [
        table(db, "overview/changes", limit=ROWS),
        _marked_rows(table(db, "overview/compare", limit=ROWS), "noteworthy"),
    ]
    lpars = {row["lpar"] for row in managers}
    hidden = frozenset(name for name, many in (("lpar", len(lpars) > 1), ("qmgr", several)) if not many)
    return Report(
        title="MQ comparison",
        head=_clean(head),
        all_findings=without_rows(db, "overview/findings"),
        foot=(("mqstat", f"version {__version__}"),),
        times=LocalTimes({}),
        return_code=0,
        only_tables=True,
        hidden=hidden,
        baseline=Baseline(
            _clean(lines), tuple(filled for filled in tables if filled.total), sides.comparable, "Largest changes"
        ),
    )


def _marked_rows(table: Table, column: str) -> Table:
    """The table with the rows that this column marks on a screen, or the first rows if it marks no row."""
    index = [column.name for column in table.columns].index(column)
    shown = tuple(row for row in table.rows if row[index]) or table.rows[:5]
    return dataclasses.replace(table, rows=shown, marked=(False,) * len(shown))


def _moved(db: Workspace, several: bool) -> Iterator[tuple[str, str]]:
    """The ranked list of changes: causes first."""
    changes = db.ask_rows("SELECT * FROM compare_moved ORDER BY moved_rank")
    if not changes:
        yield (
            "Moved",
            "nothing: no figure changed by more than chance and 6 %, and nothing appeared, vanished or changed",
        )
    for row in changes[:FIRST]:
        yield f"{row['moved_rank']}", f"{_subject(row, several)}: {row['moved_text']}"
    if len(changes) > FIRST:
        yield "", f"and {plural(len(changes) - FIRST, 'more subject')}"
    alone = db.ask_rows(
        """
        WITH kind AS (
          SELECT lpar, qmgr, subject_kind
          FROM compare_figure
          GROUP BY lpar, qmgr, subject_kind
          HAVING sum(before_intervals) > 0 AND sum(after_intervals) > 0
        )
        SELECT
          f.subject_kind, f.lpar, f.qmgr, f.vanished, count(DISTINCT f.subject) AS subjects, list(DISTINCT f.subject ORDER BY f.subject)[1:6] AS names
        FROM compare_figure AS f
        JOIN kind AS k ON k.lpar = f.lpar AND k.qmgr = f.qmgr AND k.subject_kind = f.subject_kind
        WHERE f.subject_kind IN ('application', 'queue', 'channel') AND (f.appeared OR f.vanished)
        GROUP BY f.subject_kind, f.lpar, f.qmgr, f.vanished
        ORDER BY f.lpar, f.qmgr, f.subject_kind, f.vanished
        """,
    )
    for row in alone:
        what = plural(row["subjects"], row["subject_kind"])
        names = "; ".join(name.removeprefix(row["subject_kind"] + " ") for name in row["names"])
        names += "; ..." if row["subjects"] > len(row["names"]) else ""
        where = f"{row['qmgr']}: " if several else ""
        yield "Also", f"{where}{what} only {'before' if row['vanished'] else 'after'} ({names})"


def _subject(row: Mapping[str, Any], several: bool) -> str:
    """The subject of a sentence."""
    return subject_name(row["lpar"], row["qmgr"], row["subject"], several)


def _clean(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((label, clean(text)) for label, text in pairs)
