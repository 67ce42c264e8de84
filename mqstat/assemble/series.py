"""Figures of every interval for systems that keep time series: the key figures, the pictures, and the busiest queues
and applications.

All values are gauges: the figure of one interval, at the end of that interval. They come from the views and pictures as
they are.
"""

# ruff: noqa: S608 - statements are built from names of views, pictures and columns of this package

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pyarrow as pa

from mqstat.assemble.history import NO_HISTORY, History
from mqstat.assemble.measures import MEASURED, UNITS, Measured, full_name
from mqstat.base.errors import UsageError
from mqstat.base.formatting import clean, with_unit
from mqstat.base.inputs import command
from mqstat.judge.judging import breach_tables
from mqstat.judge.model import SEVERITIES, rules
from mqstat.sql import sqlfile
from mqstat.sql.schemas import literal, quoted
from mqstat.sql.sqlfile import SqlFile
from mqstat.sql.workspace import Workspace


@dataclass(frozen=True)
class Metric:
    """A figure of many subjects.

    name: with its base unit as suffix; dotted: the same for systems whose names have dots and no unit. select: the
    rows, with the columns lpar, qmgr, one for each further label, at_utc (end of the interval) and value in the base
    unit. is_low: of several values for one subject and time, the lowest is kept, else the highest.
    """

    name: str
    dotted: str
    unit: str
    doc: str
    labels: tuple[str, ...]
    select: str
    is_low: bool = False


@dataclass(frozen=True)
class Course:
    """A metric of one subject, by its labels."""

    metric: Metric
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Busiest:
    """Figures of queues or applications, of which only the busiest of each queue manager are taken: the rows, and the
    figure that decides.
    """

    name: str
    label: str
    rows: str
    columns: Mapping[str, tuple[str, str]]
    """Column -> unit and meaning."""
    decides: str


_QUEUES = Busiest(
    "queue", "queue",
    "SELECT lpar, qmgr, queue, interval_end_utc, depth_high, oldest_message_s, puts + put1s AS messages_put FROM queue_statistics",
    {
        "depth_high": ("count", "Highest queue depth in the interval."),
        "oldest_message_s": ("s", "Age of the oldest message."),
        "messages_put": ("count", "MQPUT and MQPUT1 calls in the interval."),
    },
    "sum(messages_put) DESC, max(depth_high) DESC",
)  # fmt: skip
_APPLICATIONS = Busiest(
    "application", "application",
    """
        SELECT lpar, qmgr, application_group AS application, interval_end_utc,
          sum(work_value) FILTER (work_measure = 'messages put') AS messages_put, sum(work_value) FILTER (work_measure = 'log bytes') AS log_bytes
        FROM interval_work
        WHERE application_group IS NOT NULL AND work_measure IN ('messages put', 'log bytes')
        GROUP BY lpar, qmgr, application_group, interval_end_utc
    """,
    {
        "messages_put": ("count", "Messages put in the interval, from accounting."),
        "log_bytes": ("bytes", "Bytes logged in the interval, from accounting."),
    },
    "sum(messages_put) DESC, sum(log_bytes) DESC",
)  # fmt: skip


def metrics(queues: int = 0, applications: int = 0) -> tuple[Metric, ...]:
    """All figures, with so many of the busiest queues and applications of each queue manager."""
    gauges = (metric for known in MEASURED for _, metric in measured(known))
    listed = [*gauges, *map(picture_metric, sqlfile.pictures().values())]
    for kind, most in ((_QUEUES, queues), (_APPLICATIONS, applications)):
        if most:
            listed += _busiest(kind, most)
    return tuple(sorted(listed, key=lambda metric: metric.name))


def measured(known: Measured) -> Iterator[tuple[str, Metric]]:
    """The figures of a view that a report also has as gauges, by their columns and with the same names
    (`mqstat.assemble.measures`).
    """
    described = sqlfile.views()[known.view].columns
    keys = ", ".join(f"{quoted(key)} AS {quoted(label)}" for key, label in known.keys.items())
    for column in known.columns:
        unit, factor = UNITS[described[column].unit]
        name = full_name(known.name, column)
        yield (
            column,
            Metric(
                with_unit(name, unit),
                dotted(known.name, name, unit),
                unit,
                described[column].doc,
                ("lpar", "qmgr", *known.keys.values()),
                f"SELECT lpar, qmgr, {keys + ', ' if keys else ''}interval_end_utc AS at_utc, {quoted(column)} * {factor!r} AS value FROM {quoted(known.view)}",
                column in known.lowest,
            ),
        )


def picture_metric(unit: SqlFile) -> Metric:
    """The lines or rows of a picture, by its id; label `series` is the name that the picture shows."""
    base, factor = UNITS[unit.header["unit"]]
    name = f"mqstat_{unit.id.replace('/', '_')}"
    end = "interval_start_utc + to_microseconds((interval_seconds * 1e6)::BIGINT)"
    return Metric(
        with_unit(name, base),
        dotted(unit.area, name, base),
        base,
        f"{unit.title}.",
        ("lpar", "qmgr", "series"),
        f"SELECT lpar, qmgr, series, {end} AS at_utc, value * {factor!r} AS value FROM ({unit.select})",
        unit.header["worst"] == "lowest",
    )


def _busiest(kind: Busiest, most: int) -> Iterator[Metric]:
    """The figures of the busiest subjects."""
    chosen = (
        f"SELECT lpar, qmgr, {kind.label} FROM ({kind.rows}) GROUP BY lpar, qmgr, {kind.label} "
        f"QUALIFY row_number() OVER (PARTITION BY lpar, qmgr ORDER BY {kind.decides}, {kind.label}) <= {int(most)}"
    )
    for column, (unit, doc) in kind.columns.items():
        base, factor = UNITS[unit]
        name = full_name(kind.name, column)
        yield Metric(
            with_unit(name, base),
            dotted(kind.name, name, base),
            base,
            doc,
            ("lpar", "qmgr", kind.label),
            f"SELECT lpar, qmgr, {kind.label}, interval_end_utc AS at_utc, {column} * {factor!r} AS value "
            f"FROM ({kind.rows}) SEMI JOIN ({chosen}) USING (lpar, qmgr, {kind.label})",
        )


BREACH_LABELS = ("lpar", "qmgr", "area", "rule", "severity")
"""The labels of the intervals in breach."""


def breaches(db: Workspace) -> Metric | None:
    """The intervals in which rules are in breach, after `mqstat.judge.engine.run_rules`; None without any. Rules that
    judge the whole period are not among them.

    A rule on a queue manager is one subject, with the highest severity that it has there.
    """
    kept = breach_tables(db)
    parts = [
        f"SELECT lpar, qmgr, {literal(rule.id)} AS rule, {literal(rule.area)} AS area, interval_start_utc FROM temp.{quoted(f'breach_{rule.id}')}"
        for rule in rules().values()
        if rule.id in kept and {"lpar", "qmgr", "interval_start_utc"} <= set(rule.row_key)
    ]
    if not parts:
        return None
    severities = " ".join(f"WHEN {number} THEN {literal(name)}" for number, name in enumerate(SEVERITIES))
    rank = f"list_position({list(SEVERITIES)!r}, severity) - 1"
    return Metric(
        "mqstat_rule_breach", "ibm.mq.rule.breach", "", "1 in each interval in which a rule is in breach.", BREACH_LABELS,
        f"""
            SELECT b.lpar, b.qmgr, b.area, b.rule, f.severity, coalesce(i.interval_end_utc, b.interval_start_utc) AS at_utc, 1.0 AS value
            FROM ({" UNION ALL ".join(parts)}) AS b
            LEFT JOIN interval_cut AS i USING (lpar, qmgr, interval_start_utc)
            JOIN (
              SELECT lpar, qmgr, rule_id AS rule, CASE min({rank}) {severities} END AS severity
              FROM finding WHERE state = 'breach' GROUP BY lpar, qmgr, rule_id
            ) AS f USING (lpar, qmgr, rule)
        """,
    )  # fmt: skip


def dotted(subject: str, name: str, unit: str) -> str:
    """The name of a figure with dots: `ibm.mq.buffer_pool.pages_read`. Of the units only ratio is in it, which differs
    from the figure itself.
    """
    bare = name.removeprefix("mqstat_")
    own = bare.removeprefix(f"{subject}_")
    return ".".join(part for part in ("ibm.mq", subject, own) if part) + ("_ratio" if unit == "ratio" else "")


AT_ONCE = 500_000
"""Values whose text is made at once: about 50 MB."""


class Series:
    """The values of metrics, as a temporary table of a database (course, at_utc, value), each course and time once; of
    several series each has its own.
    """

    _numbers = itertools.count()

    def __init__(self, db: Workspace, wanted: tuple[Metric, ...]) -> None:
        """Compute all values: `metrics` are those wanted. Subjects whose names differ only in invisible characters are
        one course.
        """
        self.db, self.metrics = db, wanted
        self._table = f"course_value_{next(self._numbers)}"
        db.keep([metric.select for metric in wanted])
        db.execute(
            "CREATE OR REPLACE TEMP TABLE metric_value (metric INTEGER, subject VARCHAR[], at_utc TIMESTAMP, value DOUBLE)"
        )
        for number, metric in enumerate(wanted):
            names = ", ".join(f"coalesce({quoted(name)}::VARCHAR, '')" for name in metric.labels)
            db.execute(
                f"INSERT INTO metric_value SELECT {number}, [{names}], at_utc, value FROM ({metric.select}) "
                "WHERE at_utc IS NOT NULL AND value IS NOT NULL AND isfinite(value)"
            )
        subjects = db.execute("SELECT DISTINCT metric, subject FROM metric_value").fetchall()
        texts = [(metric, tuple(map(clean, subject))) for metric, subject in subjects]
        numbers = {key: number for number, key in enumerate(sorted(set(texts)))}
        self.courses = [
            Course(wanted[metric], dict(zip(wanted[metric].labels, labels, strict=True))) for metric, labels in numbers
        ]
        self._combine(wanted, subjects, [numbers[text] for text in texts])

    def _combine(self, wanted: tuple[Metric, ...], subjects: list[tuple[int, list[str]]], courses: list[int]) -> None:
        """Put one value for each course and time into `course_value`."""
        known = pa.table(
            {
                "metric": pa.array([metric for metric, _ in subjects], pa.int32()),
                "subject": pa.array([subject for _, subject in subjects], pa.list_(pa.string())),
                "course": pa.array(courses, pa.int32()),
                "is_low": pa.array([wanted[metric].is_low for metric, _ in subjects], pa.bool_()),
            }
        )
        self.db.connection.register("metric_course", known)
        self.db.execute(f"""
            CREATE TEMP TABLE {self._table} AS
            SELECT c.course, date_trunc('millisecond', v.at_utc) AS at_utc, CASE WHEN any_value(c.is_low) THEN min(v.value) ELSE max(v.value) END AS value
            FROM metric_value AS v JOIN metric_course AS c USING (metric, subject)
            GROUP BY ALL
        """)
        self.db.connection.unregister("metric_course")
        self.db.execute("DROP TABLE metric_value")

    def count(self) -> int:
        """The number of values."""
        return int(self.db.execute(f"SELECT count(*) FROM {self._table}").fetchall()[0][0])

    def days(self) -> list[date]:
        """The UTC days with values, ascending."""
        return [
            row[0]
            for row in self.db.execute(
                f"SELECT DISTINCT at_utc::DATE AS day FROM {self._table} ORDER BY day"
            ).fetchall()
        ]

    def texts(
        self, prefixes: Sequence[str], row: str, between: str, day: date | None = None
    ) -> Iterator[tuple[Metric, str]]:
        """The values of each metric as text, by metric, subject and time, in pieces of about AT_ONCE values; `day` =
        only those of a GMT day.

        prefixes: how the values of each course begin. row: SQL of the text of a value, from the columns prefix, value
        and at_utc. between: the text between two values of a piece.
        """
        numbers = {metric.name: number for number, metric in enumerate(self.metrics)}
        table = pa.table(
            {
                "course": pa.array(range(len(self.courses)), pa.int32()),
                "metric": pa.array([numbers[course.metric.name] for course in self.courses], pa.int32()),
                "prefix": pa.array(prefixes, pa.string()),
            }
        )
        self.db.connection.register("course_prefix", table)
        try:
            for first, last in self._pieces(day):
                lines = self.db.execute(
                    f"""
                    SELECT metric, string_agg({row}, {literal(between)} ORDER BY course, at_utc)
                    FROM {self._table} JOIN course_prefix USING (course)
                    WHERE course BETWEEN $first AND $last AND ($day IS NULL OR at_utc::DATE = $day)
                    GROUP BY metric ORDER BY metric
                    """,
                    {"first": first, "last": last, "day": day},
                ).fetchall()
                for number, text in lines:
                    yield self.metrics[number], text
        finally:
            self.db.connection.unregister("course_prefix")

    def _pieces(self, day: date | None) -> Iterator[tuple[int, int]]:
        """First and last course of each piece: consecutive ones, which are in the order of the metrics."""
        counts = self.db.execute(
            f"SELECT course, count(*) FROM {self._table} WHERE $day IS NULL OR at_utc::DATE = $day GROUP BY course ORDER BY course",
            {"day": day},
        ).fetchall()
        own: list[int] = []
        values = 0
        for course, count in counts:
            if own and values + count > AT_ONCE:
                yield own[0], own[-1]
                own, values = [], 0
            own.append(course)
            values += count
        if own:
            yield own[0], own[-1]


_EVENTS = """
    SELECT f.*, coalesce(f.last_seen_utc, e.last_utc, a.last_utc) AS at_utc
    FROM finding AS f
    LEFT JOIN (
      SELECT lpar, qmgr, max(coalesce(interval_end_utc, written_local - to_minutes(gmt_offset_minutes))) AS last_utc FROM record GROUP BY lpar, qmgr
    ) AS e ON e.lpar = f.lpar AND e.qmgr = f.qmgr
    CROSS JOIN (SELECT max(coalesce(interval_end_utc, written_local - to_minutes(gmt_offset_minutes))) AS last_utc FROM record) AS a
    WHERE f.state = 'breach'
    ORDER BY at_utc, f.rule_id, f.lpar, f.qmgr, f.subject
"""


def events(db: Workspace, past: History = NO_HISTORY) -> Sequence[tuple[datetime, Mapping[str, Any]]]:
    """The subjects of findings in breach with their times, after `mqstat.judge.engine.run_rules`: rows of view finding,
    and `new`.

    `new` is `true`, `false` or `unknown`, by the history of the day that the database has (`History.is_new`). The time
    is the start of the last interval in breach; of a rule that judges the whole period, the end of the data. UsageError
    if no record has a time.
    """
    timed = [
        (
            row.pop("at_utc"),
            row | {"new": past.is_new(*(row[name] for name in ("rule_id", "lpar", "qmgr", "severity")))},
        )
        for row in db.ask_rows(_EVENTS)
    ]
    if any(at is None for at, _ in timed):
        raise UsageError(
            f"No record has a valid time, so findings would be without one; {command(['check'])} prints them."
        )
    return timed
