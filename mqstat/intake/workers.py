"""The worker processes of a command."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from mqstat.intake.shared_memory import Shared

Progress = Callable[[int, int | None], None]
"""Called with the bytes done and the total bytes (None if unknown)."""


def processors() -> int:
    """Processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class Workers:
    """Worker processes, started when first needed and reused for all inputs of a command.

    They are forked where that is safe (Linux), so that they need not import anything, otherwise spawned. They end
    whenever and however the main process ends.
    """

    def __init__(self, count: int | None = None, most: int | None = None) -> None:
        """`count` processes; without it one per processor, at most `most`."""
        self.count = count or min(processors(), most or processors())
        self._pool: ProcessPoolExecutor | None = None
        self._shared: Any = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.stop()
        elif self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def stop(self) -> None:
        """Kill the processes and wait until they have ended: nothing is written after this."""
        pool, self._pool = self._pool, None
        if self._shared is not None:
            self._shared.abandon()
        if pool is not None:
            running = list((getattr(pool, "_processes", None) or {}).values())
            for process in running:
                process.terminate()
            pool.shutdown(cancel_futures=True)

    def release(self) -> None:
        """End the processes and free the memory that they share; they start again when they are needed."""
        pool, self._pool, self._shared = self._pool, None, None
        if pool is not None:
            pool.shutdown()

    @property
    def pool(self) -> ProcessPoolExecutor:
        """The processes."""
        if self._pool is None:
            # Most inputs need no workers, and these modules take time to import.
            from concurrent.futures import ProcessPoolExecutor
            from multiprocessing import get_context

            from mqstat.intake.shared_memory import Shared

            context = get_context("fork" if sys.platform == "linux" else "spawn")
            self._shared = Shared(context, self.count)
            self._pool = ProcessPoolExecutor(
                self.count, mp_context=context, initializer=_start_worker, initargs=(self._shared,)
            )
            with warnings.catch_warnings():
                # Python 3.12 warns of forks in a process with threads; a worker uses nothing that a thread of the main
                # process locks.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._pool.submit(processors)
        return self._pool

    @property
    def shared(self) -> Shared:
        """The memory and the queues of the processes, which have been started."""
        shared: Shared = self._shared
        return shared

    def warm_up(self) -> None:
        """Start the processes while the main process does other work."""
        for _ in range(self.count):
            self.pool.submit(processors)


def _watch_parent() -> None:
    """End this worker when the main process ends for any reason."""
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(16)

    threading.Thread(target=watch, daemon=True).start()


def _start_worker(shared: Shared) -> None:
    from mqstat.intake.shared_memory import Shared as Known

    Known.here = shared
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # forked, it has the handler of the main process
    for name in ("SIGINT", "SIGHUP"):  # a terminal sends signals to all processes; the main process ends its workers
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    _watch_parent()
    pa.set_cpu_count(1)
