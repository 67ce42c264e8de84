"""The loader of views, reports and rules: what it accepts, and that every mistake names file and key."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mqstat.base.errors import SqlFileError
from mqstat.sql import sqlfile
from mqstat.sql.columns import Column, common_columns
from mqstat.sql.syntax import tables_used
from mqstat.sql.ways import Way
from tests.house import check_select

VALID = """/*---
id       = "area/name"
title    = "A title"
question = "What is it?"
needs    = ["interval"]

[columns]
lpar = { screen = 1 }
seconds_per_day = { unit = "s", label = "s", format = ".2f", doc = "A column.", over = "add" }
---*/
SELECT lpar, 1 AS seconds_per_day
FROM interval
ORDER BY lpar
"""

NAME = "reports/area/name.sql"


def parse(old: str = "", new: str = "") -> sqlfile.SqlFile:
    """The good file with one part exchanged."""
    assert old in VALID
    return checked(sqlfile.parse(VALID.replace(old, new) if old else VALID, "report", NAME))


def checked(unit: sqlfile.SqlFile) -> sqlfile.SqlFile:
    """The same file with all columns read."""
    assert dict(unit.columns)
    return unit


def test_a_good_file() -> None:
    unit = parse()
    assert (unit.id, unit.area, unit.title, unit.needs) == ("area/name", "area", "A title", ("interval",))
    assert unit.columns["lpar"].unit == "text"
    assert unit.columns["lpar"].doc == common_columns()["lpar"].doc
    assert unit.columns["lpar"].screen == 1
    assert unit.columns["seconds_per_day"].format == ".2f"
    assert unit.text == VALID
    check_select(unit)


def test_a_report_shows_a_column_as_its_view_or_common_toml_states() -> None:
    assert parse("{ screen = 1 }", "{ screen = 2 }").columns["lpar"].screen == 2
    assert parse("{ screen = 1 }", "{ screen = 0 }").columns["lpar"].screen is None
    report = sqlfile.reports()["channel_initiator/adapters"]
    assert "task_cpu_pct" not in report.header["columns"]
    assert (report.columns["task_cpu_pct"].label, report.columns["task_cpu_pct"].screen) == ("CPU %", 2)
    assert (report.columns["lpar"].screen, report.columns["qsg"].screen) == (1, None)
    assert list(report.columns)[:4] == ["lpar", "qmgr", "qsg", "interval_start_utc"]


def test_line_ends_of_other_systems_do_not_matter() -> None:
    assert sqlfile.parse(VALID.replace("\n", "\r\n"), "report", NAME).title == "A title"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("/*---\n", "", "must begin with a TOML header"),
        ("---*/\n", "", "must begin with a TOML header"),
        ('title    = "A title"', "title = A title", "not TOML"),
        ('id       = "area/name"', 'id = "area/other"', "key id"),
        ('title    = "A title"', "", "key title is missing"),
        ('title    = "A title"', "title = 1", "key title"),
        ('needs    = ["interval"]', 'needs = "interval"', "key needs"),
        ('question = "What is it?"', 'question = "What is it?"\ncolour = 1', "key colour is unknown"),
        ('unit = "s"', 'unit = "sec"', "columns.seconds_per_day.unit"),
        ('format = ".2f"', 'format = "%d"', "columns.seconds_per_day.format"),
        ("screen = 1", 'screen = "1"', "columns.lpar.screen"),
        ("screen = 1", 'unit = "count"', "columns.lpar.unit"),
        ("screen = 1", 'classes = ["buffer pools"]', "columns.lpar.classes"),
        ("seconds_per_day = {", "SecondsPerDay = {", "columns.SecondsPerDay"),
        ("lpar = { screen = 1 }", "lpar = 1", "columns.lpar"),
        ("SELECT lpar, 1 AS seconds_per_day\nFROM interval\nORDER BY lpar\n", "", "no SELECT"),
    ],
)
def test_mistakes_name_file_and_key(old: str, new: str, message: str) -> None:
    with pytest.raises(SqlFileError, match="^" + re.escape(NAME) + ".*" + re.escape(message)):
        parse(old, new)


QUEUE = {
    "depth": Column("depth", "count", kind="gauge", doc="Messages on the queue.", way=Way("last", "add")),
    "puts": Column("puts", "count", way=Way("add", "add")),
}
STREAM = {
    "depth": Column("depth", "count", kind="high", doc="Messages in the stream.", way=Way("max", "max")),
    "puts": Column("puts", "count", way=Way("add", "add")),
}


def read(stated: str) -> sqlfile.SqlFile:
    """A report over two views that both have the columns depth and puts."""
    text = VALID.replace('["interval"]', '["queue", "stream"]').replace("lpar = { screen = 1 }", stated)
    return checked(sqlfile.parse(text, "report", NAME, {"queue": QUEUE, "stream": STREAM}.__getitem__))


def test_a_column_inherits_what_its_header_does_not_state() -> None:
    assert read("puts = {}").columns["puts"] == Column("puts", "count", way=Way("add", "add"))
    assert read('puts = { doc = "Calls." }').columns["puts"] == Column(
        "puts", "count", doc="Calls.", way=Way("add", "add")
    )
    stated = read('depth = { kind = "derived", doc = "Messages.", over_time = "last", across = "add" }').columns[
        "depth"
    ]
    assert stated == Column("depth", "count", kind="derived", doc="Messages.", way=Way("last", "add"))
    assert read('depth = { from = "stream" }').columns["depth"] == STREAM["depth"]


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ("depth = {}", "columns.depth.kind must be stated, because queue has 'gauge' and stream has 'high'."),
        (
            'depth = { kind = "gauge" }',
            "columns.depth.doc must be stated, because queue has 'Messages on the queue.' and",
        ),
        ('puts = { unit = "bytes" }', "columns.puts.unit is 'bytes', elsewhere the column has 'count'."),
        (
            'depth = { from = "river" }',
            "columns.depth.from is 'river', which is not in needs or does not have this column.",
        ),
        ("other = {}", "columns.other.unit is missing, and no view or table in needs has this column."),
    ],
)
def test_a_column_that_can_not_be_inherited_must_be_stated(stated: str, message: str) -> None:
    with pytest.raises(SqlFileError, match="^" + re.escape(f"{NAME}: {message}")):
        read(stated)


def test_a_view_inherits_from_the_fields_of_a_decoded_table() -> None:
    field, column = sqlfile.columns_of("decoded.qpst")["buffers"], sqlfile.views()["buffer_pool"].columns["buffers"]
    assert (field.unit, field.kind) == (column.unit, column.kind) == ("buffers", "gauge")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ORDER BY lpar\n", "ORDER BY lpar; SELECT 1\n", "2 statements"),
        ("SELECT lpar, 1 AS seconds_per_day\nFROM interval\nORDER BY lpar\n", "DROP TABLE x\n", "not a SELECT (DROP)"),
        (
            "SELECT lpar, 1 AS seconds_per_day\nFROM interval\nORDER BY lpar\n",
            "COPY (SELECT 1) TO 'x'\n",
            "not a SELECT (COPY)",
        ),
        ("ORDER BY lpar", "WHERE lpar = $lpar ORDER BY lpar", "parameters lpar"),
        (
            "FROM interval",
            "FROM interval JOIN qmgr USING (lpar)",
            "key needs lists interval, the SELECT reads interval, qmgr",
        ),
        ("FROM interval", "FROM decoded.qpst", "reads decoded.qpst"),
        ("SELECT lpar", "SELEKT lpar", "cannot be read"),
    ],
)
def test_mistakes_in_the_sql_name_the_file(old: str, new: str, message: str) -> None:
    with pytest.raises(SqlFileError, match="^" + re.escape(NAME) + ".*" + re.escape(message)):
        check_select(parse(old, new))


def test_tables_used_leaves_out_common_table_expressions() -> None:
    sql = "WITH a AS (SELECT * FROM log), b AS (SELECT * FROM a) SELECT * FROM b JOIN decoded.qpst USING (x) WHERE y IN (SELECT z FROM smds)"
    assert tables_used(sql) == {"log", "decoded.qpst", "smds"}


def test_views_come_after_the_views_they_read() -> None:
    seen: set[str] = set()
    for view in sqlfile.views().values():
        assert {need for need in view.needs if not need.startswith("decoded.")} <= seen
        seen.add(view.id)


def test_a_cycle_of_views_is_named() -> None:
    def view(name: str, need: str) -> sqlfile.SqlFile:
        return sqlfile.SqlFile("view", name, f"reports/views/{name}.sql", "", {}, (need,))

    with pytest.raises(SqlFileError, match="circle"):
        sqlfile.ordered({"a": view("a", "b"), "b": view("b", "a")}, "ab")


def test_deleting_a_file_deletes_the_unit_and_adding_one_adds_it(tmp_path: Path) -> None:
    folder = tmp_path / "area"
    folder.mkdir()
    (folder / "name.sql").write_text(VALID, encoding="utf-8")
    (folder / "notes.txt").write_text("no unit", encoding="utf-8")
    assert list(sqlfile.Units(tmp_path, "reports", "report")) == ["area/name"]
    (folder / "name.sql").unlink()
    assert not sqlfile.Units(tmp_path, "reports", "report")


def test_a_duplicate_id_is_named(tmp_path: Path) -> None:
    text = VALID.replace('id       = "area/name"', 'id = "XX001"')
    for area in ("one", "two"):
        (tmp_path / area).mkdir()
        (tmp_path / area / "XX001.sql").write_text(text, encoding="utf-8")
    with pytest.raises(SqlFileError, match=r"rules/two/XX001\.sql.*rules/one/XX001\.sql"):
        sqlfile.rule_files(tmp_path)


def test_a_rule_has_what_it_does_not_state_from_the_rule_that_it_is_like(tmp_path: Path) -> None:
    def write(rule_id: str, header: str) -> None:
        (tmp_path / "log").mkdir(exist_ok=True)
        path = tmp_path / "log" / f"{rule_id}.sql"
        path.write_text(f'/*---\nid = "{rule_id}"\n{header}---*/\nSELECT {rule_id}\n', encoding="utf-8")

    def read() -> dict[str, sqlfile.SqlFile]:
        return sqlfile.completed(sqlfile.rule_files(tmp_path))

    write("XX001", 'worst = "lowest"\nguards = ["G1"]\n[threshold.days]\nvalue = 14\nwhy = "a"\n')
    write("XX002", 'like = "XX001"\nguards = []\n[threshold.days]\nwhy = "b"\n')
    days = {"days": {"value": 14, "why": "b"}}
    assert read()["XX002"].header == {"id": "XX002", "worst": "lowest", "guards": [], "threshold": days}
    assert read()["XX002"].select == "SELECT XX002"
    assert read()["XX001"].header["threshold"]["days"]["why"] == "a"
    for other in ("XX002", "XX009"):
        write("XX003", f'like = "{other}"\n')
        with pytest.raises(SqlFileError, match=rf"rules/log/XX003\.sql: key like is '{other}'"):
            read()


def test_the_loader_needs_no_database() -> None:
    """Reading the registries is quick: it loads neither duckdb nor pyarrow."""
    code = "import sys; from mqstat.sql import sqlfile; sqlfile.reports(); sqlfile.rules(); print({'duckdb', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
