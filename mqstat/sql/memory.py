"""How much memory DuckDB may use: more for much data, where the machine has it.

Sums for each of a hundred thousand queues or applications of class 3 accounting are kept in memory while they grow;
parts of them can be written to temporary files, but not all of them. Statistics are sorted and joined, which temporary
files allow.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from mqstat.sql.decoded import CLASS_3, TableSource, bytes_of

MB = 1_000_000
LEAST = 600 * MB
"""Enough for a month of ten queue managers and for 2 GB of statistics or accounting, with the whole process below 1
GB."""
FEW_BYTES = 32 * MB
"""A table with fewer bytes of Parquet needs no more memory than the least."""
TIMES = 32
"""Bytes of memory for each further byte of Parquet: sums of a million tasks need 1.5 GB, and their queues are 80 MB of
Parquet."""
SHARE = 1 / 3
"""The largest share of the memory of the machine, or of the group of processes that a container is."""
LIBRARIES = 2 << 30
"""Bytes of memory that libraries reserve before they use any of it, where the system does not state it: 1.4 GB were
measured."""
STATE = Path("/proc/self/statm")
"""Pages of this process; the sixth number is that of its data, which RLIMIT_DATA limits."""
LIMIT_OF_GROUP = Path("/sys/fs/cgroup/memory.max")


def memory_limit(tables: Mapping[str, TableSource]) -> str:
    """The `memory_limit` of DuckDB for these tables: the least, or what the largest table of class 3 accounting may
    need.
    """
    largest = max((_bytes_of(source) for name, source in tables.items() if name in CLASS_3), default=0)
    wanted = LEAST + TIMES * max(0, largest - FEW_BYTES)
    return f"{int(max(LEAST, min(wanted, SHARE * _memory())) / MB)}MB"


def query_limit() -> int:
    """The bytes of memory that a process may have while it runs a query of a user, those that it has included: values
    of expressions do not count for the `memory_limit` of DuckDB.
    """
    try:
        reserved = int(STATE.read_text(encoding="ascii").split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        reserved = LIBRARIES
    return reserved + int(max(LEAST, SHARE * _memory()))


def _bytes_of(source: TableSource) -> int:
    return sum(map(bytes_of, source)) if isinstance(source, Sequence) else 0


def _memory() -> int:
    """The memory of the machine in bytes, or the limit of its control group if that is lower."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(machine, int(LIMIT_OF_GROUP.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no control groups, or "max"
        return machine
