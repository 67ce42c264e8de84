"""FTP record structure (STRU R) undone exactly: X'FF' before an X'FF' of the data, and before the mark of the end of a
record or of the file.

Source: RFC 959, 3.1.2.2: X'FF01' ends a record, X'FF02' the file, X'FF03' both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mqstat.parsers.resync import Bytes, Index

_ESCAPE = 0xFF
_LAST_MARK = 3


def undone(data: Bytes, at_end: bool) -> tuple[Bytes, Index, int, tuple[int, int]]:
    """The bytes without escapes and marks, where bytes were removed, how many were read, and how many escapes were
    marks and not valid.

    Where: for each removed byte the index of the first byte of the result that comes after it. A last X'FF' is not read
    before the end.
    """
    at = np.flatnonzero(data == _ESCAPE)
    starts = np.flatnonzero(np.diff(at, prepend=-2) != 1)
    first = np.repeat(starts, np.diff(np.append(starts, len(at))))
    at = at[(np.arange(len(at)) - first) % 2 == 0]  # each second one of a run is data
    size = len(data)
    if len(at) and at[-1] == size - 1:
        at, size = at[:-1], size if at_end else size - 1
    following = data[at + 1]
    is_mark = (following > 0) & (following <= _LAST_MARK)
    is_escape = following == _ESCAPE
    kept = np.ones(size, dtype=np.bool_)
    kept[at[is_mark | is_escape]] = False
    kept[at[is_mark] + 1] = False
    before: Index = np.cumsum(kept) - kept
    removed = np.flatnonzero(~kept)
    # The escape of a byte belongs to it, and a mark to the record that ends there.
    follows = before[removed] + np.isin(removed, at[is_escape])
    marks, invalid = int(is_mark.sum()), int((~is_mark & ~is_escape).sum())
    return data[:size][kept], follows.astype(np.int64), size, (marks, invalid)


def is_escaped(data: bytes) -> bool:
    """Whether these bytes are in record structure: a record ends in them, and hardly an X'FF' is neither escape nor
    mark.
    """
    result, _, _, (marks, invalid) = undone(np.frombuffer(data, dtype=np.uint8), at_end=True)
    pairs = int(np.count_nonzero(result == _ESCAPE))
    return marks > 0 and 50 * invalid <= marks + pairs


class Unescaped:
    """A reader of what another reader gives, without escapes and marks; it knows where each byte was."""

    def __init__(self, reader: Any, start: int) -> None:
        self._reader, self._start = reader, start
        self._left, self._ended = b"", False
        self._given = 0
        self._removed: list[Index] = []
        self._forgotten = 0
        self.check_time: Callable[[], None] = getattr(reader, "check_time", lambda: None)

    def read(self, size: int) -> bytes:
        """At most `size` bytes, none at the end of the input."""
        while not self._ended:
            data = self._reader.read(max(1, size - len(self._left)))
            self._ended = not data
            result, removed, taken, _ = undone(np.frombuffer(self._left + data, dtype=np.uint8), self._ended)
            self._left = (self._left + data)[taken:]
            if len(removed):
                self._removed.append(removed + self._given)
            self._given += len(result)
            if len(result):
                return result.tobytes()
        return b""

    def positions(self, offsets: Index) -> Index:
        """Where in the input the bytes at these offsets are."""
        removed = np.concatenate(self._removed) if self._removed else np.empty(0, dtype=np.int64)
        return np.searchsorted(removed, offsets, side="right") + (offsets + self._start + self._forgotten)

    def placed(self, chunk: Any) -> Any:
        """A chunk of the bytes without escapes, with the offsets of the input; what was removed is skipped."""
        begins = chunk.offset - chunk.skipped
        ends = chunk.offset + chunk.size
        positions, until = self.positions(begins), self.positions(ends)
        damage = [
            replace(span, offset=low, length=high - low)
            for span, (low, high) in zip(
                chunk.damage,
                self.positions(
                    np.array(
                        [(span.offset, span.offset + span.length) for span in chunk.damage], dtype=np.int64
                    ).reshape(-1, 2)
                ).tolist(),
                strict=True,
            )
        ]
        return replace(
            chunk,
            offset=self.positions(chunk.offset),
            damage=damage,
            skipped=until - positions - chunk.size,
            skip_reason="escape",
        )

    def forget(self, offset: int) -> None:
        """Forget what was removed before an offset that all later ones follow."""
        while self._removed and self._removed[0][-1] <= offset:
            self._forgotten += len(self._removed.pop(0))
