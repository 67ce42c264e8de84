"""Commands for the site file: check, init."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.cli.commands import Command, group
from mqstat.cli.options import Data, OutputOption, argument, option, reading, remark

if TYPE_CHECKING:
    from mqstat.intake.display_facts import Facts

site = group("site", "Check a site file, or create an initial one.", add_completion=False)


@site.command("check", cls=Command)
def check(file: Annotated[Path, argument("site check FILE", Path)]) -> int:
    """Check a site file: report errors with their line, what the file changes, and expired overrides."""
    from mqstat.base.formatting import bare_text, escaped, plural
    from mqstat.sql.site import load_site

    site = load_site(file)
    levels = (site.everywhere, *site.by_lpar.values(), *site.by_qmgr.values())
    facts = sum(value != {} for level in levels for value in level.values())
    for override in sorted(site.overrides, key=lambda override: override.line):
        what = [f"{name} = {bare_text(value)}" for name, value in override.thresholds.items()]
        what += [f"severity {override.severity}"] if override.severity else []
        what += ["off" if override.off else "on"] if override.off is not None else []
        until = f", until {override.until}" if override.until else ""
        where = f" {override.where}" if override.where else ""
        typer.echo(
            escaped(f"line {override.line}: {override.rule_id}{where}: {', '.join(what)}{until} ({override.reason})")
        )
    ended = site.on(dt.date.today()).ended
    for override in ended:
        typer.echo(
            f"line {override.line}: {override.rule_id}: expired on {override.until}; it does not apply to data of later days"
        )
    typer.echo(
        f"{site.name}: {plural(facts, 'fact')}, {plural(len(site.overrides), 'override')}, {len(ended)} of them ended"
    )
    return 4 if ended else 0


@site.command("init", cls=Command)
@reading("site")
def init(
    context: typer.Context,
    display: Annotated[list[Path], option("--display FILE", Path)] = [],
    site: Annotated[Path | None, option("site init --site FILE", Path)] = None,
    output: OutputOption = None,
) -> int:
    """Write a commented site file with the queue managers, buffer pools and structures in the data, and the rules that
    need each fact; facts from responses to DISPLAY commands are filled in.
    """
    data: Data = replace(context.obj, site=site)
    from mqstat.base.errors import UsageError
    from mqstat.cli.output import writing

    if site is not None and not display:
        raise UsageError("--site adds facts to a site file: specify their source with --display FILE.")
    facts, succeeded = _displayed(display, data.qmgr)
    text, name = (_template(data, display, facts), "the new site file")
    if site is not None:
        text, name = _text_of(site), site.name
    code = 0
    if display:
        from mqstat.assemble.site_merge import merge
        from mqstat.base.formatting import plural

        merged = merge(text, facts, name)
        text = merged.text
        for sentence in merged.kept:
            remark(sentence)
        remark(
            f"{plural(len(merged.written), 'fact')} added, {len(merged.same)} already set, {len(merged.kept)} not changed."
        )
        code = 0 if succeeded and not merged.kept else 4
    with writing(output, is_utf8=True) as stream:
        stream.write(text)
    return data.return_code(code)


def _template(data: Data, display: Sequence[Path], facts: Facts) -> str:
    """A site file for the data; without data, an empty one. Queue managers that are not in the data are stated."""
    from mqstat.assemble.site_file import QUERIES, site_file
    from mqstat.base.formatting import clean
    from mqstat.intake.open_data import columns_of

    if display and not data.given:
        texts = clean(", ".join(path.name for path in display))
        return f"# Site file of mqstat, made from {texts}. mqstat site check FILE checks it; mqstat report DUMP --site FILE uses it.\n"
    names = [Path(word).name for word in data.dumps] or ([] if data.dataset is None else [data.dataset.name])
    with data.open(columns=columns_of(QUERIES.values())) as database:
        known = {row["qmgr"] for row in database.ask_rows(QUERIES["qmgrs"])}
        absent = sorted({fact.qmgr for fact in facts.facts} - known)
        if absent:
            remark(f"{', '.join(absent)}: responses to DISPLAY commands, but no records in the data.")
        return "".join(f"{line}\n" for line in site_file(database, names))


def _text_of(path: Path) -> str:
    """The text of a site file, with its ends of lines."""
    from mqstat.base.errors import SiteError

    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SiteError(f"The site file {path.name} cannot be read: {reason}.") from error


def _displayed(files: Sequence[Path], qmgrs: Sequence[str]) -> tuple[Facts, bool]:
    """The facts in console texts, and whether all commands in them succeeded; remarks state what was read. InputError
    for a line that is not understood.
    """
    from mqstat.base.errors import InputError, NoDataError
    from mqstat.base.formatting import clean
    from mqstat.intake.display_facts import Collected, Facts
    from mqstat.sources.console import NotReadError, opened
    from mqstat.sources.display import Responses

    collected, succeeded, names = Collected(), True, list[str]()
    for number, path in enumerate(files):
        try:
            with opened(path) as stream:
                responses = Responses(stream)
                collected.add(path.name, number, responses.values())
        except OSError as error:
            raise InputError(f"{path}: the console text cannot be read: {error.strerror}.") from error
        except NotReadError as error:
            raise InputError(f"{clean(path.name)}, {error}") from error
        for sentence in responses.summary():
            remark(f"{path.name}: {sentence}")
        succeeded = succeeded and not responses.abnormal
        first = responses.reader.first
        names.append(path.name if first is None else f"{path.name} (first MQ message in line {first.number})")
    if files and not collected.used:
        raise NoDataError(
            f"{', '.join(names)}: no response to a DISPLAY command with a fact for the site file; display QMGR, LOG, SYSTEM, USAGE, CHINIT, CFSTATUS, CFSTRUCT or SMDS."
        )
    facts = collected.facts(qmgrs) if files else Facts()
    for sentence in facts.summary():
        remark(sentence)
    return facts, succeeded
