"""The commands export: files and lines for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from mqstat.base.errors import UsageError
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT
from mqstat.cli.commands import Command, group
from mqstat.cli.options import (
    DamageLimitOption,
    Data,
    Dumps,
    FolderArgument,
    FramingOption,
    OneFromOption,
    OutputOption,
    SiteOption,
    checked_format,
    format_option,
    framing_of,
    option,
    progress,
    reading,
    remark,
    sources_of,
)
from mqstat.cli.output import writing
from mqstat.render.feeds import EVENTS, FEEDS, write, write_days, write_events

export = group(
    "export",
    "Write files for other programs: values and findings for monitoring systems, dashboards of Grafana, a frozen folder for auditors, the CSV files of mq-smf-csv.",
    add_completion=False,
)


@export.command("series", cls=Command)
@reading()
def series(
    context: typer.Context,
    format: Annotated[str, format_option(tuple(FEEDS))] = "openmetrics",
    into: Annotated[Path | None, option("export series --into DIR", Path)] = None,
    queues: Annotated[int, option("--queues N", int, least=0, most=10000)] = 0,
    applications: Annotated[int, option("--applications N", int, least=0, most=10000)] = 0,
    findings: Annotated[bool, option("export series --findings")] = False,
    output: OutputOption = None,
) -> int:
    """Write the figures of every interval with their times, for Prometheus, OpenTelemetry, and collectors that read
    JSON lines: key figures, pictures, and on request queues and applications.

    Each value is that of one interval, at the end of the interval. Standard error states the number of series and
    values.
    """
    data: Data = context.obj
    checked_format(format, output, tuple(FEEDS))
    if into is not None and output is not None:
        raise UsageError("--into writes files of its own; remove --output, or use it without --into.")
    if into is not None and (data.since or data.until or data.date):
        raise UsageError("--into writes whole days: remove --since, --until and --date, or use --output.")
    from mqstat.assemble.series import Series, breaches, metrics
    from mqstat.base.formatting import plural
    from mqstat.sql.needs import decoded_columns, health_columns

    wanted = metrics(queues, applications)
    queries = [metric.select for metric in wanted]
    with data.open(columns=health_columns if findings else lambda: decoded_columns(queries)) as database:
        if findings:
            from mqstat.judge.engine import run_rules

            run_rules(database, then=queries)
            wanted += tuple(metric for metric in (breaches(database),) if metric is not None)
        values = Series(database, wanted)
        if into is None:
            with writing(output, is_utf8=True) as stream:
                write(values, FEEDS[format], stream)
        else:
            written = write_days(values, FEEDS[format], into)
            remark(f"{plural(len(written), 'file')} in {into}, {sum(written.values())} new or changed.")
        remark(f"{plural(len(values.courses), 'series', 'series')}, {plural(values.count(), 'value')}.")
        if not values.courses:
            remark("Values are those of statistics intervals (115); the data has no interval with a valid time.")
    return data.return_code()


@export.command("findings", cls=Command)
@reading()
def findings(
    context: typer.Context,
    format: Annotated[str, format_option(EVENTS)] = "ndjson",
    output: OutputOption = None,
) -> int:
    """Write the findings for OpenTelemetry and collectors that read JSON lines: a line or log record for each subject
    in breach.

    With --date and --from, `new` is true or false by the history of findings that mqstat daily keeps in the dataset;
    otherwise it is unknown. The time of a finding is the start of the last interval in breach; of a rule that judges
    the whole period, the end of the data.
    """
    data: Data = context.obj
    checked_format(format, output, EVENTS)
    from mqstat.assemble.history import NO_HISTORY, history
    from mqstat.assemble.series import events
    from mqstat.base.formatting import plural
    from mqstat.judge.engine import run_rules
    from mqstat.sql.needs import rule_columns

    with data.open(columns=rule_columns) as database:
        run_rules(database)
        day = data.selection().since if data.date is not None else None
        dataset = database.opened.dataset
        past = history(dataset, day.date()) if dataset is not None and day is not None else NO_HISTORY
        breached = events(database, past)
    known = FEEDS[format].events
    if known is not None:
        with writing(output, is_utf8=True) as stream:
            write_events(breached, known, stream)
    remark(f"{plural(len(breached), 'subject')} in breach.")
    return data.return_code()


@export.command("grafana", cls=Command)
def grafana(
    into: Annotated[Path, option("export --into DIR", Path)],
    prometheus: Annotated[str, option("--prometheus URL")] = "http://localhost:9090",
    site: SiteOption = None,
) -> int:
    """Write dashboards of Grafana with all pictures and the limits of rules, and provisioning files, over the series of
    export series in Prometheus.
    """
    from mqstat.assemble.dashboard import panels
    from mqstat.render.grafana import write
    from mqstat.sql.site import load_site

    for path in write(into, panels(None if site is None else load_site(site)), prometheus):
        typer.echo(path)
    return 0


@export.command("index-templates", cls=Command)
def index_templates(into: Annotated[Path, option("export --into DIR", Path)]) -> int:
    """Write the index templates of Elasticsearch and OpenSearch for the data streams metrics-mqstat and logs-mqstat:
    the type of each field.
    """
    import json

    from mqstat.assemble.index_templates import index_templates as templates
    from mqstat.base.atomic_write import write_texts

    texts = {f"{name}.json": json.dumps(template, indent=1) + "\n" for name, template in templates().items()}
    for path in write_texts(into, texts):
        typer.echo(path)
    return 0


@export.command("folder", cls=Command)
@reading()
def folder(
    context: typer.Context,
    into: Annotated[Path, option("export folder --into DIR", Path)],
    views: Annotated[bool, option("export folder --views")] = False,
) -> int:
    """Write a frozen folder for auditors and other programs: all tables as plain Parquet files, the views and reports
    as SQL, descriptions and checksums.

    mqstat verify and sha256sum -c check it. A later run into the same folder replaces only the files that differ.
    """
    data: Data = context.obj
    from mqstat.assemble.frozen_folder import write_folder
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.parsers.tables import table_schemas

    def columns() -> dict[str, list[str]]:
        return {name: schema.names for name, schema in table_schemas().items()}

    with data.open(columns=columns if data.dumps else None, checksums=True) as database:
        done = write_folder(database, into, data.selection(), data.dataset, has_views=views)
    counts = (
        f"{done.written:,} written, {done.removed:,} removed" if done.written or done.removed else "nothing has changed"
    )
    typer.echo(on_one_line(f"{into}: {plural(done.files, 'file')}; {counts}."))
    return data.return_code()


def _view_names() -> list[str]:
    from mqstat.intake.view_rows import view_names

    return list(view_names())


@export.command("postgresql", cls=Command)
def postgresql(
    folder: FolderArgument = None,
    dataset: OneFromOption = [],
    database: Annotated[str, option("--database URI")] = "postgresql://",
    schema: Annotated[str, option("--schema NAME")] = "mqstat",
    view: Annotated[list[str], option("--view NAME", complete=_view_names)] = [],
    site: SiteOption = None,
) -> int:
    """Load the rows of the views over a dataset into PostgreSQL: a table for each view. A later load changes only the
    days whose rows differ, all in one transaction.
    """
    from mqstat.base.formatting import plural
    from mqstat.cli.dataset import folder_of
    from mqstat.intake.postgresql import check_target, load

    check_target(database, schema)
    data = Data(datasets=[cast("Path", folder_of(folder, dataset))], site=site)
    with data.open() as opened:
        done = load(opened, database, schema, view)
    dropped = f", {plural(done.dropped, 'table')} dropped" if done.dropped else ""
    typer.echo(
        f"schema {schema}: {plural(done.views, 'table')}; {plural(done.days, 'day')} with {plural(done.rows, 'row')} loaded, the rows of {plural(done.deleted, 'day')} deleted{dropped}."
    )
    return data.return_code()


@export.command("mq-smf-csv", cls=Command)
def mq_smf_csv(
    dumps: Dumps,
    into: Annotated[Path, option("export --into DIR", Path)],
    bug_compatible: Annotated[bool, option("--bug-compatible")] = False,
    protect: Annotated[bool, option("--protect")] = False,
    replace: Annotated[bool, option("--replace")] = False,
    framing: FramingOption = None,
    damage_limit: DamageLimitOption = DAMAGE_LIMIT_PCT,
) -> int:
    """Write the CSV files of mq-smf-csv, so that programs that load them keep working.

    Names are written as the tool writes them: use --protect for files that are opened in a spreadsheet.
    """
    if protect and bug_compatible:
        raise UsageError("--protect changes cells that --bug-compatible keeps as they are; remove one.")
    from mqstat.export.writing import export as write

    done = write(
        sources_of(dumps),
        into,
        bug_compatible=bug_compatible,
        protect=protect,
        replace=replace,
        framing=framing_of(framing),
        damage_limit=damage_limit,
        progress=progress,
    )
    for problem in done.problems:
        remark(problem)
    if done.ledger.damaged_spans:
        remark(
            f"{done.ledger.damaged_spans:,} damaged spans, {done.ledger.bytes.damaged:,} bytes, are not in the files; mqstat ledger lists them."
        )
    typer.echo(f"{sum(done.rows.values()):,} rows in {len(done.rows)} files", err=True)
    return done.return_code
