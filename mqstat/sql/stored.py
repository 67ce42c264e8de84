"""Parquet files of an object store for DuckDB, through a file system in Python: DuckDB's own extension would be
downloaded when it is first used.

DuckDB asks for the footer and the column chunks of the row groups that it needs, each of which is one request for a
range.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mqstat.base.errors import UsageError
from mqstat.base.narrow_file import NarrowFile
from mqstat.base.object_store import INSTALL, StoredFile

if TYPE_CHECKING:
    import duckdb

    from mqstat.sql.decoded import TableSource


def register_stored(connection: duckdb.DuckDBPyConnection, sources: Iterable[TableSource]) -> None:
    """Let a connection read those files that are in object stores; no others can be opened."""
    files = {
        file.uri: file
        for source in sources
        if not isinstance(source, pa.Table)
        for each in source
        for file in [each.path if isinstance(each, NarrowFile) else each]
        if isinstance(file, StoredFile)
    }
    for scheme in sorted({uri.partition("://")[0] for uri in files}):
        connection.register_filesystem(_file_system(scheme, files))


def _file_system(scheme: str, files: dict[str, StoredFile]) -> Any:
    try:
        from fsspec import AbstractFileSystem
    except ImportError:
        raise UsageError(f"{scheme}://: object stores need the package fsspec: {INSTALL}") from None

    class Files(AbstractFileSystem):  # type: ignore[misc]
        """These files; each is opened in ranges."""

        protocol = scheme
        cachable = False

        def _open(self, path: str, **_: Any) -> io.RawIOBase:
            return files[path].open_ranges()

        def info(self, path: str, **_: Any) -> dict[str, Any]:
            return {"name": path, "size": files[path].size, "type": "file"}

        def glob(self, path: str, **_: Any) -> list[str]:
            return [path]  # DuckDB takes *, ? and [ in a key for a pattern

        def exists(self, path: str, **_: Any) -> bool:
            return path in files

        def modified(self, path: str) -> dt.datetime:
            return dt.datetime(2000, 1, 1, tzinfo=dt.UTC)  # an object is never changed

        @classmethod
        def _strip_protocol(cls, path: Any) -> Any:
            return path

    return Files()
