"""Table section, which is made by column for all sources at once: each row is what its key means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mqstat.base.selection import Selection
from mqstat.intake.part import Job
from mqstat.intake.pipeline import SourceResult, reader_tables
from mqstat.parsers import LAYOUTS
from mqstat.parsers.record import NONE, ROUTES

KEY = st.tuples(
    st.sampled_from([0, 0xE2E8E2C1, 0xFFFFFFFF]),
    st.sampled_from([0, 0xD4D8F0F1, 0xFFFFFFFF]),
    st.sampled_from([0, 80_000, 90_205]),
    st.sampled_from([115, 116]),
    st.sampled_from([1, 2, 215, 231, 65_535]),
    st.integers(1, 12),
    st.sampled_from([1, 104, 65_535]),
)
"""LPAR, queue manager, level, type, subtype, triplet, length."""
COUNTS = st.tuples(st.integers(1, 2**40), st.sampled_from([0, 5, np.iinfo(np.int64).max]), st.sampled_from([NONE, 9]))
"""Sections, first and last time."""


@settings(deadline=None)
@given(sources=st.lists(st.dictionaries(KEY, COUNTS, max_size=6), min_size=1, max_size=3))
def test_rows_are_those_of_the_keys(sources: list[dict[tuple[int, ...], tuple[int, int, int]]]) -> None:
    results, expected = [], []
    for number, sections in enumerate(sources, 1):
        result = SourceResult("dump", 0, None, "rdw", None)
        result.part.sections = {key: list(counts) for key, counts in sections.items()}
        results.append((number, result))
        expected += [_row(number, key, *counts) for key, counts in sorted(sections.items())]
    job = Job(1, 0, Selection(), None, Path(), keeps=False, held_bytes=1 << 30)
    _, tables = reader_tables(job, results)
    made = tables["section"].drop_columns(["date"]).to_pylist() if "section" in tables else []
    assert [
        row | {name: _us(row[name]) for name in ("first_written_local", "last_written_local")} for row in made
    ] == expected
    few = Job(1, 0, Selection(), {"source": frozenset()}, Path(), keeps=False, held_bytes=1 << 30)
    assert "section" not in reader_tables(few, results)[1]


def _us(moment: Any) -> int | None:
    return None if moment is None else moment.microsecond


def _text(raw: int) -> str | None:
    return raw.to_bytes(4, "big").decode("cp037").rstrip(" \0") or None


def _row(number: int, key: tuple[int, ...], sections: int, first: int, last: int) -> dict[str, Any]:
    lpar, qmgr, level, smf_type, subtype, triplet, length = key
    name = ROUTES.get((smf_type, subtype), {}).get(triplet)
    known = LAYOUTS[name].size if name else None
    return {
        "source_id": number, "lpar": _text(lpar), "qmgr": _text(qmgr),
        "mq_version": {0: None, 80_000: "8.0.0", 90_205: "9.2.5"}[level], "record_class": f"{smf_type}.{subtype}", "triplet": triplet,
        "section_bytes": length, "structure": name, "sections": sections, "section_bytes_known": known,
        "tail_bytes": sections * (length - known) if known and length > known else 0,
        "first_written_local": first if first < 9 else None, "last_written_local": None if last == NONE else last,
    }  # fmt: skip
