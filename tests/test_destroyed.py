"""No statement follows from destroyed bytes: losses are bounded, and no queue manager or level is listed that the sound
dump does not have.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mqstat.base.errors import InputError
from mqstat.fixtures.damage import with_line_ends
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from tests.support import file_of

DUMP = SCENARIOS["three_states"].build()
HOURS = 2

VIEWS = ("qmgr", "quality_level", "record_sequence", "sequence_gap", "interval_lost")
LISTED = "SELECT lpar, qmgr, unnest(string_split(mq_versions, ', ')) AS level FROM qmgr"
LEVELS = "SELECT lpar, qmgr, unnest([first_mq_version, last_mq_version]) FROM quality_level"
LOSSES = """
    SELECT s.counted_class, s.counter, s.lost_records, count(g.first_missing) AS gaps
    FROM record_sequence AS s LEFT JOIN sequence_gap AS g USING (lpar, qmgr, run, counter)
    WHERE s.lost_records > 0 GROUP BY ALL
"""
MISSING = "SELECT coalesce(max(lost_intervals), 0) FROM interval_lost"


def _inserted(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.choice((b"\r", b"\n", b"\0", rng.randbytes(rng.randrange(1, 40)))) + data[at:]


def _deleted(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 2, 4, rng.randrange(1, 3000))) :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[at:end]


TRANSLATIONS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "line ends": lambda data, _: with_line_ends(data),
    "carriage returns": lambda data, _: data.replace(b"\r", b""),
    "ascii": lambda data, _: data.decode("cp037").encode("latin-1", "replace"),
    "ascii 1047": lambda data, _: data.decode("cp1140").encode("cp1252", "replace"),
    "utf-8": lambda data, _: data.decode("latin-1").encode("utf-8"),
    "insert": _inserted,
    "delete": _deleted,
    "cut": _cut,
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, ...]]:
    with open_data([str(file_of(DUMP, tmp_path_factory.mktemp("sound")))], views=VIEWS) as database:
        database.keep_named(VIEWS)
        return {*database.execute(LISTED).fetchall()}


@pytest.mark.slow
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(names=st.lists(st.sampled_from(sorted(TRANSLATIONS)), min_size=1, max_size=6), seed=st.integers(0, 1 << 32))
@example(names=["line ends"], seed=1)
@example(names=["ascii"], seed=1)
@example(names=["insert"] * 6, seed=2)
@example(names=["insert"], seed=(1 << 32) - 1)  # a zero in the QWHS: what is left over after the record looks like fill
def test_destroyed_bytes_state_nothing(
    names: list[str], seed: int, sound: set[tuple[str, ...]], tmp_path: Path
) -> None:
    data, rng = DUMP, random.Random(seed)
    for name in names:
        data = TRANSLATIONS[name](data, rng) or b"\0"
    try:
        with open_data([str(file_of(data, tmp_path))], views=VIEWS) as database:
            database.keep_named(VIEWS)
            listed, levels, losses, [(intervals,)] = (
                database.execute(query).fetchall() for query in (LISTED, LEVELS, LOSSES, MISSING)
            )
    except InputError:
        return
    assert {*listed, *levels} <= sound
    assert intervals <= 2 * HOURS
    for record_class, counter, lost, gaps in losses:
        of_interval = counter and record_class.startswith("115.")
        assert lost <= (100 * gaps + 3600 * HOURS if of_interval else 100_000 * (gaps + 3600 * HOURS)), record_class
