"""The pages of the command line, of formats and of feeds."""

from __future__ import annotations

import re
from typing import Any

from docs.pages.markdown import ROOT, WIDTH, current, fill, page, table


def command_line() -> str:
    """All commands with their arguments and options, as in --help."""
    root, context = cli()
    parts: list[list[str]] = [
        ["```text", root.get_usage(context), "```", "", text_of(root), "", *options(root, context)]
    ]
    for name, command in commands(root):
        inner = type(context)(command, info_name=name, parent=context, terminal_width=WIDTH)
        parts.append(
            [
                f"## {name}",
                "",
                text_of(command),
                "",
                "```text",
                command.get_usage(inner),
                "```",
                "",
                *options(command, inner),
            ]
        )
    return page("Commands", *parts)


def cli() -> tuple[Any, Any]:
    """The command group and a context for it."""
    from typer.main import get_command

    from mqstat.cli.app import app

    root: Any = get_command(app)
    return root, root.make_context("mqstat", ["--help"], resilient_parsing=True, terminal_width=WIDTH)


def commands(root: Any) -> list[tuple[str, Any]]:
    """Names and commands that are not hidden, in the order of --help, each group followed by its subcommands."""
    listed: list[tuple[str, Any]] = []
    for name, command in root.commands.items():
        if not command.hidden:
            listed.append((name, command))
            listed += (
                [(f"{name} {inner}", own) for inner, own in commands(command)] if hasattr(command, "commands") else []
            )
    return listed


def text_of(command: Any) -> str:
    """The help of a command, its paragraphs unwrapped."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", command.help or ""))


def options(command: Any, context: Any) -> list[str]:
    """A table of the arguments and options of one command."""
    rows = [param.get_help_record(context) for param in command.params if not param.hidden and param.name != "help"]
    listed = [(f"`{re.sub(r' <.*>$', '', row[0])}`", row[1].replace("  [", " [")) for row in rows if row]
    return table(("argument or option", "meaning"), listed) if listed else ["No options."]


def framings() -> str:
    """docs/framings.md with the table of framings filled in."""
    return fill(current(ROOT / "docs" / "framings.md"), "framings", known_framings)


def known_framings() -> list[str]:
    """Every framing that has a name."""
    from mqstat.parsers.framing import FRAMINGS

    rows = [(f"`{each.name}`", each.text, f"`{each.undo}`" if each.undo else "") for each in FRAMINGS]
    return table(("framing", "records", "FTP subcommand that avoids it"), rows)


def formats() -> str:
    """docs/formats.md with the list of formats and the figures that a monitoring system gets filled in."""
    return fill(fill(current(ROOT / "docs" / "formats.md"), "formats", known_formats), "figures", metrics)


def known_formats() -> list[str]:
    """Every format of reports, with what it is from the docstring of its file."""
    from mqstat.render.formats import described, formats

    rows = [
        (f"`{name}`", " ".join(f"`{ending}`" for ending in known.endings), ", ".join(known.commands), described(name))
        for name, known in formats().items()
    ]
    return table(("format", "extension", "commands", "content"), rows)


def metrics() -> list[str]:
    """Every figure of the OpenMetrics format."""
    from mqstat.assemble.measures import MEASURED, UNITS, full_name
    from mqstat.sql import sqlfile

    rows = []
    for measured in MEASURED:
        for column in measured.columns:
            described = sqlfile.views()[measured.view].columns[column]
            unit = UNITS[described.unit][0]
            end = f"_{unit}" if unit else ""
            name = full_name(measured.name, column)
            labels = ", ".join(f"`{label}`" for label in measured.keys.values())
            worst = "lowest" if column in measured.lowest else "highest"
            rows.append((f"`{name}{end}`, `{name}_worst{end}`", labels, worst, f"{described.doc}"))
    return table(("metric", "further labels", "worst is the", "meaning"), rows)


def feeds() -> str:
    """docs/feeds.md with the formats and the metrics filled in."""
    return fill(fill(current(ROOT / "docs" / "feeds.md"), "feeds", feed_formats), "series", series)


def feed_formats() -> list[str]:
    """Every format of values and findings, with what it is."""
    from mqstat.render.feeds import FEEDS

    rows = [
        (f"`{name}`", "values and findings" if known.events is not None else "values", known.about)
        for name, known in FEEDS.items()
    ]
    return table(("format", "has", "content"), rows)


def series() -> list[str]:
    """Every metric of `mqstat export series`."""
    from mqstat.assemble.series import metrics

    rows = [
        (f"`{metric.name}`", f"`{metric.dotted}`", ", ".join(f"`{label}`" for label in metric.labels[2:]), metric.doc)
        for metric in metrics(1, 1)
    ]
    return table(("metric", "in OpenTelemetry", "labels in addition to `lpar` and `qmgr`", "meaning"), rows)
