"""The report as one JSON object, and its JSON Schema."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, TextIO

from mqstat.base.return_codes import LADDER
from mqstat.base.version import __version__
from mqstat.render.findings import as_objects
from mqstat.render.findings_schema import finding_properties, properties_of
from mqstat.render.writers import json_value
from mqstat.report.conditions import DECIDING
from mqstat.report.head import COVERAGE_STATES
from mqstat.report.model import STATES, Finding, QmgrState, Report, RuleLine, Table, Tile, Verdict
from mqstat.rules.model import SEVERITIES
from mqstat.rules.states import BREACH, BROKEN, CLEAR, RuleState, number_of
from mqstat.rules.states import STATES as RULE_STATES
from mqstat.sql import sqlfile
from mqstat.sql.plans import rows as ask_rows

SCHEMA_VERSION = 2
"""Incremented when programs that read the JSON must change."""

SCHEMA_FILE = f"report-{SCHEMA_VERSION}.schema.json"

JUDGED = ("state", "coverage", "queue_managers", "verdict", "tiles", "rules", "findings", "trend")
"""Keys that are left out if reports are requested by name or two periods are compared."""

_OF_FINDING = ("rule_id", "severity", "title", "depth", "summary", "remedy", "facts")
"""Properties of a finding that come from its rule; its subjects are rows of view finding with place and figure."""


def render_json(report: Report, stream: TextIO) -> None:
    """The whole report as one JSON object; the rows of reports are written as they come."""
    database = report.all_findings.database
    sources = ask_rows(database, "SELECT * FROM source ORDER BY source_id")
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "mqstat": __version__,
        "title": report.title,
        "return_code": report.return_code,
        "head": _pairs(report.head),
        "sources": [{name: json_value(row[name]) for name in sqlfile.views()["source"].columns} for row in sources],
        "foot": _pairs(report.foot),
    }
    if not report.only_tables:
        head |= {
            "state": report.state,
            "coverage": [{"state": state, "text": text} for state, text in report.coverage],
            "queue_managers": [dataclasses.asdict(manager) for manager in report.qmgrs],
            "verdict": [dataclasses.asdict(verdict) for verdict in report.verdicts],
            "tiles": [dataclasses.asdict(tile) for tile in report.tiles],
            "rules": [_rule(line) for line in report.rule_lines],
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
            start = {"enough": report.baseline.enough, "lines": _pairs(report.baseline.lines)}
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


def _finding(finding: Finding) -> dict[str, Any]:
    rows = as_objects(subject.row for subject in finding.subjects)
    subjects = [
        {**row, "place": at.location, "figure": at.figure} for row, at in zip(rows, finding.subjects, strict=True)
    ]
    return {**{name: getattr(finding, name) for name in _OF_FINDING}, "subjects": subjects}


_JSON_NAMES = {"breached_subjects": "places"}
"""Names in the first version of the JSON, which readers rely on, by names in the model."""


def _rule(line: RuleLine) -> dict[str, Any]:
    return {
        **{_JSON_NAMES.get(name, name): getattr(line, name) for name in _rule_line()},
        "queue_managers": [_state(state) for state in line.states],
    }


_MISSING = (
    "missing_classes", "missing_views", "missing_columns", "missing_facts", "needs_mq_level", "found_mq_level", "short_structure",
    "short_section_bytes", "collect_command", "off_reason", "error",
)  # fmt: skip
"""Columns of view finding with the reason why a rule was not judged."""


def _state(rule_state: RuleState) -> dict[str, Any]:
    """The state of a rule on a queue manager: subjects and intervals judged and in breach, and what is missing."""
    (first,) = as_objects(rule_state.deciding[:1])
    return {
        "lpar": rule_state.lpar,
        "qmgr": rule_state.qmgr,
        "state": rule_state.state,
        "severity": rule_state.severity,
        "subjects": number_of(row for row in rule_state.rows if row["state"] in (BREACH, CLEAR)),
        "subjects_in_breach": len(rule_state.breaches),
        "intervals_checked": sum(
            row.get("represents_intervals") or row["intervals_checked"] for row in rule_state.rows
        ),
        "intervals_breached": sum(row["intervals_breached"] for row in rule_state.rows),
        **{name: first[name] for name in _MISSING},
    }


def _rule_line() -> tuple[str, ...]:
    """The line of a rule in JSON, without its curve (only pages have it) and its states (written separately)."""
    return tuple(item.name for item in dataclasses.fields(RuleLine) if item.name not in ("curve", "states"))


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


# --- the schema


def schema_text() -> str:
    """The JSON Schema of reports, as shipped with the program."""
    return (resources.files("mqstat.render") / SCHEMA_FILE).read_text(encoding="utf-8")


_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "lpar": _TEXT_OR_NULL,
    "qmgr": _TEXT_OR_NULL,
    "breached_subjects": _COUNT,
    "judged": _COUNT,
    "rules": _COUNT,
    "counts": {
        "type": "object",
        "propertyNames": {"enum": list(RULE_STATES)},
        "additionalProperties": {"type": "integer", "minimum": 1},
    },
    "rule_id": {"type": "string", "pattern": "^([A-Z]{2}[0-9]{3})?$"},
}


def _deciding() -> dict[str, Any]:
    """The finding that decides, as an object of the schema."""
    return {
        "description": "The finding that decides, with its condition as data; null where no figure decides.",
        "anyOf": [
            {
                "type": "object",
                "properties": {name: schema for name, schema in finding_properties().items() if name in DECIDING},
                "required": list(DECIDING),
                "additionalProperties": False,
            },
            {"type": "null"},
        ],
    }


def make_schema() -> dict[str, Any]:
    """The JSON Schema of reports, made from the model and from the columns of the views."""
    pairs = _list(_strict({"label": _TEXT, "text": _TEXT}))
    coverage = {"state": {"enum": list(COVERAGE_STATES)}, "text": _TEXT}
    state = {"enum": list(STATES)}
    known = finding_properties()
    subject = {**known, "place": _TEXT, "figure": _TEXT}
    finding = {
        "rule_id": known["rule_id"],
        "severity": {"enum": [BROKEN, *SEVERITIES]},
        "title": _TEXT,
        "depth": _COUNT,
        "summary": _TEXT,
        "remedy": _TEXT,
        "facts": _TEXT,
        "subjects": {**_list(_strict(subject)), "minItems": 1},
    }
    on_qmgr = {
        "lpar": _TEXT_OR_NULL,
        "qmgr": _TEXT_OR_NULL,
        "state": {"enum": list(RULE_STATES)},
        "severity": {"enum": [*SEVERITIES, None]},
        **dict.fromkeys(("subjects", "subjects_in_breach", "intervals_checked", "intervals_breached"), _COUNT),
        **{name: known[name] for name in _MISSING},
    }
    line = {
        _JSON_NAMES.get(name, name): kind for name, kind in _properties(RuleLine, _rule_line(), state=state).items()
    }
    rule = {**line, "queue_managers": _list(_strict(on_qmgr))}
    column = {"name": _TEXT, "label": _TEXT_OR_NULL, "unit": _TEXT}
    table = {
        "title": _TEXT,
        "question": _TEXT,
        "note": _TEXT,
        "columns": _list(_strict(column)),
        "rows": _list(_list({"type": ["string", "number", "boolean", "null"]})),
    }
    tables = {
        "type": "object",
        "propertyNames": {"pattern": "^[a-z0-9_]+/[a-z0-9_]+$"},
        "additionalProperties": {"$ref": "#/$defs/table"},
    }
    baseline = _strict({"enough": {"type": "boolean"}, "lines": pairs, "tables": tables})
    properties = {
        "schema_version": {"const": SCHEMA_VERSION},
        "mqstat": {**_TEXT, "description": "Version of the program."},
        "title": _TEXT,
        "return_code": {"enum": list(LADDER)},
        "head": {**pairs, "description": "Period, systems and inputs, one line each; an empty label continues the line before."},
        "sources": {
            **_list(_strict(properties_of("source", ("source_id", "source_name")))),
            "description": "The inputs with their checksums and byte counts.",
        },
        "foot": {**pairs, "description": "Limits, settings and versions in force."},
        "state": {**state, "description": "The worst state of all queue managers."},
        "coverage": {**_list(_strict(coverage)), "description": "Record classes that were not collected; empty if all were."},
        "queue_managers": {
            **_list(_strict(_properties(QmgrState, state=state))),
            "description": "The state of each queue manager, and how many of its rules are in which state.",
        },
        "verdict": {
            **_list(_strict(_properties(Verdict, state=state))),
            "description": "One line per area, including those without findings.",
        },
        "tiles": {
            **_list(_strict(_properties(Tile, state=state))),
            "description": "The state of each area on each queue manager.",
        },
        "rules": {
            **_list(_strict(rule)),
            "description": "One line per rule, including clear ones, over all queue managers and on each of them.",
        },
        "findings": {
            **_list(_strict(finding)),
            "description": "Rules in breach: one entry per rule and severity with its subjects, the worst first; causes before the findings that they explain, whose depth is above 0.",
        },
        "trend": {**tables, "description": "Peaks and what grows, by the name of the report."},
        "baseline": {
            "anyOf": [baseline, {"type": "null"}],
            "description": "The day compared with the days before it, or two periods side by side; null or left out if not requested.",
        },
        "reports": {**tables, "description": "Reports by their names, with all rows."},
    }  # fmt: skip
    always = [name for name in properties if name not in (*JUDGED, "baseline")]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A report of mqstat report --format json, or a comparison of mqstat compare --format json",
        "description": "Times whose name ends in _utc are GMT, without a zone. Unknown values are null. "
        f"If reports are requested by name, {', '.join(JUDGED[:-1])} and {JUDGED[-1]} are left out.",
        "type": "object",
        "properties": properties,
        "required": always,
        "dependentRequired": {name: [other for other in (*JUDGED, "baseline") if other != name] for name in JUDGED},
        "additionalProperties": False,
        "$defs": {"table": _strict(table)},
    }


def _strict(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


def _properties(kind: type, names: Iterable[str] = (), **known: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of an object that has the fields of a class of the model."""
    chosen = tuple(names) or tuple(item.name for item in dataclasses.fields(kind))
    fields = {**_FIELDS, "deciding": _deciding()}
    return {name: dict(known.get(name) or fields.get(name) or _TEXT) for name in chosen}
