"""Sections are counted by exact keys: two kinds of sections are never counted as one."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mqstat.parsers.batch import section_counts
from mqstat.parsers.record import MOST_TRIPLETS, NONE, Records

RECORD = st.tuples(
    st.sampled_from([0, 1, 2**31, 2**32 - 1]),
    st.sampled_from([0, 1, 2**31, 2**32 - 1]),
    st.sampled_from([0, 1, 80_000, 100_000, 999_999]),
    st.sampled_from([115, 116]),
    st.sampled_from([0, 1, 2, 231, 65_535]),
    st.sampled_from([NONE, 0, 5, 7]),
)
"""LPAR, queue manager, level, type, subtype, time written."""
TRIPLET = st.tuples(
    st.integers(1, MOST_TRIPLETS - 1) | st.sampled_from([1, MOST_TRIPLETS - 1]),
    st.sampled_from([1, 104, 65_535]),
    st.integers(1, 3),
)
"""Index, length and count of sections."""


@settings(deadline=None)
@given(records=st.lists(RECORD, min_size=1, max_size=8), data=st.data())
def test_counts_are_those_of_whole_keys(records: list[tuple[int, ...]], data: st.DataObject) -> None:
    rows = st.tuples(st.integers(0, len(records) - 1), TRIPLET)
    triplets = data.draw(st.lists(rows, min_size=1, max_size=30))
    columns = [np.array(column) for column in zip(*records, strict=True)]
    r = SimpleNamespace(
        lpar=columns[0].astype(np.uint32),
        qmgr=columns[1].astype(np.uint32),
        level=columns[2],
        smf_type=columns[3],
        subtype=columns[4],
        written=columns[5],
        triplet_record=np.array([record for record, _ in triplets]),
        triplet_index=np.array([index for _, (index, _, _) in triplets]),
        triplet_length=np.array([length for _, (_, length, _) in triplets]),
        triplet_count=np.array([count for _, (_, _, count) in triplets]),
    )
    sections: Counter[tuple[int, ...]] = Counter()
    times: dict[tuple[int, ...], list[int]] = {}
    for record, (index, length, count) in triplets:
        key = (*records[record][:5], index, length)
        sections[key] += count
        times.setdefault(key, []).append(records[record][5])
    counted: dict[tuple[int, ...], Any] = section_counts(cast(Records, r))
    assert {key: value[0] for key, value in counted.items()} == dict(sections)
    for key, (_, first, last) in counted.items():
        known = [time for time in times[key] if time != NONE]
        assert last == max(times[key])
        assert not known or first == min(known)
