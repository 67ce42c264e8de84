"""JSON for programs: everything, with all rows; `--schema` prints its JSON Schema."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

from mqstat.base.version import __version__
from mqstat.render.columns import converted
from mqstat.render.format import Format, Options
from mqstat.render.values import json_value

if TYPE_CHECKING:
    from mqstat.assemble.finding_model import Finding
    from mqstat.assemble.model import Report
    from mqstat.assemble.page_model import RuleLine
    from mqstat.assemble.table_model import Table

SCHEMA_VERSION = 4
"""Incremented when programs that read the JSON must change."""

JUDGED = ("state", "coverage", "gaps", "queue_managers", "verdict", "tiles", "rules", "counts", "findings", "trend")
"""Keys that are left out if reports are requested by name or two periods are compared."""

OF_FINDING = (
    "rule_id", "severity", "weight", "distance", "title", "depth", "summary", "remedy", "facts",
    "key", "where", "when", "who", "look", "do", "plan", "trace", "accept", "expired",
)  # fmt: skip
"""Properties of a finding except its subjects, which are rows of view finding with place and figure."""


LISTS = ("culprits", "victims", "caused_by", "missing_classes", "missing_views", "missing_columns", "missing_facts")
"""Columns of view finding that are lists, empty where there is nothing."""


def render(report: Report, stream: TextIO, options: Options) -> None:
    """The whole report as one JSON object, the findings of `mqstat check` as `{"schema_version": 3, "counts": ..., "findings": [...]}`, or one finding; rows are written as they come, one on a line."""
    if report.only_findings:
        _write_outcomes(report, stream)
    elif report.card is not None:
        made = None if isinstance(report.card, str) else _finding(report.card)
        state = report.card if isinstance(report.card, str) else report.card.severity
        document = {
            "schema_version": SCHEMA_VERSION,
            "return_code": report.return_code,
            "state": state,
            "finding": made,
        }
        stream.write(json.dumps(document, ensure_ascii=True, indent=1) + "\n")
    else:
        _write_report(report, stream)


def _write_outcomes(report: Report, stream: TextIO) -> None:
    table = report.all_findings
    stream.write(f'{{"schema_version": {SCHEMA_VERSION}, "counts": {json.dumps(report.counts)}, "findings": [')
    separator = "\n"
    for rows in converted(table.batches(), [_member_of(column.name) for column in table.columns]):
        for row in rows:
            stream.write(f"{separator}{{{', '.join(row)}}}")
            separator = ",\n"
    stream.write("\n]}\n")


def _member_of(name: str) -> Callable[[Any], str]:
    """Converts the values of a column of view finding to members of a JSON object."""
    head, convert = f"{json.dumps(name)}: ", _json_of(name)
    return lambda value: head + json.dumps(convert(value), ensure_ascii=True)


@cache
def _json_of(name: str) -> Callable[[Any], Any]:
    """Converts the values of a column of view finding: lists, figures as an object, conditions as a list of objects."""
    if name == "figures":
        return lambda text: _steady(json.loads(text)) if text else None
    if name == "clauses":
        return lambda text: list(map(_steady, json.loads(text))) if text else []
    if name in LISTS:
        return lambda value: json_value(value) or []
    return json_value


def _steady(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json_value(value) for name, value in values.items()}


def as_object(row: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of view finding as a JSON object."""
    return {name: _json_of(name)(value) for name, value in row.items()}


def _write_report(report: Report, stream: TextIO) -> None:
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "mqstat": __version__,
        "title": report.title,
        "return_code": report.return_code,
        "head": _pairs(report.head),
        "sources": list(map(_steady, report.sources)),
        "foot": _pairs(report.foot),
    }
    if not report.only_tables:
        head |= {
            "state": report.state,
            "coverage": _states(report.coverage),
            "gaps": _states(report.gaps),
            "queue_managers": [dataclasses.asdict(manager) for manager in report.qmgrs],
            "verdict": [dataclasses.asdict(verdict) for verdict in report.verdicts],
            "tiles": [dataclasses.asdict(tile) for tile in report.tiles],
            "rules": [_rule(line) for line in report.rule_lines],
            "counts": report.counts,
            "findings": [_finding(finding) for finding in report.findings],
        }
    stream.write("{" + ",".join(f"\n {json.dumps(name)}: {_by_line(value)}" for name, value in head.items()))
    if not report.only_tables:
        stream.write(',\n "trend": ')
        _tables(report.trend, stream)
    if report.baseline is not None or not report.only_tables:
        stream.write(',\n "baseline": ')
        if report.baseline is None:
            stream.write("null")
        else:
            baseline = report.baseline
            start: dict[str, Any] = {
                "enough": baseline.enough,
                "unusual": baseline.unusual,
                "compared": baseline.compared,
                "lines": _pairs(baseline.lines),
            }
            stream.write(json.dumps(start, ensure_ascii=True)[:-1] + ', "tables": ')
            _tables(report.baseline.tables, stream)
            stream.write("}")
    stream.write(',\n "reports": ')
    _tables(report.tables, stream)
    stream.write("\n}\n")


def _by_line(value: Any) -> str:
    """A value as JSON, with a line for each item of a list: `indent` of the json module would use its slow encoder."""
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=True)
    return "[" + ",".join(f"\n  {json.dumps(item, ensure_ascii=True)}" for item in value) + "\n ]"


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"label": label, "text": text} for label, text in pairs]


def _states(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"state": state, "text": text} for state, text in pairs]


def _finding(finding: Finding) -> dict[str, Any]:
    subjects = [
        {**as_object(_without_counts(at.row)), "place": at.location, "figure": at.figure} for at in finding.subjects
    ]
    return {**{name: json_value(getattr(finding, name)) for name in OF_FINDING}, "subjects": subjects}


def _without_counts(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without the counts of findings that it represents."""
    return {name: value for name, value in row.items() if not name.startswith("represents")}


NAMES = {"breached_subjects": "places"}
"""Names in the first version of the JSON, which readers rely on, by names in the model."""


def _rule(line: RuleLine) -> dict[str, Any]:
    return {
        **{NAMES.get(name, name): getattr(line, name) for name in of_line()},
        "queue_managers": list(map(as_object, line.on_qmgrs)),
    }


def of_line() -> tuple[str, ...]:
    """The properties of the line of a rule, without its curve (only pages have it) and its states (written separately)."""
    from mqstat.assemble.page_model import RuleLine

    return tuple(item.name for item in dataclasses.fields(RuleLine) if item.name not in ("curve", "states", "on_qmgrs"))


def _tables(tables: Iterable[Table], stream: TextIO) -> None:
    """An object with a table for each name, with all rows, one per line."""
    stream.write("{")
    for number, table in enumerate(tables):
        columns = [{"name": column.name, "label": column.label, "unit": column.unit} for column in table.columns]
        start = {"title": table.title, "question": table.question, "note": table.note, "columns": columns}
        stream.write(f"{',' if number else ''}\n  {json.dumps(table.report_id)}: ")
        stream.write(json.dumps(start, ensure_ascii=True)[:-1] + ', "rows": [')
        for position, row in enumerate(row for batch in table.batches() for row in batch):
            values = json.dumps([json_value(value) for value in row], ensure_ascii=True)
            stream.write(("," if position else "") + "\n   " + values)
        stream.write("]}")
    stream.write("}")


FORMAT = Format(render, endings=(".json",), needs=frozenset({"checksums"}))
