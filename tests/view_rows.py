"""The rows of all views of a DuckDB file as text, one digest for each view: `python view_rows.py FILE FOLDER`, with any
DuckDB and without mqstat.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import duckdb

VIEWS = "SELECT view_name FROM duckdb_views() WHERE schema_name = 'main' AND comment IS NOT NULL ORDER BY view_oid"


def text(value: Any) -> str:
    """A value as text; fractions with the digits that do not depend on the order of adding."""
    if isinstance(value, float):
        return f"{value + 0.0:.7g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {text(item)}" for key, item in value.items()) + "}"
    return str(value)


def digest(cursor: Any) -> list[Any]:
    """Number of rows, and a hash of columns and rows in the order of their text."""
    names = [column[0] for column in cursor.description]
    order = sorted(range(len(names)), key=names.__getitem__)
    rows = sorted("|".join(text(row[number]) for number in order) for row in cursor.fetchall())
    return [len(rows), hashlib.sha256("\n".join([*sorted(names), *rows]).encode()).hexdigest()[:16]]


def digests(file: Path, folder: Path, order: list[str]) -> dict[str, Any]:
    """The digests of the views, computed in a copy of the file: a view that was computed becomes a table, which those
    after it in `order` read.

    Computing each from the Parquet files again would give the same rows and take minutes.
    """
    copy = shutil.copy(file, folder / "copy.duckdb")
    out = {}
    with duckdb.connect(copy) as connection:
        connection.execute(f"SET file_search_path = '{file.parent}'")
        connection.execute("SET threads = 1")
        connection.execute("BEGIN")
        for name in order:
            connection.execute(f'CREATE TABLE computed AS FROM main."{name}"')
            connection.execute(f'DROP VIEW main."{name}"')
            connection.execute(f'ALTER TABLE computed RENAME TO "{name}"')
            out[name] = digest(connection.execute(f'FROM main."{name}"'))
    return out


if __name__ == "__main__":
    print(json.dumps([duckdb.__version__, digests(Path(sys.argv[1]), Path(sys.argv[2]), json.load(sys.stdin))]))
