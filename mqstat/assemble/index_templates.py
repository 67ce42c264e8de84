"""Index templates of Elasticsearch and OpenSearch for the data streams of values and findings (format `ndjson`): the
type of each field, from the columns of the views.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mqstat.assemble.series import BREACH_LABELS, metrics
from mqstat.sql.columns import selected_columns

PRIORITY = 200
"""Above the 100 of the templates that Elasticsearch has for `metrics-*-*` and `logs-*-*`."""

_KEYWORD = {"type": "keyword", "ignore_above": 1024}
_TYPES: Mapping[str, Mapping[str, Any]] = {
    "VARCHAR": _KEYWORD, "VARCHAR[]": _KEYWORD, "BIGINT": {"type": "long"}, "INTEGER": {"type": "long"}, "DOUBLE": {"type": "double"}, "BOOLEAN": {"type": "boolean"},
    "TIMESTAMP": {"type": "date"}, "DATE": {"type": "date"},
}  # fmt: skip
"""The type of a field for each type of a column; a list has that of its elements."""

_OBJECT = {"type": "object", "enabled": False}
_OTHERS: Mapping[str, Mapping[str, Any]] = {
    "clauses": _OBJECT, "figures": _OBJECT, "advice": {"type": "text"}, "sql": {"type": "keyword", "index": False, "doc_values": False},
}  # fmt: skip
"""Columns of findings with another type: JSON whose names differ between rules is kept and not indexed, because each
name would be a field; sentences are searched by words."""


def index_templates() -> dict[str, dict[str, Any]]:
    """The body of `PUT _index_template/NAME` for each name."""
    labels = sorted({label for metric in metrics(1, 1) for label in metric.labels} | {*BREACH_LABELS})
    values = {**dict.fromkeys(("metric", "unit", *labels), _KEYWORD), "value": _TYPES["DOUBLE"]}
    findings = {name: _OTHERS.get(name, _TYPES[kind]) for name, kind in selected_columns()["finding"].items()}
    return {
        "metrics-mqstat": _template("metrics-mqstat-*", "Values of intervals.", values),
        "logs-mqstat": _template("logs-mqstat-*", "Findings.", {**findings, "new": _KEYWORD}),
    }


def _template(pattern: str, meaning: str, fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "index_patterns": [pattern],
        "data_stream": {},
        "priority": PRIORITY,
        "composed_of": [],
        "template": {"mappings": {"properties": {"@timestamp": {"type": "date"}, **fields}}},
        "_meta": {"description": f"{meaning} Written by mqstat export index-templates."},
    }
