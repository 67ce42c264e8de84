"""Memory and queues that the main process and its workers share."""

from __future__ import annotations

import mmap
from multiprocessing.context import BaseContext
from typing import Any, ClassVar

import numpy as np

from mqstat.parsers.resync import Bytes

MOST_WRITERS = 4
"""Workers that write the tables of one input: with more the largest table decides, and their memory counts."""

SLOTS = 5
"""Chunks in shared memory: one that is read, one or two that wait for their intervals, and those that are decoded."""

SLOT_BYTES = 50 << 20
"""Bytes of a slot: a chunk, and what is left of the chunk before it."""


class Slots:
    """Memory for chunks that the main process and its workers share. The main process allocates and frees; a slot that
    was never touched takes no memory.
    """

    def __init__(self, context: BaseContext) -> None:
        # Anonymous memory is passed on by a fork only; RawArray is a file, which a spawned process opens again.
        size = SLOTS * SLOT_BYTES
        forks = context.get_start_method() == "fork"
        self._memory: Any = mmap.mmap(-1, size) if forks else context.RawArray("B", size)
        self._free = list(range(SLOTS))
        self._last: int | None = None

    @property
    def any_free(self) -> bool:
        """Whether a slot is free."""
        return bool(self._free)

    def slot_of(self, content: Bytes) -> int | None:
        """The slot that bytes lie in, None if they lie in none."""
        at = int(content.ctypes.data) - int(self.view(0, 1).ctypes.data)
        return at // SLOT_BYTES if 0 <= at < SLOTS * SLOT_BYTES else None

    def view(self, slot: int, size: int) -> Bytes:
        """The first bytes of a slot."""
        return np.frombuffer(self._memory, np.uint8, size, slot * SLOT_BYTES)

    def allocate(self, size: int) -> Bytes:
        """Memory for the next chunk: a slot, or memory of this process if the chunk is larger than a slot or no slot is
        free.
        """
        before, self._last = self._last, None
        if self._free and size <= SLOT_BYTES:
            self._last = self._free.pop(0)
        if before is not None:  # it was read on into a larger piece of memory, so no chunk has it
            self.free(before)
        return np.empty(size, np.uint8) if self._last is None else self.view(self._last, size)

    def keep(self) -> None:
        """What was allocated last is the memory of a chunk now: its slot stays in use until `free`."""
        self._last = None

    def free(self, slot: int) -> None:
        """Give back a slot."""
        self._free = sorted([*self._free, slot])


class Shared:
    """What the main process and its workers share: the memory of chunks, a queue of portions for each worker, and one
    of the chunks they are through with.
    """

    here: ClassVar[Shared]
    """Set in each worker."""

    def __init__(self, context: BaseContext, workers: int) -> None:
        self.slots = Slots(context)
        self.inboxes: list[Any] = [context.Queue() for _ in range(min(workers, MOST_WRITERS))]
        self.through: Any = context.Queue()

    def abandon(self) -> None:
        """Let this process end although nobody takes what is in the queues: the processes that would have are
        killed.
        """
        for each in (*self.inboxes, self.through):
            each.cancel_join_thread()
