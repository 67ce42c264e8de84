"""Times of systems with leap seconds: a constant difference between the clocks is ignored, a changing one is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.fixtures.day import morning
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import columns_of, open_data
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
        worst = database.ask_rows(query)[0]["worst"]
    assert (worst > 10) == is_found


@pytest.mark.slow
def test_each_interval_below_a_second_counts(tmp_path: Path) -> None:
    """Intervals of half a second that a timer cut (PH68566): 120 of them, and not the 60 seconds in which they
    began.
    """
    query = "SELECT count(*) AS intervals FROM quality_record_time WHERE qmgr = 'MQ03' AND time_check = 'length of the interval' AND check_seconds < 1"
    dump = file_of(SCENARIOS["known_errors"].build(), tmp_path)
    with open_data([str(dump)], columns=columns_of([query]), jobs=1) as database:
        assert database.ask_rows(query) == [{"intervals": 120}]
