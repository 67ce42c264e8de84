"""Markdown for a ticket or a wiki: the same as text, reports as tables with all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

from mqstat.render.format import Format, Options
from mqstat.render.values import cell_number
from mqstat.render.values import markup as text

if TYPE_CHECKING:
    from mqstat.assemble.finding import Finding
    from mqstat.assemble.model import Report
    from mqstat.assemble.table_model import Column, Table


def table_lines(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool]) -> Iterator[str]:
    """A table; numbers are right-aligned."""
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---:' if is_right else '---' for is_right in right)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def cell(value: Any, column: Column) -> str:
    """A value as a table of Markdown shows it."""
    if value is None:
        return text(column.null)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return text(", ".join(map(str, value)))
    if isinstance(value, datetime) and column.format == "day":
        return f"{value:%Y-%m-%d}"
    if isinstance(value, datetime) and column.format == "minute":
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S") + ("Z" if column.unit == "ts_utc" else "")
    return cell_number(value, column) if isinstance(value, (int, float)) else text(value)


def render(report: Report, stream: TextIO, options: Options) -> None:
    """The sentences of the report, then its tables with all rows and those columns that a screen may show; or the findings as a table."""
    for line in _findings(report) if report.only_findings else _lines(report):
        stream.write(line + "\n")


def _findings(report: Report) -> Iterator[str]:
    """A table of the breaches, then the broken rules, those that were not judged, and the counts."""
    broken = [finding for finding in report.findings if finding.severity == "broken"]
    breaches = [finding for finding in report.findings if finding not in broken]
    yield from (f"- {text(line)}" for _, line in report.head)
    if breaches:
        head = ("severity", "weight", "distance", "rule", "where", "figure", "what", "cause")
        yield from table_lines(head, map(_row, breaches), [False] * len(head))
        yield ""
    yield from (f"- {text(f'{finding.severity:<8} {finding.rule_id} {finding.summary}')}" for finding in broken)
    yield from (f"- {text(line)}" for line in (*map(": ".join, report.coverage), *report.unjudged, report.summary))


def _row(finding: Finding) -> Sequence[str]:
    from mqstat.assemble.conditions import distance_text

    return (
        finding.severity,
        finding.row["weight"],
        distance_text(finding.row),
        finding.rule_id,
        "<br>".join(text(at.location) for at in finding.subjects),
        "<br>".join(text(at.figure) for at in finding.subjects),
        text(finding.title),
        ", ".join(finding.row["caused_by"] or ()),
    )


def _lines(report: Report) -> Iterator[str]:
    from mqstat.render.card_text import card_markdown

    if isinstance(report.card, str):
        yield text(report.card)
    elif report.card is not None:
        yield from card_markdown(report.card, report)
    if report.card is not None:
        return
    yield f"# {text(report.title)}"
    yield ""
    last = ""
    for label, words in report.head:
        last = label or last
        yield f"- {text(last)}: {text(words)}"
    if not report.only_tables:
        yield from ("", "## Findings", "")
        if not report.findings:
            yield "None."
        for finding in report.findings:
            yield from (*card_markdown(finding, report), "")
        yield from ("## Verdict", "")
        rows = [(text(verdict.area), text(verdict.state), text(verdict.text)) for verdict in report.verdicts]
        yield from table_lines(("area", "state", "deciding figure"), rows, (False, False, False))
        if report.gaps:
            yield from ("", "## Not judged", "")
            yield from map(_item, report.gaps)
        if report.coverage:
            yield from ("", "## Coverage", "")
            yield from map(_item, report.coverage)
        if report.qmgrs:
            yield from ("", "## Queue managers", "")
            rows = [(text(report.name_of(manager)), manager.state, text(manager.text)) for manager in report.qmgrs]
            yield from table_lines(("queue manager", "state", "rules"), rows, (False, False, False))
        rooms = [manager for manager in report.qmgrs if manager.headroom]
        if rooms:
            yield from ("", "## Headroom", "", "The limit that is reached first.", "")
            yield from (_item((report.name_of(manager), manager.headroom)) for manager in rooms)
        if report.trend_lines:
            yield from ("", "## Trend", "", "Worst interval of the period, and median.", "")
            yield from map(_item, report.trend_lines)
    if report.baseline is not None:
        yield from ("", f"## {text(report.baseline.title)}", "")
        yield from map(_item, report.baseline.lines)
        for table in report.baseline.tables:
            yield from _table(table, report.hidden)
    for table in report.tables:
        yield from _table(table, report.hidden)
    yield ""
    for label, words in report.foot:
        yield f"- {text(label)}: {text(words)}"


def _item(pair: tuple[str, str]) -> str:
    label, words = pair
    return f"- {text(label)}: {text(words)}" if label else f"- {text(words)}"


def _table(table: Table, hidden: frozenset[str]) -> Iterator[str]:
    from mqstat.render.text_tables import is_text

    yield from ("", f"## {table.report_id} {text(table.title)}", "", text(table.question), "")
    shown = table.on_screen(hidden)
    columns = [table.columns[number] for number in shown]
    marks = any(table.marked)
    rows = (
        [*(["!" if table.is_marked(row) else ""] if marks else []), *(cell(row[n], table.columns[n]) for n in shown)]
        for batch in table.batches()
        for row in batch
    )
    heads = [text(column.label or column.name.replace("_", " ")) for column in columns]
    right = [not is_text(column) for column in columns]
    yield from table_lines(["in breach", *heads] if marks else heads, rows, [False, *right] if marks else right)
    if table.note:
        yield from ("", text(table.note))


FORMAT = Format(render, endings=(".md",))
