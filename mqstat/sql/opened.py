"""What a database is opened from: the decoded tables, and which of their rows and columns. It never changes, so threads
share it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from mqstat.base.object_store import StoredFile
from mqstat.base.selection import Selection
from mqstat.sql.decoded import Owners, TableSource, name_of, row_count
from mqstat.sql.schemas import OWN_TABLES, all_schemas
from mqstat.sql.site import Site

SMALL = 4_000_000
"""Up to this many cells (rows times columns), planning a query takes longer than running it."""
SMALL_IN_MEMORY = 16 << 20
"""Bytes of rows that are kept in memory while a dump is decoded."""


@dataclass(frozen=True)
class Numbers:
    """Where the sequence numbers of records are read from (`mqstat.sql.numbers`), and what they show."""

    files: Sequence[Path | StoredFile] = field(default=())
    """Files of table record to read instead of the selected ones."""
    not_judged: str | None = None
    first: datetime | None = None
    end: datetime | None = None


def left_out(only: Collection[int] | None, since: object, until: object) -> str | None:
    """The options with which records were left out when they were decoded; None if there are none."""
    options = {"--only": only, "--since": since, "--until": until}
    return " and ".join(name for name, value in options.items() if value) or None


@dataclass(frozen=True, eq=False)
class Opened:
    """Decoded tables, as Parquet files or Arrow tables, and how they are read.

    A missing table is empty and a missing column NULL, with its declared type, so that every view compiles.
    """

    tables: Mapping[str, TableSource]
    views: bool | Collection[str] = False
    """The views to create, for a user's queries: all, or those named. Without any, `Workspace.keep` creates those that
    a query needs."""
    site: Site = field(default_factory=Site)
    selection: Selection | None = None
    schemas: Mapping[str, pa.Schema] = field(default_factory=all_schemas)
    decoded: Mapping[str, Collection[str]] | None = None
    """The tables and columns of a dump that were decoded: no others exist, so reading another one is an error, not
    NULL."""
    distinct: bool = False
    """The duplicates of the tables are marked (a dataset), so they are not searched."""
    sources: Collection[int] | None = None
    """Only the counts of these inputs."""
    owners: Owners | None = None
    """Only the records of these."""
    numbers: Numbers = field(default_factory=Numbers)
    """Where the sequence numbers of records are read from."""
    memory_limit: str = "256MB"
    dataset: Any = None
    """The dataset in the state that was opened (`mqstat.dataset.store`), to read more of it; None for dumps."""

    def part_of(self, name: str) -> pa.Schema:
        """The columns of a table that were decoded; tables that the program itself fills always have all columns."""
        schema = self.schemas[name]
        if self.decoded is None or name in OWN_TABLES:
            return schema
        fields = [each for each in schema if each.name in self.decoded.get(name, ())]
        # Counting the rows of a table needs at least one column.
        key = schema.field("record_id" if "record_id" in schema.names else 0)
        return pa.schema((fields or [key]) if name in self.decoded else ())

    @cached_property
    def given(self) -> Mapping[str, TableSource]:
        """The tables that have a source and a column that was decoded."""
        sources = ((name, source) for name, source in self.tables.items() if isinstance(source, pa.Table) or source)
        return {name: source for name, source in sources if len(self.part_of(name))}

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The Parquet files of the tables, each with its table."""
        return {
            name_of(file): name
            for name, source in self.given.items()
            if not isinstance(source, pa.Table)
            for file in source
        }

    @cached_property
    def cells(self) -> Mapping[str, int]:
        """Rows times columns of each table; DamagedFileError for a file whose metadata cannot be read."""
        return {name: row_count(name, source) * len(self.schemas[name]) for name, source in self.given.items()}

    @cached_property
    def is_small(self) -> bool:
        """Whether there are so few rows that planning and threads cost more than reading them."""
        return sum(self.cells.values()) <= SMALL

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """The cells of each table, if there is much data."""
        # A copy of the rows of numbered_record costs as much as one of table record.
        numbered = {"numbered_record": self.cells["record"]} if "record" in self.cells else {}
        return {} if self.is_small else {**self.cells, **numbered}
