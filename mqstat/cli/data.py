"""Commands around datasets and tables: ingest, verify, prune, compact, sql, tables, describe."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mqstat.base.formats import QUERY_FORMATS
from mqstat.base.nearest import did_you_mean
from mqstat.base.return_codes import CLEAR, DAMAGE_LIMIT_PCT, UNUSABLE, WARNING
from mqstat.cli.commands import completing, table_names
from mqstat.cli.options import (
    DamageLimitOption,
    Data,
    DateOption,
    Dumps,
    FramingOption,
    FromOption,
    JobsOption,
    LparOption,
    OnlyOption,
    QmgrOption,
    RawOption,
    SinceOption,
    UntilOption,
    checked_format,
    format_option,
    framing_of,
    progress,
    reads_data,
    sources_of,
)
from mqstat.errors import UsageError

if TYPE_CHECKING:
    from mqstat.dataset.retention import Policy
    from mqstat.sql.database import Database


def ingest(
    dumps: Dumps,
    into: Annotated[
        Path,
        typer.Option("--into", metavar="DIR", help="Dataset folder; created if missing.", show_default=False),
    ],
    only: OnlyOption = [],  # noqa: B006 - typer reads the default and never changes it
    qmgr: QmgrOption = [],  # noqa: B006 - as above
    lpar: LparOption = [],  # noqa: B006 - as above
    since: SinceOption = None,
    until: UntilOption = None,
    date: DateOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
    wait: Annotated[
        float,
        typer.Option(
            "--wait", metavar="SECONDS", min=0, help="How long to wait while another mqstat writes to the dataset."
        ),
    ] = 0,
    damage_limit: DamageLimitOption = DAMAGE_LIMIT_PCT,
) -> int:
    """Decode dumps into a Parquet dataset: one folder per table, partitioned by local date. Dumps that were ingested before are skipped."""
    from mqstat.base.formatting import on_one_line
    from mqstat.base.selection import make
    from mqstat.intake import ingest as ingesting

    done = ingesting.ingest(
        sources_of(dumps),
        into,
        make(only, qmgr, since, until, date, lpar),
        framing=framing_of(framing),
        jobs=jobs,
        wait_seconds=wait,
        progress=progress,
        report=lambda outcome: typer.echo(on_one_line(outcome.text)),
    )
    if len(done.lines) > 1:
        typer.echo(done.summary())
    return done.return_code(damage_limit)


FolderArgument = Annotated[
    Path | None, typer.Argument(metavar="[DIR]", help="A dataset created by mqstat ingest.", show_default=False)
]


def _folder_of(folder: Path | None, dataset: Path | None) -> Path:
    """The dataset named as DIR or with --from DIR; UsageError unless it is one folder."""
    given = [path for path in (folder, dataset) if path is not None]
    if len(given) != 1:
        raise UsageError("Specify a dataset: DIR or --from DIR.")
    if given[0].is_file():
        raise UsageError(f"{given[0]}: this is a file, not a dataset; mqstat ledger and mqstat doctor check dumps.")
    return given[0]


def verify(
    folder: FolderArgument = None,
    dataset: FromOption = None,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Rebuild a lost or damaged manifest from the dataset files, then verify it."),
    ] = False,
    against: Annotated[
        list[str],
        typer.Option(
            "--against",
            metavar="DUMP",
            help="Also decode this dump again and compare every value with the dataset; repeatable. Return code 8 if they differ, 12 if it is not a source of the dataset.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer reads the default and never changes it
    public_key: Annotated[
        Path | None,
        typer.Option(
            "--public-key",
            metavar="PEM",
            help="Also check the signature that mqstat sign wrote, with this Ed25519 public key. Return code 12 if it is not valid for this log.",
            show_default=False,
        ),
    ] = None,
    signature: Annotated[
        Path | None,
        typer.Option(
            "--signature",
            metavar="FILE",
            help="The signature file [default: manifest.sig.json in the dataset].",
            show_default=False,
        ),
    ] = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> int:
    """Check that the files, row counts, checksums and ledgers of a dataset match its manifest, and optionally its signature, and its rows with the original dumps."""
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.dataset.verification import verify as check

    chosen = _folder_of(folder, dataset)
    if signature is not None and public_key is None:
        raise UsageError("--signature FILE is checked with a public key: add --public-key PEM.")
    lost = 0
    if rebuild:
        from mqstat.dataset.rebuild import rebuild as rebuild_manifest

        rebuilt = rebuild_manifest(chosen)
        lost = len(rebuilt.problems)
        for text in [*(f"problem: {p}" for p in rebuilt.problems), *(f"remark: {r}" for r in rebuilt.remarks)]:
            typer.echo(on_one_line(text))
        typer.echo(f"manifest rebuilt: {plural(rebuilt.sources, 'source')}, {plural(rebuilt.files, 'file')}.")
    result = check(chosen, public_key, signature)
    for problem in result.problems:
        typer.echo(on_one_line(f"problem: {problem}"))
    for remark in result.remarks:
        typer.echo(on_one_line(f"remark: {remark}"))
    state = plural(len(result.problems), "problem") if result.problems else "clean"
    counts = (result.sources, "source"), (result.files, "file"), (result.rows, "row")
    typer.echo(f"{', '.join(plural(*count) for count in counts)}: {state}.")
    code = UNUSABLE if result.problems or lost else CLEAR
    return max(code, _compare(chosen, against, framing, jobs)) if against else code


def _compare(folder: Path, dumps: list[str], framing: str | None, jobs: int | None) -> int:
    """Compare a dataset with dumps, print the results and the first differences, and return the highest code."""
    from mqstat.base.formatting import on_one_line
    from mqstat.intake.against import compare

    code = CLEAR
    for result in compare(folder, sources_of(dumps), framing=framing_of(framing), jobs=jobs, progress=progress):
        for difference in result.differences:
            typer.echo(on_one_line(f"difference: {difference}"))
        typer.echo(on_one_line(result.text()))
        code = max(code, result.return_code)
    return code


def prune(
    folder: FolderArgument = None,
    dataset: FromOption = None,
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep",
            metavar="DAYS",
            min=1,
            help="Keep this many days, counted back from the newest day in the dataset.",
            show_default=False,
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            "--before",
            metavar="DATE",
            help="Remove the days before this local date, such as 2026-01-31.",
            show_default=False,
        ),
    ] = None,
    by_class: Annotated[
        list[str],
        typer.Option(
            "--retention",
            metavar="CLASS=PERIOD",
            help="Keep a class for a period, such as 116=30d or 115=13m; repeatable. Tables of both classes stay as long as the longer of the two.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer reads the default and never changes it
    hold: Annotated[
        list[str],
        typer.Option("--hold", metavar="DAY[..DAY]", help="Keep these days anyway; repeatable.", show_default=False),
    ] = [],  # noqa: B006 - as above
    rollup: Annotated[
        bool,
        typer.Option(
            "--rollup/--no-rollup", help="With --retention, first keep hourly sums of what is dropped in DIR/rollup."
        ),
    ] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    wait: Annotated[
        float,
        typer.Option(
            "--wait", metavar="SECONDS", min=0, help="How long to wait while another mqstat writes to the dataset."
        ),
    ] = 0,
) -> int:
    """Remove old days from a dataset atomically. Programs that are reading the files keep them; the next ingest or prune deletes them."""
    from mqstat.dataset import prune as pruning
    from mqstat.dataset import retention
    from mqstat.dataset.store import open_dataset

    if sum((keep is not None, before is not None, bool(by_class))) != 1:
        raise UsageError("Specify one of --keep DAYS, --before DATE and --retention CLASS=PERIOD.")
    chosen = _folder_of(folder, dataset)
    policy = retention.policy_of(by_class, hold, rollup)
    known = pruning.days_of(open_dataset(chosen).manifest)
    if by_class:
        _prune_by_class(chosen, policy, dry_run, wait)
        return 0
    if keep is not None:
        first = pruning.first_kept(known, keep, dt.date.today())
    else:
        from mqstat.base.selection import parse_day

        first = parse_day(before or "", "--before")
    done = (
        pruning.prune(chosen, first, keep=policy.on_hold(known), wait_seconds=wait, dry_run=dry_run)
        if first
        else pruning.Pruned()
    )
    later = "; the next ingest or prune deletes the files" if done.files and not dry_run else ""
    typer.echo(done.text("would drop" if dry_run else "dropped") + later + ".")
    return 0


def _prune_by_class(folder: Path, policy: Policy, dry_run: bool, wait: float) -> None:
    """Drop what a retention by class no longer keeps, or only list it, a sentence for each class."""
    from mqstat.dataset import retention
    from mqstat.dataset.store import open_dataset

    steps = retention.plan(open_dataset(folder).manifest, policy, dt.date.today())
    if not dry_run and steps:
        if policy.rollup:
            from mqstat.report.rollup import roll_up

            roll_up(folder, steps, wait)
        retention.drop(folder, steps, wait)
    for step in steps:
        typer.echo(step.text("would drop" if dry_run else "dropped") + ".")
    if not steps:
        typer.echo("nothing to drop.")


def compact(
    folder: FolderArgument = None,
    dataset: FromOption = None,
    wait: Annotated[
        float,
        typer.Option(
            "--wait", metavar="SECONDS", min=0, help="How long to wait while another mqstat writes to the dataset."
        ),
    ] = 0,
) -> int:
    """Merge the small files of a dataset: one file for each table and day. Ingest does so when a day is over; this command does it now."""
    from mqstat.base.formatting import on_one_line
    from mqstat.dataset.compact import compact as merge

    done = merge(_folder_of(folder, dataset), wait_seconds=wait)
    for text in done.skipped:
        typer.echo(on_one_line(f"problem: {text}"))
    typer.echo(f"{done.text()}.")
    return WARNING if done.skipped else CLEAR


@reads_data(without=("site",))
def sql(
    data: Data,
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="A SELECT over tables and views; mqstat tables lists them.", show_default=False
        ),
    ],
    format: Annotated[str, format_option(QUERY_FORMATS)] = "text",
    raw: RawOption = False,
) -> int:
    """Run one SELECT (DuckDB SQL) over a dataset or over dumps. It only reads the tables and views."""
    checked_format(format, None, QUERY_FORMATS)
    from mqstat.sql.named_views import reads_catalogue, views_named
    from mqstat.sql.plans import keep_named
    from mqstat.sql.query import check_query

    if not query.strip():
        raise UsageError("The query is empty; give a SELECT over the tables and views: mqstat tables lists them.")
    if _is_path(query):
        raise UsageError(f"{query} is a file, not a query; give the query first: mqstat sql QUERY {query}")
    check_query(query)

    def columns() -> Mapping[str, Collection[str]]:
        from mqstat.sql.plans import scanned_columns

        return scanned_columns(query)

    named = views_named(query)
    if named is None and not reads_catalogue(query):
        columns()  # an error names what does not exist, and the nearest name, without opening the data
    with data.open(columns=columns, views=True if named is None else named) as database:
        keep_named(database, named or ())
        _print_query(database, query, format, raw)
    return 0


def _is_path(text: str) -> bool:
    """Whether a file or folder has this name; a query may be longer than any name of a file."""
    try:
        return Path(text).exists()
    except OSError:
        return False


def _print_query(database: Database, query: str, format_name: str, raw: bool) -> None:
    from mqstat.sql.query import as_usage_error

    with as_usage_error():
        cursor = database.execute(query)
        names = [column[0] for column in cursor.description or ()]
        if format_name == "json":
            rows = [dict(zip(names, map(_plain, row), strict=True)) for row in cursor.fetchall()]
            json.dump(rows, sys.stdout, indent=1)
            sys.stdout.write("\n")
        elif format_name == "csv":
            _write_csv(names, cursor, raw)
        else:
            _write_text(names, cursor)


def _plain(value: Any) -> Any:
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


@reads_data(without=("site",))
def tables(data: Data) -> int:
    """List all views and decoded tables; with data, also the number of rows in each table."""
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
    typer.echo("\nmqstat describe NAME shows the columns.")
    return 0


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


def describe(
    name: Annotated[
        str,
        typer.Argument(
            metavar="TABLE[.COLUMN]|COLUMN",
            help="A view or table, one of its columns, or a column name.",
            show_default=False,
            autocompletion=completing(table_names),
        ),
    ],
) -> int:
    """Describe a table, view or column: type, unit, IBM's field name, description."""
    from mqstat.parsers import tables as decoded
    from mqstat.sql import sqlfile

    table, _, column = name.lower().partition(".")
    if table == "decoded" and column:
        table, _, column = column.partition(".")
    described = False
    views = sqlfile.views()
    if table in views and not name.lower().startswith("decoded."):
        described |= _describe_view(views[table], column)
    if table in decoded.tables():
        described |= _describe_table(table, column)
    if not described and not column:
        described = _describe_holders(table)
    if not described:
        known = table in views or table in decoded.tables()
        own = [*views[table].columns] if table in views else []
        own += [column.name for column in decoded.tables()[table][1]] if table in decoded.tables() else []
        near = did_you_mean(column, own) if known else did_you_mean(table, [*views, *decoded.tables()])
        raise UsageError(f"{name}: no such table, view or column{near or '; mqstat tables lists them'}.")
    return 0


def _describe_holders(column: str) -> bool:
    """The views and decoded tables that have a column of this name."""
    from mqstat.parsers import tables as decoded
    from mqstat.sql import sqlfile

    lines = [
        f"  {f'{view.id}.{column}':40}{view.columns[column].unit:12}{view.columns[column].doc}"
        for view in sqlfile.views().values()
        if column in view.columns
    ]
    lines += [
        f"  {f'decoded.{table}.{column}':40}{item.unit:12}{item.doc}"
        for table, (_, columns) in sorted(decoded.tables().items())
        for item in columns
        if item.name == column
    ]
    if lines:
        typer.echo("\n".join([f"{column} is a column of", *lines]))
    return bool(lines)


def _describe_view(view: Any, column: str) -> bool:
    chosen = [c for c in view.columns.values() if not column or c.name == column]
    if not chosen:
        return False
    typer.echo(f"{view.id} - {view.title}")
    for item in chosen:
        typer.echo(f"  {item.name:32}{item.unit:12}{item.doc}")
    return True


def _describe_table(table: str, column: str) -> bool:
    from mqstat.parsers import tables as decoded

    doc, columns = decoded.tables()[table]
    chosen = [c for c in columns if not column or c.name == column]
    if not chosen:
        return False
    typer.echo(f"{table} - {doc} (decoded)")
    for item in chosen:
        typer.echo(f"  {item.name:32}{_sql_type(item.type)!s:11}{item.unit:10}{item.mnemonic:36}{item.doc}")
    return True


def _sql_type(type_: Any) -> str:
    from mqstat.sql.schemas import duckdb_type

    return duckdb_type(type_)
