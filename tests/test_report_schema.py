"""The JSON of a report and its schema: strict, complete, and what it refuses."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import jsonschema_rs
import pytest

from mqstat.assemble.model import Report
from mqstat.assemble.page_model import Baseline
from mqstat.base.json_object import json_text
from mqstat.cli import run
from mqstat.render.json_model import make_schema, schema_text
from tests.golden_parts import schema_lines
from tests.report_checks import valid_json, written

Captured = pytest.CaptureFixture[str]


def test_the_schema_is_that_of_the_model(golden: Callable[[str, str], None]) -> None:
    golden("schema/report.txt", "\n".join(schema_lines(json.loads(schema_text()))) + "\n")
    jsonschema_rs.meta.validate(make_schema())


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object in a schema that describes an object."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


def test_the_schema_is_strict() -> None:
    nodes = list(objects(make_schema()))
    assert len(nodes) > 10
    for finding in nodes:
        if "properties" in finding:
            assert finding["additionalProperties"] is False
            assert set(finding["required"]) <= set(finding["properties"])
        elif "$ref" not in finding:  # a mapping of names to tables, counts or figures
            assert isinstance(finding["additionalProperties"], dict)


def test_the_schema_is_printed(capsys: Captured) -> None:
    assert run(["report", "--schema"]) == 0
    assert capsys.readouterr().out == schema_text()


SPOILT: dict[str, dict[str, Any]] = {
    "a property more": {"colour": "red"},
    "another version": {"schema_version": 1},
    "a code off the ladder": {"return_code": 5},
    "a verdict in another state": {"verdict": [{"area": "Log", "state": "green", "text": ""}]},
    "a finding without its columns": {"findings": [{"rule_id": "BP001"}]},
    "a tile without an area": {"tiles": [{"lpar": "SYS1", "qmgr": "MQ01", "state": "clear", "text": "", "rule_id": ""}]},
    "a report with another name": {"reports": {"usage": {}}},
    "a row that is an object": {"trend": {"overview/peaks": {"title": "", "question": "", "note": "", "columns": [], "rows": [{}]}}},
    "half a baseline": {"baseline": {"enough": True}},
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_the_schema_refuses_invalid_documents(name: str, small_report: Report) -> None:
    data = valid_json(written(small_report, "json"))
    with pytest.raises(jsonschema_rs.ValidationError):
        valid_json(json.dumps({**data, **SPOILT[name]}))


def test_every_property_is_required(small_report: Report) -> None:
    data = valid_json(written(small_report, "json"))
    for name in data:
        with pytest.raises(jsonschema_rs.ValidationError):
            valid_json(json.dumps({key: value for key, value in data.items() if key != name}))


def rows_of(made: Report) -> list[tuple[Any, ...]]:
    """All outcomes."""
    return [row for batch in made.all_findings.batches() for row in batch]


def test_named_reports_come_without_a_judgement(small_report: Report) -> None:
    named = dataclasses.replace(small_report, only_tables=True, tables=(small_report.all_findings,))
    data = valid_json(written(named, "json"))
    assert set(data) == {"schema_version", "mqstat", "title", "return_code", "head", "sources", "foot", "reports"}
    assert len(data["reports"]["overview/findings"]["rows"]) == len(rows_of(small_report))


def test_a_baseline_is_part_of_the_document(small_report: Report) -> None:
    baseline = Baseline((("Before", "28 days"),), (small_report.all_findings,), True, unusual=1, compared=54)
    data = valid_json(written(dataclasses.replace(small_report, baseline=baseline), "json"))
    assert data["baseline"]["lines"] == [{"label": "Before", "text": "28 days"}]
    assert (data["baseline"]["unusual"], data["baseline"]["compared"]) == (1, 54)
    assert list(data["baseline"]["tables"]) == ["overview/findings"]


def test_json_has_no_number_that_is_not_finite_and_only_ascii() -> None:
    written_text = json_text({"a": float("nan"), "b": 1e-07, "c": "\u00e9\x7f", "d": datetime(2026, 3, 2, 9, 0, 0, 5)})
    assert written_text == '{"a": null, "b": 1e-07, "c": "\\u00e9\\u007f", "d": "2026-03-02T09:00:00.000005"}'
