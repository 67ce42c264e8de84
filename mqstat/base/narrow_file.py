"""A Parquet file without columns that have one value in all of its rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from mqstat.base.object_store import StoredFile


@dataclass(frozen=True)
class NarrowFile:
    """A Parquet file without the columns that have one value in all of its rows."""

    path: Path | StoredFile
    constants: Mapping[str, int | str | bool | None] = field(hash=False)
    """The columns that are left out, with their value."""

    def __fspath__(self) -> str:
        return os.fspath(self.path) if isinstance(self.path, Path) else self.path.uri

    def __str__(self) -> str:
        return str(self.path)

    def absolute(self) -> NarrowFile:
        """The same file by a name that does not depend on the working directory."""
        return replace(self, path=self.path.absolute()) if isinstance(self.path, Path) else self
