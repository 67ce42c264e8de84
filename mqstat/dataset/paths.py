"""Names of the files of a dataset: `<table>/<day>-<rest>.parquet`.

qpst/2026-11-22-s000012-0000-000.parquet         rows of source 12 with this local day
source/undated-s000012-count-000.parquet         rows without a day
finding_day/2026-11-01-findings-5f0c.parquet     what the rules decided on the days of a month
"""

from __future__ import annotations

import datetime as dt
import re

UNDATED = "undated"
"""Instead of the day in the name of a file: counts over a whole input, records without a valid date. Column `date` is
null in its rows."""

EPOCH = dt.date(1970, 1, 1)

_DAY = r"\d{4}-\d\d-\d\d"
_REST = r"[A-Za-z0-9][A-Za-z0-9_-]*\.parquet"

FILE_PATH = re.compile(rf"(?P<table>[a-z0-9_]+)/(?P<day>{_DAY}|{UNDATED})-{_REST}")
"""The path of every file of a table, below the folder of the dataset."""

FINDING_DAY = "finding_day"
"""Table of what the rules decided, by day: rows that were computed from the others."""


def file_path(table: str, day: dt.date | None, rest: str) -> str:
    """The path of a file below the folder of the dataset; `rest` = what distinguishes the files of one table and
    day.
    """
    return f"{table}/{UNDATED if day is None else day.isoformat()}-{rest}.parquet"


def date_of(day: int) -> dt.date:
    """The date of a day counted from 1970-01-01."""
    return EPOCH + dt.timedelta(days=int(day))


def table_of(path: str) -> str:
    """The table that the path of a file names; ValueError for a path that is not one of a dataset."""
    day_of(path)
    return path.split("/", maxsplit=1)[0]


def day_of(path: str) -> dt.date | None:
    """The local day that the path of a file names, None for rows without a day; ValueError for a path that is not one
    of a dataset.
    """
    match = FILE_PATH.fullmatch(path)
    if match is None:
        raise ValueError(f"{path!r} is not the path of a file of a dataset")
    return None if match["day"] == UNDATED else dt.date.fromisoformat(match["day"])


def is_computed(path: str) -> bool:
    """Whether the path of a file of the manifest is one of rows that were computed from tables."""
    return path.startswith(f"{FINDING_DAY}/")


def is_own(path: str) -> bool:
    """Whether a path is one that mqstat gives to files of a dataset."""
    return FILE_PATH.fullmatch(path) is not None
