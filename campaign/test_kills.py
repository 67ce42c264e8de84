"""A dataset has its old or its new rows after a command was killed at any moment, or ran out of space, and the next run
completes it (campaign/kills.py).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from campaign import kills
from tests.support import built_dump, file_of

KILLS = 10
"""For each seed."""


@pytest.mark.parametrize("seed", range(20))
def test_a_kill_at_any_moment_leaves_the_old_or_the_new_rows(
    seed: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    dump = file_of(built_dump() * (1 + seed % 3), tmp_path, "small.smf")
    kind = kills.KINDS[seed % len(kills.KINDS)]
    assert kills.campaign(kind, dump, tmp_path / "work", KILLS, random.Random(seed), jobs=1 + seed % 2) == []
    record_property("kills", KILLS)
