"""Checks for every format of any report: grammar, schema, and the same content as the other formats."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jsonschema_rs
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as older_families

from mqstat.assemble.check import findings_report
from mqstat.assemble.model import Report
from mqstat.assemble.table_model import Table
from mqstat.base.card_key import Owner
from mqstat.base.formatting import clean
from mqstat.render.format import Options
from mqstat.render.json_model import schema_text
from mqstat.render.write import write
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.opening import open_database

Metrics = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def written(report: Report, format_name: str, **options: Any) -> str:
    """The text of a report in one format."""
    stream = io.StringIO()
    write(report, format_name, stream, Options(**options))
    return stream.getvalue()


class Given(Table):
    """A table whose rows are all in memory."""

    def batches(self, size: int = 2000) -> Iterator[list[tuple[Any, ...]]]:
        if self.rows:
            yield list(self.rows)


@cache
def _no_records() -> Workspace:
    return open_database({})


def findings_of(rows: Sequence[Mapping[str, Any]], code: int = 0, owners: Collection[Owner] | None = None) -> Report:
    """The report of `mqstat check` with these rows of view finding, over no records: plans of their cards have no
    answer.
    """
    nothing: Any = None
    known = (
        list(dict.fromkeys((row["lpar"], row["qmgr"]) for row in rows if row["qmgr"]))
        if owners is None
        else list(owners)
    )
    made = findings_report(_no_records(), rows, {row["rule_id"] for row in rows}, code, known)
    table = made.all_findings
    values = tuple(tuple(row[column.name] for column in table.columns) for row in rows)
    given = Given(table.report_id, "", "", "", table.columns, values, (), len(rows), nothing, "", kind=table.kind)
    return replace(made, all_findings=given)


@cache
def _validator() -> Any:
    return jsonschema_rs.Draft202012Validator(json.loads(schema_text()))


def valid_json(text: str) -> dict[str, Any]:
    """A report in JSON, which must match the schema, with fractions of 12 digits at most."""

    def fraction(digits: str) -> float:
        assert len(digits.partition("e")[0].replace(".", "").strip("-0")) <= 12, digits
        return float(digits)

    data: dict[str, Any] = json.loads(text, parse_float=fraction)
    _validator().validate(data)
    return data


def valid_metrics(text: str) -> Metrics:
    """All samples of an OpenMetrics text that two parsers take, that of OpenMetrics and that of the older text
    format.
    """
    assert text.endswith("\n# EOF\n")
    samples: Metrics = {}
    for family in text_string_to_metric_families(text):
        assert family.type == "gauge", family.name
        assert family.documentation.endswith("."), family.name
        assert not family.unit or family.name.endswith("_" + family.unit)
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in samples, key
            assert sample.timestamp is None
            samples[key] = sample.value
    older = {(s.name, tuple(sorted(s.labels.items()))): s.value for f in older_families(text) for s in f.samples}
    assert older == samples
    assert all(name.startswith("mqstat_") for name, _ in samples)
    return samples


def check_formats(report: Report) -> None:
    """JSON and OpenMetrics of a health report are valid and show the same findings, as do text and Markdown."""
    data, metrics = valid_json(written(report, "json")), valid_metrics(written(report, "openmetrics"))
    assert data["return_code"] == metrics["mqstat_return_code", ()] == report.return_code
    judged = [finding for finding in data["findings"] if finding["severity"] != "broken"]
    breaches = sorted(finding["rule_id"] for finding in judged for _ in finding["subjects"])
    assert sorted(dict(labels)["rule"] for name, labels in metrics if name == "mqstat_finding") == breaches
    assert sum(value for (name, _), value in metrics.items() if name == "mqstat_findings") == len(judged)
    for manager in data["queue_managers"]:
        labels = {"lpar": manager["lpar"] or "", "qmgr": manager["qmgr"] or "", "state": manager["state"]}
        assert metrics["mqstat_qmgr_state", tuple(sorted((key, clean(value)) for key, value in labels.items()))] == 1
    assert {rule["rule_id"] for rule in data["rules"]} == {
        dict(labels)["rule"] for name, labels in metrics if name == "mqstat_rule_subjects"
    }
    plain, markdown = written(report, "text", verbose=True), written(report, "markdown")
    for finding in data["findings"]:
        assert finding["rule_id"] in plain
        assert finding["rule_id"] in markdown
    for line in data["verdict"]:
        assert f"  {line['area']} " in plain
        assert f"| {line['area']} |" in markdown


def without_copies(page: str) -> str:
    """A page without the commands and texts for tickets: a shell needs quotes around some names, and text of 72 columns
    wraps elsewhere.
    """
    return re.sub(
        r'<details class="copy">.*?</details>|<p class="cmd">.*?</p>|<code class="cmd">mqstat .*?</code>',
        "",
        page,
        flags=re.S,
    )
