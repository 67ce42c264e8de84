"""Commands that query data and list tables: sql, tables."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mqstat.base.errors import UsageError
from mqstat.base.formats import QUERY_FORMATS
from mqstat.base.formatting import pasted
from mqstat.cli.limited import limited_query
from mqstat.cli.options import Data, RawOption, argument, checked_format, format_option, option, reading

if TYPE_CHECKING:
    from mqstat.sql.workspace import Workspace


@reading("site")
def sql(
    context: typer.Context,
    query: Annotated[str, argument("sql QUERY")],
    format: Annotated[str, format_option(QUERY_FORMATS)] = "text",
    raw: RawOption = False,
    timeout: Annotated[float | None, option("--timeout SECONDS", float, least=0.001)] = None,
) -> int:
    """Run one SELECT (DuckDB SQL) over a dataset or over dumps. It only reads the tables and views."""
    data: Data = context.obj
    checked_format(format, None, QUERY_FORMATS)
    from mqstat.sql.query import check_query
    from mqstat.sql.syntax import reads_catalogue, views_named

    if not query.strip():
        raise UsageError("The query is empty; give a SELECT over the tables and views: mqstat tables lists them.")
    if _is_path(query):
        raise UsageError(f"{query} is a file, not a query; give the query first: mqstat sql QUERY {pasted(query)}")
    check_query(query)

    def columns() -> Mapping[str, Collection[str]]:
        from mqstat.sql.needs import decoded_columns, scanned_columns

        if named is not None and data.dataset is not None:
            return decoded_columns([query])
        with limited_query(None, timeout):  # the plan has the values of constant expressions
            return scanned_columns(query)

    named = views_named(query)
    if named is None and not reads_catalogue(query):
        columns()  # an error names what does not exist, and the nearest name, without opening the data
    with (
        data.open(
            columns=columns if named is not None or data.dataset is None else None,
            views=True if named is None else named,
        ) as database,
        limited_query(database.connection, timeout),
    ):
        database.keep_named(named or ())
        _print_query(database, query, format, raw)
    return data.return_code()


ZONED = "WITH TIME ZONE"
"""In the names of types whose values have a time zone, also as parts of others."""


def _is_path(text: str) -> bool:
    """Whether a file or folder has this name; a query may be longer than any name of a file."""
    try:
        return Path(text).exists()
    except OSError:
        return False


def _print_query(database: Workspace, query: str, format_name: str, raw: bool) -> None:
    from mqstat.sql.query import as_usage_error

    with as_usage_error():
        cursor = database.execute(query)
        names = [column[0] for column in cursor.description or ()]
        zoned = [ZONED in str(column[1]) for column in cursor.description or ()]
        if any(
            zoned
        ):  # the client of DuckDB makes Python objects of these with a package that is not installed: DuckDB writes them as text
            listed = ", ".join(f"c{n}::VARCHAR AS c{n}" if text else f"c{n}" for n, text in enumerate(zoned))
            every = ", ".join(f"c{n}" for n in range(len(zoned)))
            cursor = database.execute(f"SELECT {listed} FROM ({query.strip().rstrip(';')}\n) AS result ({every})")  # noqa: S608 - the query was checked, and only reads
        if format_name == "json":
            again = [name for number, name in enumerate(names) if name in names[:number]]
            if again:
                raise UsageError(f"The query has two columns {again[0]}; name them differently with AS for JSON.")
            rows = [dict(zip(names, map(_plain, row), strict=True)) for row in cursor.fetchall()]
            json.dump(rows, sys.stdout, indent=1, allow_nan=False)
            sys.stdout.write("\n")
        elif format_name == "csv":
            _write_csv(names, cursor, raw)
        else:
            _write_text(names, cursor)


def _plain(value: Any) -> Any:
    """A value for JSON, which has no infinity and no NaN: these become null, as in reports."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return value.hex().upper()
    return str(value)


def _write_csv(names: list[str], cursor: Any, raw: bool) -> None:
    import csv

    from mqstat.base.csv_cells import safe
    from mqstat.cli.streams import Shown

    def cell(value: Any) -> Any:
        value = _plain(value)
        return "" if value is None else safe(value) if isinstance(value, str) and not raw else value

    writer = csv.writer(Shown(sys.stdout, raw=raw), lineterminator="\n")
    writer.writerow(map(cell, names))
    while rows := cursor.fetchmany(10_000):
        writer.writerows([cell(value) for value in row] for row in rows)


def _write_text(names: list[str], cursor: Any) -> None:
    from mqstat.base.formatting import escaped, on_one_line

    shown = cursor.fetchmany(1001)
    cells = [["" if v is None else escaped(str(_plain(v))) for v in row] for row in shown[:1000]]
    names = list(map(on_one_line, names))
    widths = [max([len(name), *(len(row[i]) for row in cells)]) for i, name in enumerate(names)]
    numeric = [all(isinstance(row[i], int | float) or row[i] is None for row in shown) for i in range(len(names))]

    def line(values: list[str]) -> str:
        return (
            "  ".join(v.rjust(w) if n else v.ljust(w) for v, w, n in zip(values, widths, numeric, strict=True)).rstrip()
            + "\n"
        )

    sys.stdout.write(line(names))
    sys.stdout.write(line(["-" * w for w in widths]))
    for row in cells:
        sys.stdout.write(line(row))
    if len(shown) > 1000:
        sys.stdout.write("more than 1,000 rows; use --format csv for all of them\n")


@reading("site")
def tables(context: typer.Context) -> int:
    """List all views and decoded tables; with data, also the number of rows in each table."""
    data: Data = context.obj
    from mqstat.parsers import tables as decoded
    from mqstat.sql import sqlfile

    rows = _rows_of_tables(data) if data.given else None
    width = 2 + max(map(len, [*sqlfile.views(), *decoded.tables()]))
    typer.echo("Views (facts with derived columns; reports and rules read these)")
    for view in sqlfile.views().values():
        typer.echo(f"  {view.id:{width}}{view.title}")
    typer.echo("\nDecoded tables (in SQL also as decoded.NAME)")
    for name, (doc, columns) in sorted(decoded.tables().items()):
        count = "" if rows is None else f"{rows[name]:>13,}  "
        typer.echo(f"  {name:{width}}{count}{doc} ({len(columns)} columns)")
    typer.echo("\nmqstat explain NAME shows the columns.")
    return data.return_code()


def _rows_of_tables(data: Data) -> dict[str, int]:
    """Number of rows of every decoded table in the selection."""
    from mqstat.parsers.tables import table_schemas
    from mqstat.sql.schemas import quoted

    names = list(table_schemas())
    with data.open(columns=lambda: dict.fromkeys(names, ())) as database:
        return {
            name: database.execute(f"SELECT count(*) FROM decoded.{quoted(name)}").fetchall()[0][0]  # noqa: S608 - one of our tables
            for name in names
        }
