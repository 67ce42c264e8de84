"""Runs the rules: guards, judge, silencing, outcome. A rule's SQL says what happened in each interval; nothing but this module judges it.

Order: data quality first, then coverage, then the rest, and each rule after those that silence it. Counting and comparing is done by
DuckDB over all rows at once; Python touches one row per subject.

Guards: G1 (short intervals) and G2 (first interval after a start) where the rule names them; G3 a missing field is no-data, decided per LPAR
and queue manager; G5 the rule's minimum activity; G6 rows of damaged records are not judged. An interval that cannot be judged ends a run.
"""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted, values are bound or made literals

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from mqstat import sqlfile
from mqstat.database import Database, finding_schema, quoted
from mqstat.errors import MqstatError, RuleError, SqlFileError
from mqstat.plans import keep, view_columns
from mqstat.rules import series
from mqstat.rules.model import SEVERITIES, Judge, Rule, level_number, rules
from mqstat.rules.sentences import NEEDS_SITE, NOT_IN_RELEASE, clean, fill, not_collected
from mqstat.site import FACT_OF_COLUMN, Override, Site

__all__ = ["NEEDS_SITE", "clean", "fill", "run_rules"]

MIN_SECONDS = 10
"""G1: intervals shorter than this are not judged for rates, percentages or shares."""

GAP_SECONDS = 2
"""A run of intervals ends where the next one starts later than this after the end of the one before (as view interval's first_in_data)."""

TOO_FEW = 4
"""Share and consecutive rules need this many judged intervals for their full severity."""

_COMMON = {
    "lpar": "VARCHAR", "qmgr": "VARCHAR", "interval_start_utc": "TIMESTAMP", "interval_seconds": "DOUBLE", "record_id": "BIGINT", "source_id": "BIGINT",
    "evidence_offset": "BIGINT", "severity": "VARCHAR", "threshold": "DOUBLE", "startup_interval": "BOOLEAN", "suspect_first": "BOOLEAN",
}  # fmt: skip


@dataclass
class _Run:
    """What the rules share while they run over one database."""

    db: Database
    site: Site
    qmgrs: list[tuple[str | None, str | None, int]]
    collected: dict[tuple[str | None, str | None], dict[str, int]] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    needed: set[str] = field(default_factory=set)
    available: dict[str, dict[tuple[str | None, str | None], dict[str, int]]] = field(default_factory=dict)
    broken_views: dict[str, str] = field(default_factory=dict)
    damaged: bool = False
    breached: dict[str, set[tuple[str | None, str | None, str | None]]] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)


def run_rules(
    db: Database,
    site: Site | None = None,
    only: Iterable[str] | None = None,
    then: Iterable[str] = (),
    grid: series.Steps | None = None,
) -> pa.Table:
    """Run all rules (or those named) and return their outcomes with the columns of view finding, which then serves them.

    `then` has queries that will be asked afterwards: what they share with the rules is computed once, with their columns.
    A rule whose SQL fails becomes the outcome broken; the others go on. Rows in breach stay in temporary tables `breach_<rule>` for the
    reports, which show them first. With a grid the tables of `mqstat.rules.series` have what the rules saw in each of its steps.
    """
    series.create(db)
    wanted = [rule for rule in rules().values() if only is None or rule.id in set(only)]
    run = _prepare(db, site or db.site, wanted, then)
    try:
        for rule in wanted:
            try:
                found = _run_rule(run, rule)
            except (duckdb.Error, MqstatError) as error:
                found = [_finding(rule, "broken", advice=f"The rule failed: {clean(str(error)).strip()}")]
            run.findings += found
    finally:
        db.execute("DROP TABLE IF EXISTS temp.judged_row")
    _add_evidence(run)
    table = pa.Table.from_pylist(run.findings, schema=finding_schema())
    db.fill("finding", table)
    return table


_QMGRS = "SELECT lpar, qmgr, highest_mq_level FROM qmgr ORDER BY lpar, qmgr"
_CLASSES = "SELECT lpar, qmgr, record_class, records, command_to_collect FROM collection"
_DAMAGED = "SELECT record_id FROM record WHERE damage IS NOT NULL"


def _prepare(db: Database, site: Site, wanted: list[Rule], then: Iterable[str]) -> _Run:
    run = _Run(db, site, [])
    _look(run, wanted, then)
    run.qmgrs = [(row["lpar"], row["qmgr"], row["highest_mq_level"] or 0) for row in db.rows(_QMGRS)]
    for row in db.rows(_CLASSES):
        run.collected.setdefault((row["lpar"], row["qmgr"]), {})[row["record_class"]] = row["records"] or 0
        run.commands[row["record_class"]] = row["command_to_collect"]
    db.execute(f"CREATE OR REPLACE TEMP TABLE damaged_record AS {_DAMAGED}")
    run.damaged = bool(db.execute("SELECT count(*) FROM damaged_record").fetchall()[0][0])
    return run


def _look(run: _Run, wanted: list[Rule], then: Iterable[str]) -> None:
    """Compute each view that several rules read once."""
    texts = [_QMGRS, _CLASSES, _DAMAGED, *then]
    for rule in wanted:
        try:
            view_columns(rule.sql)
        except SqlFileError:
            continue  # the rule itself will say what is wrong with it
        texts.append(rule.sql)
        run.needed.update(rule.needs, *rule.needs_any)
    run.broken_views |= keep(run.db, [*texts, _SITE_FACTS], run.needed)


_SITE_FACTS = "SELECT * FROM site_input"


def _count(run: _Run, view: str) -> dict[tuple[str | None, str | None], dict[str, int]]:
    """How many rows ("") and values of the needed columns a view has, by queue manager; counted when a rule asks why it has nothing to judge."""
    if view not in run.available:
        columns = sorted(name.partition(".")[2] for name in run.needed if name.startswith(f"{view}."))
        known = sqlfile.views()[view].columns
        place = [key if key in known else "NULL" for key in ("lpar", "qmgr")]
        counted = "".join(f", count({quoted(name)})" for name in columns)
        query = f"SELECT {', '.join(place)}, count(*){counted} FROM {quoted(view)} GROUP BY ALL"
        keep(run.db, [query])
        run.available[view] = {
            (row[0], row[1]): {"": row[2], **dict(zip(columns, row[3:], strict=True))}
            for row in run.db.execute(query).fetchall()
        }
    return run.available[view]


def _run_rule(run: _Run, rule: Rule) -> list[dict[str, Any]]:
    for view in rule.views:
        if view in run.broken_views:
            raise RuleError(f"view {view} failed: {run.broken_views[view]}")
    overrides = run.site.overrides_of(rule.id)
    everywhere = [override for override in overrides if override.rank == (False, False, False)]
    off = next((override.off for override in reversed(everywhere) if override.off is not None), _starts_off(rule))
    narrower_on = any(override.off is False for override in overrides if override not in everywhere)
    if off and not narrower_on:
        reason = next((override.reason for override in reversed(everywhere) if override.off), "")
        return [
            _finding(
                rule,
                "off",
                advice=f"Switched off by the site: {reason}." if reason else "Off unless the site switches it on.",
            )
        ]
    subjects = _judge_rows(run, rule, _rows(run, rule, overrides))
    findings = _absent(run, rule, subjects)
    no_data = {(one["lpar"], one["qmgr"]) for one in findings if one["outcome"] == "no-data"}
    hits = []
    for subject in subjects:
        key = (subject["lpar"], subject["qmgr"])
        if key in no_data:
            continue
        scope = _scope(overrides, *key, subject["subject"]) or Override(rule.id)
        if _off(rule, overrides, *key, subject["subject"]):
            findings.append(
                _finding(
                    rule,
                    "off",
                    lpar=key[0],
                    qmgr=key[1],
                    subject=subject["subject"],
                    advice=f"Switched off by the site: {scope.reason}.",
                )
            )
            continue
        one = _subject_finding(run, rule, subject, overrides)
        findings.append(one)
        if one["outcome"] == "breach":
            hits.append(subject)
    run.breached[rule.id] = {(hit["lpar"], hit["qmgr"], hit["subject"]) for hit in hits}
    _keep_breaches(run, rule, hits)
    return findings


# --- rows of a rule


def _scope(overrides: tuple[Override, ...], lpar: str | None, qmgr: str | None, subject: str | None) -> Override | None:
    """The narrowest override that holds for a subject."""
    holds = [o for o in overrides if o.holds(lpar, qmgr, subject)]
    return holds[-1] if holds else None


def _starts_off(rule: Rule) -> bool:
    """Off unless the site switches it on. A rule that needs a fact of the site file is switched on by that fact."""
    return not rule.default_on and not rule.site_facts


def _off(rule: Rule, overrides: tuple[Override, ...], lpar: str | None, qmgr: str | None, subject: str | None) -> bool:
    state = _starts_off(rule)
    for o in overrides:
        if o.off is not None and o.holds(lpar, qmgr, subject):
            state = o.off
    return state


def _values(
    rule: Rule, overrides: tuple[Override, ...], narrowest: Override | None
) -> tuple[dict[str, float], dict[str, str]]:
    """Thresholds in force under an override and those around it, and where each comes from; defaults when there is none."""
    values = {threshold.name: threshold.value for threshold in rule.thresholds.values()}
    origin = dict.fromkeys(values, "default")
    for o in overrides:
        if narrowest is not None and o.around(narrowest):
            values.update(o.thresholds)
            origin.update(dict.fromkeys(o.thresholds, o.scope))
    return values, origin


def _rows(run: _Run, rule: Rule, overrides: tuple[Override, ...]) -> str:
    """The SELECT that gives the rows of the rule, each judged by the thresholds that hold for it.

    `breach` is what the SQL of the rule says, `verdict` the same where the guards let it count, else NULL. Common columns that the rule does
    not give are NULL.
    """
    # The place of a row in the list of overrides, the narrowest that fits; -1 = none.
    fits = [f"WHEN {o.condition} THEN {number}" for number, o in reversed(list(enumerate(overrides)))]
    # The order of the rows is for people who run the file; here it would only cost a sort.
    text = rule.sql.rstrip().rstrip(";").rsplit("\nORDER BY", 1)[0]
    common = ", ".join(f"NULL::{kind} AS {name}" for name, kind in _COMMON.items())
    parts = []
    for number in range(-1, len(overrides)):
        values, _ = _values(rule, overrides, overrides[number] if number >= 0 else None)
        chosen = f" WHERE CASE {' '.join(fits)} ELSE -1 END = {number}" if fits else ""
        parts.append(
            f"SELECT *, CASE WHEN {_guard(run, rule, values)} THEN breach END AS verdict "
            f"FROM (SELECT {common} WHERE false UNION ALL BY NAME ({_with_numbers(text, values)})){chosen}"
        )
    return " UNION ALL BY NAME ".join(parts)


def _guard(run: _Run, rule: Rule, thresholds: Mapping[str, float]) -> str:
    """The condition under which a row may be judged."""
    conditions = []
    if rule.min_activity:
        conditions.append(f"({_with_numbers(rule.min_activity, thresholds)})")
    if "G1" in rule.guards:
        conditions.append(f"coalesce(interval_seconds >= {MIN_SECONDS}, true)")
    if "G2" in rule.guards:
        conditions.append("NOT coalesce(startup_interval OR suspect_first, false)")
    if run.damaged and rule.judge.kind != "whole":
        conditions.append("(record_id IS NULL OR record_id NOT IN (SELECT record_id FROM damaged_record))")
    return " AND ".join(conditions) or "true"


def _with_numbers(text: str, values: Mapping[str, float]) -> str:
    """SQL with its `$threshold` parameters replaced by their numbers."""
    return re.sub(
        r"\$([a-z][a-z0-9_]*)", lambda match: repr(values[match[1]]) if match[1] in values else match[0], text
    )


_SAME = " AND ".join(f"{{0}}.{name} IS NOT DISTINCT FROM {{1}}.{name}" for name in ("lpar", "qmgr", "subject"))
"""Two rows are of one subject."""


def _judge_rows(run: _Run, rule: Rule, rows: str) -> list[dict[str, Any]]:
    """One dictionary per subject: counts, first, last, longest run, and value, time and record of its worst row.

    The rows of subjects in breach stay behind as the temporary table `judged_row`.
    """
    sign = "" if rule.worst == "lowest" else "-"
    # The worst row is one in breach where there is one; of equal ones the first. NULL sorts last.
    worst = f"{{'clear': NOT verdict, 'order': {sign}observed, 'at': interval_start_utc, 'record': record_id, 'limit': threshold}}"
    query = f"""
        WITH counted AS (
          SELECT lpar, qmgr, subject,
            count(breach)                            AS rows_judgeable,
            count(verdict)                           AS judged,
            count(*) FILTER (verdict)                AS breached,
            min(interval_start_utc) FILTER (verdict) AS first_seen,
            max(interval_start_utc) FILTER (verdict) AS last_seen,
            min(CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 WHEN 'info' THEN 2 END) FILTER (verdict)
                                                     AS severity_rank,
            min({worst}) FILTER (verdict IS NOT NULL) AS worst
          FROM ({rows})
          GROUP BY lpar, qmgr, subject
        )
        SELECT * EXCLUDE (worst), {sign}worst['order'] AS observed, worst['at'] AS worst_at, worst['record'] AS worst_record,
          worst['limit'] AS worst_limit
        FROM counted
        ORDER BY lpar, qmgr, subject
    """
    subjects = run.db.rows(query)
    breached = [subject for subject in subjects if subject["breached"]]
    if breached:
        with _registered(run, breached):
            run.db.execute(
                f"CREATE OR REPLACE TEMP TABLE judged_row AS SELECT j.* FROM ({rows}) AS j SEMI JOIN hit AS h ON {_SAME.format('j', 'h')}"
            )
        if rule.judge.kind == "consecutive":
            _add_runs(run, [subject for subject in breached if subject["breached"] >= rule.judge.number])
        _add_worst_rows(run, [subject for subject in breached if _hit(rule.judge, subject)])
    return subjects


def _add_runs(run: _Run, subjects: list[dict[str, Any]]) -> None:
    """Give each subject its longest run of intervals in breach, under the key `longest_run`."""
    if not subjects:
        return
    query = f"""
        WITH
        stepped AS (
          SELECT number, interval_start_utc, verdict,
            CASE WHEN verdict AND lag(verdict) OVER near
                  AND epoch_us(interval_start_utc - lag(interval_start_utc + to_microseconds((interval_seconds * 1e6)::BIGINT)) OVER near)
                      <= {GAP_SECONDS} * 1000000 THEN 0 ELSE 1 END AS step
          FROM judged_row AS j JOIN hit AS h ON {_SAME.format("j", "h")}
          WINDOW near AS (PARTITION BY number ORDER BY interval_start_utc)
        ),
        numbered AS (
          SELECT *, sum(step) OVER (PARTITION BY number ORDER BY interval_start_utc ROWS UNBOUNDED PRECEDING) AS run
          FROM stepped
        )
        SELECT number, max(length) AS longest_run
        FROM (SELECT number, run, count(DISTINCT interval_start_utc) AS length FROM numbered WHERE verdict GROUP BY number, run)
        GROUP BY number
    """
    with _registered(run, subjects):
        for row in run.db.rows(query):
            subjects[row["number"]]["longest_run"] = row["longest_run"]


def _add_worst_rows(run: _Run, hits: list[dict[str, Any]]) -> None:
    """Give each subject that was hit the columns of its worst row, under the key `row`: its sentence names them."""
    if not hits:
        return
    with _registered(run, hits, ("worst_at", "worst_record")):
        query = f"""
            SELECT h.number, j.* FROM hit AS h JOIN judged_row AS j ON {_SAME.format("j", "h")}
              AND j.interval_start_utc IS NOT DISTINCT FROM h.worst_at AND j.record_id IS NOT DISTINCT FROM h.worst_record AND j.verdict
            QUALIFY row_number() OVER (PARTITION BY h.number ORDER BY j.observed) = 1
        """
        for row in run.db.rows(query):
            hits[row["number"]]["row"] = row


@contextmanager
def _registered(run: _Run, hits: list[dict[str, Any]], extra: tuple[str, ...] = ()) -> Iterator[None]:
    """Make subjects the table `hit` for a moment, numbered in their order."""
    types = {"worst_at": pa.timestamp("us"), "worst_record": pa.int64()}
    columns: dict[str, Any] = {"number": pa.array(range(len(hits)), pa.int64())}
    for name in ("lpar", "qmgr", "subject", *extra):
        columns[name] = pa.array([hit[name] for hit in hits], types.get(name, pa.string()))
    run.db.connection.register("hit", pa.table(columns))
    try:
        yield
    finally:
        run.db.connection.unregister("hit")


def _absent(run: _Run, rule: Rule, subjects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """No-data, and clear with nothing judged, per LPAR and queue manager (or once, for rules about inputs)."""
    by_qmgr: dict[tuple[str | None, str | None], list[dict[str, Any]]] = {}
    for subject in subjects:
        by_qmgr.setdefault((subject["lpar"], subject["qmgr"]), []).append(subject)
    about_qmgr = {"lpar", "qmgr"} <= set(rule.grain)
    places = run.qmgrs if about_qmgr else [(None, None, 10**9)]
    found = []
    for lpar, qmgr, level in places:
        rows = by_qmgr.get((lpar, qmgr), [])
        missing = _missing(run, rule, lpar, qmgr, level, rows)
        if missing:
            found.append(_finding(rule, "no-data", lpar=lpar, qmgr=qmgr, advice=missing))
        elif not rows:
            found.append(_finding(rule, "clear", lpar=lpar, qmgr=qmgr, advice="There was nothing to judge."))
    return found


def _missing(
    run: _Run, rule: Rule, lpar: str | None, qmgr: str | None, level: int, rows: list[dict[str, Any]]
) -> str | None:
    """The sentence that says why a rule cannot be judged for a queue manager, None when it can."""
    place = (lpar, qmgr)
    lacking = [column for column in rule.site_facts if not _present(run, "site_input", place).get(column)]
    if lacking:
        return f"{NEEDS_SITE}{', '.join(FACT_OF_COLUMN[column] for column in lacking)}."
    if any(row["rows_judgeable"] for row in rows):
        return None
    collected = run.collected.get(place, {})
    for view in rule.needed_views:
        classes = sqlfile.views()[view].classes
        old = bool(level and level < level_number(rule.mq_since))
        # Counting is dear: without rows to judge and with the records there, nothing depends on it.
        if not rows and not old and any(collected.get(name, 0) for name in classes):
            continue
        if _present(run, view, place).get(""):
            continue
        if old:
            return f"{NOT_IN_RELEASE}the data starts with MQ {rule.mq_since}."
        if any(collected.get(name, 0) for name in classes):
            continue
        command = run.commands.get(classes[0]) if classes else None
        title = sqlfile.views()[view].title
        what = f"no {' or '.join(classes)} records" if classes else f'the data has nothing for "{title}" (view {view})'
        return not_collected(what, command)

    def absent(column: str) -> bool:
        view, _, name = column.partition(".")
        counts = _present(run, view, place)
        return bool(counts.get("")) and not counts.get(name)

    # Rows are there, but the SQL could judge none of them: fields are missing, or there is nothing to judge (pools of 0 buffers).
    if rows:
        gone = [column for column in rule.needs if absent(column)]
        gone += [column for group in rule.needs_any for column in group if absent(column)]
        if gone:
            names = ", ".join(_described(name) for name in dict.fromkeys(gone))
            return f"Not in these records: {names}. The release does not write it, or its class is not collected."
    return None


def _described(name: str) -> str:
    """A column as a person knows it, with its name behind it."""
    view, _, column = name.partition(".")
    doc = sqlfile.views()[view].columns[column].doc.rstrip(".").partition(";")[0].partition(":")[0]
    return f"{doc[:1].lower()}{doc[1:]} ({name})"


def _present(run: _Run, view: str, place: tuple[str | None, str | None]) -> Mapping[str, int]:
    """How many rows ("") and values of each column a view has for a queue manager; for all when the rule or the view knows none."""
    known = _count(run, view)
    if place in known:
        return known[place]
    if (None, None) in known:
        return known[None, None]
    if place != (None, None):
        return {}
    total: dict[str, int] = {}
    for counts in known.values():
        for name, count in counts.items():
            total[name] = total.get(name, 0) + count
    return total


# --- findings


def _finding(rule: Rule, outcome: str, **values: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "rule_id": rule.id,
        "rule_name": rule.name,
        "rule_area": rule.area,
        "outcome": outcome,
        "severity": rule.severity,
        "limit_unit": rule.unit,
        "intervals_checked": 0,
        "intervals_breached": 0,
        "too_few_intervals": False,
        "report": rule.advice.report if rule.advice.report in sqlfile.reports() else None,
        "rule_source": f"{rule.source.cite} ({rule.source.kind})",
    }
    row.update(values)
    return row


def _hit(judge: Judge, subject: Mapping[str, Any]) -> bool:
    if judge.kind == "share":
        return bool(subject["breached"] > 0 and 100 * subject["breached"] >= judge.number * subject["judged"])
    if judge.kind == "consecutive":
        return bool((subject.get("longest_run") or 0) >= judge.number)
    return bool(subject["breached"] > 0)


def _subject_finding(
    run: _Run, rule: Rule, subject: Mapping[str, Any], overrides: tuple[Override, ...]
) -> dict[str, Any]:
    lpar, qmgr, name = subject["lpar"], subject["qmgr"], subject["subject"]
    thresholds, origin = _values(rule, overrides, _scope(overrides, lpar, qmgr, name))
    judged, breached = subject["judged"], subject["breached"]
    worst = subject.get("row", {})
    first = rule.first_threshold
    limit = thresholds[first.name] if first else None
    if subject["worst_limit"] is not None:
        limit = subject["worst_limit"]
    one = _finding(
        rule, "clear", lpar=lpar, qmgr=qmgr, subject=name, observed=_number(subject["observed"]), limit_value=_number(limit),
        limit_from=origin[first.name] if first else "default", intervals_checked=judged, intervals_breached=breached,
        breached_pct=100 * breached / judged if judged else None, worst_interval_utc=subject["worst_at"],
        first_seen_utc=subject["first_seen"], last_seen_utc=subject["last_seen"], evidence_record_id=subject["worst_record"],
        evidence_source_id=worst.get("source_id"), evidence_offset=worst.get("evidence_offset"),
    )  # fmt: skip
    severity = _severity(rule, subject, overrides)
    one["severity"] = severity
    if not _hit(rule.judge, subject):
        return one
    too_few = rule.judge.wants_four and judged < TOO_FEW
    one["too_few_intervals"] = too_few
    one["severity"] = "info" if too_few else severity
    advice = f"{fill(rule.advice.summary, {**worst, **thresholds})} {fill(rule.advice.remedy, {**worst, **thresholds})}"
    one["advice"] = f"{advice} Too few intervals ({judged}) for more than a note." if too_few else advice
    for other in rule.silenced_by:
        if (lpar, qmgr, name) in run.breached.get(other, ()):
            one["silenced_by"] = other
            return one
    one["outcome"] = "breach"
    causes = [other for other in rule.caused_by if _explains(run, rule, other, (lpar, qmgr, name))]
    one["caused_by"] = ", ".join(causes) or None
    one["sql"] = _with_numbers(rule.sql.split("---*/", 1)[1].strip(), thresholds)
    return one


def _explains(run: _Run, rule: Rule, other: str, subject: tuple[str | None, str | None, str | None]) -> bool:
    """Whether another rule that is in breach explains a finding: on the same subject where both have pools, copies or the like."""
    hits = run.breached.get(other, set())
    if rule.grain == rules()[other].grain and set(rule.grain) - {"lpar", "qmgr"}:
        return subject in hits
    return any(hit[:2] == subject[:2] for hit in hits)


def _severity(rule: Rule, subject: Mapping[str, Any], overrides: tuple[Override, ...]) -> str:
    """Severity of the site, else of the worst row in breach, else of the rule."""
    for o in reversed(overrides):
        if o.severity is not None and o.holds(subject["lpar"], subject["qmgr"], subject["subject"]):
            return o.severity
    rank = subject["severity_rank"]
    return rule.severity if rank is None else SEVERITIES[rank]


def _number(value: Any) -> float | None:
    return None if value is None else float(value) + 0.0  # never minus zero


def _add_evidence(run: _Run) -> None:
    """Fill in where the records of the worst values stand, for the findings that are in breach or silenced."""
    wanted = [one for one in run.findings if one.get("advice") and one.get("evidence_record_id") is not None]
    if not wanted:
        return
    ids = pa.table({"record_id": pa.array(sorted({one["evidence_record_id"] for one in wanted}), pa.int64())})
    run.db.connection.register("wanted", ids)
    try:
        found = run.db.rows("SELECT record_id, source_id, source_offset FROM record SEMI JOIN wanted USING (record_id)")
    finally:
        run.db.connection.unregister("wanted")
    places = {row["record_id"]: row for row in found}
    for one in wanted:
        place = places.get(one["evidence_record_id"])
        if place:
            one["evidence_source_id"] = place["source_id"]
            if one["evidence_offset"] is None:
                one["evidence_offset"] = place["source_offset"]


def _keep_breaches(run: _Run, rule: Rule, hits: list[dict[str, Any]]) -> None:
    """Keep the rows in breach of the subjects that were hit, so that a report can show them first."""
    name = quoted(f"breach_{rule.id}")
    run.db.execute(f"DROP TABLE IF EXISTS temp.{name}")
    if not hits:
        return
    # The columns that its SELECT gives; interval_start_utc is there for every rule, empty where the rule is about the period.
    columns = {
        name
        for hit in hits
        for name, value in hit.get("row", {}).items()
        if value is not None or name != "interval_start_utc"
    }
    kept = ", ".join(f"j.{quoted(column)}" for column in (*rule.grain, "interval_start_utc") if column in columns)
    with _registered(run, hits):
        run.db.execute(
            f"CREATE TEMP TABLE {name} AS SELECT DISTINCT {kept} FROM judged_row AS j SEMI JOIN hit AS h ON {_SAME.format('j', 'h')} WHERE j.verdict"
        )
