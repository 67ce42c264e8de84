"""Responses to DISPLAY wrapped at any column have all facts or are refused, and a large log needs memory for its facts
only.
"""

from __future__ import annotations

import tracemalloc
from time import process_time
from typing import TextIO, cast

import pytest

from mqstat.intake.display_facts import Collected
from mqstat.sources.display import Responses
from tests.console_text import STYLES
from tests.test_display import _Log, check_wrapped


@pytest.mark.parametrize("style", STYLES)
def test_lines_wrapped_at_any_column_have_all_facts_or_are_refused(style: str) -> None:
    refused = [
        check_wrapped(style, columns, strip, indent)
        for columns in range(60, 180)
        for indent in ("", " ", "        ")
        for strip in (False, True)
    ]
    assert any(refused)
    assert not all(refused)


def test_memory_and_time_of_a_large_log() -> None:
    """A log of about 45 MB: the memory is that of the facts, and the time is proportional to the lines."""
    times: dict[int, float] = dict.fromkeys((50_000, 400_000), 0)
    peaks = []
    for lines in (
        *[50_000] * 4,
        400_000,
        *[50_000] * 4,
    ):  # as many short ones around the long one, for a machine that becomes slower
        responses, collected = Responses(cast("TextIO", _Log(lines))), Collected()
        start = process_time()
        collected.add("log", 0, responses.values())
        times[lines] += process_time() - start
        assert collected.facts().facts
    for lines in (3_000, 12_000):
        tracemalloc.start()
        Collected().add("log", 0, Responses(cast("TextIO", _Log(lines))).values())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert times[400_000] < 1.5 * times[50_000]
    assert peaks[1] < 1.5 * peaks[0] < 5_000_000
