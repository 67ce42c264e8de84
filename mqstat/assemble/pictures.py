"""Pictures: each file below `reports/pictures` for each queue manager, in steps of time, with limits and breaches.

DuckDB assigns the intervals to steps, keeps the worst value of each and selects the series that matter; this module
turns the results into `Picture`s.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, TypeAlias

import pyarrow as pa

from mqstat.assemble.curves import WIDTHS
from mqstat.assemble.page_model import Decision, Grid, Limit, Picture, Series
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.areas import AREAS
from mqstat.base.errors import SqlFileError
from mqstat.base.formatting import natural
from mqstat.judge import scope
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.schemas import literal, quoted
from mqstat.sql.site import Site
from mqstat.sql.sqlfile import PICTURE_COLUMNS, SqlFile
from mqstat.sql.syntax import Query
from mqstat.sql.workspace import Workspace

Place: TypeAlias = tuple[str | None, str | None]
"""LPAR and queue manager."""

MOST_STEPS = {"line": 288, "strip": 96}
"""Maximum number of steps of a picture, by kind: a day of lines has one per five minutes."""

MOST_SERIES = {"line": 8, "strip": 12}
"""Maximum number of lines or rows of a picture: those in breach first, then those nearest to their limit; the others
are counted."""

STEP_SECONDS = (*WIDTHS, 91 * 86400, 364 * 86400)
"""Lengths that a step may have: those of the grid of a page, and longer ones."""

PERIOD = "SELECT interval_start_utc, interval_end_utc FROM interval_cut"


def queries() -> list[Query]:
    """What the pictures read, for argument `then` of `run_rules`, so that views are computed once for rules and
    pictures.
    """
    return [PERIOD, *(unit.needs for unit in sqlfile.pictures().values())]


def pictures(db: Workspace, site: Site | None, times: LocalTimes) -> tuple[Picture, ...]:
    """All pictures that the data can fill, in the order of areas, titles and queue managers.

    Breaches are marked only if the rules were run before. A queue manager with a single step has no picture.
    """
    units = sorted(sqlfile.pictures().values(), key=lambda unit: (AREAS.index(unit.area), unit.id))
    db.keep(queries())
    period = db.ask(f"SELECT min(interval_start_utc), max(interval_end_utc) FROM ({PERIOD})").fetchall()[0]
    work = _Work(db, site or db.site, times, period)
    return tuple(picture for unit in units for picture in work.pictures(unit))


def make_steps(
    first: datetime, last: datetime, usual_seconds: float, most: int, local: datetime
) -> tuple[int, datetime, int]:
    """Length of a step in seconds, start of the first one in GMT, and their number: at most `most` steps that cover
    first to last.

    A step is at least as long as the usual interval, otherwise it would often be empty. Steps begin at round local
    times; `local` is `first` in local time.
    """
    fitting = [size for size in STEP_SECONDS if size <= usual_seconds * 1.02]
    shortest = fitting[-1] if fitting else STEP_SECONDS[0]
    for size in STEP_SECONDS:
        past = (local - datetime(1970, 1, 5)) % timedelta(seconds=min(size, 86400))
        origin = first - past
        count = -(-(last - origin) // timedelta(seconds=size))
        if size >= shortest and (count <= most or size == STEP_SECONDS[-1]):
            return size, origin, max(1, min(count, most))
    raise AssertionError  # the last size always fits


@dataclass
class _Work:
    db: Workspace
    site: Site
    times: LocalTimes
    period: tuple[datetime | None, datetime | None]
    grids: dict[tuple[Place, int, datetime, int], Grid] = field(default_factory=dict)

    @cached_property
    def kept(self) -> frozenset[str]:
        """Names of the temporary tables, including those with rows in breach."""
        return frozenset(
            row["table_name"] for row in self.db.rows("SELECT table_name FROM duckdb_tables() WHERE temporary")
        )

    def pictures(self, unit: SqlFile) -> list[Picture]:
        """One picture for each queue manager that has data for it."""
        text = unit.select
        columns = [column[0] for column in self.db.execute(f"SELECT * FROM ({text}) LIMIT 0").description]
        limits = [limit["column"] for limit in unit.header.get("limits", ()) if "column" in limit]
        judged = quoted("judged_by") if "judged_by" in columns else "NULL::VARCHAR AS judged_by"
        kept = ", ".join([*(quoted(name) for name in (*PICTURE_COLUMNS, *limits)), judged])
        self.db.execute(
            f"CREATE OR REPLACE TEMP TABLE picture_row AS SELECT *, breaching <> '' AS breached "
            f"FROM (SELECT {kept}, {self.breaching(unit, columns)} AS breaching FROM ({text}) AS p) WHERE value IS NOT NULL AND isfinite(value::DOUBLE) AND interval_start_utc IS NOT NULL"
        )
        try:
            return self.drawn(unit, limits)
        finally:
            self.db.execute("DROP TABLE temp.picture_row")

    def breaching(self, unit: SqlFile, columns: list[str]) -> str:
        """The SQL expression of the rules of the picture that have found a row in breach, separated by blanks.

        SqlFileError if the picture cannot mark the breaches of a rule that it names, because the rule judges the whole
        period or a key is missing.
        """
        marks = []
        for rule_id in unit.header.get("rules", ()):
            keys = rules()[rule_id].row_key
            missing = set(keys) - set(columns)
            if "interval_start_utc" not in keys or missing:
                reason = f"the columns {', '.join(sorted(missing))} are missing" if missing else "it has no intervals"
                raise SqlFileError(
                    f"reports/pictures/{unit.id}.sql: the breaches of {rule_id} cannot be marked: {reason}."
                )
            table = f"breach_{rule_id}"
            if table not in self.kept:
                continue
            same = " AND ".join(f"b.{quoted(key)} IS NOT DISTINCT FROM p.{quoted(key)}" for key in keys)
            own = f"contains(p.judged_by, {literal(rule_id)}) AND " if "judged_by" in columns else ""
            mark = f"{own}EXISTS (SELECT 1 FROM temp.{quoted(table)} AS b WHERE {same})"
            marks.append(f"CASE WHEN {mark} THEN {literal(rule_id)} END")
        return f"concat_ws(' ', {', '.join(marks)})" if marks else "''"

    def drawn(self, unit: SqlFile, columns: list[str]) -> list[Picture]:
        """Pictures of the rows in the table `picture_row`."""
        managers = self.db.rows(f"""
            SELECT lpar, qmgr, median(interval_seconds) AS usual, string_agg(DISTINCT judged_by, ' ') AS judged_by, string_agg(DISTINCT breaching, ' ') AS breaching, min(interval_start_utc) AS first,
              max(interval_start_utc + to_microseconds(coalesce(interval_seconds * 1e6, 0)::BIGINT)) AS last,
              {"".join(f"min({quoted(name)})::DOUBLE AS {quoted(name)}, " for name in columns)}
            FROM picture_row GROUP BY lpar, qmgr ORDER BY lpar, qmgr
        """)
        steps = [self.steps(unit, row) for row in managers]
        series_by_manager: dict[Place, list[dict[str, Any]]] = {}
        with self.registered(managers, steps):
            for row in self.db.rows(stepped(unit.header["kind"], unit.header["worst"])):
                series_by_manager.setdefault((row["lpar"], row["qmgr"]), []).append(row)
        return [
            self.picture(unit, row, step, series_by_manager[row["lpar"], row["qmgr"]])
            for row, step in zip(managers, steps, strict=True)
            if step[2] > 1 and (row["lpar"], row["qmgr"]) in series_by_manager
        ]

    def steps(self, unit: SqlFile, row: Mapping[str, Any]) -> tuple[int, datetime, int]:
        first = min(moment for moment in (row["first"], self.period[0]) if moment)
        last = max(moment for moment in (row["last"], self.period[1]) if moment)
        local = self.times.local(row["lpar"], row["qmgr"], first) or first
        return make_steps(first, last, row["usual"] or 0, MOST_STEPS[unit.header["kind"]], local)

    @contextmanager
    def registered(self, managers: list[dict[str, Any]], steps: list[tuple[int, datetime, int]]) -> Any:
        """The steps of each queue manager as the table `picture_grid`, until the context ends."""
        table = pa.table(
            {
                "lpar": pa.array([row["lpar"] for row in managers], pa.string()),
                "qmgr": pa.array([row["qmgr"] for row in managers], pa.string()),
                "width_us": pa.array([step[0] * 1_000_000 for step in steps], pa.int64()),
                "origin_utc": pa.array([step[1] for step in steps], pa.timestamp("us")),
                "steps": pa.array([step[2] for step in steps], pa.int64()),
            }
        )
        self.db.connection.register("picture_grid", table)
        try:
            yield
        finally:
            self.db.connection.unregister("picture_grid")

    def picture(
        self, unit: SqlFile, row: Mapping[str, Any], step: tuple[int, datetime, int], series: list[dict[str, Any]]
    ) -> Picture:
        """The picture of one queue manager; `found` are its series, those that matter first."""
        head = unit.header
        owner = (row["lpar"], row["qmgr"])
        shown = series if head["kind"] == "line" else sorted(series, key=lambda row: natural(row["series"]))
        return Picture(
            picture_id=unit.id,
            area=unit.area,
            title=unit.title,
            question=head["question"],
            kind=head["kind"],
            unit=head["unit"],
            lpar=owner[0],
            qmgr=owner[1],
            grid=self.grid(owner, step),
            series=tuple(_series(row, step[2]) for row in shown),
            limits=tuple(self.limits(unit, row)),
            worst=head["worst"],
            report=head["report"],
            intervals_per_step=max(1, round(step[0] / row["usual"])) if row["usual"] else 1,
            left_out=series[0]["series_in_all"] - len(series),
            note=head.get("note", ""),
            decisions=tuple(
                Decision(
                    rule_id,
                    rule_id in row["breaching"],
                    str(rules()[rule_id].judge) if rules()[rule_id].judge.wants_four else "",
                )
                for rule_id in head.get("rules", ())
                if not row["judged_by"] or rule_id in row["judged_by"]
            ),
        )

    def grid(self, owner: Place, step: tuple[int, datetime, int]) -> Grid:
        """Equal steps with their local times; pictures of a queue manager share them."""
        seconds, origin, count = step
        key = (owner, seconds, origin, count)
        if key not in self.grids:
            starts = tuple(origin + timedelta(seconds=seconds * number) for number in range(count))
            local_starts = tuple(self.times.local(*owner, utc) or utc for utc in starts)
            self.grids[key] = Grid(local_starts, starts, seconds, self.times.several_zones(starts))
        return self.grids[key]

    def limits(self, unit: SqlFile, row: Mapping[str, Any]) -> Iterable[Limit]:
        """Limits in force for a queue manager, with the changes of its site; the lowest value of a column that changes
        during the period.
        """
        for limit in unit.header.get("limits", ()):
            if "column" in limit:
                if row[limit["column"]] is not None:
                    yield Limit(float(row[limit["column"]]), limit["text"], "")
                continue
            rule = rules()[limit["rule"]]
            if row["judged_by"] and rule.id not in row["judged_by"]:
                continue
            overrides = self.site.overrides_of(rule.id)
            own = [o for o in overrides if o.subject is not None and o.holds(row["lpar"], row["qmgr"], o.subject)]
            labels = set()
            for subject in (None, *(o.subject for o in own)):
                if scope.off_for(rule, overrides, row["lpar"], row["qmgr"], subject) is not None:
                    continue
                under = scope.narrowest(overrides, row["lpar"], row["qmgr"], subject)
                value = scope.values(rule, overrides, under)[0][limit["threshold"]]
                if value not in labels:
                    labels.add(value)
                    text = limit["text"] if subject is None else f"{subject}: {limit['text']}"
                    yield Limit(float(value), text, rule.id, limit.get("every", False))


def stepped(kind: str, worst_is: str) -> str:
    """The query over `picture_row` and `picture_grid`: a row for each shown series, with its steps, their values and
    breaches.

    The value of an interval is assigned to each step whose middle lies in it and to the step of its own middle, so that
    long intervals leave no gaps and short ones are not lost.
    """
    worst, order = ("min", "") if worst_is == "lowest" else ("max", "DESC")
    return f"""
        WITH
        placed AS (
          SELECT r.lpar, r.qmgr, r.series, r.value, r.breached, r.judged_by, g.steps, g.width_us,
            epoch_us(r.interval_start_utc) - epoch_us(g.origin_utc)      AS since_us,
            coalesce((r.interval_seconds * 1e6)::BIGINT, 0)              AS long_us
          FROM picture_row AS r
          JOIN picture_grid AS g ON r.lpar IS NOT DISTINCT FROM g.lpar AND r.qmgr IS NOT DISTINCT FROM g.qmgr
        ),
        spread AS (
          SELECT lpar, qmgr, series, value, breached, judged_by, steps,
            (since_us + long_us // 2) // width_us                              AS own,
            (since_us + width_us - width_us // 2 - 1) // width_us              AS first,
            (since_us + long_us + width_us - width_us // 2 - 1) // width_us - 1 AS last
          FROM placed
        ),
        stepped AS (
          SELECT lpar, qmgr, series, step, {worst}(value) AS value, bool_or(breached) AS breached, max(judged_by) AS judged_by
          FROM (
            SELECT lpar, qmgr, series, value, breached, judged_by, steps, unnest(range(least(first, own), greatest(last, own) + 1)) AS step
            FROM spread
          )
          WHERE step >= 0 AND step < steps
          GROUP BY lpar, qmgr, series, step
        ),
        joined AS (
          SELECT lpar, qmgr, series, list(step ORDER BY step) AS steps, list(value::DOUBLE ORDER BY step) AS shown,
            list(step ORDER BY step) FILTER (breached) AS hit, bool_or(breached) AS breached, {worst}(value) AS worst, max(judged_by) AS judged_by
          FROM stepped
          GROUP BY lpar, qmgr, series
        )
        SELECT lpar, qmgr, series, steps, shown, hit, judged_by, count(*) OVER (PARTITION BY lpar, qmgr) AS series_in_all
        FROM joined
        QUALIFY row_number() OVER (PARTITION BY lpar, qmgr ORDER BY breached DESC, worst {order}, series) <= {MOST_SERIES[kind]}
        ORDER BY lpar, qmgr, breached DESC, worst {order}, series
    """


def _series(row: Mapping[str, Any], count: int) -> Series:
    values: list[float | None] = [None] * count
    for step, value in zip(row["steps"], row["shown"], strict=True):
        values[step] = value
    return Series(row["series"] or "", tuple(values), frozenset(row["hit"] or ()), row["judged_by"])
