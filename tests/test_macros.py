"""The macros of `reports/macros.sql`: their values, where they are, and their expressions in the lineage of a
column.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.assemble.plan.model import plans
from mqstat.judge import lineage
from mqstat.sql import sqlfile
from tests.cases import CaseDatabase
from tests.opening import open_database
from tests.support import file_of, invoke, small_dump

TEXTS = "MAP {'a': {'positive_text': 'got', 'negative_text': 'lost'}}"
VALUES: dict[str, object] = {
    "pct(1, 4)": 25.0,
    "pct(1, 0)": None,
    "pct(NULL, 4)": None,
    "pct(1, NULL)": None,
    "pct(1 + 2, 4 + 4)": 37.5,
    "pct(sum(n), count(*))": 150.0,
    "per_s(7, 2)": 3.5,
    "per_s(7, 0)": None,
    "per_s(1 + 2, 4)": 0.75,
    "unsigned_word(7, 1, 10)": 7,
    "unsigned_word(-1, 86, 5e7)": 4294967295,
    "unsigned_word(-1, 85, 5e7)": -1,
    "unsigned_word(NULL, 1, 10)": None,
    "depth_unknown(true, true, '10.0.0')": True,
    "depth_unknown(true, false, '9.3.2')": True,
    "depth_unknown(true, false, '9.3.3')": False,
    "depth_unknown(true, NULL, NULL)": True,
    "depth_unknown(false, true, '9.3.0')": False,
    "depth_unknown(NULL, true, '9.3.0')": False,
    "pages_mib(256)": 1.0,
    "pages_mib(100 + 156)": 1.0,
    "pages_per_message(0)": 1,
    "pages_per_message(3635)": 1,
    "pages_per_message(3636)": 2,
    "pages_per_message(7683)": 2,
    "pages_per_message(7684)": 3,
    "pages_per_message(NULL)": None,
    "structure_bytes_per_message(1164, 372)": 1792,
    "structure_bytes_per_message(1165, 372)": 2048,
    "structure_bytes_per_message(NULL, 372)": None,
    "interpolated(0, [1, 3, 7], [10, 20, 40])": 10,
    "interpolated(1, [1, 3, 7], [10, 20, 40])": 10,
    "interpolated(2, [1, 3, 7], [10, 20, 40])": 15,
    "interpolated(4 + 1, [1, 3, 7], [10, 20, 40])": 30,
    "interpolated(8, [1, 3, 7], [10, 20, 40])": 40,
    "interpolated(NULL, [1, 3, 7], [10, 20, 40])": None,
    "log_bytes_per_message(1000, 300)": 2300,
    "log_bytes_per_message(10000, 300)": 11750,
    "log_bytes_per_message(NULL, 300)": None,
    "judgeable(9.9, NULL)": False,
    "judgeable(10, NULL)": True,
    "judgeable(5, false)": True,
    "judgeable(5, true)": False,
    "judgeable(NULL, NULL)": None,
    "settled(10, NULL, NULL)": True,
    "settled(10, false, true)": False,
    "settled(9, NULL, false)": False,
    "settled(NULL, NULL, false)": None,
    "severity_rank('critical')": 1,
    "severity_rank('info')": 3,
    "severity_rank(NULL)": None,
    "weight_rank('loss')": 1,
    "weight_rank('collection')": 5,
    "caller('PAYJOB', 'PAY1', 'CICS', 'USER1')": "PAYJOB/PAY1",
    "caller('PAYJOB', NULL, 'TSO or batch', 'USER1')": "PAYJOB",
    "caller(NULL, 'PAY1', 'CICS', 'USER1')": "CICS PAY1",
    "caller(NULL, NULL, 'RRS batch', 'USER1')": "user USER1",
    "caller(NULL, NULL, 'RRS batch', NULL)": "RRS batch",
    "caller(NULL, NULL, NULL, NULL)": None,
    "rollbacks_of(5, false, 2)": 5,
    "rollbacks_of(5, true, 2)": 3,
    "rollbacks_of(1, true, 2)": 0,
    "rollbacks_of(5, true, NULL)": 5,
    "rollbacks_of(NULL, true, 2)": None,
    "believed(5000, 5000, NULL)": 5000,
    "believed(5001, 5000, NULL)": None,
    "believed(5000, NULL, 5001)": 5000,
    "believed(5000, 9000, 5000)": None,
    "believed(999, 9000, 999)": 999,
    "believed(NULL, 9000, 5000)": None,
    f"difference_of({TEXTS}, 'a', -3)": {"size": -3, "text": "lost", "amount": -3},
    f"explained(100, [{{'size': -95, 'text': 'got', 'amount': 95}}, {{'size': -5, 'text': 'b', 'amount': 5}}], {TEXTS}['a'])": "got 95",
    f"explained(-100, [{{'size': -60, 'text': 'b', 'amount': -60}}], {TEXTS}['a'])": "b 60; not explained 40: lost",
    "at_peak(n, n, TIMESTAMP '2026-01-01')": 2,
    "at_peak(n, 5, TIMESTAMP '2026-01-01' - to_days(n))": 2,
    "at_peak(n, 5, TIMESTAMP '2026-01-01' + to_days(n))": 1,
    "at_peak(n, nullif(n, 2), TIMESTAMP '2026-01-01')": 1,
    "at_peak(n, nullif(5, 5), TIMESTAMP '2026-01-01')": None,
}
"""Expressions over two rows with n = 1 and n = 2, and their values."""


def macros() -> dict[str, str]:
    """Each macro with the comment above it."""
    made = {}
    for part in sqlfile.macros().split("\n\n"):
        comment, _, statement = part.partition("\nCREATE MACRO ")
        if statement:
            made[statement.partition("(")[0]] = comment
    return made


def test_values() -> None:
    with open_database({}, views=False) as database:
        query = f"SELECT {', '.join(VALUES)} FROM (VALUES (1), (2)) AS t (n)"
        assert dict(zip(VALUES, database.execute(query).fetchall()[0], strict=True)) == VALUES


def test_each_has_a_comment_a_test_and_users() -> None:
    texts = [unit.select for unit in (*sqlfile.views().values(), *sqlfile.reports().values())]
    texts += [plan.measured_sql + plan.steps_sql for plan in plans().values()]
    for name, comment in macros().items():
        assert comment[:3] + comment[-1] == "-- .", name
        assert any(expression.startswith(f"{name}(") for expression in VALUES), name
        assert sum(f"{name}(" in text for text in texts) > 1, name


def test_rule_cases_have_them() -> None:
    assert CaseDatabase().execute("SELECT pct(1, 4)").fetchall() == [(25.0,)]


@pytest.mark.slow
def test_queries_have_them(tmp_path: Path) -> None:
    dump = file_of(small_dump(), tmp_path, "small.smf")
    query = "SELECT pct(count(*), 2 * count(*)) AS half FROM qmgr"
    for source in ([dump], ["--from", tmp_path / "set"]):
        done = invoke("sql", query, *source, "--format", "csv")
        assert done.stdout.splitlines()[1:] == ["50.0"], done.stderr
        invoke("ingest", dump, "--into", tmp_path / "set")


@pytest.mark.parametrize(
    ("select", "formula"),
    [
        ("pct(t.steals, t.buffers)", "100 * steals / nullif(buffers, 0)"),
        ("pct(t.steals + 1, t.buffers - 1)", "100 * (steals + 1) / nullif(buffers - 1, 0)"),
        ("per_s(pages_mib(t.steals), t.buffers) * 2", "steals * 4096 / 1048576 / nullif(buffers, 0) * 2"),
        ("per_s(t.steals + t.buffers, 2)", "(steals + buffers) / nullif(2, 0)"),
        ("count(*) FILTER (settled(t.steals, NULL, t.buffers))", "count(*) FILTER (NOT coalesce(NULL, steals < 10) AND NOT coalesce(buffers, false))"),
        ("CASE WHEN judgeable(t.steals, false) THEN pct(t.steals, sum(t.buffers)) END", "CASE WHEN NOT coalesce(false, steals < 10) THEN 100 * steals / nullif(sum(buffers), 0) END"),
    ],
)  # fmt: skip
def test_a_formula_has_their_expressions(select: str, formula: str) -> None:
    origin = lineage.origin_in(f"SELECT {select} AS value FROM buffer_pool AS t", "value")
    assert origin.formula == formula
    assert {"qpst.steals"} <= set(lineage.fields(origin)) <= {"qpst.steals", "qpst.buffers"}


def test_the_parts_of_a_union_by_name_are_followed() -> None:
    """Positions differ, and a part may lack the column or have it through a star."""
    union = (
        "SELECT steals AS other, buffers AS value FROM buffer_pool "
        "UNION ALL BY NAME SELECT lowest_stealable AS value FROM buffer_pool "
        "UNION ALL BY NAME SELECT * FROM (SELECT no_buffer_waits AS value FROM buffer_pool) AS t"
    )
    found = lineage.fields(lineage.origin_in(f"WITH u AS ({union}) SELECT value FROM u", "value"))
    assert found == ["qpst.buffers", "qpst.lowest_stealable", "qpst.no_buffer_waits"]
    assert lineage.fields(lineage.origin_in(union, "other")) == ["qpst.steals"]
