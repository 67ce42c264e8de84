"""Runs of intervals in breach: slots of at least five minutes, which shorter intervals fill in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import duckdb

from mqstat.judge.counting import longest_runs

RUNS: dict[str, tuple[Sequence[tuple[float, bool | None]], int]] = {
    "a hole": ([(900, True), (-2, None), (900, True), (-3, None), (900, True)], 2),
    "STATIME of five minutes, a little short": ([(285, True)] * 3, 3),
    "three minutes": ([(60, False)] * 4 + [(60, True)] * 3 + [(60, False)] * 33, 0),
    "a quarter of an hour that begins within a slot": ([(60, False)] * 7 + [(60, True)] * 15 + [(60, False)] * 18, 3),
    "twenty seconds": ([(5, False)] * 60 + [(5, True)] * 4 + [(5, False)] * 60, 0),
    "twenty minutes, with some seconds within the limit": ([(5, False)] + [(5, n % 7 > 0) for n in range(240)], 4),
    "most of the time is not judged": ([(60, True), (60, None), (60, None), (60, True), (60, None)] * 3, 0),
    "a slot that a hole ends": ([(60, True)] * 9 + [(-60, None)] + [(60, True)] * 9, 1),
    "short before long, in breach": ([(900, True), (60, True), (900, True)], 2),
    "short before long, within the limit": ([(900, True), (60, False), (900, True)], 1),
}
"""Intervals in order, each with its length and verdict, and the longest run; a negative length is a hole."""


def test_the_longest_run() -> None:
    rows = []
    for name, (lengths, _) in RUNS.items():
        starts = accumulate((abs(seconds) for seconds, _ in lengths), initial=0)
        rows += [(name, start, *given) for start, given in zip(starts, lengths, strict=False) if given[0] > 0]
    seen = "SELECT 1 AS rule_number, 'SYS1' AS lpar, 'MQ01' AS qmgr, subject, make_timestamp(second * 1000000) AS interval_start_utc, interval_seconds, verdict FROM seen"
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE seen (subject VARCHAR, second BIGINT, interval_seconds DOUBLE, verdict BOOLEAN)"
        )
        connection.executemany("INSERT INTO seen VALUES (?, ?, ?, ?)", rows)
        found = {row[3]: row[4] for row in connection.execute(longest_runs(seen)).fetchall()}
    assert found == {name: longest for name, (_, longest) in RUNS.items()}
