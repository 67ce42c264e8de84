"""Checks a DuckDB file that `mqstat views` wrote: its views, macros, comments and tables are those that this mqstat writes over the dataset now.

The file is written again elsewhere and compared text by text. The lists of Parquet files may differ, because a dataset grows; each file in them must be one of
the dataset. Rows that came from a site file or from the rules cannot be computed again: that they are there is a remark.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import duckdb

from mqstat.base.errors import MqstatError
from mqstat.base.formatting import plural
from mqstat.base.scratch import temporary_folder
from mqstat.dataset.manifest import FileEntry
from mqstat.dataset.publishing import is_unchanged
from mqstat.dataset.snapshot import SNAPSHOTS
from mqstat.dataset.store import open_dataset
from mqstat.share.view_file import FINDINGS, write_views
from mqstat.sql.schemas import quoted
from mqstat.sql.syntax import without_files

CURE = "write it again with: mqstat views"

PASSIVE: Mapping[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
}
"""The file is opened without access to anything else."""

TEXTS = {
    "view": "SELECT schema_name || '.' || view_name, sql FROM duckdb_views() WHERE NOT internal",
    "table": "SELECT schema_name || '.' || table_name, sql FROM duckdb_tables() WHERE NOT internal",
    "macro": "SELECT schema_name || '.' || function_name, concat(parameters::VARCHAR, ' ', macro_definition) FROM duckdb_functions() WHERE NOT internal",
    "comment of view": "SELECT schema_name || '.' || view_name, comment FROM duckdb_views() WHERE NOT internal",
    "comment of column": "SELECT concat_ws('.', schema_name, table_name, column_name), comment FROM duckdb_columns() WHERE NOT internal",
    "schema": "SELECT schema_name, 'schema' FROM duckdb_schemas() WHERE NOT internal",
    "type": "SELECT schema_name || '.' || type_name, logical_type FROM duckdb_types() WHERE NOT internal",
}

OF_THE_SITE = frozenset({"decoded.site_input", *(f"decoded.{name}" for name in FINDINGS)})


def view_problems(folder: Path, target: Path) -> tuple[list[str], list[str]]:
    """Problems and remarks about a file of views over a dataset."""
    try:
        have, rows = _content(target)
        findings = "decoded.finding" in have["table"]
        with temporary_folder() as scratch:
            write_views(folder, scratch / "views.duckdb", findings=findings, keep_files=False)
            want, wanted_rows = _content(scratch / "views.duckdb")
            named = _files_of(folder)
            problems = _compared(have, want)
            strangers = _strangers(folder, target, have["view"], named)
    except (duckdb.Error, MqstatError) as error:
        return [f"{target.name}: the views cannot be checked ({str(error).splitlines()[0]})."], []
    if strangers:
        problems.insert(
            0, f"its views read {plural(len(strangers), 'file')} that the dataset does not have, such as {strangers[0]}"
        )
    for name in sorted(rows.keys() & wanted_rows.keys() - OF_THE_SITE):
        if rows[name] != wanted_rows[name]:
            problems.append(f"the rows of table {name} are not those of the dataset")
    remarks = []
    if any(rows.get(name) != wanted_rows.get(name) for name in OF_THE_SITE):
        remarks.append(f"{target.name}: has facts of a site file or findings, which are not checked.")
    shown = [f"{target.name}: {text}; {CURE} {folder} --into {target}." for text in problems[:3]]
    return shown, remarks


def _content(path: Path) -> tuple[dict[str, dict[str, str | None]], dict[str, list[tuple[Any, ...]]]]:
    """The texts of a file by kind and name, and the rows of its tables in order."""
    with duckdb.connect(str(path), read_only=True, config=dict(PASSIVE)) as connection:
        own = connection.execute("SELECT current_database()").fetchall()[0][0]
        texts = {}
        for kind, query in TEXTS.items():
            condition = f" AND database_name = '{own}'"
            texts[kind] = {str(name): text for name, text in connection.execute(query + condition).fetchall()}
        rows = {}
        for name in texts["table"]:
            schema, table = name.split(".", 1)
            rows[name] = sorted(connection.execute(f"FROM {quoted(schema)}.{quoted(table)}").fetchall(), key=repr)
    return texts, rows


def _compared(have: Mapping[str, Mapping[str, str | None]], want: Mapping[str, Mapping[str, str | None]]) -> list[str]:
    """How the texts of a file differ from those that are expected."""
    problems = []
    for kind, wanted in want.items():
        for name in sorted({*have[kind], *wanted}):
            if name not in have[kind]:
                problems.append(f"{kind} {name} is missing")
            elif name not in wanted:
                problems.append(f"{kind} {name} is not one of this mqstat")
            elif have[kind][name] != wanted[name] and not _equal(have[kind][name], wanted[name]):
                problems.append(
                    f"{kind} {name} is not the one of this mqstat: it was changed, or another version wrote the file"
                )
    return problems


def _equal(first: str | None, second: str | None) -> bool:
    """Whether the texts of two views differ in the Parquet files that they read only."""
    return first is not None and second is not None and _statement(first)[0] == _statement(second)[0] != ""


def _statement(text: str) -> tuple[str, list[str]]:
    head, _, query = text.partition(" AS ")
    tree, files = without_files(query.removesuffix(";"))
    return (head + tree if tree else ""), files


def _files_of(folder: Path) -> dict[str, FileEntry | None]:
    """What views may read: the files of the dataset, also those that left and wait for their deletion, and the patterns of its tables."""
    manifest = open_dataset(folder).manifest
    entries = [*manifest.files, *manifest.retired]
    return {entry.path: entry for entry in entries} | {f"{entry.table}/*.parquet": None for entry in entries}


def _strangers(
    folder: Path, target: Path, texts: Mapping[str, str | None], named: Mapping[str, FileEntry | None]
) -> list[str]:
    """The paths in views that are not files of the dataset; they are relative to the folder of the file."""
    out = []
    for name, text in sorted(texts.items()):
        if name.startswith("decoded.") and text is not None:
            for path in _statement(text)[1]:
                relative = PurePosixPath(Path(os.path.relpath(target.resolve().parent / path, folder.resolve())))
                if str(relative) not in named and not _is_snapshot(folder, relative, named):
                    out.append(path)
    return out


def _is_snapshot(folder: Path, pattern: PurePosixPath, named: Mapping[str, FileEntry | None]) -> bool:
    """Whether a pattern is that of a table in a snapshot, and all of its files have the content that the manifest states."""
    if len(pattern.parts) < 4 or pattern.parts[0] != SNAPSHOTS or pattern.name != "*.parquet":
        return False
    table = PurePosixPath(*pattern.parts[2:-1])
    files = sorted(folder.glob(str(pattern)))
    return bool(files) and all(
        not path.is_symlink()
        and (entry := named.get(str(table / path.name))) is not None
        and (_is_same(path, folder / entry.path) or is_unchanged(path, entry))
        for path in files
    )


def _is_same(path: Path, other: Path) -> bool:
    """Whether two names are the same file, which `verify` reads by the other name."""
    return other.exists() and path.samefile(other)
