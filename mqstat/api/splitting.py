"""A dump -> ranges that several processes, or machines, decode independently."""

from __future__ import annotations

from typing import NamedTuple

from mqstat.api.inputs import Dump, framing_named, sources_of
from mqstat.base.errors import UsageError
from mqstat.intake.pipeline import chunks_of
from mqstat.intake.ranges import ranges


class Range(NamedTuple):
    """A range of a dump that begins and ends between records; `decode(path, tables, *range)` decodes it."""

    start: int
    """Offset of its first byte."""
    stop: int | None
    """Offset after its last byte; None = to the end of an input that has no offsets."""
    first_record: int
    """Number of its first record in the input, all SMF types counted."""


def split(path_or_bytes: Dump, range_bytes: int, *, framing: str | None = None) -> list[Range]:
    """Divide a dump into ranges of whole records, each of `range_bytes` bytes or a little more, the last one of what remains.

    Decoding all ranges gives the rows of decoding the whole, with the same record numbers. A spanned record is in one range with all its segments.
    Input without offsets (compressed, an archive, a folder, a list, an open file that is not seekable, standard input) is one range, and so is a
    compressed file that is open. Offsets in an open file count from its start. The dump is walked once from its start, record by record
    without decoding them, because only that finds record boundaries for certain where bytes are damaged.

    framing: as for `decode`. Raises UsageError for a size below 1 and InputError when the input cannot be read.
    """
    if range_bytes < 1:
        raise UsageError(f"split: ranges of {range_bytes} bytes are not possible; give a size of 1 byte or more.")
    known = framing_named(framing)
    if hasattr(path_or_bytes, "read") and not (hasattr(path_or_bytes, "seekable") and path_or_bytes.seekable()):
        return [Range(0, None, 0)]  # it is read once, and `decode` reads it
    sources = sources_of(path_or_bytes, at=0)
    source = next(sources)
    if source.fault is None and (not source.has_offsets or next(sources, None) is not None):
        return [Range(0, None, 0)]
    return [Range(*each) for each in ranges(chunks_of(source, known), range_bytes)]
