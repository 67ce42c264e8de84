"""Ranges of a plain file -> worker processes -> one result in the order of the input."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mqstat.intake.part import Job, PartResult
from mqstat.intake.stream import Work, run_alone
from mqstat.parsers.framing import Framing
from mqstat.parsers.walk import walk
from mqstat.sources.source import Source

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

    They are forked where that is safe (Linux), so that they need not import anything, otherwise spawned. They end whenever and however
    the main process ends.
    """

    def __init__(self, count: int | None = None, most: int | None = None) -> None:
        """`count` processes; without it one per processor, at most `most`."""
        self.count = count or min(processors(), most or processors())
        self._pool: ProcessPoolExecutor | None = None
        self._decoded: Any = None
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
            self._decoded = context.Value("q", 0)
            self._shared = Shared(context, self.count)
            self._pool = ProcessPoolExecutor(
                self.count, mp_context=context, initializer=_start_worker, initargs=(self._decoded, self._shared)
            )
            with warnings.catch_warnings():
                # Python 3.12 warns of forks in a process with threads; a worker uses nothing that a thread of the main process locks.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._pool.submit(processors)
        return self._pool

    @property
    def shared(self) -> Shared:
        """The memory and the queues of the processes, which have been started."""
        shared: Shared = self._shared
        return shared

    @property
    def decoded(self) -> int:
        """Bytes of input that the processes have decoded since they were started."""
        return 0 if self._decoded is None else int(self._decoded.value)

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


def _start_worker(decoded: Any, shared: Shared) -> None:
    def count(size: int) -> None:
        with decoded.get_lock():
            decoded.value += size

    from mqstat.intake.shared_memory import Shared as Known

    Known.here = shared
    Work.count = staticmethod(count)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # forked, it has the handler of the main process
    for name in ("SIGINT", "SIGHUP"):  # a terminal sends signals to all processes; the main process ends its workers
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    _watch_parent()
    pa.set_cpu_count(1)


def split(
    source: Source, framing: Framing, job: Job, stem: str, workers: Workers, chunk_bytes: int, progress: Progress | None
) -> PartResult | None:
    """Hand out one range per worker without walking the input first; None if the ranges turn out not to be adjacent.

    Record numbers have gaps between the ranges, which is acceptable only for a temporary dataset. A range begins at the first record that
    is recognised after the start of its byte range; if damage or chance makes this an offset that a walk from the start would not reach, the ranges are not adjacent.
    """
    size = source.size or 0
    starts = [0]
    for share in range(1, workers.count):
        first_record = _first_record(source, framing, size * share // workers.count)
        if first_record is not None and first_record > starts[-1]:
            starts.append(first_record)
    stops, before = [*starts[1:], 1 << 62], workers.decoded
    futures = [
        workers.pool.submit(
            run_alone, source, framing.value, start, stop, number << 40, job, f"{stem}-{number:04d}", chunk_bytes
        )
        for number, (start, stop) in enumerate(zip(starts, stops, strict=True))
    ]
    _follow(futures, workers, before, size, progress)
    parts = [future.result() for future in futures]
    ends = [start + part.ledger.bytes.input for start, part in zip(starts, parts, strict=True)]
    if ends != [*starts[1:], size]:
        for file in (file for part in parts for file in part.files):
            (job.root / file.path).unlink(missing_ok=True)
        return None
    result = PartResult()
    for part in parts:
        result.merge(part)
    result.records = workers.count << 40
    return result


def _first_record(source: Source, framing: Framing, guess: int) -> int | None:
    """Offset of the first record (with the bytes before it) that is recognised from `guess` on; None if there is none nearby."""
    with source.open(guess) as reader:
        for chunk in walk(reader, framing, start=guess, chunk_bytes=1 << 20):
            lost = chunk.damage[0].length if chunk.damage and chunk.damage[0].offset == guess else 0
            return guess + lost if len(chunk.offset) else None
    return None


def _follow(
    futures: list[Future[PartResult]], workers: Workers, before: int, size: int, progress: Progress | None
) -> None:
    """Wait for the workers and show progress; an error of one worker is raised at once."""
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=0.2, return_when=FIRST_COMPLETED)
        _raise_early(list(done))
        if progress is not None:
            progress(min(size, workers.decoded - before), size)


def _raise_early(futures: list[Future[PartResult]]) -> None:
    for future in futures:
        if future.done():
            future.result()
