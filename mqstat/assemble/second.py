"""The second computation of a figure of a rule: from the bytes of the records, field by field, by another decoder and another evaluation of the SQL.

The records are read with the reference decoder (`mqstat.intake.by_field`); the SQL of the rule and of the views below it is evaluated in Python
(`mqstat.sql.evaluate`). Tables about records, except the numbers in their headers, and site facts are taken as they are.
"""

# ruff: noqa: S608 - statements are built from names of this package; values are bound

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mqstat.intake.by_field import Found, RawRecord, SectionRow, number_row, record_classes_of, rows_of, structures
from mqstat.judge import scope
from mqstat.judge.clauses import Clause
from mqstat.judge.model import Rule, level_number, rules
from mqstat.sql import sqlfile
from mqstat.sql.database import Database
from mqstat.sql.evaluate import Evaluator
from mqstat.sql.functions import UnsupportedError
from mqstat.sql.schemas import all_schemas, quoted

MOST_BYTES = 32 << 20
"""Records of more bytes than this are not read field by field: 32 MiB take about a minute."""

EQUAL, DIFFERS, NOT_DONE = "equal", "differs", "no"
"""States of a second computation."""

FAILED = "the second evaluation failed"
"""The beginning of the reason where a value was not expected."""

NUMBERED = "numbered_record"
"""The decoded table of the numbers of records."""

RECORDS = "SELECT *, record_start_local AS interval_start_local FROM decoded.record WHERE (outcome = 'decoded' OR damage IS NULL) AND first_record_id IS NULL"

Row = Mapping[str, Any]
Fetch = Callable[[Mapping[bytes, int]], Mapping[bytes, Found]]
"""Returns the records with these hashes (hash -> length) from the dumps; those that are not there are left out."""


@dataclass(frozen=True)
class Recomputed:
    """The result: one of the states above, the value, from which records, the fields that were read, or why there is no second computation."""

    state: str
    value: float | None = None
    scope: str = ""
    fields: tuple[tuple[SectionRow, str], ...] = ()
    reason: str = ""


@dataclass
class _Context:
    """A row of a table about records, or of site facts."""

    row: Row

    def get(self, column: str) -> Any:
        """The value of a column."""
        return self.row[column]

    def is_field(self, column: str) -> bool:
        """Never: these tables are not read from one field."""
        return False


@dataclass
class Second:
    """Computes figures of an open database again; keeps what it read for the next one."""

    db: Database
    fetch: Fetch
    _records: dict[tuple[Any, ...], list[RawRecord] | str] = field(default_factory=dict)
    _evaluators: dict[tuple[Any, ...], Evaluator] = field(default_factory=dict)

    def compute(self, row: Row) -> Recomputed:
        """The figure of a finding (a row of view finding) again."""
        rule = rules()[row["rule_id"]]
        clause = rule.clause(row["clause"])
        if row["observed"] is None:
            return Recomputed(NOT_DONE, reason="the finding has no figure")
        if "finding" in _tables_below(rule):
            return Recomputed(NOT_DONE, reason="the figure is made from other findings")
        overrides = self.db.site.overrides_of(rule.id)
        limits, _ = scope.values(rule, overrides, scope.narrowest(overrides, row["lpar"], row["qmgr"], row["subject"]))
        sql = scope.with_numbers(rule.select, limits)
        last = Recomputed(NOT_DONE, reason="no record was found")
        for text, conditions in _scopes(row):
            last = self._within(rule, clause, row, sql, text, conditions)
            if last.state == EQUAL:
                break
        return last

    def _within(
        self, rule: Rule, clause: Clause, row: Row, sql: str, text: str, conditions: Mapping[str, Any]
    ) -> Recomputed:
        below = _tables_below(rule)
        classes = None if NUMBERED in below else record_classes_of(below & set(structures()))
        key = (*conditions.items(), classes)
        records = self.records(classes, conditions)
        if isinstance(records, str):
            return Recomputed(NOT_DONE, reason=records)
        if key not in self._evaluators:
            tables: dict[str, tuple[Sequence[str], Sequence[Any]]] = {}
            self._evaluators[key] = Evaluator(
                lambda name: self._table(name, records, conditions, tables),
                within_interval="interval_start_utc" in conditions,
            )
        evaluator = self._evaluators[key]
        try:
            values = evaluator.values(sql, lambda each: _is_row(rule, row, each), clause.shown)
        except UnsupportedError as error:
            return Recomputed(NOT_DONE, reason=str(error))
        except RecursionError:
            return Recomputed(NOT_DONE, reason="the views below the rule are nested too deeply")
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ) as error:  # a value that SQL takes and Python does not
            return Recomputed(NOT_DONE, reason=f"{FAILED} ({error})")
        if not values:
            return Recomputed(NOT_DONE, reason="the row of the finding did not appear")
        near = [each for each in values if _is_close(each[0], row["observed"])]
        value, reads = (near or values)[0]
        if not reads and not _tables_below(rule) <= {*structures(), "site_input", "interval"}:
            return Recomputed(
                NOT_DONE, reason="the figure counts or compares records and has no field of a record in it"
            )
        return Recomputed(EQUAL if near else DIFFERS, None if value is None else float(value), text, _in_order(reads))

    def records(self, classes: Sequence[str] | None, conditions: Mapping[str, Any]) -> list[RawRecord] | str:
        """The records of some classes for which conditions hold, with their bytes; or why they are not read."""
        key = (classes, *conditions.items())
        if key not in self._records:
            self._records[key] = self._read(classes, conditions)
        return self._records[key]

    def _read(self, classes: Sequence[str] | None, conditions: Mapping[str, Any]) -> list[RawRecord] | str:
        tests = [f"{name} IS NOT DISTINCT FROM ${name}" for name in conditions]
        given = dict(conditions)
        if classes is not None:
            tests.append("record_class IN (SELECT unnest($classes))")
            given["classes"] = list(classes)
        rows = self.db.rows(f"{' AND '.join([RECORDS, *tests])} ORDER BY record_id", given)
        size = sum(row["record_bytes"] for row in rows)
        if size > MOST_BYTES:
            return f"it needs {len(rows):,} records of {size:,} bytes; at most {MOST_BYTES:,} bytes are read field by field"
        copies = self.fetch({row["record_hash"]: row["record_bytes"] for row in rows})
        missing = [row for row in rows if row["record_hash"] not in copies]
        if missing:
            return f"{len(missing):,} of {len(rows):,} records are not in the dumps that were given"
        return [raw_record(row, copies[row["record_hash"]]) for row in rows]

    def _table(
        self, name: str, records: Iterable[RawRecord], conditions: Mapping[str, Any], made: dict[str, tuple[Sequence[str], Sequence[Any]]]
    ) -> tuple[Sequence[str], Sequence[Any]]:  # fmt: skip
        if name not in made:
            names = all_schemas()[name].names
            if name in structures():
                made[name] = names, list(rows_of((each for each in records if each.row["outcome"] == "decoded"), name))
            else:
                rows = self.db.rows(f"SELECT * FROM decoded.{quoted(name)}")
                own = {each.row["record_id"]: each for each in records} if name == NUMBERED else {}
                made[name] = names, [_numbers(row, own, conditions) if own else _Context(row) for row in rows]
        return made[name]


def _numbers(row: Row, own: Mapping[int, RawRecord], conditions: Mapping[str, Any]) -> SectionRow | _Context:
    """A row of table `numbered_record` with its numbers read again, unless it is damaged or of another queue manager."""
    if row["record_id"] in own:
        return number_row(own[row["record_id"]])
    if row["damage"] is None and all(row[name] == conditions.get(name, row[name]) for name in ("lpar", "qmgr")):
        raise UnsupportedError("the figure needs numbers of records that are not in the selection")
    return _Context(row)


def raw_record(row: Row, copy: Found) -> RawRecord:
    """A record from its row of table `record` and its bytes."""
    return RawRecord(
        {"interval_start_local": row.get("record_start_local"), **row}, copy, level_number(row["mq_version"] or "base")
    )


def _scopes(row: Row) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """The records that a figure may be made from, the fewest first: with those of its interval, views that need others are not computed."""
    owner = {"lpar": row["lpar"], "qmgr": row["qmgr"]}
    if row["worst_interval_utc"] is not None and row["qmgr"] is not None:
        yield "the records of the interval", {**owner, "interval_start_utc": row["worst_interval_utc"]}
    if row["qmgr"] is not None:
        yield "the records of the queue manager", owner
    yield "all records", {}


def _tables_below(rule: Rule) -> set[str]:
    """The decoded tables that a rule reads through its views."""
    needs = {
        need for view in rule.views for each in sqlfile.with_views_below(view) for need in sqlfile.views()[each].needs
    }
    return {need.removeprefix("decoded.") for need in needs if need.startswith("decoded.")}


def _is_row(rule: Rule, row: Row, get: Callable[[str], Any]) -> bool:
    """Whether a row of the rule is that of a finding."""
    wanted = {
        "lpar": row["lpar"], "qmgr": row["qmgr"], "interval_start_utc": row["worst_interval_utc"],
        "record_id": row["evidence_record_id"], "subject": row["subject"],
    }  # fmt: skip
    return all(get(name) == value for name, value in wanted.items() if name in rule.columns)


def _is_close(value: Any, observed: float) -> bool:
    return value is not None and math.isclose(float(value), observed, rel_tol=1e-9, abs_tol=1e-9)


def _in_order(reads: Iterable[Any]) -> tuple[tuple[SectionRow, str], ...]:
    return tuple(sorted(reads, key=lambda read: (read[0].record.row["record_id"], read[0].locate(read[1]).at)))
