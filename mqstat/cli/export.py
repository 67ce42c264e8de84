"""The commands export: files and lines for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT
from mqstat.cli.commands import Command, group
from mqstat.cli.options import (
    DamageLimitOption,
    Data,
    DateOption,
    Dumps,
    FramingOption,
    FromOption,
    JobsOption,
    LparOption,
    OptionalDumps,
    OutputOption,
    QmgrOption,
    SinceOption,
    SiteOption,
    UntilOption,
    argument,
    checked_format,
    format_option,
    framing_of,
    option,
    progress,
    remark,
    sources_of,
)
from mqstat.cli.output import writing
from mqstat.render.feeds import EVENTS, FEEDS, write, write_days, write_events

export = group(
    "export",
    "Write files for other programs: values and findings for monitoring systems, dashboards of Grafana, the CSV files of mq-smf-csv.",
    add_completion=False,
)


@export.command("series", cls=Command)
def series(
    dumps: OptionalDumps = [],
    datasets: FromOption = [],
    format: Annotated[str, format_option(tuple(FEEDS))] = "openmetrics",
    into: Annotated[Path | None, option("export series --into DIR", Path)] = None,
    queues: Annotated[int, option("--queues N", int, least=0, most=10000)] = 0,
    applications: Annotated[int, option("--applications N", int, least=0, most=10000)] = 0,
    findings: Annotated[bool, option("export series --findings")] = False,
    output: OutputOption = None,
    qmgr: QmgrOption = [],
    lpar: LparOption = [],
    since: SinceOption = None,
    until: UntilOption = None,
    date: DateOption = None,
    site: SiteOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> int:
    """Write the figures of every interval with their times, for Prometheus, OpenTelemetry, and collectors that read JSON lines: key figures, pictures, and on request queues and applications.

    Each value is that of one interval, at the end of the interval. Standard error states the number of series and values.
    """
    data = Data(dumps, datasets, qmgr, lpar, since, until, date, site, framing, jobs)
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
def findings(
    dumps: OptionalDumps = [],
    datasets: FromOption = [],
    format: Annotated[str, format_option(EVENTS)] = "ndjson",
    output: OutputOption = None,
    qmgr: QmgrOption = [],
    lpar: LparOption = [],
    since: SinceOption = None,
    until: UntilOption = None,
    date: DateOption = None,
    site: SiteOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> int:
    """Write the findings for OpenTelemetry and collectors that read JSON lines: a line or log record for each subject in breach.

    With --date and --from, `new` is true or false by the history of findings that mqstat daily keeps in the dataset; otherwise it is unknown. The time of a finding is the start of the last interval in breach; of a rule that judges the whole period, the end of the data.
    """
    data = Data(dumps, datasets, qmgr, lpar, since, until, date, site, framing, jobs)
    checked_format(format, output, EVENTS)
    from mqstat.assemble.history import NO_HISTORY, history
    from mqstat.assemble.series import events
    from mqstat.base.formatting import plural
    from mqstat.judge.engine import run_rules
    from mqstat.sql.needs import rule_columns

    with data.open(columns=rule_columns) as database:
        run_rules(database)
        day = data.selection().since if data.date is not None else None
        past = history(data.dataset, day.date()) if data.dataset is not None and day is not None else NO_HISTORY
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
    """Write dashboards of Grafana with all pictures and the limits of rules, and provisioning files, over the series of export series in Prometheus."""
    from mqstat.assemble.dashboard import panels
    from mqstat.render.grafana import write
    from mqstat.sql.site import load_site

    for path in write(into, panels(None if site is None else load_site(site)), prometheus):
        typer.echo(path)
    return 0


@export.command("index-templates", cls=Command)
def index_templates(into: Annotated[Path, option("export --into DIR", Path)]) -> int:
    """Write the index templates of Elasticsearch and OpenSearch for the data streams metrics-mqstat and logs-mqstat: the type of each field."""
    import json

    from mqstat.assemble.index_templates import index_templates as templates
    from mqstat.base.atomic_write import write_texts

    texts = {f"{name}.json": json.dumps(template, indent=1) + "\n" for name, template in templates().items()}
    for path in write_texts(into, texts):
        typer.echo(path)
    return 0


@export.command("postgresql", cls=Command)
def postgresql(
    facts: Annotated[Path, argument("export postgresql FACTS", Path)],
    database: Annotated[str, option("--database URI")] = "postgresql://",
    schema: Annotated[str, option("--schema NAME")] = "mqstat",
) -> int:
    """Load facts into PostgreSQL: a table for each view. A later load changes only the rows of files that have changed, all in one transaction."""
    from mqstat.base.formatting import plural
    from mqstat.intake.postgresql import load

    done = load(facts, database, schema)
    dropped = f", {plural(done.dropped, 'table')} dropped" if done.dropped else ""
    typer.echo(
        f"schema {schema}: {plural(done.views, 'table')}; {plural(done.files, 'file')} with {plural(done.rows, 'row')} loaded, the rows of {plural(done.deleted, 'file')} deleted{dropped}."
    )
    return 0


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
