"""Runs the cases of rules: rows of views in, findings out.

A case file `<rule>.toml` holds a list of cases:

    [[case]]
    name = "breach: 14.9 % left"
    given.buffer_pool = [{ n = 0, pool_id = 3, buffers = 1000, lowest_free_pct = 14.9 }]
    expect = [{ subject = "buffer pool 3", observed = 14.9 }]

`given` has rows of views; columns that a row does not specify are NULL, except the columns of all views, which have
defaults. `n` means the n-th half hour (a list gives one row for each), and the text "null" means NULL. `expect` lists
all findings in breach; `outcome` is the only outcome of the rule; `also` lists findings with any outcome that must
exist, with `rule_id` those of another rule; `site` is the text of a site file.
"""

from __future__ import annotations

import datetime as dt
import math
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from mqstat.base.errors import MqstatError, RuleError
from mqstat.judge import causes, engine, states
from mqstat.judge.commands import do_of, look_of
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.columns import selected_columns
from mqstat.sql.opened import Opened
from mqstat.sql.schemas import literal, quoted, site_schema
from mqstat.sql.site import Site, parse_site
from mqstat.sql.syntax import tables_used
from mqstat.sql.workspace import Workspace
from tests.costs import cache

FOLDER = Path(__file__).parent / "rules"
START = dt.datetime(2026, 1, 5)
STEP = dt.timedelta(minutes=30)

KEYS = frozenset({"name", "given", "expect", "outcome", "also", "site"})
"""Keys of a case."""

ENGINE_VIEWS = (
    "qmgr", "collection", "record", "section", "site_input", "interval_cut", causes.GROUP, "area_activity", "slot", "storage_region",
    *causes.RELATED.values(),
)  # fmt: skip
"""Views that the engine reads for every rule."""

_DEFAULTS: Mapping[str, Any] = {
    "lpar": "SYS1", "qmgr": "MQ01", "mq_version": "9.4.0", "interval_seconds": 1800.0, "source_id": 1, "startup_interval": False,
    "suspect_first": False,
}  # fmt: skip


class CaseDatabase(Workspace):
    """A database whose views are tables with the rows of a case. It is created once: `use` empties the tables that the
    previous case filled.
    """

    def __init__(self) -> None:
        connection = duckdb.connect(":memory:", config={"threads": 1})
        connection.execute("CREATE SCHEMA decoded")
        connection.execute(sqlfile.macros())
        # A few rows need no optimised plan; making one would take longer than everything else.
        connection.execute("PRAGMA disable_optimizer")
        super().__init__(Opened({}), connection)
        self.is_small = True
        self._tables: set[str] = set()
        self._filled: set[str] = set()
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def __enter__(self) -> CaseDatabase:
        return self

    def close(self) -> None:
        """Keep the connection open: the next case uses it."""

    def _table(self, view: str) -> None:
        if view in self._tables:
            return
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in selected_columns()[view].items())
        if view in ("finding", "area_state"):
            self.connection.execute(f"CREATE TABLE decoded.{view} ({columns})")
            self.connection.execute(f"CREATE VIEW main.{view} AS SELECT * FROM decoded.{view}")
        else:
            self.connection.execute(f"CREATE TABLE main.{quoted(view)} ({columns})")
        if view == "record":  # the engine looks up the offsets of records here
            self.connection.execute("CREATE VIEW decoded.record AS SELECT * FROM main.record")
        self._tables.add(view)

    def use(self, filled: Mapping[str, list[dict[str, Any]]], site: Site, rule_ids: Iterable[str] = ()) -> CaseDatabase:
        """Replace all rows with these; afterwards the views that the rules read exist, and the views for which rows are
        given.
        """
        for view in (*self.seen, *self.failed):  # created for a case whose rules were not named
            self.connection.execute(f"DROP VIEW IF EXISTS temp.{quoted(view)}")
        self.seen.clear()
        self.failed.clear()
        same = not site.has_facts and filled == self._rows  # mutants of a rule run over the same rows
        if not same:
            self._rows = {}
            for view in self._filled:
                self.connection.execute(f"TRUNCATE main.{quoted(view)}")
            self._filled.clear()
        for name in {"finding", "area_state", *ENGINE_VIEWS}.union(*map(_views_of, rule_ids)):
            for view in sqlfile.with_views_below(name) if name not in ("area_activity", "slot") else (name,):
                self._table(view)
        self.site = site
        # Tables are fast to read: no view needs to be computed once.
        self.kept = set(self._tables)
        if same:
            return self
        for view, rows in filled.items():
            self._insert(view, rows)
        if not site.has_facts:
            self._rows = {view: list(rows) for view, rows in filled.items()}
        if self.site.has_facts and "site_input" not in filled:
            self._insert_facts({(row["lpar"], row["qmgr"]) for row in filled["qmgr"]})
        return self

    def _insert(self, view: str, rows: list[dict[str, Any]]) -> None:
        self._table(view)
        if not rows:
            return
        self._filled.add(view)
        names = list(dict.fromkeys(name for row in rows for name in row))
        values = ", ".join(f"({', '.join(_literal(row.get(name)) for name in names)})" for row in rows)
        self.connection.execute(f"INSERT INTO main.{quoted(view)} ({', '.join(map(quoted, names))}) VALUES {values}")

    def _insert_facts(self, owners: set[tuple[str, str]]) -> None:
        rows = [{"lpar": lpar, "qmgr": qmgr, **self.site.facts(lpar, qmgr)} for lpar, qmgr in sorted(owners)]
        self._filled.add("site_input")
        self.connection.register("facts", pa.Table.from_pylist(rows, schema=site_schema()))
        try:
            self.connection.execute("INSERT INTO main.site_input BY NAME SELECT * FROM facts")
        finally:
            self.connection.unregister("facts")


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):  # keys of a TOML table are strings, keys of a map of pools are numbers
        pairs = (f"{_literal(int(key) if key.isdecimal() else key)}: {_literal(item)}" for key, item in value.items())
        return f"MAP {{{', '.join(pairs)}}}"
    return literal(value)


def _views_of(rule_id: str) -> frozenset[str]:
    """Views that a rule names or reads; a rule that cannot be read fails when it runs."""
    rule = rules()[rule_id]
    return (_read_by(rule.sql) | frozenset(rule.views)) & frozenset(sqlfile.views())


@cache
def _read_by(sql: str) -> frozenset[str]:
    try:
        return frozenset(tables_used(sql))
    except duckdb.Error:
        return frozenset()


def rows_of_case(case: Mapping[str, Any], number: Iterator[int] | None = None) -> dict[str, list[dict[str, Any]]]:
    """The rows of a case by view, with all defaults; view qmgr has all queue managers that the case names."""
    number = number or count(1000)
    filled = {view: _rows(view, given, number) for view, given in case.get("given", {}).items()}
    if "qmgr" not in filled:
        owners = {
            (row["lpar"], row["qmgr"])
            for rows in filled.values()
            for row in rows
            if row.get("lpar") and row.get("qmgr")
        }
        given = [{"lpar": lpar, "qmgr": qmgr} for lpar, qmgr in sorted(owners) or [("SYS1", "MQ01")]]
        filled["qmgr"] = _rows("qmgr", given, number)
    return filled


def _rows(view: str, given: list[dict[str, Any]], number: Iterator[int]) -> list[dict[str, Any]]:
    if view not in sqlfile.views():
        raise RuleError(f"a case gives rows of {view}, which is not a view")
    types = selected_columns()[view]
    made = []
    for row in given:
        values = {key: None if value == "null" else value for key, value in row.items() if key != "n"}
        unknown = set(values) - set(types)
        if unknown:
            raise RuleError(f"view {view} has no column {', '.join(sorted(unknown))}")
        times = row.get("n", [])
        for n in times if isinstance(times, list) and times else [times]:
            defaults: dict[str, Any] = {**_DEFAULTS, "record_id": next(number)}
            if view == "qmgr":
                defaults["highest_mq_level"] = 90400
            if n != []:
                defaults["interval_start_utc"] = START + n * STEP
            made.append({key: value for key, value in {**defaults, **values}.items() if key in types})
    return made


@cache
def _database() -> CaseDatabase:
    return CaseDatabase()


def case_database(case: Mapping[str, Any], rule_ids: Iterable[str] | None = None) -> CaseDatabase:
    """The shared database, filled with a case, for these rules (None = all)."""
    site = parse_site(case["site"], "site.toml") if "site" in case else Site()
    return _database().use(rows_of_case(case), site, rules() if rule_ids is None else rule_ids)


def with_silencers(rule_id: str) -> set[str]:
    """A rule and all those that may silence it."""
    return {rule_id}.union(*(with_silencers(other) for other in rules()[rule_id].silenced_by))


def rules_of(rule_id: str, case: Mapping[str, Any]) -> set[str]:
    """The rules that must run for a case; causes only if the case mentions them."""
    wanted = with_silencers(rule_id)
    expectations = [*case.get("expect", ()), *case.get("also", ())]
    if any("caused_by" in expectation for expectation in expectations):
        for cause in rules()[rule_id].caused_by:
            wanted |= with_silencers(cause)
    return wanted | {expectation["rule_id"] for expectation in expectations if expectation.get("rule_id") in rules()}


_COMMANDS: Mapping[str, Callable[[Mapping[str, Any]], tuple[str, ...]]] = {"look": look_of, "do": do_of}


def matches(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a finding has the wanted values; `advice_has` = part of the advice, `look` and `do` = all their texts."""
    for key, value in wanted.items():
        if key == "advice_has":
            if value not in (row["advice"] or ""):
                return False
        elif key in _COMMANDS:
            if list(_COMMANDS[key](row)) != value:
                return False
        elif isinstance(value, float):
            if row[key] is None or not math.isclose(row[key], value, rel_tol=1e-6, abs_tol=1e-12):
                return False
        elif row[key] != (None if value == "null" else value):
            return False
    return True


def check(rule_id: str, case: Mapping[str, Any]) -> str | None:
    """Run one case and return what is wrong with it, None if it passes."""
    unknown = set(case) - KEYS
    if unknown:
        return f"unknown key {', '.join(sorted(unknown))}"
    wanted = rules_of(rule_id, case)
    try:
        rows = [dict(row) for row in engine.run_rules(case_database(case, wanted), only=wanted).rows]
    except MqstatError as error:
        return str(error)
    return wrong(rule_id, case, rows)


def wrong(rule_id: str, case: Mapping[str, Any], rows: list[dict[str, Any]]) -> str | None:
    """What is wrong with the findings of a case."""
    own = [row for row in rows if row["rule_id"] == rule_id]
    shown = [
        {key: value for key, value in row.items() if value is not None and key not in ("sql", "rule_source")}
        for row in own
    ]
    broken = [row["error"] for row in rows if row["outcome"] == "broken"]
    if broken:
        return f"broken: {broken}"
    if "outcome" in case and {row["outcome"] for row in own} != {case["outcome"]}:
        return f"outcome is not {case['outcome']}: {shown}"
    if "expect" in case:
        breaches = [row for row in own if row["outcome"] == "breach"]
        if len(breaches) != len(case["expect"]):
            return f"{len(breaches)} breaches, {len(case['expect'])} expected: {shown}"
        for wanted in case["expect"]:
            if not any(matches(row, wanted) for row in breaches):
                return f"no breach with {wanted}: {shown}"
        if not case["expect"] and not own:
            return "no outcome at all"
    for wanted in case.get("also", []):
        if not any(matches(row, wanted) for row in (rows if "rule_id" in wanted else own)):
            return f"nothing with {wanted}: {shown}"
    return None


# --- many cases in one run

_MARK = "#"
"""Separates the LPAR of a case from the number of the case, while several run at once."""


def can_join(rule_id: str, case: Mapping[str, Any]) -> bool:
    """Whether a case can run together with others on its own LPAR: it must not use data common to all queue
    managers.
    """
    if set(case) - KEYS or "site" in case or not {"lpar", "qmgr"} <= set(rules()[rule_id].grain):
        return False
    return all(
        "lpar" in sqlfile.views()[view].columns
        and not any(row.get("lpar") == "null" or "record_id" in row for row in rows)
        for view, rows in case.get("given", {}).items()
        if view in sqlfile.views()
    )


def check_all(rule_id: str, cases: Sequence[Mapping[str, Any]], *, sure: bool = True) -> Iterator[tuple[int, str]]:
    """Run all cases of a rule, most of them at once; returns number and error of those that fail.

    A case that fails together with others runs again alone, unless `sure` is false.
    """
    joined = _joined(rule_id, cases)
    for number, case in enumerate(cases):
        problem = wrong(rule_id, case, joined[number]) if number in joined else ""
        if problem is not None and (sure or not problem):
            problem = check(rule_id, case)
        if problem is not None:
            yield number, problem


def _joined(rule_id: str, cases: Sequence[Mapping[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The findings of the cases that can run at once, by case number."""
    joined = {number: case for number, case in enumerate(cases) if can_join(rule_id, case)}
    return (run_joined(rule_id, joined) if len(joined) > 1 else None) or {}


def run_joined(
    rule_id: str, cases: Mapping[int, Mapping[str, Any]], instead: Collection[str] = ()
) -> dict[int, list[dict[str, Any]]] | None:
    """The findings of each case from one run; None if a finding has no queue manager or the run fails. The rules
    `instead` of this one are variants of it.
    """
    numbers, filled = count(1000), dict[str, list[dict[str, Any]]]()
    wanted: set[str] = set()
    try:
        for number, case in cases.items():
            wanted |= rules_of(rule_id, case)
            for view, rows in rows_of_case(case, numbers).items():
                filled.setdefault(view, []).extend({**row, "lpar": f"{row['lpar']}{_MARK}{number}"} for row in rows)
        db = _database().use(filled, Site(), wanted)
        only = (wanted - {rule_id}).union(instead) if instead else wanted
        findings = [dict(row) for row in engine.run_rules(db, only=only).rows]
    except MqstatError:
        return None
    by_case: dict[int, list[dict[str, Any]]] = {number: [] for number in cases}
    for row in findings:
        # A variant that is off or broken has no other finding; a rule that is off is off in each case.
        if row["lpar"] is None and (row["rule_id"] in instead or row["state"] == states.OFF):
            for rows in by_case.values():
                rows.append(row)
            continue
        if row["lpar"] is None:
            return None  # without a queue manager: broken
        number = int(row["lpar"].rpartition(_MARK)[2])
        by_case[number].append(
            {
                key: value.replace(f"{_MARK}{number}", "") if isinstance(value, str) else value
                for key, value in row.items()
            }
        )
    return by_case


def run_cases(rule_id: str, cases: Sequence[Mapping[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The findings of all cases of a rule, by case number; most of them run at once."""
    found = _joined(rule_id, cases)
    for number, case in enumerate(cases):
        if number not in found:
            wanted = rules_of(rule_id, case)
            found[number] = list(map(dict, engine.run_rules(case_database(case, wanted), only=wanted).rows))
    return found


@cache
def load_cases() -> dict[str, list[dict[str, Any]]]:
    """The cases of all rules by rule."""
    return {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8"))["case"] for path in sorted(FOLDER.glob("*.toml"))
    }
