"""One change reaches every format: a column that view finding gets, and a member that the class of findings gets; a
program of its own, because it changes what is kept of views.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mqstat.assemble.finding import Finding
from mqstat.assemble.series import events
from mqstat.assemble.tables import every_outcome
from mqstat.base.json_object import json_text
from mqstat.judge import engine
from mqstat.judge.engine import run_rules
from mqstat.judge.sentences import advice_of
from mqstat.render.feeds import EVENTS, FEEDS, write_events
from mqstat.render.json_model import make_schema, schema_of
from mqstat.render.write import write_file
from mqstat.sql import sqlfile
from mqstat.sql.columns import selected_columns
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace
from tests.cases import CaseDatabase, rows_of_case
from tests.report_checks import findings_of, written
from tests.test_finding_order import CASE, ONLY


class Coloured(Finding, frozen=True, kw_only=True):
    """A finding with a member more."""

    colour: str = "red"


@contextmanager
def judged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Findings in breach; the file of view finding has a column more."""
    file, columns = sqlfile.views()["finding"], selected_columns()["finding"]
    text = file.text.replace("[columns]\n", '[columns]\ncolour = { unit = "text", doc = "A colour." }\n', 1)
    text = text.replace("\nFROM decoded.finding", ", colour\nFROM decoded.finding")
    monkeypatch.setitem(selected_columns(), "finding", {**columns, "colour": "VARCHAR"})
    changed = sqlfile.parse(text, "view", file.name, sqlfile.columns_of)
    monkeypatch.setitem(sqlfile.views()._parsed, "finding", changed)
    monkeypatch.setattr(engine, "advice_of", coloured)
    with CaseDatabase().use(rows_of_case(CASE), Site(), ONLY) as db:
        run_rules(db, only=ONLY)
        yield db


def coloured(finding: dict[str, Any]) -> str | None:
    """The advice of a finding, which gets a value in the new column."""
    finding["colour"] = "red"
    return advice_of(finding)


def column_of_view_finding(db: Workspace, folder: Path) -> None:
    """A column of view finding is in every format that lists all columns."""
    rows = db.ask_rows("SELECT * FROM finding WHERE state = 'breach'")
    report = replace(findings_of(rows), all_findings=every_outcome(db, ONLY))
    assert rows
    assert {row["colour"] for row in json.loads(written(report, "json"))["findings"]} == {"red"}
    assert {row["colour"] for row in csv.DictReader(io.StringIO(written(report, "csv")))} == {"red"}
    (path,) = write_file(report, folder / "findings.parquet")
    column = pq.read_table(path)["colour"]
    assert set(column.to_pylist()) == {"red"}
    assert pq.read_schema(path).field("colour").metadata[b"description"] == b"A colour."
    for name in EVENTS:
        known, stream = FEEDS[name].events, io.StringIO()
        assert known is not None
        write_events(events(db), known, stream)
        assert stream.getvalue().count('"red"') == len(rows), name
    assert {"red"} == {at.members["colour"] for finding in report.findings for at in finding.subjects}
    for command, part in (("check", "finding"), ("report", "subject")):
        assert make_schema(command)["$defs"][part]["properties"]["colour"]["description"] == "A colour."


def member_of_a_finding(db: Workspace) -> None:
    """A member of the class is in JSON and its schema."""
    report = findings_of(db.ask_rows("SELECT * FROM finding WHERE state = 'breach'"))
    values = {name: getattr(report.findings[0], name) for name in Finding.__struct_fields__}
    assert json.loads(json_text(Coloured(**values)))["colour"] == "red"
    assert schema_of(Coloured, "")["properties"]["colour"] == {"type": "string"}


def main() -> None:
    with pytest.MonkeyPatch.context() as patch, judged(patch) as db, tempfile.TemporaryDirectory() as folder:
        column_of_view_finding(db, Path(folder))
        member_of_a_finding(db)


if __name__ == "__main__":
    main()
