"""Names of the files of a dataset: `<table>/<day>-<rest>.parquet`.

qpst/2026-11-22-s000012-0000-000.parquet         rows of source 12 with this local day
source/undated-s000012-count-000.parquet         rows without a day
rollup/buffer_pool/2026-11-v1-g000031.parquet    hourly sums of a month, put together by version 1 of the ways, published in generation 31
facts/buffer_pool/2026-11-22-g000031.parquet     in a folder of facts: rows of a view of this day, published in generation 31
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

from mqstat.parsers.tables import table_schemas

UNDATED = "undated"
"""Instead of the day in the name of a file: counts over a whole input, records without a valid date. Column `date` is null in its rows."""

EPOCH = dt.date(1970, 1, 1)

_DAY = r"\d{4}-\d\d-\d\d"
_REST = r"[A-Za-z0-9][A-Za-z0-9_-]*\.parquet"

FILE_PATH = re.compile(rf"(?P<table>[a-z0-9_]+)/(?P<day>{_DAY}|{UNDATED})-{_REST}")
"""The path of every file of a table, below the folder of the dataset."""

HOURLY = "rollup"
"""Folder of the hourly sums in a dataset, and of the findings by day."""

FINDING_DAY = "finding_day"
"""Folder of the findings by day in it."""

HOURLY_PATH = re.compile(rf"(?P<table>{HOURLY}/[a-z0-9_]+)/\d{{4}}-\d\d(-v(?P<version>\d+))?-g\d{{6,}}\.parquet")
"""The path of every file of hourly sums."""

FACTS = "facts"
"""Folder of the rows of views in a folder of facts."""

FACTS_PATH = re.compile(
    rf"(?P<table>{FACTS}/[a-z0-9_]+)/(?P<part>{_DAY}(_{_DAY})?|{UNDATED})-g\d{{6,}}(-[0-9a-f]+)?\.parquet"
)
"""The path of every file of facts: those of a local day, of a period, or without a day."""

COMPUTED = (HOURLY, FACTS)
"""The folders of rows that were computed from tables: hourly sums, findings by day, facts."""


def file_path(table: str, day: dt.date | None, rest: str) -> str:
    """The path of a file below the folder of the dataset; `rest` = what distinguishes the files of one table and day."""
    return f"{table}/{UNDATED if day is None else day.isoformat()}-{rest}.parquet"


def date_of(day: int) -> dt.date:
    """The date of a day counted from 1970-01-01."""
    return EPOCH + dt.timedelta(days=int(day))


def table_of(path: str) -> str:
    """The table that the path of a file names, `rollup/<view>` for hourly sums and `facts/<view>` for facts; ValueError for a path that is not one of a dataset."""
    computed = HOURLY_PATH.fullmatch(path) or FACTS_PATH.fullmatch(path)
    if computed is not None:
        return computed["table"]
    day_of(path)
    return path.split("/", maxsplit=1)[0]


def day_of(path: str) -> dt.date | None:
    """The local day that the path of a file names, None for rows without a day; ValueError for a path that is not one of a dataset."""
    match = FILE_PATH.fullmatch(path)
    if match is None:
        raise ValueError(f"{path!r} is not the path of a file of a dataset")
    return None if match["day"] == UNDATED else dt.date.fromisoformat(match["day"])


def is_computed(path: str) -> bool:
    """Whether the path of a file of the manifest is one of rows that were computed from tables."""
    return path.startswith(tuple(f"{folder}/" for folder in COMPUTED))


def is_facts(path: str) -> bool:
    """Whether the path of a file of the manifest is one of facts."""
    return path.startswith(f"{FACTS}/")


def is_own(path: str) -> bool:
    """Whether a path is one that mqstat gives to files of a dataset."""
    return any(pattern.fullmatch(path) for pattern in (FILE_PATH, HOURLY_PATH, FACTS_PATH))


def parquet_files(folder: Path) -> Iterator[Path]:
    """All Parquet files in the table folders of a dataset, in order."""
    for table in sorted(table_schemas()):
        if (folder / table).is_dir():
            yield from sorted((folder / table).rglob("*.parquet"))
