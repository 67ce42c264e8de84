"""The tables `[[output]]` of the configuration of `mqstat daily`: what it writes each night for other systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mqstat.daily.key import Key
from mqstat.render.feeds import FEEDS

POSTGRESQL = "postgresql"
"""The format of an output that is a database."""

FORMATS = (*FEEDS, POSTGRESQL)


@dataclass(frozen=True)
class Output:
    """An output: `into` is the folder of its files or, for a database, of the facts that it is loaded from; the other fields are those of `mqstat export`."""

    format: str
    into: Path
    queues: int = 0
    applications: int = 0
    database: str = "postgresql://"
    schema: str = "mqstat"
    views: tuple[str, ...] = ()

    @property
    def is_files(self) -> bool:
        """Whether it is the files of a day."""
        return self.format != POSTGRESQL

    @property
    def name(self) -> str:
        """What messages call it; an address may have what others must not read."""
        return f"{self.format} ({self.into})"


_SHARED = (
    Key("format", "output", None, "", f"Format of the files of each day: {', '.join(FEEDS)} (mqstat export series and findings).", '"openmetrics"'),
    Key("into", "path", None, "", "Folder for the files; created if missing. mqstat does not remove them.", '"feeds"'),
)  # fmt: skip
FILE_KEYS = (
    *_SHARED,
    Key("queues", "count", 0, "", "Number of the busiest queues of each queue manager that the values include.", "20"),
    Key("applications", "count", 0, "", "Number of the busiest applications of each queue manager that the values include.", "20"),
)  # fmt: skip
DATABASE_KEYS = (
    Key("format", "output", None, "", "postgresql: the rows of all views are loaded into a database (mqstat export postgresql).", '"postgresql"'),
    Key("into", "path", None, "", "Folder for the facts that the database is loaded from; created if missing.", '"facts"'),
    Key("database", "address", "postgresql://", "", "Address of the database, without a password: use PGPASSFILE or a service (PGSERVICEFILE).", '"postgresql://loader@db.example.com/monitoring"'),
    Key("schema", "schema", "mqstat", "", "Schema for the tables; created if missing.", '"mqstat"'),
    Key("views", "texts", (), "", "Only these views; default: all.", '["buffer_pool", "page_set"]'),
)  # fmt: skip
TABLES = (FILE_KEYS, DATABASE_KEYS)
"""The keys of each kind of output."""


def keys_of(given: Mapping[str, object]) -> Mapping[str, Key]:
    """The keys that an output with these values may have."""
    return {key.name: key for key in (DATABASE_KEYS if given.get("format") == POSTGRESQL else FILE_KEYS)}
