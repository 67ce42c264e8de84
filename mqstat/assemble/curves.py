"""The period in equal steps: the curve of each rule, the overview of the period, and the worst intervals, from the
tables that the rules wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias

import pyarrow as pa

from mqstat.assemble.page_model import Curve, DayRow, Grid, WorstInterval
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.areas import AREAS
from mqstat.base.formatting import clean
from mqstat.base.grouping import grouped_by
from mqstat.judge.model import Rule, rules
from mqstat.judge.states import BREACH, Row, RuleState, status
from mqstat.sql.workspace import Workspace

MAX_STEPS = 96
"""Maximum number of steps of a period: a day has one per quarter of an hour."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
WIDTHS = (
    *(minutes * _MINUTE for minutes in (1, 5, 10, 15, 30)), *(hours * _HOUR for hours in (1, 2, 3, 6, 12)),
    *(days * _DAY for days in (1, 2, 7, 14, 28)),
)  # fmt: skip
"""Lengths of a step in seconds; the last is doubled for longer periods."""

_LATE = timedelta(minutes=1)
"""An interval that begins or ends this close to midnight does not add a day."""

GRID_QUERIES = (
    "SELECT min(interval_start_utc) AS first, max(interval_end_utc) AS last, min(median_interval_seconds) AS usual FROM interval_cut",
    """
    SELECT min(written_local - to_minutes(gmt_offset_minutes)) AS first, max(written_local - to_minutes(gmt_offset_minutes)) AS last
    FROM record WHERE gmt_offset_minutes IS NOT NULL
    """,
)
"""The period of the data: by its intervals, and by the times at which its records were written."""


def make_grid(db: Workspace, times: LocalTimes) -> Grid:
    """The steps of the period of the data; None if the data has no times.

    Interval starts more than a day before the first record was written, or after the last, are errors and are ignored.
    """
    (cut,), (written,) = (db.ask_rows(query) for query in GRID_QUERIES)
    first, last = cut["first"], cut["last"]
    if written["first"] is not None:
        first = written["first"] if first is None else first
        first = min(written["first"], first) if first >= written["first"] - timedelta(days=1) else written["first"]
        last = written["last"] if last is None or last > written["last"] + _LATE else max(last, written["last"])
    if first is None or last is None:
        return Grid((), (), WIDTHS[0])
    return grid_of(first, last, cut["usual"] or 0, times)


def grid_of(first: datetime, last: datetime, usual_seconds: float, times: LocalTimes) -> Grid:
    """Steps over a period in GMT: the shortest that are few enough and no shorter than the usual interval.

    They are aligned to the midnight before the period in the local time that most queue managers have, and keep their
    length through a clock change.
    """
    late = min(_LATE, timedelta(seconds=usual_seconds / 2)) if usual_seconds else _LATE
    if last - first > 2 * late:
        first, last = first + late, last - late
    local = times.local(*times.usual, first) or first
    since_midnight = local - local.replace(hour=0, minute=0, second=0, microsecond=0)
    for width in map(timedelta, repeat(0), _widths()):
        start = first - since_midnight % width
        count = (last - start) // width + 1
        if count <= MAX_STEPS and width.total_seconds() >= 0.9 * usual_seconds:
            break
    starts = tuple(start + number * width for number in range(count))
    local_starts = tuple(times.local(*times.usual, moment) or moment for moment in starts)
    return Grid(local_starts, starts, int(width.total_seconds()), times.several_zones(starts))


def _widths() -> Iterator[int]:
    yield from WIDTHS
    width = WIDTHS[-1]
    while True:
        width *= 2
        yield width


def curves(db: Workspace, grid: Grid, parts: Sequence[RuleState]) -> dict[str, Curve]:
    """The curve of the deciding subject of each rule that was judged over time; `parts` are the states of the rules.

    A single value is not a curve, unless it is in breach.
    """
    chosen: dict[str, Row] = {}
    for rule_id, own_parts in grouped_by(parts, attrgetter("rule_id")).items():
        decided = status(own_parts)
        if decided is not None and decided.row["intervals_checked"]:
            chosen[rule_id] = decided.row
    if not chosen or not grid.starts:
        return {}
    steps = steps_of(db, map(key_of, chosen.values()))
    made: dict[str, Curve] = {}
    for rule_id, row in chosen.items():
        own = steps.get(key_of(row), [])
        values: list[float | None] = [None] * len(grid.starts)
        for step, observed, _, _ in own:
            values[step] = observed
        limit = next((limit_shown(row, limit) for _, _, limit, _ in own if limit is not None), None)
        breached = frozenset(step for step, _, _, many in own if many and row["state"] == BREACH)
        if sum(value is not None for value in values) > 1 or breached:
            made[rule_id] = Curve(tuple(values), limit, breached, clean(row["subject"] or ""))
    return made


def limit_shown(row: Mapping[str, Any], limit: float | None) -> float | None:
    """The limit of a step of the leading clause; of two limits of one figure, that of the clause that decides the
    finding.
    """
    rule = rules()[row["rule_id"]]
    leading, deciding = rule.clause(None), rule.clause(row["clause"])
    is_other = deciding is not leading and deciding.measure == leading.measure
    return row["limit_value"] if is_other and limit is not None else limit


KEY = ("rule_id", "lpar", "qmgr", "subject")

Key: TypeAlias = tuple[str, str | None, str | None, str | None]
"""Rule, LPAR, queue manager, subject."""


def key_of(row: Mapping[str, Any]) -> Key:
    """The key of a row of view finding."""
    return row["rule_id"], row["lpar"], row["qmgr"], row["subject"]


def steps_of(db: Workspace, keys: Iterable[Key]) -> dict[Key, list[tuple[Any, ...]]]:
    """The steps of subjects in which a rule judged them, in order: number, figure, limit, and how many intervals are in
    breach.
    """
    columns = zip(*keys, strict=True)
    db.connection.register(
        "wanted", pa.table({name: pa.array(c, pa.string()) for name, c in zip(KEY, columns, strict=True)})
    )
    try:
        same = " AND ".join(f"s.{name} IS NOT DISTINCT FROM w.{name}" for name in KEY)
        listed = ", ".join(f"s.{name}" for name in (*KEY, "step", "observed", "limit_value", "breached"))
        query = f"SELECT DISTINCT {listed} FROM rule_step AS s SEMI JOIN wanted AS w ON {same} ORDER BY ALL"  # noqa: S608 - our own names
        rows = db.execute(query).fetchall()
    finally:
        db.connection.unregister("wanted")
    return {key: [row[4:] for row in own] for key, own in grouped_by(rows, itemgetter(0, 1, 2, 3)).items()}


_BY_STEP = """
    WITH
    stated AS (
      SELECT f.rule_area, s.lpar, s.qmgr, s.step,
        CASE WHEN f.state <> 'breach' OR s.breached = 0 THEN 'clear' WHEN f.too_few_intervals OR f.within_margin OR f.maintenance IS NOT NULL THEN f.severity ELSE coalesce(s.severity, f.severity) END AS state
      FROM rule_step AS s
      JOIN decoded.finding AS f
        ON f.rule_id = s.rule_id AND f.lpar IS NOT DISTINCT FROM s.lpar AND f.qmgr IS NOT DISTINCT FROM s.qmgr
          AND f.subject IS NOT DISTINCT FROM s.subject
      WHERE f.state IN ('breach', 'clear', 'clear in part', 'reported by')
    )
    SELECT rule_area, lpar, qmgr, step, min_by(state, list_position(['critical', 'warning', 'info', 'clear'], state))
    FROM stated
    GROUP BY rule_area, lpar, qmgr, step
    ORDER BY lpar, qmgr, step
"""
_QMGRS = "SELECT DISTINCT lpar, qmgr FROM decoded.finding WHERE qmgr IS NOT NULL ORDER BY lpar, qmgr"


def day_rows(db: Workspace, grid: Grid) -> tuple[DayRow, ...]:
    """The worst state of every step for each area that was judged over time and each queue manager."""
    by_area: dict[str, dict[tuple[str | None, str | None], dict[int, str]]] = {}
    for area, lpar, qmgr, step, state in db.execute(_BY_STEP).fetchall():
        by_area.setdefault(area, {}).setdefault((lpar, qmgr), {})[step] = state
    qmgrs = [(lpar, qmgr) for lpar, qmgr in db.execute(_QMGRS).fetchall()]
    return tuple(
        DayRow(area, *manager, tuple(map(by_area[area].get(manager, {}).get, range(len(grid.starts)))))
        for area in AREAS
        if area in by_area
        for manager in dict.fromkeys([*qmgrs, *by_area[area]])
    )


WORST = """
    SELECT w.* REPLACE (coalesce(r.source_id, w.source_id) AS source_id, coalesce(w.source_offset, r.source_offset) AS source_offset)
    FROM worst_interval AS w
    LEFT JOIN decoded.record AS r USING (record_id)
    ORDER BY rule_id, w.lpar, w.qmgr, subject, place
"""
"""The worst intervals with the offsets of their records; an offset from the rule itself is used unchanged."""


def worst_intervals(db: Workspace, sources: Sequence[Mapping[str, Any]]) -> dict[Key, tuple[WorstInterval, ...]]:
    """The worst intervals of each finding, by rule, LPAR, queue manager and subject; `sources` are the rows of view
    source.
    """
    names = {row["source_id"]: clean(row["source_name"] or "") for row in sources}
    by_subject: dict[Key, list[WorstInterval]] = {}
    for row in db.rows(WORST):
        interval = WorstInterval(
            row["at_utc"], row["observed"], row["limit_value"], names.get(row["source_id"], ""), row["source_offset"]
        )
        by_subject.setdefault(key_of(row), []).append(interval)
    return {key: tuple(value) for key, value in by_subject.items()}


# --- usual ranges: a rule states with `key_figure` which key figure (metric of view figure_kind) its `observed` is

Band: TypeAlias = tuple[tuple[float | None, ...], tuple[float | None, ...]]
"""The lowest and highest usual value of each step of a grid, in the unit of the rule; None without enough history."""


def usual_bands(db: Workspace, grid: Grid, times: LocalTimes, wanted: Iterable[Key]) -> dict[Key, Band]:
    """The bands of these findings, after `mqstat.assemble.usual.add_history`; findings without one are missing.

    All steps of an hour have the range of that local hour, which is that of its mean, highest or lowest value; counts
    are per interval of the usual length, as in the curve.
    """
    keys = {key: figure for key in wanted if (figure := figure_of(rules()[key[0]], key[3])) is not None}
    if not keys:
        return {}
    ranges: dict[tuple[str | None, str | None, str, str], dict[int, tuple[float, float, float]]] = {}
    for row in db.ask_rows(_RANGES):
        of_figure = ranges.setdefault((row["lpar"], row["qmgr"], row["metric"], row["subject"]), {})
        per_interval = row["seconds"] / 3600 if row["metric_unit"] == "per_h" else 1.0
        of_figure[row["usual_hour"]] = (row["usual_low"], row["usual_high"], per_interval)
    bands: dict[Key, Band] = {}
    for key, figure in keys.items():
        hours = ranges.get((key[1], key[2], *figure))
        if hours:
            starts = (times.local(key[1], key[2], utc) or utc for utc in grid.starts_utc)
            steps = [hours.get(start.hour) for start in starts]
            low, high = (tuple(step and step[end] * step[2] for step in steps) for end in (0, 1))
            bands[key] = low, high
    return bands


def figure_of(rule: Rule, subject: str | None) -> tuple[str, str] | None:
    """Metric and subject of the key figure of a rule; figures of a whole queue manager have an empty subject."""
    if rule.key_figure is None:
        return None
    return rule.key_figure, "" if rule.grain == ("lpar", "qmgr") else subject or ""


_RANGES = """
    SELECT u.lpar, u.qmgr, k.metric, u.subject, k.metric_unit, u.usual_hour, u.usual_low, u.usual_high, i.seconds
    FROM usual_figure AS u
    JOIN figure_kind AS k ON k.figure_number = u.figure_number
    JOIN (SELECT lpar, qmgr, median(interval_seconds) AS seconds FROM interval_cut GROUP BY lpar, qmgr) AS i ON i.lpar = u.lpar AND i.qmgr = u.qmgr
    WHERE u.usual_basis <> 'none'
"""
