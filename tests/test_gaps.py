"""What a report lacks, in lines: also classes that are there in part or were dropped."""

from __future__ import annotations

from mqstat.assemble.head import DROPPED, DROPPED_IN_PART, PART
from mqstat.assemble.status import gap_lines
from mqstat.judge.states import NOT_COLLECTED, NOT_IN_RELEASE


def test_classes_in_part_or_dropped_are_gaps_and_many_of_them_few_lines() -> None:
    coverage = [
        (NOT_COLLECTED, "116.1 class 3: START TRACE"),
        *((PART, f"115.{number}: 5 of 9 intervals") for number in range(4)),
        (DROPPED, "116.0 class 1 accounting on 2026-05-01"),
        (DROPPED_IN_PART, "116.2: 3 of 9 records"),
        (NOT_IN_RELEASE, "115.8"),
    ]
    assert list(gap_lines([], [], coverage=coverage)) == [
        (PART, "115.0: 5 of 9 intervals"),
        (PART, "115.1: 5 of 9 intervals; and 2 more lines: mqstat report DUMP --report overview/coverage"),
        (DROPPED, "116.0 class 1 accounting on 2026-05-01"),
        (DROPPED_IN_PART, "116.2: 3 of 9 records"),
    ]
