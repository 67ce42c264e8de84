"""The cases of every rule, and what fires in every scenario; campaign/test_rule_mutants.py tries their mutants."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
import re
from types import MappingProxyType
from typing import Any

import duckdb
import pytest
from msgspec import structs

from mqstat.base.errors import MqstatError, RuleError, SqlFileError
from mqstat.judge import engine, model, sentences, wrapping
from mqstat.judge.explain import explain
from mqstat.sql import sqlfile
from mqstat.sql.columns import selected_columns
from mqstat.sql.schemas import duckdb_type, view_schema
from tests.cases import case_database, check, check_all, load_cases
from tests.each import each

RULES = model.rules()


CASES = load_cases()


@each(CASES)
def test_cases(rule_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judged as over much data; mutants and tests/test_clauses.py judge the same cases as over few rows."""
    monkeypatch.setattr(case_database({}, [rule_id]), "is_small", False)
    names = [case["name"] for case in CASES[rule_id]]
    assert len(set(names)) == len(names), "two cases have one name"
    assert [f"{names[number]}: {problem}" for number, problem in check_all(rule_id, CASES[rule_id])] == []


@pytest.mark.slow
def test_a_case_alone_ends_as_among_others() -> None:
    """One case of every rule, the first that breaches, runs by itself."""
    for rule_id, cases in CASES.items():
        case = next(case for case in cases if case.get("expect"))
        assert check(rule_id, case) is None, f"{rule_id}: {case['name']}"


# --------------------------------------------------------------------------------------------------------------- engine


def test_a_rule_that_fails_is_broken_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = RULES["BP001"]
    text = rule.file.text.replace(
        "no_buffer_waits           AS observed", "error('no\x1b[2J luck')::BIGINT AS observed"
    )
    bad = structs.replace(rule, file=dataclasses.replace(rule.file, text=text))
    monkeypatch.setattr(engine, "rules", lambda: MappingProxyType({**RULES, "BP001": bad}))
    given = {"buffer_pool": [{"n": 0, "pool_id": 1, "buffers": 9, "no_buffer_waits": 1, "synchronous_write_hits": 1}]}
    with case_database({"given": given}) as db:
        rows = engine.run_rules(db).rows
    outcome = {row["rule_id"]: row["outcome"] for row in rows}
    assert outcome["BP001"] == "broken"
    assert outcome["BP002"] == "breach"
    (advice,) = [row["advice"] for row in rows if row["rule_id"] == "BP001"]
    assert "luck" in advice
    assert "\x1b" not in advice


def test_findings_have_the_columns_of_the_view() -> None:
    with case_database({}) as db:
        rows = engine.run_rules(db).rows
        assert db.arrow("SELECT * FROM decoded.finding").schema.names == view_schema("finding").names
        assert list(rows[0]) == list(sqlfile.views()["finding"].columns) == view_schema("finding").names
        assert db.execute("SELECT count(*) FROM finding").fetchall() == [(len(rows),)]
        assert {row["rule_id"] for row in rows} == set(RULES)


def test_finding_prints_the_statement_with_its_numbers() -> None:
    given = {"buffer_pool": [{"n": 0, "pool_id": 1, "buffers": 9, "no_buffer_waits": 1}]}
    with case_database({"given": given}) as db:
        (row,) = [r for r in engine.run_rules(db, only=["BP001"]).rows if r["outcome"] == "breach"]
        assert "$" not in row["sql"]
        assert db.rows(row["sql"])[0]["breach"] is True


def test_results_without_required_columns_are_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = RULES["BP001"]
    text = rule.file.text.replace("AS subject", "AS subjects")
    bad = structs.replace(rule, file=dataclasses.replace(rule.file, text=text))
    monkeypatch.setattr(engine, "rules", lambda: MappingProxyType({"BP001": bad}))
    with case_database({"given": {"buffer_pool": [{"n": 0, "pool_id": 1, "buffers": 9}]}}) as db:
        (row,) = engine.run_rules(db).rows
    assert row["outcome"] == "broken"
    assert "subject" in row["advice"]


def test_equal_rows_have_an_order() -> None:
    """Two connections of a channel are equally slow in one record: the finding is about the same one, whatever the
    order of the rows.
    """
    row = {
        "n": 0,
        "record_id": 7,
        "channel_name": "TO.MQ02",
        "network_longest_us": 9e6,
        "network_average_us": 1e3,
        "network_spread": 9e3,
    }
    given = [{**row, "connection_name": name} for name in ("10.0.0.2", "10.0.0.1", "10.0.0.3")]
    named = set()
    for rows in (given, given[::-1]):
        with case_database({"given": {"channel_delay": rows}}, ["CN010"]) as db:
            (finding,) = [r for r in engine.run_rules(db, only=["CN010"]).rows if r["outcome"] == "breach"]
        named.add(re.findall(r"with (\S+) was", finding["advice"])[0])
    assert named == {"10.0.0.1"}


@pytest.mark.parametrize("name", ["a\nb", "a\x9bb", "a\u202eb", "a\x00b"])
def test_text_of_records_cannot_steer_a_terminal(name: str) -> None:
    assert sentences.fill("<{subject}>", {"subject": name}) == "<a?b>"


def test_missing_values_read_na() -> None:
    assert sentences.fill("{a:.1f} {b} {c:.0f}", {"a": None, "b": 15.0, "c": 2.6}) == "n/a 15 3"
    with pytest.raises(RuleError, match="missing"):
        sentences.fill("{missing}", {})


@each(RULES)
def test_explanations_are_complete(rule_id: str) -> None:
    rule, text = RULES[rule_id], explain(rule_id)
    assert rule.title in text
    for threshold in rule.thresholds.values():
        assert threshold.name in text
    assert max(map(len, text.splitlines())) <= 140


def statement(sql: str) -> Any:
    with duckdb.connect() as db:
        [(tree,)] = db.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()
    return json.loads(tree)


def without_positions(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: without_positions(value) for key, value in tree.items() if not key.startswith("query_location")}
    return [without_positions(value) for value in tree] if isinstance(tree, list) else tree


@pytest.mark.parametrize("width", [1, 40, 140])
def test_explain_wraps_sql_and_keeps_its_meaning(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqstat.judge.wrapping.SQL_WIDTH", width)
    sql = """SELECT
  a - 1 AS b, 'it''s  long, -- and "no" comment' || b AS "two  words -- c", -- why: a comment that is long enough for two lines
  CASE WHEN c THEN 'a text, ' || b || ' and another text that is so long that the line is longer than one hundred and forty' END AS d
FROM t -- a t
WHERE a <> '--'"""
    wrapped = [piece for line in sql.splitlines() for piece in wrapping.wrapped_sql(line, "  ")]
    expected = without_positions(statement(sql))
    assert expected["error"] is False
    assert without_positions(statement("\n".join(wrapped))) == expected
    one_word = r"(\|\| |AS |-- )?('([^']|'')*'|\"[^\"]*\"|\S+),?"
    assert [piece for piece in wrapped if len(piece) > width and not re.fullmatch(one_word, piece.strip())] == []


def test_the_column_breach_is_not_written() -> None:
    with pytest.raises(SqlFileError, match=r"BP004\.sql.*remove the column breach.*breach_when"):
        model.make_rule(changed("AS observed,", "AS observed, lowest_free_pct < 15 AS breach,"))


def test_explain_names_the_nearest_rule() -> None:
    with pytest.raises(RuleError, match="BP004"):
        explain("BP004X")


# ------------------------------------------------------------------------------------------------------- broken headers


def changed(old: str, new: str) -> sqlfile.SqlFile:
    """BP004 with one part of its file exchanged."""
    text = RULES["BP004"].file.text
    assert old in text
    return sqlfile.parse(text.replace(old, new), "rule", "rules/buffer_pool/BP004.sql")


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('severity    = "warning"', 'severity    = "fatal"', "severity"),
        ('severity    = "warning"', 'severiti    = "warning"', "line 5: severiti is not known; did you mean severity."),
        ('judge       = "any interval"', 'judge       = "sometimes"', "judge"),
        ('worst       = "lowest"', 'worst       = "least"', "worst"),
        ('worst       = "lowest"', "", "worst"),
        ('severity    = "warning"', 'severity    = "warning"\nguards = ["G9"]', "guards"),
        ('kind  = "documented"', 'kind  = "rumour"', "kind"),
        ("value = 15.0", 'value = "15"', "stealable_pct_min"),
        ('unit  = "percent"', 'unit  = "per cent"', "stealable_pct_min"),
        ("buffer_pool.lowest_free_pct", "buffer_pool.lowest", "buffer_pool.lowest"),
        ('severity    = "warning"', 'severity    = "warning"\ndefault_on = "no"', "default_on"),
        ("{observed:.1f}", "{observed.real}", "observed.real"),
        ('severity    = "warning"', 'severity    = "warning"\nmq_since = "V9"', "mq_since"),
        ('breach_when = "share or starts"', "colour = 1", "colour"),
        ('breach_when = "share or starts"', 'breach_when = "share"', "breach_when"),
        ('breach_when = "share or starts"', 'breach_when = "share xor starts"', "breach_when"),
        ('when    = "observed < stealable_pct_min"', 'when    = "observed less than 3"', "when"),
        ('when    = "observed < stealable_pct_min"', 'when    = "observed < 3"\nmissing = "never"', "missing"),
        (
            'when    = "observed < stealable_pct_min"',
            'when    = "observed < 3"\ncounts_when = ["often"]',
            "counts_when",
        ),
        ('worst       = "lowest"', 'worst       = "highest"', "worst"),
    ],
)
def test_broken_headers_name_file_and_key(old: str, new: str, key: str) -> None:
    with pytest.raises(SqlFileError, match=r"rules/buffer_pool/BP004\.sql.*" + re.escape(key)):
        model.make_rule(changed(old, new))


# ------------------------------------------------------------------------------------------------------------ scenarios


def scenarios() -> list[str]:
    """Names of all scenarios."""
    package = importlib.import_module("mqstat.fixtures.scenarios")
    return [info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_")]


def test_types_of_views_are_known() -> None:
    """Arrow types of findings are those that the view has in the database."""
    assert {field.name: duckdb_type(field.type) for field in view_schema("finding")} == selected_columns()["finding"]
    assert issubclass(RuleError, MqstatError)
