"""Every format of a report: written in one run, valid by its grammar, always the same bytes, written atomically."""

from __future__ import annotations

import csv
import dataclasses
import errno
import hashlib
import io
import json
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from mqstat.assemble import measures
from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.assemble.page_model import Baseline
from mqstat.assemble.trend import trend_lines
from mqstat.base import atomic_write
from mqstat.base.errors import UsageError
from mqstat.base.formatting import clean, steady
from mqstat.cli import refused, run
from mqstat.cli.output import print_report
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.states import STATES as RULE_STATES
from mqstat.render import files
from mqstat.render.format import Options
from mqstat.render.formats import endings, format_of, formats, formats_of
from mqstat.render.schema import make_schema, schema_text
from mqstat.render.write import write, write_file
from mqstat.sql import sqlfile
from mqstat.sql.database import open_database
from mqstat.sql.plans import decoded_columns, health_columns
from tests.outputs import Outputs
from tests.report_checks import findings_of, valid_json, valid_metrics, without_copies, written
from tests.support import START, arrow, call, file_of, reading

Captured = pytest.CaptureFixture[str]

NAMES = ("report.txt", "report.json", "report.csv", "report.md", "report.html", "report.prom", "report.parquet")
OTHER_FOLDER = "a-peculiar-folder"


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(SCENARIOS["pool_exhausted"].build(), tmp_path_factory.mktemp("bad"), "bad.smf")


@pytest.fixture(scope="module")
def report(bad: Path) -> Iterator[Report]:
    """The report of the bad pool with what any format shows but a page, its database open."""
    with reading(bad) as db:
        yield health_report(db, monitored=True, every_table=True)


@pytest.fixture(scope="module")
def small() -> Iterator[Report]:
    """A nearly empty report."""
    with open_database(
        arrow({"qpst": [{"pool_id": 1, "buffers": 200, "lowest_stealable": 50}]}, 1_800_000_000), views=False
    ) as db:
        yield health_report(db, every_table=True)


@pytest.fixture(scope="module")
def everything(bad: Path, outputs: Outputs) -> tuple[Path, str]:
    """All formats of one report written by one run, and what it printed: by a process with another folder, time zone, language and hashes.

    Made once for all workers, next to the outputs of the scenarios: the tests of this file may run in several.
    """
    root = outputs.folder / "every-format"
    folder, other_folder, printed = root / "out", root / OTHER_FOLDER, root / "printed.txt"
    with FileLock(f"{root}.lock"):
        if not printed.exists():
            other_folder.mkdir(parents=True)
            folder.mkdir()
            file_of(bad.read_bytes(), other_folder, bad.name)
            options = [option for name in NAMES for option in ("--write", folder / name)]
            env = {"PYTHONHASHSEED": "12345", "TZ": "Pacific/Auckland", "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
            done = call("report", bad.name, *options, env=env, cwd=other_folder, timeout=300)
            assert done.returncode == 8, done.stderr
            printed.write_bytes(done.stdout)
    return folder, printed.read_bytes().decode()


# ------------------------------------------------------------------------------------------------------------- one run, all formats


def test_one_run_writes_every_format(everything: tuple[Path, str]) -> None:
    folder, printed = everything
    assert sorted(path.name for path in folder.iterdir()) == sorted(NAMES)
    assert {format_of(Path(name)) for name in NAMES} == set(formats_of("report"))
    assert (folder / "report.txt").read_text(encoding="utf-8") == printed
    assert valid_json((folder / "report.json").read_text(encoding="utf-8"))["return_code"] == 8
    assert valid_metrics((folder / "report.prom").read_text(encoding="utf-8"))["mqstat_return_code", ()] == 8
    assert (folder / "report.md").read_text(encoding="utf-8").startswith("# MQ health report\n")
    rows = list(csv.DictReader(io.StringIO((folder / "report.csv").read_text(encoding="utf-8"))))
    assert "BP001" in {row["rule_id"] for row in rows if row["outcome"] == "breach"}
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "BP001" in page
    tables = {path.relative_to(folder / "report.parquet").as_posix() for path in folder.glob("report.parquet/*/*")}
    assert tables == {f"{name}.parquet" for name in sqlfile.reports()}
    findings_table = pq.read_table(folder / "report.parquet" / "overview" / "findings.parquet")
    assert findings_table.num_rows == len(rows)


@pytest.mark.slow
def test_output_does_not_depend_on_the_run(
    report: Report,
    everything: tuple[Path, str],
    outputs: Outputs,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Every format has the same bytes in another folder, time zone, language and process, and no trace of them. Other formats: see the next test."""
    folder, printed = everything
    page = (folder / "report.html").read_text(encoding="utf-8")
    page, same = without_copies(page), without_copies(outputs.scenario("pool_exhausted").page)
    assert same.count("pool_exhausted.smf") == page.count("bad.smf") > 3
    checksum = hashlib.sha256(SCENARIOS["pool_exhausted"].build()).hexdigest()
    same = same.replace("pool_exhausted.smf", "bad.smf").replace(
        "<code>not computed</code>", f"<code>{checksum}</code>"
    )
    assert page == same
    write_file(report, tmp_path / "report.parquet")
    tables = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert tables == sorted(path.relative_to(folder) for path in folder.glob("report.parquet/*/*"))
    for name in tables:
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes(), name
    for file in folder.rglob("*"):
        if file.is_file():
            assert OTHER_FOLDER.encode() not in file.read_bytes(), file.name
            assert str(folder).encode() not in file.read_bytes(), file.name
    assert OTHER_FOLDER not in printed
    record_property("formats of a report that two processes wrote alike", len(NAMES))


@pytest.mark.parametrize(
    "format_name", [format_name for format_name in formats_of("report") if format_name not in ("html", "parquet")]
)
def test_a_format_alone_is_what_one_run_writes(format_name: str, report: Report, everything: tuple[Path, str]) -> None:
    """In this process and in the other. But for the checksums, which only a run for JSON or HTML computes."""
    folder, _ = everything
    name = next(name for name in NAMES if format_of(Path(name)) == format_name)
    together, text = (folder / name).read_bytes().decode("utf-8"), written(report, format_name)
    if format_name == "json":
        checksum = hashlib.sha256(SCENARIOS["pool_exhausted"].build()).hexdigest()
        assert text.count('"source_sha256": null') == 1
        text = text.replace('"source_sha256": null', f'"source_sha256": "{checksum}"')
    assert together == text


@pytest.mark.slow
def test_a_real_dump_in_every_format(dumps: Path, tmp_path: Path, capsys: Captured) -> None:
    smallest = min(dumps.glob("*.dat"), key=lambda path: path.stat().st_size)
    options = [option for name in NAMES for option in ("--write", str(tmp_path / name))]
    code = run(["report", str(smallest), *options])
    assert "Traceback" not in capsys.readouterr().err
    assert code in (0, 4, 8)
    assert valid_json((tmp_path / "report.json").read_text(encoding="utf-8"))["return_code"] == code
    assert valid_metrics((tmp_path / "report.prom").read_text(encoding="utf-8"))["mqstat_return_code", ()] == code
    assert (tmp_path / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


@pytest.mark.slow
@pytest.mark.parametrize("format_name", [name for name in formats_of("report") if formats()[name].is_utf8])
def test_what_is_utf_8_stays_so_on_a_terminal_that_knows_ascii(
    format_name: str, small: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding="ascii"))
    named = dataclasses.replace(small, head=(("Period", "\u00e4\u4e2d"),))
    print_report(named if format_name == "openmetrics" else small, format_name, Options())
    text = output.getvalue().decode("utf-8")
    assert valid_metrics(text) if format_name == "openmetrics" else text.lower().startswith("<!doctype html>")


# -------------------------------------------------------------------------------------------------------------------------- JSON


def test_the_schema_is_that_of_the_model(golden: Callable[[str, str], None]) -> None:
    golden("schema/report.json", schema_text())
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
        else:  # a mapping of names to tables, counts or figures
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
def test_the_schema_refuses_invalid_documents(name: str, small: Report) -> None:
    data = valid_json(written(small, "json"))
    with pytest.raises(jsonschema_rs.ValidationError):
        valid_json(json.dumps({**data, **SPOILT[name]}))


def test_every_property_is_required(small: Report) -> None:
    data = valid_json(written(small, "json"))
    for name in data:
        with pytest.raises(jsonschema_rs.ValidationError):
            valid_json(json.dumps({key: value for key, value in data.items() if key != name}))


def rows_of(made: Report) -> list[tuple[Any, ...]]:
    """All outcomes."""
    return [row for batch in made.all_findings.batches() for row in batch]


def test_named_reports_come_without_a_judgement(small: Report) -> None:
    named = dataclasses.replace(small, only_tables=True, tables=(small.all_findings,))
    data = valid_json(written(named, "json"))
    assert set(data) == {"schema_version", "mqstat", "title", "return_code", "head", "sources", "foot", "reports"}
    assert len(data["reports"]["overview/findings"]["rows"]) == len(rows_of(small))


def test_a_baseline_is_part_of_the_document(small: Report) -> None:
    baseline = Baseline((("Before", "28 days"),), (small.all_findings,), True, unusual=1, compared=54)
    data = valid_json(written(dataclasses.replace(small, baseline=baseline), "json"))
    assert data["baseline"]["lines"] == [{"label": "Before", "text": "28 days"}]
    assert (data["baseline"]["unusual"], data["baseline"]["compared"]) == (1, 54)
    assert list(data["baseline"]["tables"]) == ["overview/findings"]


def test_json_has_everything_in_the_model(report: Report) -> None:
    data = valid_json(written(report, "json"))
    assert [line["text"] for line in data["verdict"]] == [verdict.text for verdict in report.verdicts]
    assert len(data["tiles"]) == len(report.tiles) > 0
    assert [rule["rule_id"] for rule in data["rules"]] == [line.rule_id for line in report.rule_lines] != []
    assert [(finding["rule_id"], finding["title"], finding["depth"]) for finding in data["findings"]] == [
        (finding.rule_id, finding.title, finding.depth) for finding in report.findings
    ]
    subjects = [row for finding in data["findings"] for row in finding["subjects"]]
    assert [row["place"] for row in subjects] == [
        subject.location for finding in report.findings for subject in finding.subjects
    ]
    assert all(isinstance(row["caused_by"], list) and isinstance(row["figures"], dict) for row in subjects)
    assert list(data["trend"]) == ["page_set/growth", "overview/headroom", "overview/peaks"]
    for table in report.trend:
        assert len(data["trend"][table.report_id]["rows"]) == table.total > 0
    assert [source["source_name"] for source in data["sources"]] == ["bad.smf"]


# ------------------------------------------------------------------------------------------------------------------- OpenMetrics


def test_figures_of_a_monitoring_system(report: Report) -> None:
    samples = valid_metrics(written(report, "openmetrics"))
    names = {name for name, _ in samples}
    for wanted in (
        "mqstat_buffer_pool_lowest_free_ratio", "mqstat_buffer_pool_lowest_free_worst_ratio", "mqstat_log_created_bytes_per_second",
        "mqstat_page_set_used_ratio", "mqstat_data_last_timestamp_seconds", "mqstat_class_collected_ratio", "mqstat_source_damaged_bytes",
    ):  # fmt: skip
        assert wanted in names
    worst = [value for (name, _), value in samples.items() if name == "mqstat_buffer_pool_lowest_free_worst_ratio"]
    assert min(worst) == 0.0
    assert all(0 <= value <= 1 for value in worst)
    observed = {labels: value for (name, labels), value in samples.items() if name == "mqstat_finding_observed"}
    for row in (subject.row for finding in report.findings for subject in finding.subjects):
        labels = {"rule": row["rule_id"], "lpar": row["lpar"] or "", "qmgr": row["qmgr"] or "", "subject": row["subject"] or "", "unit": row["limit_unit"], "clause": row["clause"], "operator": row["operator"]}  # fmt: skip
        assert observed[tuple(sorted(labels.items()))] == pytest.approx(row["observed"], rel=1e-11)
    outcomes = [value for (name, _), value in samples.items() if name == "mqstat_rule_subjects"]
    assert len(outcomes) % len(RULE_STATES) == 0
    assert sum(outcomes) == len(rows_of(report))


def test_newest_and_worst() -> None:
    rows = {
        "qpst": [
            {"record_id": number, "interval_start_utc": START.replace(hour=10 + number), "pool_id": 7, "buffers": 200, "lowest_stealable": free, "no_buffer_waits": waits}
            for number, (free, waits) in enumerate(((100, 3), (20, 9), (150, 1)))
        ]
    }  # fmt: skip
    with open_database(arrow(rows, 3_600_000_000), views=False) as db:
        figures = {figure.name: figure for figure in measures.figures(db) if figure.labels.get("pool") == "7"}
    free, waits = figures["mqstat_buffer_pool_lowest_free"], figures["mqstat_buffer_pool_no_buffer_waits"]
    assert (free.newest, free.worst, free.unit, free.is_low) == (0.75, 0.1, "ratio", True)
    assert (waits.newest, waits.worst, waits.unit, waits.is_low) == (1, 9, "", False)
    assert free.labels == {"lpar": "SYS1", "qmgr": "MQ01", "pool": "7"}


@pytest.mark.parametrize("metric", measures.MEASURED, ids=lambda metric: metric.view)
def test_what_is_measured_is_there_in_a_dump(metric: measures.Measured) -> None:
    """A report made directly from a dump decodes only the columns that rules and reports read."""
    described = sqlfile.views()[metric.view].columns
    assert all(described[column].unit in measures.UNITS for column in metric.columns)
    assert all(key in described for key in metric.keys)
    decoded = health_columns()
    for table, columns in decoded_columns([measures.query(metric)]).items():
        assert columns <= decoded.get(table, frozenset()), table


def test_names_of_figures_differ() -> None:
    names = [
        (measures.full_name(figure.name, column), measures.UNITS[sqlfile.views()[figure.view].columns[column].unit][0])
        for figure in measures.MEASURED
        for column in figure.columns
    ]
    assert len(set(names)) == len(names)
    assert measures.full_name("smds", "smds_used_high_pct") == "mqstat_smds_used_high"
    assert measures.full_name("", "log_created_mib_per_s") == "mqstat_log_created"


HOSTILE = ('"} 1\n# EOF\n', "back\\slash\\n", "\x1b[2J\x07\x00\u202e", "<script>alert(1)</script>", "", " ", "{},=\u00e4\u4e2d\U0001f600", "x" * 48)  # fmt: skip


def breach(**columns: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(sqlfile.views()["finding"].columns)
    row |= {
        "rule_id": "BP001",
        "state": "breach",
        "severity": "critical",
        "lpar": "SYS1",
        "qmgr": "MQ01",
        "limit_unit": "count",
        "weight": "delay",
        "rule_source": "source",
    }
    return row | {"observed": 1.0, "limit_value": 0.0, "intervals_checked": 2, "intervals_breached": 1} | columns


ATTACKS = ("<b>&]]>", "a|b\n'c'=1;2", "\x1b[2J\x00\u202e\ud800", '"quoted", \\, ```')
"""Names that attack markup, a line of a plugin, a terminal and quoted text."""


def outcomes() -> list[dict[str, Any]]:
    """A row of view finding for each state, and breaches of each severity, of hostile names."""
    at = START.replace(hour=10)
    timed = {"worst_interval_utc": at, "first_seen_utc": at, "last_seen_utc": at}
    same = {
        "lpar": "SYS1", "qmgr": "MQ01", "rule_name": "name", "rule_area": "buffer_pool", "limit_unit": "count", "limit_from": "default", "limit_kind": "documented",
        "intervals_checked": 4, "intervals_breached": 0, "too_few_intervals": False, "within_margin": False, "rule_source": "source", "severity": "warning", "weight": "delay",
    }  # fmt: skip
    worst = timed | {
        "state": "breach",
        "outcome": "breach",
        "intervals_breached": 1,
        "operator": ">",
        "observed": 2.5,
        "limit_value": 0.0,
        "distance": 3.5,
    }
    rows = [
        {
            "rule_id": "BP001",
            "severity": "critical",
            "subject": text,
            "qmgr": text,
            "advice": f"Enlarge {text}.",
            **worst,
        }
        for text in ATTACKS
    ]
    rows += [
        {"rule_id": "BP004", "subject": "buffer pool 1", "caused_by": ["BP001"], "measure": "share", "limit_unit": "percent", **worst},
        {"rule_id": "BP003", "severity": "info", "subject": "buffer pool 2", "measure": "waits", **worst},
        {"rule_id": "BP005", "state": "broken", "outcome": "broken", "lpar": None, "qmgr": None, "error": "a\n<b>|c\x01"},
        {"rule_id": "BP006", "state": "not collected", "outcome": "no-data", "missing_classes": ["115.215"]},
        {"rule_id": "BP007", "state": "needs a site fact", "outcome": "no-data", "missing_facts": ["fact"]},
        {"rule_id": "BP008", "state": "clear", "outcome": "clear", "subject": "buffer pool 3", "observed": 1.0, "limit_value": 2.0},
        {"rule_id": "BP009", "state": "idle", "outcome": "clear"},
        {"rule_id": "BP010", "state": "switched off", "outcome": "off", "off_reason": "known | <i>"},
    ]  # fmt: skip
    blank: dict[str, Any] = dict.fromkeys(sqlfile.views()["finding"].columns)
    return [{**blank, **same, **row} for row in rows]


@pytest.mark.parametrize("format_name", [name for name in formats_of("check") if formats()[name].is_stream])
def test_findings_of_hostile_names(format_name: str, golden: Callable[[str, str], None]) -> None:
    """The golden of a format has what it writes, and its line for an error; no name steers a terminal or ends a line."""
    known = formats()[format_name]
    text = written(findings_of(outcomes(), 8), format_name)
    assert text.endswith("\n")
    text.encode()
    if known.endings:
        GRAMMARS.get(known.endings[0], str)(text)
    if known.failure is not None:
        text += known.failure("it fails: a|b\n<c>\x1b") + "\n"
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    golden(f"formats/{format_name}.txt", text)


GRAMMARS: dict[str, Callable[[str], object]] = {
    ".json": json.loads,
    ".csv": lambda text: list(csv.reader(io.StringIO(text), strict=True)),
    ".xml": ElementTree.fromstring,
}
"""What reads a format, by its file extension; it fails if the format is not valid."""


def test_hostile_labels_are_read_back_as_they_are() -> None:
    rows = [breach(subject=text, qmgr=text) for text in HOSTILE]
    samples = valid_metrics(written(findings_of(rows, 8), "openmetrics"))
    subjects = {dict(labels)["subject"] for name, labels in samples if name == "mqstat_finding"}
    assert subjects == {clean(text) for text in HOSTILE}
    assert all(text == clean(text) for text in subjects)


def test_names_that_differ_in_what_cannot_be_shown_are_one_sample() -> None:
    rows = [breach(subject="A\x01"), breach(subject="A\x02"), breach(subject=None)]
    samples = valid_metrics(written(findings_of(rows, 8), "openmetrics"))
    assert len([name for name, _ in samples if name == "mqstat_finding"]) == 2


def test_non_finite_numbers_are_left_out() -> None:
    rows = [breach(observed=float("nan"), limit_value=None)]
    names = {name for name, _ in valid_metrics(written(findings_of(rows, 8), "openmetrics"))}
    assert "mqstat_finding" in names
    assert not names & {"mqstat_finding_observed", "mqstat_finding_limit"}


def test_findings_alone(bad: Path, report: Report, capsys: Captured) -> None:
    assert run(["check", str(bad), "--format", "openmetrics", "--max-rc", "4"]) == 4
    samples = valid_metrics(capsys.readouterr().out)
    assert samples["mqstat_return_code", ()] == 4
    whole = valid_metrics(written(report, "openmetrics"))
    judged = ("mqstat_finding", "mqstat_rule")
    own = {key: value for key, value in samples.items() if key[0].startswith(judged)}
    assert own == {key: value for key, value in whole.items() if key[0].startswith(judged)}


# ------------------------------------------------------------------------------------------------------------- text and Markdown


def test_the_trend_is_short(report: Report) -> None:
    (line,) = report.trend_lines
    assert line[0] == "MQ01"
    assert "lowest free share of a pool 0 % at " in line[1]
    assert len(line[1]) < 500
    for format_name in ("text", "markdown"):
        text = written(report, format_name, verbose=True).replace("\n", " ")
        assert line[1].partition(",")[0].replace("_", "\\_") in text
    (peaks,) = [table for table in report.trend if table.report_id == "overview/peaks"]
    many = dataclasses.replace(peaks, rows=tuple((row[0], f"MQ{n:02}", *row[2:]) for n in range(9) for row in peaks.rows))  # fmt: skip
    lines = list(trend_lines([many], report.times, False, {}))
    assert len(lines) == 7
    assert not any(
        "throughout" in text for _, text in lines
    )  # of no queue manager all intervals are known to have a value
    assert lines[-1] == ("", "and 3 more queue managers (report overview/peaks)")


# ----------------------------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.1 + 0.2, 0.3), (1 / 3, 0.333333333333), (-0.0, 0.0), (123456789.123456789, 123456789.123), (1e-10, 1e-10), (2.5e17, 2.5e17)],
)  # fmt: skip
def test_fractions_have_twelve_digits(value: float, shown: float) -> None:
    assert repr(steady(value)) == repr(shown)
    (rounded,) = files.steady(pa.array([value])).to_pylist()
    assert repr(rounded) == repr(shown)


def test_columns_of_fractions_keep_nulls() -> None:
    values = [None, 0.1 + 0.2, 0.0, float("inf"), 1e300, -1.5]
    assert files.steady(pa.array(values)).to_pylist() == [None, 0.3, 0.0, float("inf"), 1e300, -1.5]
    assert files.steady(pa.array([1, 2])).to_pylist() == [1, 2]
    assert files.steady(pa.array([], pa.float64())).to_pylist() == []


# ------------------------------------------------------------------------------------------------------------------ where it goes


def test_file_extensions() -> None:
    assert set(endings(formats_of("report")).values()) == set(formats_of("report"))
    assert format_of(Path("a/B.HTML")) == "html"
    assert [name for name, known in formats().items() if "page" in known.needs] == ["html"]
    for name in ("report", "report.xml", ".html", "html"):
        with pytest.raises(UsageError, match="has no known extension"):
            format_of(Path(name))


WRONG: dict[str, tuple[list[str], str]] = {
    "an unknown ending": (["report", "{bad}", "--write", "{tmp}/report.xls"], "report.xls has no known extension (.txt, .csv, .html"),
    "no ending": (["report", "{bad}", "--write", "{tmp}/report"], "has no known extension (.txt, .csv, .html"),
    "an unknown format": (["report", "{bad}", "--format", "pdf"], "choose text, csv, html, json, markdown, openmetrics or parquet"),
    "a page of findings": (["check", "{bad}", "--format", "html"], "--format html: choose text, csv, json, "),
    "parquet to nowhere": (["report", "{bad}", "--format", "parquet"], "--output DIR"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_words(name: str, bad: Path, tmp_path: Path, capsys: Captured) -> None:
    arguments, message = WRONG[name]
    assert run([argument.format(bad=bad, tmp=tmp_path) for argument in arguments]) == 16
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert not list(tmp_path.iterdir())


def test_a_page_is_not_written_to_a_terminal(bad: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(["report", str(bad), "--format", "html"]) == 16
    captured = capsys.readouterr()
    assert "a terminal cannot show it: add --output FILE." in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("where", ["no/such/folder/report.json", "folder.json", "file.txt/report.json"])
def test_an_output_that_cannot_be_written(where: str, small: Report, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file.txt").write_text("here", encoding="utf-8")
    with pytest.raises(UsageError, match=r"report.json cannot be written: |folder.json cannot be written: "):
        write_file(small, tmp_path / where)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.txt", "folder.json"]


@pytest.mark.slow
def test_parquet_where_a_file_is(small: Report, tmp_path: Path) -> None:
    (tmp_path / "data.parquet").write_text("here", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        write_file(small, tmp_path / "data.parquet")


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """The limit on the size of a file fails as a full disk does, in the middle of writing."""
    target = tmp_path / "report.json"
    target.write_text("yesterday", encoding="utf-8")
    program = """
import resource, sys
from pathlib import Path
from mqstat.base.errors import UsageError
from mqstat.base.atomic_write import replacing
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    with replacing(Path(sys.argv[1])) as stream:
        stream.write("x" * 100_000)
except UsageError as error:
    sys.exit(str(error))
"""
    done = subprocess.run([sys.executable, "-c", program, str(target)], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"{target} cannot be written: File too large\n" or done.stderr.endswith("File too large.\n")
    assert target.read_text(encoding="utf-8") == "yesterday"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_disk_that_fills_when_it_is_synced(small: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for name in ("report.json", "report.md", "data.parquet"):
        with pytest.raises(UsageError, match=r"cannot be written: No space left on device\.$"):
            write_file(dataclasses.replace(small, only_tables=True, tables=(small.all_findings,)), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_an_error_while_writing_leaves_no_file(small: Report, tmp_path: Path) -> None:
    with pytest.raises(KeyError), atomic_write.replacing(tmp_path / "a.txt") as stream:  # noqa: PT012 - the first line is the half
        stream.write("half")
        raise KeyError("x")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("target", ["tables", "rules"])
def test_an_output_without_a_reader(target: str) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "mqstat", target]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 16
    assert done.stderr == "mqstat: there is no space left for the output: No space left on device.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_device_that_is_full(small: Report) -> None:
    with pytest.raises(UsageError, match="/dev/full cannot be written: No space left on device"):
        write_file(small, Path("/dev/full"), "json")


def test_system_errors_are_one_sentence() -> None:
    assert (
        refused(OSError(errno.ENOSPC, "No space left on device"))
        == "there is no space left for the output: No space left on device."
    )
    assert (
        refused(PermissionError(errno.EACCES, "Permission denied", "a\x1bb"))
        == "the system refused a\\x1bb: Permission denied."
    )


def test_a_link_and_the_mode_of_a_file_stay(small: Report, tmp_path: Path) -> None:
    target, link = tmp_path / "real.txt", tmp_path / "latest.txt"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    assert write_file(small, link) == [link]
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.read_text(encoding="utf-8").startswith("MQ health report")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest.txt", "real.txt"]


def test_a_link_with_the_name_of_a_file_that_is_made_first_is_not_followed(tmp_path: Path) -> None:
    other, target = tmp_path / "other.txt", tmp_path / "made.txt"
    other.write_text("of somebody else", encoding="utf-8")
    for link in (target, target.with_name(f".{target.name}.{os.getpid()}.part")):
        link.symlink_to(other)
        with atomic_write.replacing(target) as stream:
            stream.write("complete")
        assert not target.is_symlink()
        assert target.read_text(encoding="utf-8") == "complete"
        assert other.read_text(encoding="utf-8") == "of somebody else"


def test_a_pipe_is_written_as_it_is(small: Report, tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe.json", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_file(small, pipe)
    reader.join(10)
    assert valid_json(read[0])
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_parquet_cannot_be_streamed(small: Report) -> None:
    with pytest.raises(UsageError, match="files, not a stream"):
        write(small, "parquet", io.StringIO())


def test_writers_of_findings_cover_their_formats(small: Report) -> None:
    names = [name for name in formats_of("check") if formats()[name].is_stream]
    assert all(written(findings_of([]), name) for name in names)
    assert {"text", "csv", "json", "markdown", "openmetrics"} <= set(names)


def test_json_needs_no_rows_in_memory(report: Report) -> None:
    """Reports are written as their rows come."""
    pieces: list[int] = []

    class Counting(io.StringIO):
        def write(self, text: str) -> int:
            pieces.append(len(text))
            return super().write(text)

    stream = Counting()
    write(report, "json", stream)
    assert max(pieces[1:]) < 0.1 * len(stream.getvalue())
