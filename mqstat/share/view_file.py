"""All views of mqstat in a DuckDB file: the facts of a dataset for programs that do not have mqstat.

The file has the views in schema `main`, and in schema `decoded` a view over the Parquet files of each decoded table, all with comments. Only the
tables that mqstat itself fills are stored in it: facts of the site file, and on request the findings. Views of which the rows are missing are
left out: those of a comparison of two periods, and those of findings without findings, where an empty view would mean "no finding".
"""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from mqstat.base.atomic_write import replaced
from mqstat.base.errors import DatasetError, UsageError
from mqstat.base.inputs import about
from mqstat.dataset import snapshot
from mqstat.dataset.publishing import staging
from mqstat.dataset.store import Opened, reading, refuse_folders_of_tables
from mqstat.intake.open_data import open_data
from mqstat.judge.lineage import formula_of
from mqstat.sql import sqlfile
from mqstat.sql.duplicates import LENDERS, MARKED, with_lent_intervals
from mqstat.sql.numbers import numbered_query
from mqstat.sql.schemas import SIDE_TABLES, all_schemas, create_table, duckdb_type, literal, quoted
from mqstat.sql.site import Site
from mqstat.sql.views import create_views
from mqstat.sql.workspace import Workspace

STORAGE = "v1.4.0"
"""The oldest DuckDB that reads the file."""

COMPARED = frozenset(SIDE_TABLES)

HAS_LENT = "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'decoded' AND table_name = 'lent_interval'"
"""Whether records have the interval of a duplicate."""

FINDINGS = frozenset({"finding", "area_state"})
"""Tables that the rules fill."""

COPIED = frozenset({"site_input", "report_class", "layout_size", "dropped_class", "sequence_scope"})
"""Tables of which the rows are copied into the file."""


@dataclass(frozen=True)
class ViewFile:
    """What was written: views, tables that have files, whether the files are in a snapshot, and findings (None unless they were asked for)."""

    views: int
    tables: int
    has_snapshot: bool
    findings: int | None


def view_names(*, findings: bool) -> frozenset[str]:
    """The views that the file has."""
    missing = {f"decoded.{name}" for name in (COMPARED if findings else COMPARED | FINDINGS)}
    known = sqlfile.views()
    return frozenset(
        name for name in known if not any(missing & set(known[below].needs) for below in sqlfile.with_views_below(name))
    )


def write_views(
    folder: Path, target: Path, *, site: Site | None = None, findings: bool = False, keep_files: bool = True
) -> ViewFile:
    """Write the views over the dataset `folder` into the DuckDB file `target`, which is replaced when it is complete.

    The paths of the Parquet files in it are relative to the folder of `target`. `keep_files` = take a snapshot of them for it; otherwise the dataset is not written. Raises DatasetError if `folder` is not a dataset that can be read, and
    UsageError if `target` cannot be written or is another kind of file.
    """
    refuse_folders_of_tables(folder, target)
    _refuse_other_files(target)
    with reading(folder) as dataset:
        reader = os.path.relpath(target.resolve(), folder.resolve()) if keep_files else None
        sources, has_snapshot = _paths(dataset, reader)
        with open_data(dataset=folder, site=site, may_be_empty=True) as database:
            own = _own_rows(database, findings)
            has_lent = bool(database.execute(HAS_LENT).fetchall())
        names = view_names(findings=findings)
        with replaced(target, follow=True) as part:
            prefix = Path(os.path.relpath(folder.resolve(), target.resolve().parent)).as_posix()
            try:
                _write(part, folder, "" if prefix == "." else f"{prefix}/", sources, own, names, has_lent=has_lent)
            except duckdb.IOException as error:
                raise UsageError(f"{target} cannot be written: {str(error).splitlines()[0]}") from error
    return ViewFile(len(names), len(sources), has_snapshot, own["finding"].num_rows if findings else None)


def _paths(dataset: Opened, reader: str | None) -> tuple[dict[str, list[str]], bool]:
    """The paths of the files of each table below the dataset, and whether they are in a snapshot, where they stay: not without a reader, or if the dataset cannot be written."""
    if reader is not None:
        with suppress(OSError), staging(dataset.folder) as own:
            taken = snapshot.taken(dataset.folder, dataset.manifest, dataset.path, reader, own)
            return {table: [pattern] for table, pattern in taken.items()}, True
    listed: dict[str, list[str]] = {}
    for entry in dataset.manifest.files:
        listed.setdefault(entry.table, []).append(entry.path)
    return listed, False


def _refuse_other_files(target: Path) -> None:
    """UsageError unless the file is missing, empty or a DuckDB file, so that a mistyped name overwrites nothing."""
    if target.is_dir():
        raise UsageError(f"{target} is a folder; give the name of the DuckDB file to write.")
    if not target.parent.is_dir():
        raise UsageError(f"{target} cannot be written: there is no folder {target.parent}.")
    try:
        with target.open("rb") as stream:
            start = stream.read(12)
    except OSError:
        return  # a new file; what cannot be written is reported when it is
    if start and start[8:12] != b"DUCK":
        raise UsageError(f"{target} exists and is not a DuckDB file; choose another name.")


def _own_rows(database: Workspace, findings: bool) -> dict[str, pa.Table]:
    """The rows of the tables that mqstat itself fills."""
    database.fill_report_classes()
    names = set(COPIED)
    if findings:
        from mqstat.judge import run_rules

        run_rules(database)
        names |= FINDINGS
    return {name: database.arrow(f"SELECT * FROM decoded.{quoted(name)}") for name in sorted(names)}


def _write(
    part: Path, folder: Path, prefix: str, sources: Mapping[str, Sequence[str]], own: Mapping[str, pa.Table], names: Collection[str], *, has_lent: bool
) -> None:  # fmt: skip
    """Create schemas, tables, views and comments in a new DuckDB file, in one transaction."""
    missing = COMPARED if "finding" in own else COMPARED | FINDINGS
    schemas = {name: schema for name, schema in all_schemas().items() if name not in missing}
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        connection.execute(f"ATTACH {literal(part.resolve())} AS written (STORAGE_VERSION {literal(STORAGE)})")
        connection.execute("USE written")
        # DuckDB opens the files of a view when it is created.
        connection.execute(f"SET file_search_path = {literal(part.resolve().parent)}")
        connection.execute("PRAGMA disable_optimizer")  # no statement reads rows, and there are six thousand of them
        connection.execute("BEGIN")
        connection.execute("CREATE SCHEMA decoded")
        connection.execute(sqlfile.macros())
        if has_lent:
            records = _query(connection, schemas["record"], sources["record"], prefix)
            connection.execute(
                f"CREATE VIEW decoded.lent_interval AS {LENDERS.replace('decoded.record ', f'({records}) ')}"
            )
        for name in sorted(schemas):
            if name == "repeated_record" and "record" in sources:
                connection.execute(f"CREATE VIEW decoded.repeated_record AS {MARKED}")
            elif name in sources:
                try:
                    query = _query(connection, schemas[name], sources[name], prefix)
                    if has_lent and (lent := with_lent_intervals(name, schemas[name].names)):
                        query = lent.format(query)
                    connection.execute(f"CREATE VIEW decoded.{quoted(name)} AS {query}")
                except duckdb.Error as error:
                    raise DatasetError(
                        f"{folder}: table {name} cannot be read ({str(error).splitlines()[0]}); {about('verify', folder)} lists the damaged files."
                    ) from error
            else:
                create_table(connection, name, schemas[name])
            if name in own:
                connection.register("incoming", own[name])
                connection.execute(f"INSERT INTO decoded.{quoted(name)} BY NAME SELECT * FROM incoming")
                connection.unregister("incoming")
        if "record" in sources and own["sequence_scope"]["not_judged"].null_count:
            connection.execute("DROP TABLE decoded.numbered_record")
            connection.execute(f"CREATE VIEW decoded.numbered_record AS {numbered_query('decoded.record')}")
        create_views(connection, names)
        add_comments(connection, schemas, names, formula_of)
        connection.execute("COMMIT")
        connection.execute("USE memory")
        connection.execute("DETACH written")


def _query(connection: duckdb.DuckDBPyConnection, schema: pa.Schema, paths: Sequence[str], prefix: str) -> str:
    """The query over the files of a decoded table: all declared columns with their types; NULL where no file has one."""
    listed = ", ".join(literal(prefix + path) for path in paths)
    origin = f"read_parquet([{listed}], hive_partitioning = false)"
    present = _columns_of(connection, origin)
    if not present.keys() >= set(schema.names):  # files of an earlier mqstat lack the columns that came later
        origin = f"read_parquet([{listed}], hive_partitioning = false, union_by_name = true)"
        present = _columns_of(connection, origin)
    return f"SELECT {', '.join(_selected(field, present.get(field.name)) for field in schema)} FROM {origin}"


def _selected(field: pa.Field, stored: str | None) -> str:
    """A column with its declared type, from a file that stores it with another one or (None) not at all."""
    name, declared = quoted(field.name), duckdb_type(field.type)
    if stored is None:
        return f"NULL::{declared} AS {name}"
    return name if stored == declared else f"{name}::{declared}"


def _columns_of(connection: duckdb.DuckDBPyConnection, origin: str) -> dict[str, str]:
    """The columns of files with their types."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {origin}").fetchall()}


def add_comments(
    connection: duckdb.DuckDBPyConnection,
    schemas: Mapping[str, pa.Schema],
    names: Collection[str],
    formula_of: Callable[[str, str], str],
) -> None:
    """Set the descriptions of decoded tables (views over files or tables) and of these views, and of all their columns, which other tools show.

    `formula_of` returns the formula of a column of a view, which is part of its description.
    """
    known = sqlfile.views()
    for name in names:
        view = known[name]
        _comment_on(connection, "VIEW", f"main.{quoted(name)}", f"{view.title}: {view.header['grain']}.")
        for column in view.columns.values():
            formula = formula_of(name, column.name)
            text = _text(column.doc, column.unit) + (f" Formula: {formula}." if formula else "")
            _comment_on(connection, "COLUMN", f"main.{quoted(name)}.{quoted(column.name)}", text)
    for name, schema in schemas.items():
        for field in schema:
            metadata = field.metadata or {}
            if b"description" in metadata:
                text = _text(metadata[b"description"].decode(), metadata.get(b"unit", b"").decode())
                _comment_on(connection, "COLUMN", f"decoded.{quoted(name)}.{quoted(field.name)}", text)


def _comment_on(connection: duckdb.DuckDBPyConnection, kind: str, name: str, text: str) -> None:
    connection.execute(f"COMMENT ON {kind} {name} IS {literal(text)}")


def _text(description: str, unit: str) -> str:
    """A description with the unit of the column, if it has one."""
    return description if unit in ("", "text", "texts", "flag", "id") else f"{description} Unit: {unit}."
