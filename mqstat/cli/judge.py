"""Commands around rules: check, rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT, FAIL_ON, LADDER
from mqstat.cli.commands import rule_ids
from mqstat.cli.options import (
    DamageLimitOption,
    Data,
    OutputOption,
    RawOption,
    SchemaOption,
    WidthOption,
    columns_of_text,
    format_option,
    option,
    reading,
)
from mqstat.cli.output import requested_formats, write_all
from mqstat.render.formats import formats_of


@reading()
def check(
    context: typer.Context,
    rule: Annotated[list[str], option("--rule ID", complete=rule_ids)] = [],
    fail_on: Annotated[str, option("--fail-on SEVERITY")] = "warning",
    max_rc: Annotated[int, option("--max-rc N", int)] = 16,
    format: Annotated[str, format_option(formats_of("check"))] = "text",
    output: OutputOption = None,
    schema: SchemaOption = False,
    width: WidthOption = None,
    raw: RawOption = False,
    damage_limit: DamageLimitOption = DAMAGE_LIMIT_PCT,
) -> int:
    """Print findings only: one line per rule in breach with its subjects, rules that could not be judged, and the
    return code.
    """
    data: Data = context.obj
    if schema:
        from mqstat.render.json_model import schema_text

        sys.stdout.write(schema_text("check"))
        return 0
    requested_formats("check", format, output)
    from mqstat.assemble import check as checking
    from mqstat.sql.needs import rule_columns

    if max_rc not in LADDER:
        raise UsageError(f"--max-rc {max_rc}: choose {', '.join(map(str, LADDER[:-1]))} or {LADDER[-1]}.")
    if fail_on not in FAIL_ON:
        raise UsageError(f"--fail-on {fail_on}: choose {', '.join(FAIL_ON[:-1])} or {FAIL_ON[-1]}.")
    only = _rules_named(rule)
    with data.open(columns=rule_columns) as database:
        result = checking.check(database, database.site, only, damage_limit, fail_on, max_rc)
        return write_all(result, format, output, (), width, raw)


def _rules_named(words: Iterable[str]) -> list[str] | None:
    """Ids of the named rules, None if no rule is named; UsageError with the nearest id for an unknown one."""
    from mqstat.base.nearest import nearest_or_known
    from mqstat.judge.model import rules as known

    ids = [word.upper() for word in words]
    for rule_id in ids:
        if rule_id not in known():
            of_area = [rule.id for rule in known().values() if rule_id in (rule.id[:2], rule.area.upper())]
            if of_area:
                raise UsageError(f"{rule_id} is an area; its rules are {', '.join(sorted(of_area))}.")
            near = nearest_or_known(rule_id, known(), "mqstat rules lists them")
            raise UsageError(f"There is no rule {rule_id}{near}.")
    return ids or None


@reading()
def rules(context: typer.Context, width: WidthOption = None) -> int:
    """List all rules by area; with data, also their state."""
    data: Data = context.obj
    states: dict[str, str] = {}
    if data.given:
        from mqstat.assemble import check as checking
        from mqstat.sql.needs import rule_columns

        with data.open(columns=rule_columns) as database:
            states = checking.rule_states(database)
    _print_rules(states, columns_of_text(width))
    return data.return_code()


def _print_rules(states: dict[str, str], width: int) -> None:
    """Print all rules by area; `states` are those over data, by rule."""
    from itertools import groupby

    from mqstat.base.areas import AREAS
    from mqstat.base.formatting import escaped
    from mqstat.judge.model import rules as known
    from mqstat.render.layout import wrapped

    order = sorted(known().values(), key=lambda rule: (AREAS.index(rule.area), rule.id))
    room = max(len(rule.name) for rule in order) + 2
    for number, (area, rules_of_area) in enumerate(groupby(order, key=lambda rule: rule.area)):
        if number:
            typer.echo("")
        typer.echo(area)
        for rule in rules_of_area:
            state = states.get(rule.id, "" if rule.default_on else "off by default")
            line = f"  {rule.id}  {rule.severity:9}{rule.name:{room}}{rule.judge!s:45}{state}"
            for part in wrapped(escaped(line.rstrip()), width, room + 17):
                typer.echo(part)
    typer.echo("")
    end = f"{len(order)} rules; mqstat explain ID shows what a rule checks, its limits and its source."
    for part in wrapped(end, width):
        typer.echo(part)
