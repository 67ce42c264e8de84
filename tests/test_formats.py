"""Every format of a report: written in one run, valid by its grammar, always the same bytes."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from mqstat.assemble import measures
from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.assemble.trend import trend_lines
from mqstat.base.formatting import steady
from mqstat.cli import run
from mqstat.cli.output import print_report
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.states import STATES as RULE_STATES
from mqstat.render import files
from mqstat.render.format import Options
from mqstat.render.formats import format_of, formats, formats_of
from mqstat.render.write import write, write_file
from mqstat.sql import sqlfile
from mqstat.sql.needs import decoded_columns, health_columns
from tests.opening import open_database
from tests.outputs import Outputs
from tests.report_checks import findings_of, valid_json, valid_metrics, without_copies, written
from tests.support import START, arrow, call, file_of, reading

pytestmark = pytest.mark.slow

Captured = pytest.CaptureFixture[str]

NAMES = ("report.txt", "report.json", "report.csv", "report.md", "report.html", "report.prom", "report.parquet")
OTHER_FOLDER = "a-peculiar-folder"


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(SCENARIOS["pool_exhausted"].build(), tmp_path_factory.mktemp("bad"), "bad.smf")


NO_INPUT = re.compile(r"(?<=\w )DUMP\b")
"""What commands name as the input in a run without one."""


@pytest.fixture(scope="module")
def report(bad: Path) -> Iterator[Report]:
    """The report of the bad pool with what any format shows but a page, its database open."""
    with reading(bad) as db:
        yield health_report(db, monitored=True, every_table=True)


@pytest.fixture(scope="module")
def everything(bad: Path, outputs: Outputs) -> tuple[Path, str]:
    """All formats of one report written by one run, and what it printed: by a process with another folder, time zone,
    language and hashes.

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


# ------------------------------------------------------------------------------------------------- one run, all formats


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


def test_output_does_not_depend_on_the_run(
    report: Report,
    everything: tuple[Path, str],
    outputs: Outputs,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Every format has the same bytes in another folder, time zone, language and process, and no trace of them. Other
    formats: see the next test.
    """
    folder, printed = everything
    page = (folder / "report.html").read_text(encoding="utf-8")
    page, same = without_copies(page), without_copies(outputs.scenario("pool_exhausted").page)
    same = NO_INPUT.sub("pool_exhausted.smf", same)
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
    together, text = (folder / name).read_bytes().decode("utf-8"), NO_INPUT.sub("bad.smf", written(report, format_name))
    if format_name == "json":
        checksum = hashlib.sha256(SCENARIOS["pool_exhausted"].build()).hexdigest()
        assert text.count('"source_sha256": null') == 1
        text = text.replace('"source_sha256": null', f'"source_sha256": "{checksum}"')
    assert together == text


def test_a_real_dump_in_every_format(dumps: Path, tmp_path: Path, capsys: Captured) -> None:
    smallest = min(dumps.glob("*.dat"), key=lambda path: path.stat().st_size)
    options = [option for name in NAMES for option in ("--write", str(tmp_path / name))]
    code = run(["report", str(smallest), *options])
    assert "Traceback" not in capsys.readouterr().err
    assert code in (0, 4, 8)
    assert valid_json((tmp_path / "report.json").read_text(encoding="utf-8"))["return_code"] == code
    assert valid_metrics((tmp_path / "report.prom").read_text(encoding="utf-8"))["mqstat_return_code", ()] == code
    assert (tmp_path / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


@pytest.mark.parametrize("format_name", [name for name in formats_of("report") if formats()[name].is_utf8])
def test_what_is_utf_8_stays_so_on_a_terminal_that_knows_ascii(
    format_name: str, small_report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding="ascii"))
    named = dataclasses.replace(small_report, head=(("Period", "\u00e4\u4e2d"),))
    print_report(named if format_name == "openmetrics" else small_report, format_name, Options())
    text = output.getvalue().decode("utf-8")
    assert valid_metrics(text) if format_name == "openmetrics" else text.lower().startswith("<!doctype html>")


# ----------------------------------------------------------------------------------------------------------------- JSON


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


# ---------------------------------------------------------------------------------------------------------- OpenMetrics


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
    assert sum(outcomes) == len([row for batch in report.all_findings.batches() for row in batch])


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


def test_findings_alone(bad: Path, report: Report, capsys: Captured) -> None:
    assert run(["check", str(bad), "--format", "openmetrics", "--max-rc", "4"]) == 4
    samples = valid_metrics(capsys.readouterr().out)
    assert samples["mqstat_return_code", ()] == 4
    whole = valid_metrics(written(report, "openmetrics"))
    judged = ("mqstat_finding", "mqstat_rule")
    own = {key: value for key, value in samples.items() if key[0].startswith(judged)}
    assert own == {key: value for key, value in whole.items() if key[0].startswith(judged)}


# ---------------------------------------------------------------------------------------------------- text and Markdown


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
    assert lines[-1] == ("", "and 3 more queue managers (--report overview/peaks)")


# -------------------------------------------------------------------------------------------------------------- figures


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


def test_writers_of_findings_cover_their_formats(small_report: Report) -> None:
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
