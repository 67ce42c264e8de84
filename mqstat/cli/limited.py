"""Limits of memory and time: which errors mean that memory ran out, and how `sql` limits its queries."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from mqstat.base.errors import UsageError
from mqstat.base.formatting import number_text

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows
    resource = None

OUT_OF_MEMORY = "out of memory; increase the memory limit of the job."
GRACE_SECONDS = 2.0
"""How long a query may take to stop."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out, in Python or in a library."""
    return isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__


@contextmanager
def limited_query(connection: Any, seconds: float | None) -> Iterator[None]:
    """Limit the memory of the process while a statement of a user runs, and interrupt it after some seconds (None:
    never); UsageError then.

    Without a connection, or if a single call of a function does not end soon after, the process ends.
    """
    if seconds is None:
        with _limited_memory():
            yield
        return
    message = f"The query did not end within {number_text(seconds)} seconds (--timeout) and was stopped."
    late = threading.Event()

    def stop() -> None:
        late.set()
        if connection is not None:
            connection.interrupt()

    def end() -> None:
        os.write(2, f"mqstat: {message}\n".encode())
        os._exit(16)

    timers = [threading.Timer(seconds, stop), threading.Timer(seconds + GRACE_SECONDS, end)]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        with _limited_memory():
            yield
    except Exception:
        if late.is_set():
            raise UsageError(message) from None
        raise
    finally:
        for timer in timers:
            timer.cancel()


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Lower the limit of private memory of this process (RLIMIT_DATA), where the system has one."""
    from mqstat.sql.memory import query_limit

    if resource is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    least = min(each for each in (query_limit(), soft, hard) if each != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_DATA, (least, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
