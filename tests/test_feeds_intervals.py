"""Series of queue managers that cut their intervals as they like: other lengths, gaps, across midnight, on days when
clocks change, on LPARs in other time zones.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mqstat.assemble.series import Series, metrics
from mqstat.cli import run
from mqstat.fixtures.day import LOAD_BY_HOUR
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.render.grafana import CHOICES
from mqstat.sql.workspace import Workspace
from tests.prometheus import asked, needs_prometheus, serving
from tests.support import file_of, reading
from tests.test_feeds import of_openmetrics, text_of


@dataclass(frozen=True)
class Member:
    """A queue manager: its zone, the lengths of its intervals in seconds, one after the other, its first interval after
    midnight UTC, and which of its intervals are missing.
    """

    qmgr: str
    lpar: str
    zone: str
    lengths: tuple[float, ...]
    first: float = 0
    missing: frozenset[int] = frozenset()

    def records(self, day: dt.date, days: int) -> Iterator[bytes]:
        """The records of all intervals that begin in these UTC days."""
        start = dt.datetime.combine(day, dt.time()) + dt.timedelta(seconds=self.first)
        end = dt.datetime.combine(day, dt.time()) + dt.timedelta(days=days)
        for number, seconds in enumerate(itertools.cycle(self.lengths)):
            if start >= end:
                return
            offset = start.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(self.zone)).utcoffset() or dt.timedelta()
            owner = replace(QueueManager(self.qmgr, self.lpar), gmt_offset_minutes=int(offset.total_seconds() // 60))
            if number % 20 not in self.missing:
                local = start + offset
                yield from owner.interval(local, seconds, load=LOAD_BY_HOUR[local.hour], kinds=(1, 2, 215))
            start += dt.timedelta(seconds=seconds)


ESTATE = (
    Member("MQ01", "SYSA", "Europe/Berlin", (1800,)),
    Member("MQ02", "SYSA", "Europe/Berlin", (900, 897.25, 1807.5, 300), 11.5, frozenset({4, 5, 6, 13})),
    Member("MQ01", "SYSB", "America/New_York", (3600,), 1200),  # a name twice; an interval is across each midnight
    Member("MQ03", "SYSB", "America/New_York", (1200,), 7.125, frozenset(range(9, 15))),
)
METRICS = {
    "mqstat_puts_per_second": ("max", "interval_headline", "puts_per_s", 1.0),
    "mqstat_buffer_pool_lowest_free_ratio": ("min", "buffer_pool", "lowest_free_pct", 0.01),
    "mqstat_log_created_bytes_per_second": ("sum", "interval_headline", "log_created_mib_per_s", 1048576.0),
}
"""Metric -> aggregate, and the view, the column and the factor of its values."""

SPRING, AUTUMN = dt.date(2026, 3, 28), dt.date(2026, 10, 24)
"""The days before those on which the clocks of Europe change."""


def dump_of(day: dt.date, days: int) -> bytes:
    return smf_file([record for member in ESTATE for record in member.records(day, days)])


@pytest.fixture(scope="module", params=[SPRING, pytest.param(AUTUMN, marks=pytest.mark.slow)])
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with reading(file_of(dump_of(request.param, 2), tmp_path_factory.mktemp("intervals"))) as database:
        yield database


def test_every_interval_has_its_value_at_its_end(db: Workspace) -> None:
    wanted = tuple(metric for metric in metrics() if metric.name in METRICS)
    values = of_openmetrics(text_of(Series(db, wanted), "openmetrics"))
    day = db.rows("SELECT min(interval_start_utc)::DATE AS day FROM record")[0]["day"]
    for metric, (_, view, column, factor) in METRICS.items():
        found = {
            (dict(labels)["lpar"], dict(labels)["qmgr"], dict(labels).get("pool", ""), at): value
            for (name, labels, at), value in values.items()
            if name == metric
        }
        pool = "pool_id::VARCHAR" if view == "buffer_pool" else "''"
        rows = db.rows(f"SELECT lpar, qmgr, {pool} AS pool, epoch_ms(interval_end_utc) AS at, {column} * {factor} AS value FROM {view} WHERE {column} IS NOT NULL")  # fmt: skip
        expected = {(row["lpar"], row["qmgr"], row["pool"], row["at"]): row["value"] for row in rows}
        assert len(expected) == len(rows)
        assert found == pytest.approx(expected, rel=1e-11), metric
    for member in ESTATE:  # the ends are those of the estate, in UTC, whatever the clock of its system shows
        ends = {at / 1000 for name, labels, at in values if name == "mqstat_puts_per_second" and {("lpar", member.lpar), ("qmgr", member.qmgr)} <= set(labels)}  # fmt: skip
        first = dt.datetime.combine(day, dt.time(), dt.UTC).timestamp() + member.first
        lengths = list(itertools.islice(itertools.cycle(member.lengths), 1000))
        all_ends = [first + sum(lengths[: number + 1]) for number in range(1000) if sum(lengths[:number]) + member.first < 2 * 86400]  # fmt: skip
        assert sorted(ends) == [end for number, end in enumerate(all_ends) if number % 20 not in member.missing]


@pytest.mark.slow
@needs_prometheus
@pytest.mark.parametrize(("day", "days"), [(SPRING, 3), (AUTUMN, 3)])
def test_prometheus_answers_as_sql(day: dt.date, days: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump, dataset = file_of(dump_of(day, days), tmp_path), tmp_path / "dataset"
    assert run(["ingest", str(dump), "--into", str(dataset)]) in (0, 4)
    assert run(["export", "series", "--from", str(dataset), "--into", str(tmp_path / "days")]) == 0
    capsys.readouterr()
    end = dt.datetime.combine(day, dt.time(2), dt.UTC) + dt.timedelta(days=days)
    with serving(sorted((tmp_path / "days").iterdir()), tmp_path) as port:
        for metric, (aggregate, view, column, factor) in METRICS.items():
            query = f"{aggregate} by (lpar, qmgr) ({aggregate}_over_time({metric}[{days + 1}d]))"
            result = asked(port, "query", query=query, time=end.timestamp())["result"]
            got = {(each["metric"]["lpar"], each["metric"]["qmgr"]): float(each["value"][1]) for each in result}
            statement = f"SELECT lpar, qmgr, {aggregate}({column}) * {factor} AS value FROM {view} GROUP BY ALL"
            assert run(["sql", statement, "--from", str(dataset), "--format", "json"]) == 0
            rows = json.loads(capsys.readouterr().out)
            assert got == {(row["lpar"], row["qmgr"]): pytest.approx(row["value"], rel=1e-10) for row in rows}, query
            assert len(got) == len(ESTATE)
        # The estate has no statistics of channel initiators; all of its queue managers can be chosen in a dashboard.
        for label, _, choice in CHOICES:
            match = re.fullmatch(rf"label_values\((.+), {label}\)", choice.replace("$lpar", ".*"))
            assert match
            offered = asked(port, f"label/{label}/values", **{"match[]": match[1]}, end=end.timestamp())
            assert set(offered) == {getattr(member, label) for member in ESTATE}
        # A UTC day has 24 hours of intervals, also when clocks change.
        count = asked(port, "query", query='count_over_time(mqstat_puts_per_second{qmgr="MQ01"}[1d])', time=dt.datetime.combine(day, dt.time(), dt.UTC).timestamp() + 2 * 86400 - 1)["result"]  # fmt: skip
        assert {each["metric"]["lpar"]: int(each["value"][1]) for each in count} == {"SYSA": 48, "SYSB": 24}
