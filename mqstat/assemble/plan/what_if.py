"""Which findings a setting would change: the rules are judged over the records as they are, and over the records as they would be.

The header of a plan has how the setting changes the fields of one decoded table (`[change]`). A rule whose conditions read such a field is judged
again; a rule cannot be if it reads a field whose new value does not follow from the records, or whose true value they do not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from mqstat.assemble.plan.inputs import Subject
from mqstat.assemble.plan.model import APPEARS, STAYS, SUBJECTS, UNKNOWN, VANISHES, Change, FindingChange, Plan
from mqstat.judge import run_rules
from mqstat.judge.lineage import fields, filters_in, origin_in
from mqstat.judge.model import Rule, rules
from mqstat.judge.states import BREACH
from mqstat.sql.database import Database
from mqstat.sql.plans import release, rows, tables_below
from mqstat.sql.schemas import literal, quoted

Key = tuple[str, str | None, str | None, str | None]
"""Rule, LPAR, queue manager, subject."""


@cache
def fields_of(rule_id: str) -> frozenset[str]:
    """The decoded columns (table.column) that the conditions of a rule read, and those that decide which rows it judges."""
    rule = rules()[rule_id]
    named = {column for clause in rule.clauses for column in clause.columns}
    named |= {each.column for clause in rule.clauses for each in clause.counts_when}
    named |= {clause.limit for clause in rule.clauses if isinstance(clause.limit, str) and clause.limit in rule.columns}
    origins = (*(origin_in(rule.select, column) for column in named), *filters_in(rule.select))
    return frozenset(field for origin in origins for field in fields(origin))


def affected(change: Change) -> tuple[dict[str, Rule], dict[str, Rule]]:
    """The rules whose conditions read fields that a setting changes: those that can be judged again, and those that cannot."""
    changed = {f"{change.table}.{column}" for column in change.columns}
    unknown = {f"{change.table}.{column}" for column in change.unknown}
    judged, not_judged = {}, {}
    for rule in rules().values():
        if not any(change.table in tables_below(view) for view in rule.needed_views):
            continue
        read = fields_of(rule.id)
        if read & unknown:
            not_judged[rule.id] = rule
        elif read & changed:
            judged[rule.id] = rule
    return judged, not_judged


def finding_changes(plan: Plan, database: Database, subjects: Sequence[Subject]) -> tuple[FindingChange, ...]:
    """The findings that appear, vanish, stay, or cannot be predicted, on the subjects with settings."""
    change = plan.change
    settled = [each for each in subjects if each.has_settings]
    if change is None or not settled:
        return ()
    judged, not_judged = affected(change)
    before = _breaches(database, [*judged, *not_judged])
    hidden = _hidden(database, change, settled)
    _replace(database, change, settled)
    after = _breaches(database, list(judged))
    return tuple(_changes(plan, settled, before, after, judged, hidden))


def _breaches(database: Database, wanted: Sequence[str]) -> set[Key]:
    run_rules(database, database.site, wanted)
    query = f"SELECT rule_id, lpar, qmgr, subject, state, silenced_by FROM {database.listed_findings}"  # noqa: S608 - one of our tables
    breaches = [row for row in rows(database, query) if row["state"] == BREACH or row["silenced_by"]]
    return {(row["rule_id"], row["lpar"], row["qmgr"], row["subject"]) for row in breaches}


def _hidden(database: Database, change: Change, subjects: Sequence[Subject]) -> set[int]:
    """The subjects, by place, with a record that does not have the true value of a field that the setting changes."""
    if not change.hidden:
        return set()
    hidden = set()
    for number, each in enumerate(subjects):
        sql = f"SELECT 1 FROM decoded.{quoted(change.table)} WHERE ({_condition(change, each)}) AND ({change.hidden}) LIMIT 1"  # noqa: S608 - texts of a header
        if database.execute(sql).fetchone():
            hidden.add(number)
    return hidden


def _condition(change: Change, each: Subject) -> str:
    parts = [("lpar", each.lpar), ("qmgr", each.qmgr), (f"{change.key}::VARCHAR" if change.key else "", each.name)]
    return (
        " AND ".join(f"{column} = {literal(value)}" for column, value in parts if column and value is not None)
        or "true"
    )


def _replace(database: Database, change: Change, subjects: Sequence[Subject]) -> None:
    """Put the fields as they would be in the place of those of the records, and forget what was computed from these."""
    release(database)
    recorded = f"{change.table}_as_recorded"
    kind = "VIEW" if database.execute(
        "SELECT 1 FROM duckdb_views() WHERE schema_name = 'decoded' AND view_name = $name", {"name": change.table}
    ).fetchone() else "TABLE"  # fmt: skip
    database.execute(f"ALTER {kind} decoded.{quoted(change.table)} RENAME TO {quoted(recorded)}")
    columns = ", ".join(
        f"CASE {' '.join(f'WHEN {_condition(change, each)} THEN {_filled(formula, each)}' for each in subjects)} ELSE {quoted(name)} END AS {quoted(name)}"
        for name, formula in change.columns.items()
    )
    query = f"SELECT * REPLACE ({columns}) FROM decoded.{quoted(recorded)}"  # noqa: S608 - formulas of a header, values as literals
    database.execute(f"CREATE VIEW decoded.{quoted(change.table)} AS {query}")


def _filled(formula: str, each: Subject) -> str:
    """The formula of a header with the values of the parameters (`$name`)."""
    for name, value in sorted(each.inputs.items(), key=lambda item: -len(item[0])):
        if f"${name}" in formula:
            formula = formula.replace(f"${name}", _literal(value.value))
    return f"({formula})"


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() else repr(value)
    return literal(str(value))


def _changes(
    plan: Plan, subjects: Sequence[Subject], before: set[Key], after: set[Key], judged: Mapping[str, Rule], hidden: set[int],
) -> Iterator[FindingChange]:  # fmt: skip
    lead = SUBJECTS[plan.subject]
    owners = {(each.lpar, each.qmgr) for each in subjects}
    numbers = {(each.lpar, each.qmgr, f"{lead}{each.name or ''}"): number for number, each in enumerate(subjects)}
    for key in sorted(before | after, key=str):
        rule_id, lpar, qmgr, subject = key
        number = numbers.get((lpar, qmgr, subject or ""))
        if (lpar, qmgr) not in owners or (number is None and lead and (subject or "").startswith(lead)):
            continue  # another subject, which has no setting
        if rule_id not in judged or (hidden if number is None else number in hidden):
            effect = UNKNOWN
        elif key in before and key in after:
            effect = STAYS
        else:
            effect = VANISHES if key in before else APPEARS
        yield FindingChange(*key, effect)
