"""How much memory DuckDB may use: more for much data, where the machine has it.

Sums for each of a hundred thousand queues or applications of class 3 accounting are kept in memory while they grow; parts of them can be written to
temporary files, but not all of them. Statistics are sorted and joined, which temporary files allow.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mqstat.sql.decoded import CLASS_3, TableSource

MB = 1_000_000
FEW_BYTES = 32 * MB
"""A table with fewer bytes of Parquet needs no more memory than the least."""
TIMES = 32
"""Bytes of memory for each further byte of Parquet: sums of a million tasks need 1.5 GB, and their queues are 80 MB of Parquet."""
STATISTICS_MB = 600
"""The most that tables of statistics raise the limit to: with 2 GB of them a report takes 5 % less processor time if it may use twice as much."""
SHARE = 1 / 3
"""The largest share of the memory of the machine, or of the group of processes that a container is."""
LIMIT_OF_GROUP = Path("/sys/fs/cgroup/memory.max")


def memory_limit(least_mb: int, tables: Mapping[str, TableSource]) -> str:
    """The `memory_limit` of DuckDB for these tables, at least `least_mb`: what the largest of them may need."""
    tasks = _wanted(least_mb, (source for name, source in tables.items() if name in CLASS_3))
    statistics = _wanted(least_mb, (source for name, source in tables.items() if name not in CLASS_3))
    wanted = max(tasks, min(statistics, STATISTICS_MB * MB))
    return f"{max(least_mb, int(min(wanted, SHARE * _memory()) / MB))}MB"


def _wanted(least_mb: int, sources: Iterable[TableSource]) -> int:
    return least_mb * MB + TIMES * max(0, max(map(_bytes_of, sources), default=0) - FEW_BYTES)


def _bytes_of(source: TableSource) -> int:
    return sum(Path(file).stat().st_size for file in source) if isinstance(source, Sequence) else 0


def _memory() -> int:
    """The memory of the machine in bytes, or the limit of its control group if that is lower."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(machine, int(LIMIT_OF_GROUP.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no control groups, or "max"
        return machine
