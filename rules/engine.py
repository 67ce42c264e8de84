"""Runs the rules: guards, judge, silencing, outcome. A rule's SQL says what happened in each interval; nothing but this module judges it.

Order: data quality first, then coverage, then the rest, and each rule after those that silence it. Counting and comparing is done by
DuckDB over all rows at once; Python touches one row per subject.

Guards: G1 (short intervals) and G2 (first interval after a start) where the rule names them; G3 a missing field is no-data, decided per LPAR
and queue manager; G5 the rule's minimum activity; G6 rows of damaged records are not judged. An interval that cannot be judged ends a run.
"""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted, values are bound or made literals

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

import duckdb
import pyarrow as pa

from mqstat import sqlfile
from mqstat.database import Database, finding_schema, literal, quoted, view_columns
from mqstat.errors import MqstatError, RuleError, SqlFileError
from mqstat.rules.model import SEVERITIES, Judge, Rule, level_number, parameters, rules
from mqstat.site import Override, Site

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

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def clean(text: str) -> str:
    """Text without control and direction characters: names in records are not ours and must not steer a terminal."""
    return _CONTROL.sub("?", text)


class _Filler(Formatter):
    """Fills a sentence from a row; a missing value reads n/a whatever its format."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        if field_name not in kwargs:
            raise RuleError(
                f"the advice names {{{field_name}}}, which is neither a column of the result nor a threshold"
            )
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return "n/a"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float) and not format_spec:
            return f"{value:.6g}"
        if isinstance(value, (int, float)):
            return format(value, format_spec)
        return clean(str(value))


def fill(text: str, values: Mapping[str, Any]) -> str:
    """The sentence with its placeholders filled; raises RuleError when one is unknown."""
    return _Filler().vformat(text, (), dict(values))


@dataclass
class _Run:
    """What the rules share while they run over one database."""

    db: Database
    site: Site
    qmgrs: list[tuple[str | None, str | None, int]]
    collected: dict[tuple[str | None, str | None], dict[str, int]] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    available: dict[str, dict[tuple[str | None, str | None], dict[str, int]]] = field(default_factory=dict)
    broken_views: dict[str, str] = field(default_factory=dict)
    shadows: list[str] = field(default_factory=list)
    damaged: bool = False
    breached: dict[str, set[tuple[str | None, str | None, str | None]]] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)


def run_rules(db: Database, site: Site | None = None, only: Iterable[str] | None = None) -> pa.Table:
    """Run all rules (or those named) and return their outcomes with the columns of view finding, which then serves them.

    A rule whose SQL fails becomes the outcome broken; the others go on. Rows in breach stay in temporary tables `breach_<rule>` for the
    reports, which show them first.
    """
    wanted = [rule for rule in rules().values() if only is None or rule.id in set(only)]
    run = _prepare(db, site or db.site, wanted)
    try:
        for rule in wanted:
            try:
                found = _run_rule(run, rule)
            except (duckdb.Error, MqstatError) as error:
                found = [_finding(rule, "broken", advice=f"The rule failed: {clean(str(error)).strip()}")]
            run.findings += found
    finally:
        for view in run.shadows:
            db.execute(f"DROP TABLE IF EXISTS temp.{quoted(view)}")
        db.execute("DROP TABLE IF EXISTS temp.judged_row")
    table = pa.Table.from_pylist(run.findings, schema=finding_schema())
    db.fill("finding", table)
    return table


def _prepare(db: Database, site: Site, wanted: list[Rule]) -> _Run:
    qmgrs = [
        (row["lpar"], row["qmgr"], row["highest_mq_level"] or 0)
        for row in db.rows("SELECT lpar, qmgr, highest_mq_level FROM main.qmgr ORDER BY lpar, qmgr")
    ]
    run = _Run(db, site, qmgrs)
    for row in db.rows("SELECT lpar, qmgr, record_class, records, command_to_collect FROM main.collection"):
        run.collected.setdefault((row["lpar"], row["qmgr"]), {})[row["record_class"]] = row["records"] or 0
        run.commands[row["record_class"]] = row["command_to_collect"]
    db.execute(
        "CREATE OR REPLACE TEMP TABLE damaged_record AS SELECT record_id FROM main.record WHERE damage IS NOT NULL"
    )
    run.damaged = bool(db.execute("SELECT count(*) FROM damaged_record").fetchall()[0][0])
    _shadow(run, wanted)
    return run


def _shadow(run: _Run, wanted: list[Rule]) -> None:
    """Compute each view that rules read once, with the columns they read, as a temporary table that hides the view while they run.

    Then count what is there by queue manager. A view stands before those it is built on, so that none is computed over a shadow.
    """
    columns: dict[str, set[str]] = {}
    for rule in wanted:
        try:
            for view, names in view_columns(rule.sql).items():
                columns.setdefault(view, set()).update(names)
        except SqlFileError:
            continue  # the rule itself will say what is wrong with it
        for name in (*rule.needs, *(item for group in rule.needs_any for item in group)):
            view, _, column = name.partition(".")
            columns.setdefault(view, set()).add(column)
    for view in reversed(list(sqlfile.views())):
        if view not in columns:
            continue
        place = [key for key in ("lpar", "qmgr") if key in sqlfile.views()[view].columns]
        names = sorted(columns[view] - set(place))
        try:
            run.db.execute(
                f"CREATE TEMP TABLE {quoted(view)} AS SELECT {', '.join(map(quoted, [*place, *names])) or '1'} FROM main.{quoted(view)}"
            )
            run.shadows.append(view)
            keys = "lpar, qmgr" if place == ["lpar", "qmgr"] else "NULL, NULL"
            counts = "".join(f", count({quoted(name)})" for name in names)
            query = f"SELECT {keys}, count(*){counts} FROM temp.{quoted(view)} GROUP BY ALL"
            run.available[view] = {
                (row[0], row[1]): {"": row[2], **dict(zip(names, row[3:], strict=True))}
                for row in run.db.execute(query).fetchall()
            }
        except duckdb.Error as error:
            run.broken_views[view] = str(error)


def _run_rule(run: _Run, rule: Rule) -> list[dict[str, Any]]:
    for view in rule.views:
        if view in run.broken_views:
            raise RuleError(f"view {view} failed: {run.broken_views[view]}")
    overrides = run.site.overrides_of(rule.id)
    everywhere = [override for override in overrides if override.rank == (False, False, False)]
    off = next((override.off for override in reversed(everywhere) if override.off is not None), not rule.default_on)
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
    columns = _collect_rows(run, rule, overrides)
    subjects = _judge_rows(run, rule, columns)
    findings = _absent(run, rule, subjects)
    no_data = {(one["lpar"], one["qmgr"]) for one in findings if one["outcome"] == "no-data"}
    hits = set()
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
            hits.add((*key, subject["subject"]))
    run.breached[rule.id] = hits
    _keep_breaches(run, rule, columns, hits)
    return findings


# --- rows of a rule


def _scope(overrides: tuple[Override, ...], lpar: str | None, qmgr: str | None, subject: str | None) -> Override | None:
    """The narrowest override that holds for a subject."""
    holds = [o for o in overrides if o.lpar in (None, lpar) and o.qmgr in (None, qmgr) and o.subject in (None, subject)]
    return holds[-1] if holds else None


def _off(rule: Rule, overrides: tuple[Override, ...], lpar: str | None, qmgr: str | None, subject: str | None) -> bool:
    state = not rule.default_on
    for o in overrides:
        if o.off is not None and o.lpar in (None, lpar) and o.qmgr in (None, qmgr) and o.subject in (None, subject):
            state = o.off
    return state


def _values(
    rule: Rule, overrides: tuple[Override, ...], narrowest: Override | None
) -> tuple[dict[str, float], dict[str, str]]:
    """Thresholds in force under an override and those around it, and where each comes from; defaults when there is none."""
    values = {threshold.name: threshold.value for threshold in rule.thresholds.values()}
    origin = dict.fromkeys(values, "default")
    for o in overrides:
        if (
            narrowest is not None
            and o.lpar in (None, narrowest.lpar)
            and o.qmgr in (None, narrowest.qmgr)
            and o.subject in (None, narrowest.subject)
        ):
            values.update(o.thresholds)
            origin.update(dict.fromkeys(o.thresholds, o.scope))
    return values, origin


def _collect_rows(run: _Run, rule: Rule, overrides: tuple[Override, ...]) -> dict[str, str]:
    """Fill the temporary table `judged_row` with the rows of the rule, each judged by the thresholds that hold for it.

    `breach` is what the SQL says, `verdict` the same where the guards let it count, else NULL. Returns the columns of the rule's SELECT.
    """
    db = run.db
    used = parameters(rule)
    db.execute("DROP TABLE IF EXISTS temp.judged_row")
    # The place of a row in the list of overrides, the narrowest that fits; -1 = none.
    fits = []
    for number, o in reversed(list(enumerate(overrides))):
        conditions = [
            f"{name} = {literal(value)}"
            for name, value in (("lpar", o.lpar), ("qmgr", o.qmgr), ("subject", o.subject))
            if value is not None
        ]
        fits.append(f"WHEN {' AND '.join(conditions) or 'true'} THEN {number}")
    place = f"CASE {' '.join(fits)} ELSE -1 END"
    # The order of the rows is for people who run the file; here it would only cost a sort.
    text = rule.sql.rstrip().rstrip(";").rsplit("\nORDER BY", 1)[0]
    columns: dict[str, str] = {}
    for number in range(-1, len(overrides)):
        values, _ = _values(rule, overrides, overrides[number] if number >= 0 else None)
        bound = {name: values[name] for name in used}
        if number == -1:
            cursor = db.execute(f"SELECT * FROM ({text}) LIMIT 0", bound)
            columns = {column[0]: str(column[1]) for column in cursor.description}
            for name in ("subject", "observed", "breach"):
                if name not in columns:
                    raise RuleError(f"{rule.file.name}: the SELECT has no column {name}")
        absent = "".join(f", NULL::{kind} AS {name}" for name, kind in _COMMON.items() if name not in columns)
        target = "CREATE TEMP TABLE judged_row AS" if number == -1 else "INSERT INTO judged_row BY NAME"
        chosen = f"WHERE {place} = {number}" if fits else ""
        db.execute(
            f"{target} SELECT *, CASE WHEN {_guard(run, rule, values)} THEN breach END AS verdict "
            f"FROM (SELECT said.*{absent} FROM ({text}) AS said) {chosen}",
            bound,
        )
    return columns


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


def _judge_rows(run: _Run, rule: Rule, columns: Mapping[str, str]) -> list[dict[str, Any]]:
    """One dictionary per subject: counts, first, last, longest run, and the columns of its worst row."""
    db = run.db
    extreme = "min" if rule.worst == "lowest" else "max"
    runs = ""
    longest = "NULL"
    if rule.judge.kind == "consecutive":
        runs = f""",
        stepped AS (
          SELECT lpar, qmgr, subject, interval_start_utc, verdict,
            CASE WHEN verdict AND lag(verdict) OVER near
                  AND epoch_us(interval_start_utc - lag(interval_start_utc + to_microseconds((interval_seconds * 1e6)::BIGINT)) OVER near)
                      <= {GAP_SECONDS} * 1000000 THEN 0 ELSE 1 END AS step
          FROM judged_row
          WINDOW near AS (PARTITION BY lpar, qmgr, subject ORDER BY interval_start_utc)
        ),
        numbered AS (
          SELECT *, sum(step) OVER (PARTITION BY lpar, qmgr, subject ORDER BY interval_start_utc ROWS UNBOUNDED PRECEDING) AS run
          FROM stepped
        ),
        streak AS (
          SELECT lpar, qmgr, subject, max(length) AS longest_run FROM (
            SELECT lpar, qmgr, subject, run, count(DISTINCT interval_start_utc) AS length
            FROM numbered WHERE verdict GROUP BY lpar, qmgr, subject, run
          ) GROUP BY lpar, qmgr, subject
        )"""
        longest = "(SELECT longest_run FROM streak AS s WHERE s.lpar IS NOT DISTINCT FROM c.lpar AND s.qmgr IS NOT DISTINCT FROM c.qmgr AND s.subject = c.subject)"
    worst = ", ".join(
        f"w.{quoted(name)} AS {quoted('worst_' + name)}"
        for name in [*columns, *(name for name in _COMMON if name not in columns)]
    )
    query = f"""
        WITH counted AS (
          SELECT lpar, qmgr, subject,
            count(breach)                                        AS rows_judgeable,
            count(verdict)                                       AS judged,
            count(*) FILTER (verdict)                            AS breached,
            min(interval_start_utc) FILTER (verdict)             AS first_seen,
            max(interval_start_utc) FILTER (verdict)             AS last_seen,
            min(CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 WHEN 'info' THEN 2 END) FILTER (verdict) AS severity_rank,
            {extreme}(observed) FILTER (verdict)                 AS worst_in_breach,
            {extreme}(observed) FILTER (NOT verdict)             AS worst_clear
          FROM judged_row
          GROUP BY lpar, qmgr, subject
        ),
        -- The worst row is one in breach where there is one; of equal ones the first.
        candidate AS (
          SELECT j.lpar, j.qmgr, j.subject, min({{'at': j.interval_start_utc, 'record': j.record_id, 'row': j.rowid}}) AS first_worst
          FROM judged_row AS j
          JOIN counted AS c
            ON c.lpar IS NOT DISTINCT FROM j.lpar AND c.qmgr IS NOT DISTINCT FROM j.qmgr AND c.subject IS NOT DISTINCT FROM j.subject
          WHERE j.verdict = (c.breached > 0)
            AND j.observed IS NOT DISTINCT FROM CASE WHEN c.breached > 0 THEN c.worst_in_breach ELSE c.worst_clear END
          GROUP BY j.lpar, j.qmgr, j.subject
        ),
        worst AS (
          SELECT w.* FROM judged_row AS w WHERE w.rowid IN (SELECT first_worst['row'] FROM candidate)
        ){runs}
        SELECT c.*, {longest} AS longest_run, {worst}
        FROM counted AS c
        LEFT JOIN worst AS w
          ON w.lpar IS NOT DISTINCT FROM c.lpar AND w.qmgr IS NOT DISTINCT FROM c.qmgr AND w.subject IS NOT DISTINCT FROM c.subject
        ORDER BY c.lpar, c.qmgr, c.subject
    """
    return db.rows(query)


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
    for view in rule.needed_views:
        if run.available[view].get(place, {}).get("", 0):
            continue
        classes = sqlfile.views()[view].classes
        if level and level < level_number(rule.mq_since):
            return f"Not in this release: the data starts with MQ {rule.mq_since}."
        collected = run.collected.get(place, {})
        if classes and any(collected.get(name, 0) for name in classes):
            continue
        command = run.commands.get(classes[0]) if classes else None
        what = f"no {' or '.join(classes)} records" if classes else f"view {view} has no rows"
        return f"Not collected: {what}" + (f"; collect them with {command}." if command else ".")
    if any(row["rows_judgeable"] for row in rows):
        return None

    def absent(column: str) -> bool:
        view, _, name = column.partition(".")
        counts = run.available[view].get(place, {})
        return bool(counts.get("")) and not counts.get(name)

    # Rows are there, but the SQL could judge none of them: fields are missing, or there is nothing to judge (pools of 0 buffers).
    if rows:
        gone = [column for column in rule.needs if absent(column)]
        gone += [column for group in rule.needs_any for column in group if absent(column)]
        if gone:
            return f"Not in these records: {', '.join(dict.fromkeys(gone))} is empty in every row, the release or level does not write it."
    return None


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
        return bool((subject["longest_run"] or 0) >= judge.number)
    return bool(subject["breached"] > 0)


def _subject_finding(
    run: _Run, rule: Rule, subject: Mapping[str, Any], overrides: tuple[Override, ...]
) -> dict[str, Any]:
    lpar, qmgr, name = subject["lpar"], subject["qmgr"], subject["subject"]
    thresholds, origin = _values(rule, overrides, _scope(overrides, lpar, qmgr, name))
    worst = {column.removeprefix("worst_"): value for column, value in subject.items() if column.startswith("worst_")}
    judged, breached = subject["judged"], subject["breached"]
    first = rule.first_threshold
    limit = thresholds[first.name] if first else None
    limit_from = origin[first.name] if first else "default"
    if worst.get("threshold") is not None:
        limit = worst["threshold"]
    values = {**worst, **thresholds}
    one = _finding(
        rule, "clear", lpar=lpar, qmgr=qmgr, subject=name, observed=_number(worst["observed"]), limit_value=_number(limit), limit_from=limit_from,
        intervals_checked=judged, intervals_breached=breached, breached_pct=100 * breached / judged if judged else None,
        worst_interval_utc=worst["interval_start_utc"], first_seen_utc=subject["first_seen"], last_seen_utc=subject["last_seen"],
        evidence_record_id=worst["record_id"], evidence_source_id=worst["source_id"], evidence_offset=worst["evidence_offset"],
    )  # fmt: skip
    severity = _severity(rule, subject, overrides)
    one["severity"] = severity
    if not _hit(rule.judge, subject):
        return one
    too_few = rule.judge.wants_four and judged < TOO_FEW
    one["too_few_intervals"] = too_few
    one["severity"] = "info" if too_few else severity
    advice = f"{fill(rule.advice.summary, values)} {fill(rule.advice.remedy, values)}"
    one["advice"] = f"{advice} Too few intervals ({judged}) for more than a note." if too_few else advice
    _evidence(run, one)
    for other in rule.silenced_by:
        if (lpar, qmgr, name) in run.breached.get(other, ()):
            one["silenced_by"] = other
            return one
    one["outcome"] = "breach"
    causes = [other for other in rule.caused_by if any(hit[:2] == (lpar, qmgr) for hit in run.breached.get(other, ()))]
    one["caused_by"] = ", ".join(causes) or None
    one["sql"] = _with_numbers(rule.sql.split("---*/", 1)[1].strip(), thresholds)
    return one


def _severity(rule: Rule, subject: Mapping[str, Any], overrides: tuple[Override, ...]) -> str:
    """Severity of the site, else of the worst row in breach, else of the rule."""
    for o in reversed(overrides):
        if (
            o.severity is not None
            and o.lpar in (None, subject["lpar"])
            and o.qmgr in (None, subject["qmgr"])
            and o.subject in (None, subject["subject"])
        ):
            return o.severity
    rank = subject["severity_rank"]
    return rule.severity if rank is None else SEVERITIES[rank]


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _evidence(run: _Run, one: dict[str, Any]) -> None:
    """Fill in where the record of the worst value stands."""
    if one["evidence_record_id"] is None:
        return
    found = run.db.rows(
        "SELECT source_id, source_offset FROM main.record WHERE record_id = $record",
        {"record": one["evidence_record_id"]},
    )
    if found:
        one["evidence_source_id"] = found[0]["source_id"]
        if one["evidence_offset"] is None:
            one["evidence_offset"] = found[0]["source_offset"]


def _keep_breaches(
    run: _Run, rule: Rule, columns: Mapping[str, str], hits: set[tuple[str | None, str | None, str | None]]
) -> None:
    """Keep the rows in breach of the subjects that were hit, so that a report can show them first."""
    run.db.execute(f"DROP TABLE IF EXISTS {quoted('breach_' + rule.id)}")
    if not hits:
        return
    kept = [name for name in (*rule.grain, "interval_start_utc") if name in columns]
    table = pa.table(
        {
            name: pa.array([hit[i] for hit in sorted(hits, key=str)], pa.string())
            for i, name in enumerate(("lpar", "qmgr", "subject"))
        }
    )
    run.db.connection.register("hit", table)
    try:
        run.db.execute(
            f"CREATE TEMP TABLE {quoted('breach_' + rule.id)} AS SELECT DISTINCT {', '.join('j.' + quoted(name) for name in kept)} FROM judged_row AS j "
            "SEMI JOIN hit AS h ON j.lpar IS NOT DISTINCT FROM h.lpar AND j.qmgr IS NOT DISTINCT FROM h.qmgr AND j.subject = h.subject WHERE j.verdict"
        )
    finally:
        run.db.connection.unregister("hit")
