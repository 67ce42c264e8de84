"""Limits of memory and time: what a command does where the address space is limited (`ulimit -v`), and how `sql` limits its queries.

Native libraries do not survive an allocation that fails: they end the process with a segmentation fault or abort it. So a process with such a limit
runs its command in a child, and reports the end of the child.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, ModuleType
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
STUCK_SECONDS = 30.0
"""How long a process near its limit may use no processor before it counts as stuck."""
_NEAR = 64 << 20
"""Bytes that one more thread may ask for."""
_DEADLY = frozenset(
    {signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE, signal.SIGILL}
    | ({signal.SIGBUS} if hasattr(signal, "SIGBUS") else set())
)
_ABORTED = 127
"""The return code of the C library when it has no memory for a thread."""


def address_space() -> int | None:
    """The limit of the address space in bytes; None without one."""
    if resource is None:
        return None
    soft: int = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def watch() -> None:
    """Where the address space is limited, continue in a child process; this one ends with its return code, or reports that it was out of memory."""
    if address_space() is None or not hasattr(os, "fork"):
        return
    child = os.fork()
    if child == 0:
        return

    def forward(number: int, _: FrameType | None) -> None:
        with suppress(OSError):
            os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, forward)
    stuck = threading.Event()
    threading.Thread(target=_end_stuck, args=(child, stuck), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if -code in _DEADLY or code == _ABORTED or stuck.is_set():
        sys.stderr.write(f"mqstat: {OUT_OF_MEMORY}\n")
        sys.stderr.flush()
        code = 16
    os._exit(code if code >= 0 else 128 - code)


def _end_stuck(child: int, stuck: threading.Event) -> None:
    """End a process that has come near to its limit and then, with those that it started, uses no processor: its threads wait for one that could not start."""
    limit, used, idle_since = address_space() or 0, -1, time.monotonic()
    with suppress(OSError, ValueError, IndexError):  # it has ended, or the system has no /proc
        while True:
            time.sleep(1)
            before, used = used, _processor_ticks(child)
            if used != before or _highest_bytes(child) < limit - _NEAR:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > STUCK_SECONDS:
                stuck.set()
                os.kill(child, signal.SIGKILL)
                return


def _processor_ticks(pid: int) -> int:
    """The processor time of a process and those that it started, in ticks; OSError if it has ended."""
    process = Path(f"/proc/{pid}")
    of_process = process.joinpath("stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    ticks = int(of_process[11]) + int(of_process[12])
    for thread in process.joinpath("task").iterdir():
        for started in thread.joinpath("children").read_text(encoding="utf-8").split():
            with suppress(OSError):
                ticks += _processor_ticks(int(started))
    return ticks


def _highest_bytes(pid: int) -> int:
    """The largest address space that a process has had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmPeak:")[2].split()[0]) << 10


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out: with a limit of the address space, libraries that cannot be loaded and threads that cannot start, too."""
    if isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__:
        return True
    return address_space() is not None and isinstance(error, ImportError | SystemError | RuntimeError)


@contextmanager
def limited_query(connection: Any, seconds: float | None) -> Iterator[None]:
    """Limit the memory of the process while a statement of a user runs, and interrupt it after some seconds (None: never); UsageError then.

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
