"""Commands around rules: check, rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.cli.options import (
    DamageLimitOption,
    FramingOption,
    FromOption,
    JobsOption,
    OptionalDumps,
    OutputOption,
    QmgrOption,
    SinceOption,
    SiteOption,
    UntilOption,
)
from mqstat.cli.reading import opened, site_of
from mqstat.errors import UsageError

if TYPE_CHECKING:
    from mqstat.render.findings import Checked

FORMATS = ("text", "json", "csv", "markdown", "parquet")
CODES = (0, 4, 8, 12, 16)


def check(
    dumps: OptionalDumps = [],  # noqa: B006 - typer reads the default and never changes it
    place: FromOption = None,
    rule: Annotated[
        list[str],
        typer.Option(
            "--rule",
            metavar="ID",
            help="Only this rule (and those that may silence it or explain it); may be given several times.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - as above
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="SEVERITY",
            help="Findings raise the return code from this severity on: critical, warning, info or never.",
        ),
    ] = "warning",
    max_rc: Annotated[
        int,
        typer.Option(
            "--max-rc",
            metavar="N",
            help="Highest return code that the data may give; 16, a failure of mqstat itself, always stands.",
        ),
    ] = 16,
    format: Annotated[
        str, typer.Option("--format", metavar="FORM", help="text, json, csv, markdown or parquet.")
    ] = "text",
    output: OutputOption = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of --format json and stop.")] = False,
    qmgr: QmgrOption = [],  # noqa: B006 - as above
    since: SinceOption = None,
    until: UntilOption = None,
    site: SiteOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
    damage_limit: DamageLimitOption = 0.1,
) -> int:
    """Findings only: one line per rule and subject in breach, what could not be judged, and the return code."""
    if schema:
        from mqstat.render.findings import schema_text

        sys.stdout.write(schema_text())
        return 0
    if format not in FORMATS:
        raise UsageError(f"--format {format}: choose {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
    if format == "parquet" and output is None:
        raise UsageError("--format parquet writes a file: say where with --output FILE.")
    if max_rc not in CODES:
        raise UsageError(f"--max-rc {max_rc}: choose {', '.join(map(str, CODES[:-1]))} or {CODES[-1]}.")
    if bool(dumps) == (place is not None):
        raise UsageError("Give either dumps or --from DIR (a dataset).")
    from mqstat import selection as selecting
    from mqstat.render import findings

    if fail_on not in findings.FAIL_ON:
        raise UsageError(f"--fail-on {fail_on}: choose {', '.join(findings.FAIL_ON[:-1])} or {findings.FAIL_ON[-1]}.")
    chosen = selecting.make([], qmgr, since, until)
    facts = site_of(site)
    only = _rules_asked(rule)
    with opened(dumps, place, chosen, facts, framing, jobs) as database:
        result = findings.check(database, database.site, only, damage_limit, fail_on, max_rc)
    _write(result, format, output)
    return result.return_code


def _rules_asked(words: Iterable[str]) -> list[str] | None:
    """Ids of the rules named, None when none is; UsageError with the nearest id for an unknown one."""
    from mqstat.rules.explain import nearest
    from mqstat.rules.model import rules as known

    ids = [word.upper() for word in words]
    for one in ids:
        if one not in known():
            raise UsageError(f"There is no rule {one}{nearest(one, known())}.")
    return ids or None


def _write(result: Checked, form: str, output: Path | None) -> None:
    from mqstat.cli.report import writing
    from mqstat.render import findings

    if form == "parquet" and output is not None:
        from mqstat.render.files import write_table

        write_table(findings.as_table(result), output)
        return
    writers = {"json": findings.render_json, "csv": findings.render_csv, "markdown": findings.render_markdown}
    with writing(output) as stream:
        writers.get(form, findings.render_text)(result, stream)


def rules(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[DUMP...|test [ID...]]",
            help="Dumps to show the state of every rule on; or the word test and ids of rules to run their cases.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer reads the default and never changes it
    place: FromOption = None,
    cases: Annotated[
        Path | None,
        typer.Option(
            "--cases",
            metavar="DIR",
            help="With test: the folder of the cases; tests/rules when not given.",
            show_default=False,
        ),
    ] = None,
    qmgr: QmgrOption = [],  # noqa: B006 - as above
    since: SinceOption = None,
    until: UntilOption = None,
    site: SiteOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
) -> int:
    """List all rules by area, with their state on the data when data is given; `rules test` runs their cases."""
    if words and words[0] == "test":
        return _test(words[1:], cases, site)
    if cases is not None:
        raise UsageError("--cases goes with rules test.")
    states: dict[str, str] = {}
    if words or place is not None:
        from mqstat import selection as selecting
        from mqstat.render import findings

        chosen, facts = selecting.make([], qmgr, since, until), site_of(site)
        with opened(words, place, chosen, facts, framing, jobs) as database:
            states = findings.states(findings.check(database))
    _list(states)
    return 0


def _list(states: dict[str, str]) -> None:
    from itertools import groupby

    from mqstat.cli import printable
    from mqstat.rules.model import AREAS
    from mqstat.rules.model import rules as known

    order = sorted(known().values(), key=lambda rule: (AREAS.index(rule.area), rule.id))
    room = max(len(rule.name) for rule in order) + 2
    for number, (area, found) in enumerate(groupby(order, key=lambda rule: rule.area)):
        typer.echo(f"{chr(10) if number else ''}{area}")
        for rule in found:
            state = states.get(rule.id, "" if rule.default_on else "off unless the site switches it on")
            line = f"  {rule.id}  {rule.severity:9}{rule.name:{room}}{rule.judge!s:34}{state}"
            typer.echo(printable(line.rstrip()))
    typer.echo(f"\n{len(order)} rules; mqstat explain ID tells what one tests, its limits and its source.")


def _test(ids: list[str], folder: Path | None, site: Path | None) -> int:
    from mqstat.rules.cases import check_all, load_cases

    wanted, facts = _rules_asked(ids), site_of(site) if site is not None else None
    place = folder or Path("tests") / "rules"
    if not place.is_dir():
        raise UsageError(
            f"The folder {place} with the cases is not there; say where they are with --cases DIR."
            if folder
            else "There is no folder tests/rules here; say where the cases are with --cases DIR."
        )
    from mqstat.rules.model import rules as known

    found = load_cases(place)
    unknown = sorted(set(found) - set(known()))
    if unknown:
        raise UsageError(f"{unknown[0]}.toml in {place} holds cases of a rule that is not there.")
    if wanted:
        missing = [rule_id for rule_id in wanted if rule_id not in found]
        if missing:
            raise UsageError(f"There are no cases of {missing[0]} in {place}.")
    total = failed = 0
    for rule_id, own in found.items():
        if wanted is not None and rule_id not in wanted:
            continue
        problems = dict(check_all(rule_id, own, site=facts))
        total, failed = total + len(own), failed + len(problems)
        typer.echo(f"{rule_id}  {len(own):>3} cases  {f'{len(problems)} failed' if problems else 'ok'}")
        for number, problem in problems.items():
            typer.echo(f"       {own[number].get('name', number + 1)}: {problem}")
    typer.echo(f"{total} cases, {failed} failed")
    return 16 if failed else 0
