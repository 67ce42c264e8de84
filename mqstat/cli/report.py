"""Commands for reports: report, reports."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.formats import choice
from mqstat.base.nearest import nearest_or_known
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT
from mqstat.cli.commands import areas, dd_names, report_names
from mqstat.cli.options import (
    DamageLimitOption,
    Data,
    OutputOption,
    RawOption,
    SchemaOption,
    WidthOption,
    argument,
    columns_of_text,
    format_option,
    option,
    reading,
    write_option,
)
from mqstat.cli.output import requested_formats, write_all
from mqstat.cli.periods import days_of
from mqstat.render.formats import formats_of, needs_of

if TYPE_CHECKING:
    from mqstat.assemble.table_model import Table


@reading()
def report(
    context: typer.Context,
    name: Annotated[list[str], option("--report NAME", complete=report_names)] = [],
    dd: Annotated[list[str], option("--dd NAME", complete=dd_names)] = [],
    wsc: Annotated[list[int], option("--wsc N", int)] = [],
    finding: Annotated[str | None, option("--finding RULE/QMGR")] = None,
    by: Annotated[str, option("--by STEP")] = "interval",
    top: Annotated[int | None, option("report --top N", int, least=1)] = None,
    task: Annotated[list[str], option("--task COLUMN=PATTERN")] = [],
    format: Annotated[str, format_option(formats_of("report"))] = "text",
    output: OutputOption = None,
    write: Annotated[list[Path], write_option(formats_of("report"))] = [],
    schema: SchemaOption = False,
    baseline: Annotated[str | None, option("--baseline SPAN")] = None,
    width: WidthOption = None,
    verbose: Annotated[bool, option("-v --verbose")] = False,
    raw: RawOption = False,
    damage_limit: DamageLimitOption = DAMAGE_LIMIT_PCT,
) -> int:
    """Write the health report: findings, verdict, what was not judged, and reports, from dumps or from a dataset."""
    data: Data = context.obj
    if schema:
        from mqstat.render.json_model import schema_text

        sys.stdout.write(schema_text())
        return 0
    from mqstat.assemble import aggregate
    from mqstat.assemble import history as past
    from mqstat.assemble.baseline import usual_baseline
    from mqstat.assemble.catalogue import reports as known
    from mqstat.assemble.catalogue import reports_named
    from mqstat.assemble.health import health_report
    from mqstat.assemble.one_finding import one_finding, rule_of
    from mqstat.assemble.selected_tasks import check_tasks, without_rules_about_all_tasks
    from mqstat.assemble.usual import add_history
    from mqstat.base.selection import tasks_of

    wanted = requested_formats("report", format, output, write)
    if finding is not None:
        rule_of(finding)
        _check_alone(wanted, [*name, *dd, *wsc, *([top] if top else []), *task, *([baseline] if baseline else [])])
    needs = needs_of(wanted)
    names = reports_named(name, dd, wsc)
    if by not in aggregate.STEPS:
        raise UsageError(f"--by {by}: choose {', '.join(aggregate.STEPS[:-1])} or {aggregate.STEPS[-1]}.")
    if by != "interval" and names and not any(aggregate.has_intervals(known()[report_id]) for report_id in names):
        raise UsageError(f"The report {names[0]} has no rows by interval, so --by {by} cannot aggregate it.")
    chosen, span = dataclasses.replace(data.selection(), tasks=tasks_of(task)), _span(data, baseline)
    page = not names and "page" in needs  # its charts need the values of rules in each step
    with data.open(checksums="checksums" in needs, selection=chosen) as database:
        if chosen.tasks:
            check_tasks(database, chosen)
            database.site = without_rules_about_all_tasks(database.site)
        history = None
        if span is not None and data.dataset is not None and chosen.since is not None:
            history = add_history(database, chosen.since.date(), span, chosen, database.site)
        result = health_report(
            database,
            chosen,
            database.site,
            names,
            damage_limit,
            page=page,
            monitored="monitored" in needs,
            every_table=not names and "every_table" in needs,
            compared=history is not None,
        )
        if finding is not None:
            return write_all(one_finding(result, finding), format, output, write, width, raw)
        if history is not None:
            result = dataclasses.replace(result, baseline=usual_baseline(database, history))
        if data.dataset is not None and data.date is not None and chosen.since is not None:
            result = dataclasses.replace(result, history=past.history(database.opened.dataset, chosen.since.date()))
        if by != "interval" or top is not None:
            tables, every = (
                tuple(_together(table, by, top) for table in tables) for tables in (result.tables, result.every_table)
            )
            result = dataclasses.replace(result, tables=tables, every_table=every)
        return write_all(result, format, output, write, width, raw, verbose)


CARD_FORMATS = ("text", "markdown", "json")
"""The formats of one finding."""


def _check_alone(wanted: Collection[str], others: Sequence[object]) -> None:
    """UsageError if --finding is combined with options that change the report, or with a format that has no card."""
    if others:
        raise UsageError("--finding cannot be combined with options that select other content.")
    unfit = sorted(set(wanted) - set(CARD_FORMATS))
    if unfit:
        raise UsageError(f"--finding writes {choice(CARD_FORMATS)}, not {unfit[0]}.")


def _span(data: Data, baseline: str | None) -> int | None:
    """The days that the day is compared with; UsageError if the day or the dataset is not specified."""
    if baseline is None:
        return None
    if data.dataset is None or data.date is None:
        raise UsageError(
            "--baseline requires a day and the dataset with the days before it: --from DIR --date 2026-05-21."
        )
    return days_of(baseline, "--baseline")


def _together(table: Table, by: str, top: int | None) -> Table:
    """The table with its rows aggregated where possible."""
    from mqstat.assemble import aggregate
    from mqstat.assemble.catalogue import reports
    from mqstat.assemble.tables import SCREEN_ROWS
    from mqstat.sql.syntax import counting

    unit = reports()[table.report_id]
    by = by if aggregate.has_intervals(unit) else "interval"
    top = top if aggregate.keys(unit) else None
    described = table.database.execute(f"SELECT * FROM ({table.sql}) LIMIT 0").description  # noqa: S608 - one of our reports
    made = aggregate.combine(unit, {column[0]: str(column[1]) for column in described}, by, top)
    if made.sql == unit.text:
        return table
    table.database.keep([unit.needs])
    shown = table.database.execute(f"{made.sql}\nLIMIT {SCREEN_ROWS}").fetchall()
    total = table.database.execute(counting(made.sql)).fetchall()[0][0]
    return dataclasses.replace(
        table, columns=made.columns, rows=tuple(shown), marked=(False,) * len(shown), total=total, sql=made.sql
    )


def reports(
    area: Annotated[str | None, argument("reports [AREA]", complete=areas)] = None, width: WidthOption = None
) -> int:
    """List all reports with the question that each answers, its MP1B DD names and its WSC query number."""
    from itertools import groupby

    from mqstat.assemble.catalogue import areas_of_reports, by_area
    from mqstat.render.layout import wrapped

    known = by_area()
    if area is not None and area not in areas_of_reports():
        raise UsageError(f"There is no area {area}{nearest_or_known(area, areas_of_reports())}.")
    shown = [unit for unit in known if area in (None, unit.area)]
    room = max(len(unit.id) for unit in shown) + 2
    for number, (name, units) in enumerate(groupby(shown, key=lambda unit: unit.area)):
        typer.echo(f"{'' if not number else chr(10)}{name}")
        for unit in units:
            also = [*unit.header.get("dd", ()), *(f"WSC {query}" for query in unit.header.get("wsc", ()))]
            line = f"{unit.header['question']}{'  [' + ', '.join(also) + ']' if also else ''}"
            for part in wrapped(f"  {unit.id:{room}}{line}", columns_of_text(width), room + 2):
                typer.echo(part)
    end = "mqstat report DUMP --report NAME shows one; mqstat explain NAME explains its columns."
    typer.echo("\n" + "\n".join(wrapped(end, columns_of_text(width))))
    return 0
