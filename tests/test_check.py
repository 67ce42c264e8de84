"""Findings on their own: the lines, the return code, the JSON and its schema, and the list of rules with their
state.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema_rs
import pyarrow.parquet as pq
import pytest

from mqstat.assemble import check as checking
from mqstat.assemble.check import return_code
from mqstat.assemble.finding import fields
from mqstat.assemble.model import Report
from mqstat.base.areas import AREAS
from mqstat.cli import run
from mqstat.fixtures import scenarios
from mqstat.intake.open_data import open_data
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge import model
from mqstat.judge.states import STATES, UNJUDGED
from mqstat.render.json_model import make_schema, schema_text
from mqstat.sql import sqlfile
from mqstat.sql.needs import rule_columns
from tests.golden_parts import schema_lines
from tests.outputs import Outputs
from tests.report_checks import findings_of, written
from tests.support import call, file_of, reading

Captured = pytest.CaptureFixture[str]

CHECKED_SCENARIOS = ("damaged_transfer", "hostile_names", "old_release", "consumer_stopped")


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(scenarios.find("pool_exhausted").build(), tmp_path_factory.mktemp("bad"), "bad.smf")


@pytest.fixture(scope="module")
def outcome(bad: Path) -> Iterator[Report]:
    """All outcomes of the bad pool, judged once."""
    with open_data([str(bad)]) as db:
        yield checking.check(db)


def checked(path: Path, capsys: Captured, *arguments: str) -> tuple[int, str]:
    capsys.readouterr()
    code = run(["check", str(path), *arguments])
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, captured.out


# --------------------------------------------------------------------------------------------------------------- schema


def test_the_schema_is_that_of_the_view(golden: Callable[[str, str], None]) -> None:
    golden("schema/check.txt", "\n".join(schema_lines(json.loads(schema_text("check")))) + "\n")
    jsonschema_rs.meta.validate(make_schema("check"))


def valid(data: Any) -> list[dict[str, Any]]:
    """The findings of a document, which must match the schema."""
    jsonschema_rs.Draft202012Validator(json.loads(schema_text("check"))).validate(data)
    assert list(data) == ["schema_version", "counts", "findings"]
    assert all(list(row) == list(sqlfile.views()["finding"].columns) for row in data["findings"])
    return list(data["findings"])


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKED_SCENARIOS)
def test_json_of_scenarios_is_valid(name: str, outputs: Outputs) -> None:
    results = valid_json(outputs.findings(name))
    assert {finding["rule_id"] for finding in results} == set(model.rules())
    assert {finding["state"] for finding in results} <= set(STATES) - {"broken"}


def test_json_of_real_dumps_is_valid(dump: Path, outputs: Outputs) -> None:
    assert {finding["rule_id"] for finding in valid_json(outputs.dump(dump).findings)} == set(model.rules())


def valid_json(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The findings as JSON, which must match the schema."""
    return valid(json.loads(written(findings_of(rows), "json")))


@pytest.mark.slow
def test_the_command_prints_valid_json(tmp_path: Path, capsys: Captured) -> None:
    """Of the same scenarios and real dumps, judged together."""
    real = os.environ.get("MQSTAT_DUMPS")
    inputs = [file_of(scenarios.find(name).build(), tmp_path, f"{name}.smf") for name in CHECKED_SCENARIOS]
    inputs += sorted(Path(real).glob("*.dat")) if real else []
    out = checked(inputs[0], capsys, *map(str, inputs[1:]), "--format", "json", "--fail-on", "never")[1]
    results = valid(json.loads(out))
    assert {finding["rule_id"] for finding in results} == set(model.rules())
    assert {finding["state"] for finding in results} <= set(STATES) - {"broken"}


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "bad"}, {"severity": None}, {"caused_by": "BP001"}, {"worst_interval_utc": "yesterday"}, {"colour": "red"}, {"observed": "1"},
        {"intervals_checked": -1}, {"rule_id": "x"},
    ],
)  # fmt: skip
def test_the_schema_refuses_invalid_documents(change: dict[str, Any], outcome: Report) -> None:
    data = json.loads(written(outcome, "json"))
    data["findings"][0] |= change
    with pytest.raises(jsonschema_rs.ValidationError):
        valid(data)


def test_the_schema_is_printed(capsys: Captured) -> None:
    assert run(["check", "--schema"]) == 0
    assert capsys.readouterr().out == schema_text("check")


def test_causes_are_a_list() -> None:
    row: dict[str, Any] = dict.fromkeys(sqlfile.views()["finding"].columns)
    assert fields(row)["caused_by"] == []
    assert fields({**row, "caused_by": ["BP001", "BP002"]})["caused_by"] == ["BP001", "BP002"]


@pytest.mark.slow
def test_standard_output_has_only_json(bad: Path, tmp_path: Path) -> None:
    text = file_of(b"This is a text.\n" * 400, tmp_path, "text.txt")
    done = call("check", bad, text, bad, "--format", "json", "--rule", "BP001", timeout=120)
    assert valid(json.loads(done.stdout))
    assert b"mqstat: skipping: bad.smf was already given." in done.stderr
    assert b"mqstat: skipping: text.txt: It is text" in done.stderr


# -------------------------------------------------------------------------------------------------------- other formats


def test_lines(outcome: Report) -> None:
    lines = written(outcome, "text").splitlines()
    assert " ".join(" ".join(lines[-2:]).split()).endswith("; return code 8")  # the last line may be wrapped
    assert any(line.startswith("critical BP001 ") and "(> limit 0)" in line and "worst 20" in line for line in lines)
    assert [line.split()[0] for line in lines if line.startswith(("critical", "warning", "info"))] == sorted(
        (line.split()[0] for line in lines if line.startswith(("critical", "warning", "info"))),
        key=["critical", "warning", "info"].index,
    )


def test_csv_has_all_outcomes(outcome: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(written(outcome, "csv"))))
    assert list(rows[0]) == list(sqlfile.views()["finding"].columns)
    assert {row["rule_id"] for row in rows} == set(model.rules())


def test_markdown_has_one_row_per_rule_and_severity(outcome: Report) -> None:
    out = written(outcome, "markdown")
    breaches = {(row["rule_id"], row["severity"]) for row in outcome.outcomes if row["state"] == "breach"}
    assert len([line for line in out.splitlines() if line.startswith("| ")]) == len(breaches) + 2
    assert all(line.count(" | ") == 7 for line in out.splitlines() if line.startswith("| "))


@pytest.mark.slow
def test_files_hold_what_is_printed(bad: Path, outcome: Report, tmp_path: Path, capsys: Captured) -> None:
    target = tmp_path / "new" / "findings.parquet"
    assert checked(bad, capsys, "--format", "parquet", "--output", str(target)) == (8, "")
    table = pq.read_table(target)
    assert table.column_names == list(sqlfile.views()["finding"].columns)
    assert table.schema.field("breached_pct").metadata[b"unit"] == b"percent"
    assert all(field.metadata[b"description"] for field in table.schema)
    assert table.num_rows == len(outcome.outcomes)
    target = tmp_path / "findings.json"
    arguments = ("--format", "json", "--output", str(target), "--fail-on", "info", "--max-rc", "4")
    assert checked(bad, capsys, *arguments) == (4, "")
    assert json.loads(target.read_text(encoding="utf-8")) == json.loads(written(outcome, "json"))


# --------------------------------------------------------------------------------------------------------- return codes


@pytest.mark.parametrize(
    ("rows", "damaged", "wanted"),
    [
        ([], 0, (0, 0, 0, 0)),
        ([("breach", "info")], 0, (0, 0, 4, 0)),
        ([("breach", "warning")], 0, (0, 4, 4, 0)),
        ([("breach", "critical"), ("clear", "warning")], 0, (8, 8, 8, 0)),
        ([("clear", "critical"), ("no-data", "critical"), ("off", "critical")], 0, (0, 0, 0, 0)),
        ([("broken", "info"), ("breach", "critical")], 0, (16, 16, 16, 16)),
        ([], 1, (0, 4, 4, 0)),
        ([("breach", "critical")], 500, (12, 12, 12, 12)),
    ],
)
def test_findings_that_set_the_return_code(rows: list[tuple[str, str]], damaged: int, wanted: tuple[int, ...]) -> None:
    sources = [{"source_bytes": 10_000, "bytes_damaged": damaged, "records_decoded": 5}]
    found = [{"outcome": outcome, "severity": severity} for outcome, severity in rows]
    codes = tuple(return_code(found, sources, 0.1, fail_on) for fail_on in ("critical", "warning", "info", "never"))
    assert codes == wanted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["{bad}"], 2, "MQSTAT CRITICAL - "),
        (["{bad}", "--max-rc", "4"], 1, "MQSTAT WARNING - "),
        (["{bad}", "--rule", "BP003"], 0, "MQSTAT OK - no findings | "),
        (["{bad}|.smf"], 3, "MQSTAT UNKNOWN - "),
        (["{bad}", "--rule", "XX999"], 3, "MQSTAT UNKNOWN - There is no rule XX999"),
    ],
)
def test_a_plugin_has_its_own_return_codes(
    arguments: list[str], code: int, text: str, bad: Path, capsys: Captured
) -> None:
    """One line on standard output, also for an error, which other formats report on standard error alone."""
    words = [argument.format(bad=bad) for argument in arguments]
    assert run(["check", *words, "--format", "nagios"]) == code
    printed = capsys.readouterr().out
    assert printed.startswith(text)
    assert printed.count("\n") == 1
    assert printed.count("|") == (code < 3)
    if code == 3:
        assert run(["check", *words]) in (12, 16)
        assert capsys.readouterr().out == ""


def test_a_failure_is_never_lowered(monkeypatch: pytest.MonkeyPatch, bad: Path, capsys: Captured) -> None:
    monkeypatch.setattr(checking, "return_code", lambda *_: 16)
    assert checked(bad, capsys, "--max-rc", "4", "--rule", "BP001")[0] == 16


@pytest.mark.slow
def test_one_rule_runs_with_those_that_silence_it(bad: Path, outcome: Report, capsys: Captured) -> None:
    _, out = checked(bad, capsys, "--rule", "bp004", "--format", "json")
    own = valid(json.loads(out))
    assert {finding["rule_id"] for finding in own} == {"BP004"}
    everything = json.loads(written(outcome, "json"))
    alike = [finding for finding in everything["findings"] if finding["rule_id"] == "BP004"]
    assert sorted(map(str, own)) == sorted(map(str, alike))
    _, out = checked(bad, capsys, "--rule", "bp004", "--rule", "LG001", "--format", "json")
    assert {finding["rule_id"] for finding in valid(json.loads(out))} == {"BP004", "LG001"}


# -------------------------------------------------------------------------------------------------------- list of rules


def test_rules_are_listed_by_area(capsys: Captured) -> None:
    assert run(["rules"]) == 0
    out = capsys.readouterr().out
    listed = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
    assert sorted(listed) == sorted(model.rules())
    assert [line for line in out.splitlines() if line and line[0].islower() and " " not in line] == [
        area for area in AREAS if any(rule.area == area for rule in model.rules().values())
    ]


def test_rules_have_a_state_on_data(bad: Path, capsys: Captured) -> None:
    assert run(["rules", str(bad)]) == 0
    lines, rule_id = dict[str, str](), ""
    for line in capsys.readouterr().out.splitlines():
        if line.startswith("  "):  # a wrapped line goes on further to the right
            rule_id = rule_id if line.startswith("   ") else line.split()[0]
            lines[rule_id] = f"{lines.get(rule_id, '')} {line.strip()}"
    assert set(lines) == set(model.rules())
    assert "critical: " in lines["BP001"]
    assert all(
        any(
            outcome_word in line
            for outcome_word in (
                "critical: ",
                "warning: ",
                "info: ",
                "clear",
                "reported by ",
                *(f"{state}: " for state in UNJUDGED),
            )
        )
        for line in lines.values()
    )


# ---------------------------------------------------------------------------------------------------------- wrong words

WRONG: dict[str, tuple[list[str], str]] = {
    "neither": (["check"], "either"),
    "both": (["check", "x", "--from", "y"], "either"),
    "an unknown format": (
        ["check", "x", "--format", "xml"],
        "choose text, ",
    ),
    "parquet without a place": (["check", "x", "--format", "parquet"], "--output DIR"),
    "a severity": (["check", "x", "--fail-on", "bad"], "critical, warning, info or never"),
    "a code": (["check", "x", "--max-rc", "5"], "0, 4, 8, 12 or 16"),
    "a rule": (["check", "x", "--rule", "BP99"], "There is no rule BP99; did you mean BP0"),
    "an output that cannot be": (
        ["check", "{bad}", "--rule", "BP001", "--output", "{tmp}/no/where.txt"],
        "cannot be written",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_words(name: str, bad: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, message = WRONG[name]
    assert run([argument.format(tmp=tmp_path, bad=bad) for argument in arguments]) == 16
    captured = capsys.readouterr()
    assert message in captured.err
    assert "unexpected" not in captured.err
    assert captured.out == ""


@pytest.mark.slow
def test_two_lines_follow_the_findings(tmp_path: Path) -> None:
    """What was not judged, with the number of rules by reason and the command that lists them; then the counts and the
    return code.
    """
    dump = file_of(scenarios.SCENARIOS["missing_classes"].build(), tmp_path)
    with reading(dump, columns_to_decode(rule_columns())) as db:
        report = checking.check(db)
    (line,) = report.unjudged
    for state in ("not collected", "needs a site fact"):
        ids = {row["rule_id"] for row in report.outcomes if row["state"] == state}
        assert ids
        assert re.search(rf"\b{len(ids)} needs? a site fact\b" if "fact" in state else rf"\b{len(ids)} {state}\b", line)
    assert line.endswith("mqstat rules DUMP")
    below = written(report, "text", width=10_000).splitlines()[len(report.findings) :]
    assert below == [line, report.summary]
    assert report.summary.endswith(f"; return code {report.return_code}")
