"""The JSON Schemas of reports and of findings alone, made from the model and from the columns of the views."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from mqstat.assemble.catalogue import columns_of
from mqstat.assemble.conditions import DECIDING
from mqstat.assemble.finding_model import COUNTED, STATES, Verdict
from mqstat.assemble.head import COVERAGE_STATES
from mqstat.assemble.lines import MISSING
from mqstat.assemble.page_model import QmgrState, RuleLine, Tile
from mqstat.base.return_codes import LADDER
from mqstat.judge import states as vocabulary
from mqstat.judge.clauses import OPERATORS
from mqstat.judge.model import KINDS, SEVERITIES, WEIGHTS
from mqstat.judge.states import BROKEN
from mqstat.judge.states import STATES as RULE_STATES
from mqstat.render.formats.json import JUDGED, NAMES, SCHEMA_VERSION, of_line


def schema_text(command: str = "report") -> str:
    """The JSON Schema of what a command writes, as text; `compare` writes reports."""
    return json.dumps(make_schema(command), indent=1) + "\n"


def make_schema(command: str = "report") -> dict[str, Any]:
    """The JSON Schema of what a command writes."""
    return _report() if command == "report" else _findings()


_ALWAYS = frozenset(
    "rule_id rule_name rule_area state outcome severity weight limit_unit limit_kind intervals_checked intervals_breached too_few_intervals within_margin rule_source".split()
)
_CHOICES: Mapping[str, Sequence[str]] = {
    "state": RULE_STATES,
    "outcome": tuple(dict.fromkeys(vocabulary.OUTCOMES.values())),
    "severity": SEVERITIES,
    "weight": tuple(WEIGHTS),
    "operator": OPERATORS,
    "clear_because": ("silenced", "share", "consecutive", "condition"),
    "limit_from": ("default", "site", "qmgr", "subject"),
    "limit_kind": tuple(KINDS),
}
CLAUSE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "clause": {"type": "string"},
        "measure": {"type": "string"},
        "operator": {"enum": list(OPERATORS)},
        "observed": {"type": ["number", "null"]},
        "limit": {"type": ["number", "null"]},
        "unit": {"type": "string"},
        "holds": {"type": "boolean"},
        "decides": {"type": "boolean"},
    },
    "required": ["clause", "measure", "operator", "observed", "limit", "unit", "holds", "decides"],
    "additionalProperties": False,
}
"""A condition of a rule in a JSON Schema."""
_TYPES = {"text": "string", "count": "integer", "id": "integer", "bytes": "integer", "flag": "boolean"}


def finding_properties() -> dict[str, Any]:
    """The properties of a finding in a JSON Schema, made from the columns of view finding."""
    return properties_of("finding", _ALWAYS)


def properties_of(view: str, always: Collection[str]) -> dict[str, Any]:
    """The properties of a row of a view in a JSON Schema; only the columns `always` are never null."""
    properties: dict[str, Any] = {}
    for column in columns_of(view).values():
        kind = "string" if column.unit.startswith("ts_") else _TYPES.get(column.unit, "number")
        described: dict[str, Any] = {
            "description": column.doc,
            "type": kind if column.name in always else [kind, "null"],
        }
        if column.name == "caused_by":
            described = {
                "description": column.doc,
                "type": "array",
                "items": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{3}$"},
            }
        elif column.unit == "texts":
            described = {"description": column.doc, "type": "array", "items": {"type": "string"}}
        elif column.name == "figures":
            values = {"type": ["string", "number", "boolean", "null"]}
            described = {"description": column.doc, "type": ["object", "null"], "additionalProperties": values}
        elif column.name == "clauses":
            described = {"description": column.doc.replace(", as JSON", ""), "type": "array", "items": CLAUSE}
        elif column.name in _CHOICES:
            described["enum"] = [*_CHOICES[column.name], *([] if column.name in always else [None])]
        elif column.unit.startswith("ts_"):
            described["pattern"] = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"
        elif column.name in ("rule_id", "silenced_by"):
            described["pattern"] = "^[A-Z]{2}[0-9]{3}$"
        elif column.unit == "count":
            described["minimum"] = 0
        properties[column.name] = described
    return properties


def _counts() -> dict[str, Any]:
    """The schema of the number of findings by severity."""
    return {
        **_strict({key: {"type": "integer", "minimum": 0} for key in COUNTED}),
        "description": "The number of findings by severity. A finding is a rule in breach on one queue manager or on most of them, whatever the number of its subjects.",
    }


def _findings() -> dict[str, Any]:
    """The schema of the findings of `mqstat check`."""
    properties = finding_properties()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Findings of mqstat check --format json",
        "description": "Times whose name ends in _utc are GMT, without a zone. Unknown values are null.",
        "type": "object",
        "properties": {
            "schema_version": {"const": SCHEMA_VERSION},
            "counts": _counts(),
            "findings": {
                "description": "The outcome of every rule on every subject, the worst first.",
                "type": "array",
                "items": {
                    "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
                },
            },
        },
        "required": ["schema_version", "counts", "findings"],
        "additionalProperties": False,
    }  # fmt: skip


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


def _report() -> dict[str, Any]:
    """The schema of reports and comparisons."""
    pairs = _list(_strict({"label": _TEXT, "text": _TEXT}))
    coverage = {"state": {"enum": list(COVERAGE_STATES)}, "text": _TEXT}
    state = {"enum": list(STATES)}
    known = finding_properties()
    subject = {**known, "place": _TEXT, "figure": _TEXT}
    finding = {
        "rule_id": known["rule_id"],
        "severity": {"enum": [BROKEN, *SEVERITIES]},
        "weight": known["weight"],
        "distance": known["distance"],
        "title": _TEXT,
        "depth": _COUNT,
        "summary": _TEXT,
        "remedy": _TEXT,
        "facts": _TEXT,
        **dict.fromkeys(("key", "where", "when"), _TEXT),
        **dict.fromkeys(("who", "look", "do", "plan"), _list(_TEXT)),
        **dict.fromkeys(("trace", "accept"), _TEXT),
        "expired": _list(_TEXT),
        "subjects": {**_list(_strict(subject)), "minItems": 1},
    }
    on_qmgr = {
        "lpar": _TEXT_OR_NULL,
        "qmgr": _TEXT_OR_NULL,
        "state": {"enum": list(RULE_STATES)},
        "severity": {"enum": [*SEVERITIES, None]},
        **dict.fromkeys(("subjects", "subjects_in_breach", "intervals_checked", "intervals_breached"), _COUNT),
        **{name: known[name] for name in MISSING},
    }
    line = {NAMES.get(name, name): kind for name, kind in _properties(RuleLine, of_line(), state=state).items()}
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
    figures = {"type": ["integer", "null"], "description": "Key figures; null without a usual range."}
    baseline = _strict(
        {"enough": {"type": "boolean"}, "unusual": figures, "compared": figures, "lines": pairs, "tables": tables}
    )
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
        "gaps": {
            **_list(_strict({"state": _TEXT, "text": _TEXT})),
            "description": "What was not judged because something is missing, and classes that are there in part or were dropped: each reason once.",
        },
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
        "counts": _counts(),
        "findings": {
            **_list(_strict(finding)),
            "description": "Findings: one entry per rule and queue manager, or per rule on most queue managers, with its subjects, the worst first; causes before the findings that they explain, whose depth is above 0.",
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
