"""Small runs: the modules that they import, and the number of SQL statements."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.part import Job
from mqstat.intake.pipeline import Scratch
from mqstat.judge import judging
from mqstat.judge.counting import TOGETHER
from mqstat.judge.engine import run_rules
from mqstat.judge.model import Rule, rules
from mqstat.judge.scope import with_numbers
from mqstat.sources.source import find_sources
from mqstat.sql import sqlfile
from tests.cases import case_database
from tests.opening import open_database
from tests.support import Tables, built_dump, decode_bytes, difference, file_of, plain, small_dump

HEAVY = (
    "asyncio",
    "jinja2",
    "mqstat.render.html",
    "multiprocessing.connection",
    "numpy.random",
    "pyarrow.parquet",
    "pydantic",
    "rich",
)
"""Modules that a text from a small dump does not need; together they take as long as decoding it."""


def test_a_small_run_imports_only_what_it_needs(tmp_path: Path) -> None:
    """One process runs both commands: it has loaded after each what that and those before it need."""
    dump = file_of(SCENARIOS["three_states"].build(), tmp_path)
    program = f"""
import sys
from mqstat.cli import run
for command in ("check", "report"):
    run([command, {str(dump)!r}])
    print(*sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == "\n\n", f"import inside functions what loads {done.stderr.strip()}"


class Counted:
    """A DuckDB connection that keeps the statements it runs."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, statements: list[str]) -> None:
        self.connection, self.statements = connection, statements

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def __enter__(self) -> Counted:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def cursor(self) -> Counted:
        return Counted(self.connection.cursor(), self.statements)

    def execute(self, sql: str | duckdb.Statement, *arguments: Any) -> Any:
        self.statements.append(" ".join((sql if isinstance(sql, str) else sql.query).split()))
        return self.connection.execute(sql, *arguments)


OTHERS = {
    "check": 57,
    "report": 66,
    "html": 70,
}  # five of those of check for the plan that the cards ask and its settings
"""Statements beyond those for rules, one for each view and decoded table, one for each view that is counted, and three
for each rule in breach: settings, head, sections, completeness, and fifteen that count all subjects, find runs and
write findings. A page asks three times for each report and picture."""


@pytest.mark.parametrize("form", OTHERS)
def test_a_small_run_has_few_statements(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One statement judges several rules (a page keeps the rows of several by one), one makes a view, one reads a
    decoded table; nothing is made twice.
    """
    statements: list[str] = []
    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *given, **named: Counted(connect(*given, **named), statements))
    dump = str(file_of(SCENARIOS["pool_exhausted"].build(), tmp_path))
    output = ["--format", "html", "--output", str(tmp_path / "page.html")] if form == "html" else []
    assert run(["check" if form == "check" else "report", dump, *output]) == 8
    made = Counter(
        match["name"]
        for text in statements
        if (
            match := re.match(
                r'CREATE (?:OR REPLACE )?(?:TEMP )?(?:TABLE|VIEW) (?:kept\.main\.)?(?P<name>(?:decoded\.)?"\w+")', text
            )
        )
        and not match["name"].startswith('"breach_')
    )
    assert {name: many for name, many in made.items() if many > (2 if form == "html" else 1)} == {}
    # How views are made of fields is parsed once in a process, for rules that lack a field: these statements read
    # nothing.
    statements = [text for text in statements if "serialize_sql" not in text]
    judged = sum(text.startswith("INSERT INTO counted_subject") for text in statements)
    assert judged <= -(-len(rules()) // TOGETHER)
    breaches = sum(text.startswith('CREATE TEMP TABLE "breach_') for text in statements)
    # Whether a view without a row to judge has rows, and which columns have values, is asked once for each view.
    counted = Counter(
        match[1] for text in statements if (match := re.search(r'count\(\*\).* FROM "(\w+)" GROUP BY ALL', text))
    )
    assert {name: many for name, many in counted.items() if many > 1} == {}
    in_force = sum(
        "hit_owner" in text for text in statements
    )  # one for each setting that the advice of a rule in breach is about
    nearest = sum("] AS nearest" in text for text in statements)  # one for each rule that judged none of its rows
    others = len(statements) - sum(made.values()) - judged - 3 * breaches - len(counted) - in_force - nearest
    print(
        f"{form}: {len(statements)} statements, {judged} rules, {sum(made.values())} views and tables, {others} others"
    )
    units = len(sqlfile.reports()) + len(sqlfile.pictures())
    assert others <= OTHERS[form] + (3 * units if form == "html" else 0)


def rows_of_two_dumps(dumps: list[Path], held_bytes: int, *, only_first: bool = False) -> Tables:
    """The rows of two dumps by table, of which so many bytes may stay in memory, or only the first."""
    with Scratch(held_bytes) as scratch:
        first = 0
        for number, source in enumerate(find_sources(list(map(str, dumps))), 1):
            first += scratch.add(source, Job(number, first, Selection(), None, scratch.root, keeps=False)).part.records
            if only_first and number == 1:
                assert not scratch.files, "the first dump must fit"
                scratch._room = 1
        tables = scratch.sources()
        in_memory = held_bytes > 1 and not only_first
        assert {isinstance(table, pa.Table) for table in tables.values()} == {in_memory}
        with duckdb.connect() as connection:
            rows = {}
            for name, table in tables.items():
                text = f"read_parquet({[str(file) for file in table]}, hive_partitioning = false)"
                if isinstance(table, pa.Table):
                    connection.register("in_memory", table)
                    text = "in_memory"
                rows[name] = plain(connection.sql(f"SELECT * FROM {text} ORDER BY ALL").to_arrow_table())
    return rows


def test_rows_in_memory_are_those_of_files(tmp_path: Path) -> None:
    """Small dumps stay in memory; where one is written, all are, and the rows are the same."""
    dumps = [file_of(small_dump(), tmp_path, "small"), file_of(built_dump(), tmp_path, "built")]
    written = rows_of_two_dumps(dumps, 0)
    assert written["record"].num_rows > 100
    assert {name for name, table in written.items() if len(set(table["source_id"].to_pylist())) == 2} >= {
        "record",
        "qwac",
    }
    assert difference(rows_of_two_dumps(dumps, 1 << 30), written) == []
    assert difference(rows_of_two_dumps(dumps, 1 << 20, only_first=True), written) == []
    assert difference(rows_of_two_dumps(dumps, 1), written) == []


def test_a_rule_that_fails_leaves_the_rules_counted_with_it_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules that are counted by one statement are counted one by one when it fails; rules of two areas make several
    such statements.
    """
    together = sorted(rule for rule in rules() if rule.startswith(("BP", "LG")))
    assert len(together) > 2 * TOGETHER
    tables, _ = decode_bytes(SCENARIOS["pool_exhausted"].build(), tmp_path)

    def outcomes() -> dict[str, list[Any]]:
        with open_database(tables, views=False) as db:
            found: dict[str, list[Any]] = {}
            for row in run_rules(db, only=together).rows:
                found.setdefault(row["rule_id"], []).append(row)
            return found

    sound = outcomes()
    rows_of = judging.rows_of

    def failing(rule: Rule, *arguments: Any, **named: Any) -> str:
        text = rows_of(rule, *arguments, **named)
        return f"SELECT * FROM ({text}) WHERE unknown_column" if rule.id == "BP001" else text

    monkeypatch.setattr(judging, "rows_of", failing)
    broken = outcomes()
    assert [row["state"] for row in broken.pop("BP001")] == ["broken"]
    silenced = {rule.id for rule in rules().values() if "BP001" in (*rule.silenced_by, *rule.caused_by)}
    assert {rule: rows for rule, rows in broken.items() if rule not in silenced} == {
        rule: rows for rule, rows in sound.items() if rule not in {"BP001", *silenced}
    }


def test_rules_over_empty_views_have_no_rows() -> None:
    """So a rule whose views are all empty need not run. The views are tables here: as queries they take longer to plan
    than all rules.
    """
    with case_database({"given": {"qmgr": []}}) as db:
        for rule in rules().values():
            limits = {threshold.name: threshold.value for threshold in rule.thresholds.values()}
            assert db.execute(with_numbers(rule.select, limits)).fetchall() == [], rule.id
