"""All reports by hour, by day and for their first subjects: figures stay in the range of their rows, sums stay, no key
is lost (tests/grain.py).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from mqstat.assemble.compare import FIGURES, HOUR_VALUES, measure, slot_rows
from mqstat.base.selection import Selection
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.objects import Overrides
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS, rich_estate
from mqstat.intake.open_data import open_data
from mqstat.sql.site import Site, parse_site
from mqstat.sql.sqlfile import reports
from mqstat.sql.ways import Way
from tests.estates import DUMP_JOB
from tests.grain import VARIANTS, Data, Result, compare
from tests.support import file_of

TWIN = replace(rich_estate.ALONE, name="MQ01", lpar="SYS3", rate=35.0, channels=4)
"""A queue manager with the name of another one on another LPAR."""
FEW = (
    "application/cpu", "buffer_pool/io", "cf/structures", "channel_initiator/adapters", "log/activity", "message_manager/persistence", "page_set/io",
    "queue_statistics/puts", "storage/region",
)  # fmt: skip
"""Reports that are compared in one way; all are compared in several."""
EMPTIED_AT_MOST = 40
"""Columns of all reports that may become empty in some variant, because there is no common value (`none`) or the values
differ (`same`), other than settings."""
COMPARED = "cells of reports put together"


def estate() -> bytes:
    """The rich estate and the twin of one of its queue managers, which ran for a part of the time."""
    records = [record for record in joined(SCENARIOS["rich_estate"].build()) if record[5] not in DUMP_JOB]
    first = rich_estate.EIGHT + dt.timedelta(minutes=30)
    return smf_file([*records, *intervals(TWIN, first, 5, rich_estate.everything(TWIN))])


@contextmanager
def opened(
    dump: bytes | Path, folder: Path, selection: Selection | None = None, site: Site | None = None
) -> Iterator[Data]:
    """The rows of the reports of a dump."""
    path = dump if isinstance(dump, Path) else file_of(dump, folder)
    with open_data([str(path)], selection=selection, site=site, jobs=1) as database:
        yield Data(database)


def compared(data: Data, names: Iterable[str], variants: Iterable[str] = VARIANTS) -> Result:
    """The comparison of these reports in these variants."""
    result = Result()
    for name in names:
        for variant in variants:
            compare(data, reports()[name], variant, result)
    return result


def without_reason(result: Result) -> list[str]:
    """The columns that become empty although their way gives a value, or without a reason: with the way `same` their
    values differ.
    """
    return [
        f"{report} {name}: {way}"
        for (report, name), way in sorted(result.emptied.items())
        if way not in ("none", "same") or (way == "none" and not reports()[report].columns[name].way.why)
    ]


def check(data: Data, record_property: Callable[[str, object], None]) -> None:
    """All reports in all variants."""
    result = compared(data, reports())
    assert not result.faults, "\n".join([f"{len(result.faults)} faults:", *result.faults[:60]])
    assert without_reason(result) == []
    figures = [(report, name) for report, name in result.emptied if reports()[report].columns[name].kind != "setting"]
    assert len(figures) <= EMPTIED_AT_MOST, sorted(figures)
    record_property(COMPARED, result.cells)


def test_some_reports_of_the_estate(tmp_path: Path) -> None:
    with opened(estate(), tmp_path) as data:
        result = compared(data, FEW, ("by hour", "top 3"))
    assert result.faults == []
    assert without_reason(result) == []
    assert result.cells > 5_000
    assert result.ratios > 100


@pytest.mark.parametrize(
    "selection",
    [Selection(), Selection(qmgrs=("MQ03",)), Selection(qmgrs=("MQ01",))],
    ids=["all", "one queue manager", "one name on two LPARs"],
)
def test_all_reports_of_the_estate(
    selection: Selection, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with opened(estate(), tmp_path, selection, parse_site(rich_estate.SITE, "site.toml")) as data:
        check(data, record_property)


def test_all_reports_of_the_sample(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    with opened(SCENARIOS["sample"].build(), tmp_path) as data:
        check(data, record_property)


def test_all_reports_of_the_real_dumps(dumps: Path, record_property: Callable[[str, object], None]) -> None:
    with opened(dumps, dumps) as data:
        check(data, record_property)


@pytest.mark.parametrize(
    ("report", "column", "way", "variant"),
    [
        ("channel_initiator/adapters", "average_request_et_us", Way("add", "mean"), "by hour"),
        ("storage/region", "available_31_bytes", Way("add", "add"), "by day"),
        ("message_manager/persistence", "average_persistent_bytes", Way("add", "add"), "by hour"),
        ("message_manager/calls", "puts", Way("max", "add"), "by hour"),
        ("buffer_pool/usage", "lowest_stealable", Way("max", "max"), "by day"),
        ("log/io", "io_longest_us", Way("add", "max"), "by hour"),
        ("storage/estimate", "measured_mib", Way("last", "add", whole=("lpar", "qmgr", "address_space")), "top 3"),
        ("message_manager/calls", "puts_per_s", Way("add", "add"), "by hour"),
    ],
)
def test_a_wrong_way_is_a_fault(report: str, column: str, way: Way, variant: str, tmp_path: Path) -> None:
    unit = reports()[report]
    wrong = replace(unit, columns={**unit.columns, column: replace(unit.columns[column], way=way)})
    result = Result()
    with opened(estate(), tmp_path) as data:
        compare(data, wrong, variant, result)
    assert {fault.split(": ")[1].split()[0] for fault in result.faults} == {column}


def test_key_figures_are_put_together_like_the_timeline(tmp_path: Path) -> None:
    """Comparisons and usual values: the figures of an hour of two intervals, of 15 and 45 minutes, with more calls in
    the longer one.
    """
    owner, start = QueueManager("MQ07", "SYS7", qsg="QSG7", structures=("APP1",)), rich_estate.EIGHT
    redrives: Overrides = {"qest": {"single_redrives": {2: 900}}}
    records = [
        *owner.interval(start, 900, load=0.2, overrides=redrives),
        *owner.interval(start + dt.timedelta(minutes=15), 2700, load=1.0, overrides={"qmst": {"persistent_puts": 9}}),
    ]
    with opened(smf_file(records), tmp_path) as data:
        hours = slot_rows(("SYS7", "MQ07"), "day", [8])
        measured = dict(measure(data.db, "after", hours, (FIGURES, HOUR_VALUES)))
        kinds = {kind["figure_number"]: kind for kind in data.db.ask_rows("SELECT * FROM figure_kind")}
        (row,) = data.together(reports()["overview/timeline"], "hour", None)
        columns = reports()["overview/timeline"].columns
    figures = [each for each in measured["side_figure"].to_pylist() if each["slot"] is not None and not each["subject"]]
    hour_values = {each["figure_number"]: each for each in measured["hour_figure"].to_pylist() if not each["subject"]}
    compared_names = set()
    extremes = {"highest": "max", "lowest": "min"}
    for figure in figures:
        kind = kinds[figure["figure_number"]]
        name = kind["metric"]
        way = columns[name].way.over_time
        if kind["metric_unit"] == "per_h" or way in ("mean", "ratio"):
            per_hour = 3600 / row["interval_seconds"] if kind["metric_unit"] == "per_h" else 1
            assert figure["figure_mean"] == pytest.approx(row[name] * per_hour), name
            compared_names.add(name)
            if kind["hour_way"] == "mean":
                assert hour_values[figure["figure_number"]]["hour_value"] == pytest.approx(row[name] * per_hour), name
        elif way in ("min", "max"):
            assert extremes[kind["hour_way"]] == way, name
            assert hour_values[figure["figure_number"]]["hour_value"] == row[name], name
    assert {
        "persistent_put_pct",
        "cf_redrive_pct",
        "puts_per_s",
        "checkpoints",
        "logger_task_busy_pct",
    } <= compared_names
