"""Reports and views: published figures, real dumps, scenarios as a reader sees them, and the columns that a query
reads.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqstat.assemble.catalogue import reports_named
from mqstat.assemble.check import return_code
from mqstat.assemble.head import offset_text
from mqstat.assemble.health import health_report, rules_of
from mqstat.base.errors import DatasetError, SqlFileError, UsageError
from mqstat.base.formatting import figure
from mqstat.base.selection import Selection
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge.model import rules
from mqstat.render.layout import all_lines
from mqstat.render.terminal import render_terminal
from mqstat.render.text_tables import table_lines
from mqstat.render.values import fitting
from mqstat.sql import sqlfile
from mqstat.sql.needs import decoded_columns, health_columns, scanned_columns, tables_below
from mqstat.sql.schemas import all_schemas
from mqstat.sql.site import Site, parse_site
from mqstat.sql.sqlfile import body_and_order
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.each import each
from tests.opening import open_database
from tests.outputs import Outputs
from tests.report_checks import written
from tests.support import arrow, reading

REPORTS = list(sqlfile.reports())

# ------------------------------------------------------------------------------------------------------------ databases


def scenario(name: str, folder: Path) -> Path:
    """A scenario as a file."""
    path = folder / f"{name}.smf"
    path.write_bytes(built(name))
    return path


@cache
def built(name: str) -> bytes:
    """The dump of a scenario."""
    return SCENARIOS[name].build()


def text_of(db: Workspace, reports: list[str] | None = None, site: Site | None = None, width: int = 132) -> str:
    """A report as plain text."""
    return written(health_report(db, Selection(), site, reports), "text", width=width)


# -------------------------------------------------------------------------------------------------------------- goldens


@pytest.mark.slow
def test_green_lines_show_what_was_collected(outputs: Outputs) -> None:
    document = outputs.scenario("healthy_day").document
    assert {verdict["state"] for verdict in document["verdict"]} == {"clear", "idle"}
    assert document["return_code"] == 0
    assert all(re.search(r"\d", verdict["text"]) for verdict in document["verdict"])


def test_missing_data_is_never_green() -> None:
    with open_database(arrow({}, 1_800_000_000), views=False) as db:
        report = health_report(db)
    states = {verdict.area: verdict.state for verdict in report.verdicts}
    assert states["Channel initiator"] == "not collected"
    assert states["Buffer pool"] == "not collected"
    (pool,) = [verdict.text for verdict in report.verdicts if verdict.area == "Buffer pool"]
    assert pool == "no 115.215, 115.7, 115.201, 115.216 records"
    assert any(
        state == "not collected" and "115.215 buffer pools: other records of its trace class were written" in text
        for state, text in report.coverage
    )


def test_an_empty_database_has_a_report() -> None:
    with open_database({}, views=False) as db:
        text = text_of(db)
    assert "return code 0" in text
    assert "there are no queue manager records in the data" in text
    assert "was collected" not in text


# -------------------------------------------------------------------------------------------------------------- writers


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The sample, all columns."""
    with reading(scenario("consumer_stopped", tmp_path_factory.mktemp("sample"))) as db:
        yield db


@pytest.fixture(scope="module")
def sample_report(sample: Workspace) -> Any:
    """The health report of the sample."""
    return health_report(sample)


@pytest.fixture(scope="module")
def rich_report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Every report of the scenario that fills them."""
    estate = SCENARIOS["rich_estate"]
    site = parse_site(estate.site, "site.toml")
    with reading(scenario("rich_estate", tmp_path_factory.mktemp("rich")), site=site) as db:
        yield health_report(db, Selection(), reports=REPORTS)


@each(REPORTS)
def test_text_of_every_report(name: str, rich_report: Any, golden: Callable[[str, str], None]) -> None:
    """A few of its rows; its question and note are printed as its header has them."""
    (printed,) = [table for table in rich_report.tables if table.report_id == name]
    rows = spread([row for batch in printed.batches() for row in batch])
    marked = tuple(printed.is_marked(row) for row in rows)
    table = dataclasses.replace(printed, question="", note="", rows=rows, marked=marked)
    lines = ["".join(part for part, _ in line) for line in table_lines(table, rich_report, 132)]
    assert max(map(len, lines)) <= 132
    golden(f"reports/rich_estate/{name}.txt", "\n".join(line for line in lines if line.strip()) + "\n")


def spread(rows: Sequence[tuple[Any, ...]]) -> tuple[tuple[Any, ...], ...]:
    """The first and the last row of a report and six in equal distances between them, or all of fewer."""
    numbers = range(len(rows)) if len(rows) <= 8 else [number * (len(rows) - 1) // 7 for number in range(8)]
    return tuple(rows[number] for number in numbers)


@pytest.mark.parametrize("width", [80, 100, 132, 200])
def test_no_line_is_wider_than_asked(sample_report: Any, width: int) -> None:
    assert max(map(len, all_lines(sample_report, width))) <= width


def test_states_of_queue_managers_are_one_column(sample_report: Any) -> None:
    manager = sample_report.qmgrs[0]
    both = (manager, msgspec.structs.replace(manager, qmgr="M1"))
    lines = list(all_lines(dataclasses.replace(sample_report, qmgrs=both), verbose=True))
    rows = [line for line in lines if re.match(rf"  ({manager.qmgr}|M1) .* rules judged", line)]
    assert len(rows) == 2
    assert len({line.index(f" {manager.state} ") for line in rows}) == 1


def test_rows_in_breach_come_first(sample: Workspace, sample_report: Any) -> None:
    (on_page,) = [table for table in sample_report.tables if table.report_id == "buffer_pool/usage"]
    assert all(on_page.marked)
    # With the findings, so that all rules run: `sample_report` reads them from this database when it is written.
    (usage, _) = health_report(sample, reports=["buffer_pool/usage", "overview/findings"]).tables
    assert usage.marked[0]
    assert not usage.marked[-1]
    assert list(usage.marked) == sorted(usage.marked, reverse=True)
    assert usage.total > len(usage.rows) == 20


def test_json_is_one_object_with_all_rows(sample_report: Any) -> None:
    data = json.loads(written(sample_report, "json"))
    assert data["return_code"] == 8
    assert {finding["rule_id"] for finding in data["findings"]} == {
        rule for rule, _ in SCENARIOS["consumer_stopped"].expect
    }
    (usage,) = [table for table in sample_report.tables if table.report_id == "buffer_pool/usage"]
    assert len(data["reports"]["buffer_pool/usage"]["rows"]) == usage.total
    assert [column["name"] for column in data["reports"]["buffer_pool/usage"]["columns"]] == [
        *sqlfile.reports()["buffer_pool/usage"].columns, "in_breach", "breach_rules",
    ]  # fmt: skip


def test_csv_of_a_health_report_is_the_findings(sample_report: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(written(sample_report, "csv"))))
    assert {row["rule_id"] for row in rows if row["outcome"] == "breach"} == {
        rule for rule, _ in SCENARIOS["consumer_stopped"].expect
    }
    assert list(rows[0]) == list(sqlfile.reports()["overview/findings"].columns)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Names that attack terminals and spreadsheets."""
    with reading(scenario("hostile_names", tmp_path_factory.mktemp("hostile"))) as db:
        yield db


def test_csv_has_every_row_and_names_as_they_are(hostile: Workspace) -> None:
    report = health_report(hostile, reports=["overview/contents"])
    rows = list(csv.reader(io.StringIO(written(report, "csv"), newline="")))
    assert rows[0] == list(sqlfile.reports()["overview/contents"].columns)
    assert "'=1+1" in {row[2] for row in rows[1:]}, "no formula"
    assert "?[1m" in {row[0] for row in rows[1:]}, "no control character"
    rows = list(csv.reader(io.StringIO(written(report, "csv", raw=True), newline="")))
    assert "=1+1" in {row[2] for row in rows[1:]}
    assert "\x1b[1m" in {row[0] for row in rows[1:]}


def test_names_cannot_steer_a_terminal(hostile: Workspace) -> None:
    report = health_report(hostile)
    stream = io.StringIO()
    render_terminal(report, stream, 120)
    for text in (written(report, "text", width=120), stream.getvalue()):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


def test_a_terminal_gets_colours(sample_report: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = io.StringIO()
    render_terminal(sample_report, stream, 133)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert plain != stream.getvalue()
    assert [line.rstrip() for line in plain.splitlines()] == list(all_lines(sample_report, 132))


def test_characters_that_an_encoding_lacks_are_replaced() -> None:
    assert fitting("Caf\u00e9 \u2013 \u00b5s \u4e2d", "ascii") == "Cafe - us ?"
    assert fitting("Caf\u00e9", "latin-1") == "Caf\u00e9"
    assert fitting("Caf\u00e9", None) == "Caf\u00e9"


def test_reports_are_found_by_dd_name_and_nearest_name() -> None:
    assert reports_named(["BUFF"]) == ["buffer_pool/usage"]
    assert reports_named(["adapcsv"]) == ["channel_initiator/adapters"]
    with pytest.raises(UsageError, match="buffer_pool/usage"):
        reports_named(["buffer_pool/use"])


@pytest.mark.parametrize(("minutes", "text"), [(0, "UTC"), (330, "UTC+05:30"), (-210, "UTC-03:30"), (60, "UTC+01:00")])
def test_offsets(minutes: int, text: str) -> None:
    assert offset_text(minutes) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (15.0, "percent", "15 %"),
        (14.94, "percent", "14.9 %"),
        (1e-9, "ratio", "1e-09"),
        (None, "us", "n/a"),
        (3, "count", "3"),
    ],
)
def test_figures_in_sentences(value: float | None, unit: str, text: str) -> None:
    assert figure(value, unit) == text


@pytest.mark.parametrize(
    ("outcomes", "source", "code"),
    [
        ([("clear", "critical"), ("no-data", "critical"), ("breach", "info")], (100, 0, 5), 0),
        ([("breach", "warning")], (100, 0, 5), 4),
        ([("breach", "warning"), ("breach", "critical")], (100, 0, 5), 8),
        ([("clear", "info")], (1_000_000, 1000, 5), 4),
        ([("clear", "info")], (1_000_000, 1001, 5), 12),
        ([("breach", "critical")], (100, 0, 0), 8),  # nothing of MQ in an input is no damage
        ([("broken", "info"), ("breach", "critical")], (100, 0, 5), 16),
    ],
)
def test_return_codes(outcomes: list[tuple[str, str]], source: tuple[int, int, int], code: int) -> None:
    rows = [{"outcome": outcome, "severity": severity} for outcome, severity in outcomes]
    size, damaged, decoded = source
    assert return_code(rows, [{"source_bytes": size, "bytes_damaged": damaged, "records_decoded": decoded}]) == code


@pytest.mark.slow
def test_site_file_shows_in_the_report(tmp_path: Path) -> None:
    site = parse_site(
        '[rules.BP002]\noff = true\nreason = "known"\n[rules.LG004]\naverage_us_max = 5000\nreason = "mirrored"\n',
        "site.toml",
    )
    with reading(scenario("consumer_stopped", tmp_path), site=site) as db:
        text = text_of(db, ["overview/findings"], site)  # with the findings, so that all rules run
    assert "LG004: average_us_max 5,000 (default 1,000), mirrored" in text
    assert "BP002: off, known" in text
    assert "CRITICAL" not in text


# -------------------------------------------------------------------------------------------- the columns that are read


@each(REPORTS)
def test_rows_are_ordered_by_columns_of_the_report(name: str) -> None:
    """Over much data the rows are counted and marked before they are sorted: other columns are gone by then."""
    order = re.sub(r"'[^']*'", "", body_and_order(sqlfile.reports()[name].select)[1])
    named = set(re.findall(r"\b[a-z_][a-z0-9_]*\b(?!\s*\()", order))
    assert named
    assert named <= set(sqlfile.reports()[name].columns)


@pytest.mark.slow
def test_a_report_needs_only_the_columns_that_it_declares(sample: Workspace, tmp_path: Path) -> None:
    """The same report from all columns and from those that the plans name: nothing that is read was left out."""
    path = scenario("consumer_stopped", tmp_path)
    names = [*REPORTS]
    everything = text_of(sample, names) + text_of_all(sample)
    with reading(path, columns_to_decode(health_columns())) as db:
        assert text_of(db, names) + text_of_all(db) == everything


def text_of_all(db: Workspace) -> str:
    """Every row and column of every report."""
    texts = [sqlfile.reports()[name].text for name in REPORTS]
    db.keep(texts)
    return "\n".join(str(db.execute(text).fetchall()) for text in texts)


@pytest.mark.parametrize(
    ("query", "tables"),
    [
        ("SELECT count(*) FROM qpst", {"qpst"}),
        ("FROM decoded.qpst ORDER BY POOL_ID", {"qpst"}),
        (
            "SELECT a.buffers FROM Decoded.QPST a WHERE EXISTS (SELECT 1 FROM qis1 b WHERE b.pool_id = a.pool_id)",
            {"qpst", "qis1"},
        ),
        (
            "SELECT (SELECT max(pool_id) FROM qis1) -- FROM wtas\nFROM qpst WHERE 'wtas' <> $$ FROM wtas $$",
            {"qpst", "qis1"},
        ),
        ("WITH x AS (SELECT * FROM qpst) SELECT sum(steals) FROM x", {"qpst"}),
        ("WITH qpst AS (SELECT * FROM qpst) SELECT sum(steals) FROM qpst", {"qpst"}),
        ("SELECT sum(pool_id) FROM qpst NATURAL JOIN main.log", {"qpst", "qjst"}),
        ("SUMMARIZE qpst", {"qpst"}),
        ("SELECT 1", set()),
    ],
)
def test_tables_of_a_query_are_decoded_whole(query: str, tables: set[str]) -> None:
    scanned, schemas = scanned_columns(query), all_schemas()
    assert (
        tables
        <= scanned.keys()
        <= tables | {table for name in ("record", "log") for table in tables_below(name)} | {"record"}
    )
    assert all(columns == set(schemas[table].names) for table, columns in scanned.items())


def test_tables_below_views_are_decoded() -> None:
    assert {"qpst", "record"} <= decoded_columns(["SELECT lowest_free_pct FROM buffer_pool"]).keys()
    assert decoded_columns([["buffer_pool"]]) == decoded_columns(["SELECT 1 FROM buffer_pool"])
    for query in ("SELECT nothing FROM buffer_pool", "SELECT 1 FROM bufer_pool", "SELECT FROM"):
        with pytest.raises(SqlFileError):
            scanned_columns(query)


# ------------------------------------------------------------------------------------------------------------- database


def pool_file(folder: Path, name: str, buffers: int) -> Path:
    """A Parquet file of buffer pool rows."""
    rows = arrow({"qpst": [{"pool_id": 1, "buffers": buffers}]}, 60_000_000)["qpst"]
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, path)
    return path


def test_file_names_may_hold_quotes_and_blanks(tmp_path: Path) -> None:
    files = [
        pool_file(tmp_path / "it's a day" / "date=2026-01-05", "a'b.parquet", 1),
        pool_file(tmp_path / "it's a day" / "date=2026-01-06", "*?[c].parquet", 2),
    ]
    with open_database({"qpst": files}, views=["buffer_pool"]) as db:
        assert db.execute("SELECT sum(buffers), count(date) FROM qpst").fetchall() == [(3, 0)]
        assert len(db.rows("SELECT * FROM buffer_pool")) == 2


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{outside}')",
        "COPY (SELECT 1) TO '{outside}x'",
        "ATTACH '{outside}' AS other",
        "SET enable_external_access = true",
        "SET memory_limit = '9GB'",
        "SELECT * FROM frame",
        "INSTALL httpfs",
    ],
)
def test_the_database_is_locked(query: str, locked: Workspace, tmp_path: Path) -> None:
    frame = pa.table({"a": [1]})
    assert frame.num_rows == 1
    outside = tmp_path / "outside.csv"
    outside.write_text("a\n1\n", encoding="utf-8")
    assert locked.execute("SELECT count(*) FROM qpst").fetchall() == [(1,)]
    with pytest.raises(duckdb.Error):
        locked.execute(query.format(outside=outside)).fetchall()


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A database over one file, with the view that reads it."""
    file = pool_file(tmp_path_factory.mktemp("inside"), "a.parquet", 1)
    with open_database({"qpst": [file]}, views=["buffer_pool"]) as db:
        yield db


def test_work_that_does_not_fit_spills_to_the_temporary_folder(tmp_path: Path) -> None:
    with open_database({}, memory_limit="32MB", threads=1, temp_directory=tmp_path, views=False) as db:
        rows = db.execute(
            "SELECT count(*) FROM (SELECT range AS a, hash(range)::VARCHAR AS b FROM range(700000) ORDER BY b)"
        ).fetchall()
    assert rows == [(700000,)]


def test_selection_keeps_queue_managers_and_period(tmp_path: Path) -> None:
    path = scenario("three_levels", tmp_path)
    with reading(path, selection=Selection(qmgrs=("MQPC",))) as db:
        assert db.ask("SELECT DISTINCT qmgr FROM record").fetchall() == [("MQPC",)]
        assert db.ask("SELECT DISTINCT qmgr FROM buffer_pool").fetchall() == [("MQPC",)]
    since = datetime(2026, 3, 29, 1)
    with reading(path, selection=Selection(since=since, until=since + timedelta(hours=1))) as db:
        period = db.ask("SELECT min(interval_start_local), max(interval_start_local) FROM interval").fetchall()[0]
        assert period[0] >= since
        assert period[1] < since + timedelta(hours=1)
        assert db.ask("SELECT count(*) FROM log WHERE startup_interval IS NULL").fetchall() == [(0,)]


def test_unknown_tables_and_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="nonsense"):
        open_database({"nonsense": pa.table({"a": [1]})})
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"not a parquet file")
    with pytest.raises(DatasetError, match=r"bad\.parquet: this file of table qpst is damaged"):
        open_database({"qpst": [bad]}, views=False)


def test_a_file_that_may_not_be_read_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    def refuse(_: object) -> None:
        raise PermissionError(13, "Permission denied")

    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"")  # as root reads any file, pyarrow refuses it here
    monkeypatch.setattr(pq, "ParquetFile", refuse)
    with pytest.raises(DatasetError, match=rf"^{bad}: cannot be read \(Permission denied\)\.$"):
        open_database({"qpst": [bad]}, views=False)


# ----------------------------------------------------------------------------------------------------------- real dumps


def test_real_dumps_have_a_report(dump: Path, outputs: Outputs) -> None:
    output = outputs.dump(dump)
    text = output.text + output.tables_text
    assert all(sqlfile.reports()[name].title in output.tables_text for name in REPORTS)
    assert max(map(len, text.splitlines())) <= 132
    assert "BROKEN" not in text


@pytest.mark.slow
def test_named_reports_run_only_the_rules_that_judge_them(tmp_path: Path) -> None:
    """The return code covers them: a pool that ran out of buffers is no finding of a report on logs."""
    with reading(scenario("pool_exhausted", tmp_path)) as db:
        for name, code, ids in (("log/busy", 0, {"LG002", "LG003"}), ("buffer_pool/usage", 8, {"BP001"})):
            report = health_report(db, reports=[name])
            judged = {row["rule_id"] for row in db.rows("SELECT rule_id FROM decoded.finding")}
            assert judged == set(rules_of([name]) or ())
            assert ids <= judged < set(rules())
            assert report.return_code == code
        everything = health_report(db, reports=["overview/findings"])
        assert everything.return_code == 8
        assert {row["rule_id"] for row in db.rows("SELECT rule_id FROM decoded.finding")} == set(rules())


def test_rules_of_reports_include_those_that_silence_them() -> None:
    for name in REPORTS:
        chosen = rules_of([name])
        if chosen is not None:
            assert {*sqlfile.reports()[name].header.get("rules", ())} & set(rules()) <= chosen
            assert all(set(rules()[rule_id].silenced_by) <= chosen for rule_id in chosen)
