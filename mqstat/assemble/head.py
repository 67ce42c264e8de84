"""The head of a health report: period, systems, inputs, and what was not collected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from mqstat.assemble.completeness import COMPLETE
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.formatting import clean, number_text, plural, qmgr_name, short
from mqstat.base.selection import Selection
from mqstat.judge.states import NOT_COLLECTED, NOT_IN_RELEASE
from mqstat.sql.workspace import Workspace

PART = "collected in part"

DROPPED, DROPPED_IN_PART = "dropped by retention", "dropped in part"

COVERAGE_STATES = (NOT_COLLECTED, PART, DROPPED, DROPPED_IN_PART, NOT_IN_RELEASE)
"""States of a record class that was not collected in full or is no longer there in full, as view collection has
them."""


def local_times(db: Workspace, qmgrs: Sequence[Mapping[str, Any]]) -> LocalTimes:
    """The clock offsets of every queue manager through the data."""
    changes: dict[tuple[str | None, str | None], list[tuple[datetime, int]]] = {}
    query = """
        WITH moment AS (
          -- A record is written at the end of what it is about: at the moment of a change it still knows the offset before.
          SELECT lpar, qmgr, min(written_local - to_minutes(gmt_offset_minutes)) AS utc, gmt_offset_minutes AS minutes, 0 AS is_start
          FROM record WHERE gmt_offset_minutes IS NOT NULL
          GROUP BY lpar, qmgr, gmt_offset_minutes, date_trunc('hour', written_local - to_minutes(gmt_offset_minutes))
          UNION
          SELECT lpar, qmgr, interval_start_utc, epoch_us(interval_start_local - interval_start_utc) // 60000000, 1
          FROM interval_cut WHERE interval_start_local IS NOT NULL
        ),
        changed AS (
          SELECT *, lag(minutes) OVER (PARTITION BY lpar, qmgr ORDER BY utc, is_start, minutes) IS DISTINCT FROM minutes AS is_change FROM moment
        )
        SELECT lpar, qmgr, utc, minutes FROM changed WHERE is_change ORDER BY lpar, qmgr, utc, is_start, minutes
    """
    for row in db.ask_rows(query):
        changes.setdefault((row["lpar"], row["qmgr"]), []).append((row["utc"], int(row["minutes"])))
    # A day whose last record is written at midnight is one day.
    late = timedelta(minutes=1)
    moments = [row["first_written_local"] for row in qmgrs] + [row["last_written_local"] for row in qmgrs]
    days = {(moment - late).date() for moment in moments if moment}
    first = db.ask("SELECT min(interval_start_local) FROM interval_cut").fetchall()[0][0]
    days |= {first.date()} if first else set()
    return LocalTimes({key: tuple(value) for key, value in changes.items()}, len(days) <= 1)


def offset_text(minutes: int) -> str:
    """UTC+01:00 and the like."""
    return f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}" if minutes else "UTC"


Period: TypeAlias = tuple[datetime | None, datetime | None]
"""First and last moment of the data in local time."""


def period_of(db: Workspace, qmgrs: Sequence[Mapping[str, Any]]) -> Period:
    """The period of the data, from its intervals and from the times at which its records were written."""
    starts = [row["first_written_local"] for row in qmgrs if row["first_written_local"]]
    ends = [row["last_written_local"] for row in qmgrs if row["last_written_local"]]
    covered = db.ask_rows(
        "SELECT min(interval_start_local) AS first, max(interval_start_local + to_microseconds(interval_us)) AS last FROM interval_cut",
    )[0]
    first = min([*starts, *([covered["first"]] if covered["first"] else [])], default=None)
    last = max([*ends, *([covered["last"]] if covered["last"] else [])], default=None)
    return first, last


def head_lines(
    qmgrs: Sequence[Mapping[str, Any]],
    sources: Sequence[Mapping[str, Any]],
    times: LocalTimes,
    selection: Selection | None,
    period: Period,
) -> Iterable[tuple[str, str]]:
    """Label and text of each line of the head."""
    first, last = period
    if first and last:
        end = last.strftime("%H:%M:%S" if first.date() == last.date() else "%Y-%m-%d %H:%M:%S")
        yield "Period", f"{first:%Y-%m-%d %H:%M:%S} to {end}, local time"
    if selection is not None and not selection.is_all:
        yield "Selected", clean(selection.text())
        if selection.tasks:
            yield "", "work of other tasks is listed as unattributed or not accounted"
    for row in qmgrs[:6]:
        offsets = dict.fromkeys(minutes for _, minutes in times.changes.get((row["lpar"], row["qmgr"]), ()))
        clock = " then ".join(offset_text(minutes) for minutes in offsets) or "clock offset unknown"
        group = f", group {row['qsg']}" if row["qsg"] else ""
        yield (
            "System" if row is qmgrs[0] else "",
            clean(
                f"{qmgr_name(row['lpar'], row['qmgr'])}{group}, MQ {row['mq_versions'] or 'level unknown'}, {plural(row['intervals'], 'interval')}, {clock}"
            ),
        )
    if len(qmgrs) > 6:
        yield "", f"and {plural(len(qmgrs) - 6, 'more queue manager')} (--report overview/contents)"
    for row in sources[:6]:
        parts = [plural(row["records_decoded"] or 0, "record") + " decoded"]
        for name, text in (("other_types", "of other types"), ("internal", "internal"), ("raw", "kept raw")):
            if row[f"records_{name}"]:
                parts.append(f"{number_text(row[f'records_{name}'])} {text}")
        if row["records_duplicate"]:
            parts.append(plural(row["records_duplicate"], "duplicate"))
        parts.append(
            f"{plural(row['records_damaged'] or 0, 'record')} and {row['bytes_damaged'] or 0:,} of {row['source_bytes'] or 0:,} bytes damaged"
        )
        yield "Read" if row is sources[0] else "", clean(f"{row['source_name']}: {', '.join(parts)}")
        if row["diagnosis"]:
            yield "", clean(f"{row['source_name']}: {row['diagnosis']}")
    if len(sources) > 6:
        yield "", f"and {len(sources) - 6} more inputs (view source)"


def summary_lines(
    head: Iterable[tuple[str, str]],
    qmgrs: Sequence[Mapping[str, Any]],
    sources: Sequence[Mapping[str, Any]],
    period: Period,
    missing: str,
) -> Iterable[str]:
    """Inputs, period, queue managers and records in one line; then the selection, and what the head notes about the
    inputs.

    `missing` = in two words whether records are missing (`completeness_line`).
    """
    name = sources[0]["source_name"] if len(sources) == 1 else plural(len(sources), "input")
    managers = plural(len(qmgrs), "queue manager") if qmgrs else "no queue manager"
    records, damaged, damage_bytes = (
        sum(row[column] or 0 for row in sources) for column in ("records_decoded", "records_damaged", "bytes_damaged")
    )
    damage = f"{damaged:,} damaged" if damaged else "" if damage_bytes else "all read"
    damage += (
        f" ({damage_bytes:,} bytes)"
        if damaged and damage_bytes
        else f"{damage_bytes:,} bytes damaged"
        if damage_bytes
        else ""
    )
    where = [text for text in (name, _period_text(*period), managers) if text]
    what = [text for text in (plural(records, "record"), damage, missing) if text]
    yield clean(f"{', '.join(where)}; {', '.join(what)}")
    label = ""
    for stated, text in head:
        label = stated or label
        if label in ("Selected", "Note") or (label == "Numbers" and missing != COMPLETE):
            yield text
    yield from diagnoses(sources)


def diagnoses(sources: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """What is wrong with inputs as a whole, such as a wrong transfer."""
    return (clean(f"{row['source_name']}: {row['diagnosis']}") for row in sources if row["diagnosis"])


def _period_text(first: datetime | None, last: datetime | None) -> str:
    """2026-05-21 00:00 to 24:00 local; the end has its date if it is another one."""
    if first is None or last is None:
        return ""
    at_midnight = f"{last:%H:%M}" == "00:00" and (last - timedelta(days=1)).date() == first.date()
    same_day = last.date() == first.date()
    end = "24:00" if at_midnight else f"{last:%H:%M}" if same_day else f"{last:%Y-%m-%d %H:%M}"
    return f"{first:%Y-%m-%d %H:%M} to {end} local"


NOT_BY_TRACE = "other records of its trace class were written, so START TRACE does not bring it back: look for a selection of records, or lost data"
"""What is stated in place of a command."""

PART_QUERY = """
    SELECT h.record_class, c.class_holds, h.lpar, h.qmgr, count(*) AS holes, sum(h.missing_slots)::BIGINT AS missing, any_value(h.slots) AS slots,
      min(h.hole_start_local) AS first, max(h.hole_end_local) AS last, min(h.hole_end_local) AS begins, max(h.hole_start_local) AS ends, bool_or(h.is_at_start) AS is_at_start, bool_or(h.is_at_end) AS is_at_end
    FROM class_hole AS h
    JOIN record_class AS c ON c.record_class = h.record_class
    JOIN collection AS l ON l.lpar = h.lpar AND l.qmgr = h.qmgr AND l.record_class = h.record_class
    WHERE h.missing_slots > 0 AND l.coverage_state = 'collected in part'
    GROUP BY h.record_class, c.class_holds, h.lpar, h.qmgr
    ORDER BY split_part(h.record_class, '.', 1), split_part(h.record_class, '.', 2)::INTEGER, h.lpar, h.qmgr
"""
"""Classes that are missing in a part of the period, by queue manager."""


def part_lines(db: Workspace, qmgrs: int) -> Iterator[tuple[str, str, str]]:
    """Classes that are missing in a part of the period: the class and what it holds, where, and when it is there; queue
    managers with the same text together.
    """
    texts: dict[tuple[str, str], list[str]] = {}
    for row in db.ask_rows(PART_QUERY):
        first, last, begins, ends = (f"{row[name]:%Y-%m-%d %H:%M}" for name in ("first", "last", "begins", "ends"))
        when = f"missing from {first} to {last}"
        if row["holes"] == row["is_at_start"] + row["is_at_end"]:
            parts = [f"from {begins}" if row["is_at_start"] else "", f"until {ends}" if row["is_at_end"] else ""]
            when = f"{' '.join(filter(None, parts))} only"
        elif row["holes"] > 1:
            when = f"missing {row['holes']} times between {first} and {last}"
        key = (
            f"{row['record_class']} {row['class_holds']}",
            f": {when} ({row['missing']:,} of {row['slots']:,} intervals missing)",
        )
        texts.setdefault(key, []).append(row["qmgr"])
    for (what, when), names in texts.items():
        yield what, _on(names, len(names), qmgrs), when


def _on(names: Sequence[str], number: int, qmgrs: int) -> str:
    """The queue managers of a line about coverage; empty if it is all of them."""
    return "" if number == qmgrs else f" on {number} of {qmgrs} queue managers ({short(clean(', '.join(names)))})"


def coverage_lines(db: Workspace, qmgrs: int) -> Iterable[tuple[str, str]]:
    """Record classes that were not collected or that a retention dropped, one line per state, place and command;
    printed above the results that they affect.
    """
    query = """
        SELECT record_class, class_holds, coverage_state, command_to_collect,
          count(*) AS places, list(qmgr ORDER BY lpar, qmgr) AS names,
          sum(records)::BIGINT AS records, sum(records_dropped)::BIGINT AS dropped, max(dropped_on) AS dropped_on
        FROM collection
        WHERE coverage_state NOT IN ('collected', 'collected in part', 'collected (event driven)', 'not decoded')
        GROUP BY record_class, class_holds, coverage_state, command_to_collect
        ORDER BY split_part(record_class, '.', 1), try_cast(split_part(record_class, '.', 2) AS INTEGER)
    """
    missing = db.ask_rows(query)
    if not qmgrs:
        yield NOT_COLLECTED, "there are no queue manager records in the data"
    merged: dict[tuple[str, str, str], list[str]] = {}
    for row in missing:
        state = row["coverage_state"]
        where = _on(row["names"], row["places"], qmgrs)
        end = f": {row['command_to_collect'] or NOT_BY_TRACE}" if state == NOT_COLLECTED else ""
        if state in (DROPPED, DROPPED_IN_PART):
            end = f" on {row['dropped_on']}" if row["dropped_on"] else ""
        if state == DROPPED_IN_PART:
            end = f": {row['dropped']:,} of {plural(row['records'], 'record')}{end}"
        merged.setdefault((state, where, end), []).append(f"{row['record_class']} {row['class_holds']}")
    for what, where, end in part_lines(db, qmgrs):
        merged.setdefault((PART, where, end), []).append(what)
    for (state, where, end), classes in sorted(merged.items(), key=lambda item: COVERAGE_STATES.index(item[0][0])):
        yield state, f"{', '.join(classes)}{where}{end}"
