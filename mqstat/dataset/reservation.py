"""Numbers of sources that writers reserve before they decode, so that many of them write at the same time. The ids of
the records of a source follow from its number.
"""

from __future__ import annotations

from mqstat.dataset import steps, store
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.place import Home

MOST_RECORDS = 1 << 32
"""Records of a source that have ids of their own."""


def first_record_id(source_id: int) -> int:
    """The id of the first record of a source."""
    return (source_id - 1) * MOST_RECORDS


def reserve(folder: Home, count: int, wait_seconds: float = 0, known: Manifest | None = None) -> tuple[range, Manifest]:
    """Reserve numbers for so many inputs of a dataset, which is created if it is missing; returns also its manifest.

    known: a manifest that was read before. A number is never given twice, also if it is never used. Raises DatasetError
    if the dataset cannot be written.
    """
    current = known
    if current is None or current.generation < 0:
        with store.writing(folder, wait_seconds) as current:
            pass
    first = steps.Writer(folder).reserve(count)
    return range(first, first + count), current
