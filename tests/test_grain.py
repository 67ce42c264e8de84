"""All reports by hour, by day and for their first subjects: figures stay in the range of their rows, sums stay, no key is lost (tests/grain.py)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from mqstat.base.selection import Selection
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS, rich_estate
from mqstat.intake.open_data import open_data
from mqstat.sql.site import Site
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
"""Reports that `make test` compares."""


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


def test_some_reports_of_the_estate(tmp_path: Path) -> None:
    with opened(estate(), tmp_path) as data:
        result = compared(data, FEW, ("by hour", "top 3"))
    assert result.faults == []
    assert result.cells > 5_000
    assert result.ratios > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("report", "column", "way", "variant"),
    [
        ("channel_initiator/adapters", "average_request_et_us", Way("add", "mean"), "by hour"),
        ("storage/region", "available_31_bytes", Way("add", "add"), "by day"),
        ("message_manager/persistence", "average_persistent_bytes", Way("add", "add"), "by hour"),
        ("message_manager/calls", "puts", Way("max", "add"), "by hour"),
        ("buffer_pool/usage", "lowest_stealable", Way("max", "max"), "by day"),
        ("log/io", "io_longest_us", Way("add", "max"), "by hour"),
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
