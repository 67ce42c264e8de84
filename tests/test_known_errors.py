"""Times of systems with leap seconds: a constant difference between the clocks is ignored, a changing one is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.fixtures.day import morning
from mqstat.fixtures.frame import smf_file
from mqstat.intake.open_data import columns_of, open_data
from mqstat.sql.plans import rows
from tests.support import file_of


def behind(record: bytes, seconds: int) -> bytes:
    """A record whose local time of writing is this much earlier; the store clock and the interval stay."""
    hundredths = int.from_bytes(record[6:10], "big") - 100 * seconds
    return record[:6] + hundredths.to_bytes(4, "big") + record[10:]


@pytest.mark.slow
@pytest.mark.parametrize(("first", "then", "is_found"), [(27, 27, False), (27, 30, True), (15, 15, True)])
def test_leap_seconds_are_no_difference(tmp_path: Path, first: int, then: int, is_found: bool) -> None:
    records = [behind(record, first if number % 2 else then) for number, record in enumerate(morning(count=2))]
    query = "SELECT max(check_seconds) AS worst FROM quality_record_time WHERE time_check = 'end of the interval'"
    with open_data(
        [str(file_of(smf_file(records), tmp_path, "leap.smf"))], columns=columns_of([query]), jobs=1
    ) as database:
        worst = rows(database, query)[0]["worst"]
    assert (worst > 10) == is_found
