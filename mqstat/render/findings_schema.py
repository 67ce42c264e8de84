"""The JSON Schema of findings, made from the columns of view finding."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib import resources
from typing import Any

from mqstat.rules import states as vocabulary
from mqstat.rules.clauses import OPERATORS
from mqstat.rules.model import SEVERITIES
from mqstat.rules.states import STATES
from mqstat.sql import sqlfile

SCHEMA_VERSION = 2
"""Incremented when programs that read the JSON must change."""

SCHEMA_FILE = f"findings-{SCHEMA_VERSION}.schema.json"


def schema_text() -> str:
    """The JSON Schema of findings that is shipped with the program."""
    return (resources.files("mqstat.render") / SCHEMA_FILE).read_text(encoding="utf-8")


_ALWAYS = frozenset(
    "rule_id rule_name rule_area state outcome severity limit_unit intervals_checked intervals_breached too_few_intervals rule_source".split()
)
_CHOICES: Mapping[str, Sequence[str]] = {
    "state": STATES,
    "outcome": tuple(dict.fromkeys(vocabulary.OUTCOMES.values())),
    "severity": SEVERITIES,
    "operator": OPERATORS,
    "clear_because": ("silenced", "share", "consecutive", "condition"),
    "limit_from": ("default", "site", "qmgr", "subject"),
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
    for column in sqlfile.views()[view].columns.values():
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


def make_schema() -> dict[str, Any]:
    """The JSON Schema of findings, made from the columns of view finding."""
    properties = finding_properties()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Findings of mqstat check --format json",
        "description": "Times whose name ends in _utc are GMT, without a zone. Unknown values are null.",
        "type": "object",
        "properties": {
            "schema_version": {"const": SCHEMA_VERSION},
            "findings": {
                "type": "array",
                "items": {
                    "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
                },
            },
        },
        "required": ["schema_version", "findings"],
        "additionalProperties": False,
    }  # fmt: skip
