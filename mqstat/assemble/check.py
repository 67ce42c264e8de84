"""Assembles the findings of `mqstat check`: a report without tables, with one finding for each rule and severity."""

# ruff: noqa: S608 - statements are built from files of this package

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.assemble.catalogue import order_of
from mqstat.assemble.conditions import limit_note, row_phrase, share_text
from mqstat.assemble.health import breaches_text, counts_text, return_code, rules_text
from mqstat.assemble.model import Finding, FindingAt, LocalTimes, Report
from mqstat.assemble.tables import every_outcome
from mqstat.base.formatting import clean, plural, qmgr_name, subject_name
from mqstat.base.grouping import grouped_by
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT, FAILED
from mqstat.judge import run_rules, states
from mqstat.judge.model import rules
from mqstat.judge.sentences import reason_of, remedy_of, summary_of
from mqstat.judge.states import ACTIVE, BREACH, BROKEN, CLEAR, IDLE, NEEDS_FACT, NOT_COLLECTED, OFF, UNJUDGED, Row
from mqstat.sql.database import Database
from mqstat.sql.plans import HEAD_QUERIES
from mqstat.sql.plans import rows as ask_rows
from mqstat.sql.site import Site


def with_others(rule_ids: Iterable[str]) -> set[str]:
    """Rules with those that can silence or explain them."""
    chosen: set[str] = set()
    further = set(rule_ids)
    while further:
        chosen |= further
        named = (rules()[rule_id] for rule_id in further)
        further = {other for rule in named for other in (*rule.silenced_by, *rule.caused_by)} - chosen
    return chosen


def check(
    db: Database,
    site: Site | None = None,
    only: Collection[str] | None = None,
    damage_limit_pct: float = DAMAGE_LIMIT_PCT,
    fail_on: str = "warning",
    max_rc: int = FAILED,
) -> Report:
    """Run all rules (or the named ones) and collect their outcomes."""
    wanted = None if only is None else sorted(with_others(only))
    table = run_rules(db, site or db.site, wanted, then=HEAD_QUERIES)
    # Local time of the worst moment: the clock offset of the last statistics interval that began before it.
    rows = ask_rows(
        db,
        f"""
        SELECT f.*, i.interval_start_local + (f.worst_interval_utc - i.interval_start_utc) AS local
        FROM (SELECT * FROM {db.listed_findings}) AS f
        ASOF LEFT JOIN (
          SELECT lpar, qmgr, interval_start_utc, interval_start_local FROM interval_cut WHERE interval_start_local IS NOT NULL
        ) AS i ON f.lpar = i.lpar AND f.qmgr = i.qmgr AND f.worst_interval_utc >= i.interval_start_utc
        ORDER BY {order_of("overview/findings")}
        """,
    )
    requested = set(rules() if only is None else only)
    if only is not None:
        rows = [row for row in rows if row["rule_id"] in requested]
        table = table.filter(pc.is_in(table["rule_id"], pa.array(sorted(requested))))
    sources = ask_rows(db, "SELECT source_bytes, bytes_damaged, records_decoded, records_duplicate FROM source")
    code = max(return_code(table, sources, damage_limit_pct, fail_on), db.input_code)
    return findings_report(db, rows, requested, code if code == FAILED else min(code, max_rc))


def findings_report(db: Database, rows: Sequence[Row], rule_ids: Collection[str], code: int) -> Report:
    """The report of these rows of view finding, the worst first; `local` of a row is the local time of its worst moment."""
    findings = tuple(_findings(rows, _many_lpars(rows)))
    return Report(
        title="MQ findings",
        return_code=code,
        all_findings=every_outcome(db, rule_ids),
        times=LocalTimes({}),
        findings=findings,
        outcomes=tuple(rows),
        unjudged=tuple(_unjudged(rows, _many_lpars(rows))),
        summary=f"{rules_text(rule_ids)}: {breaches_text(findings)}; {counts_text(rows)}; return code {code}",
        only_findings=True,
    )


def _many_lpars(rows: Iterable[Row]) -> bool:
    return len({row["lpar"] for row in rows if row["lpar"]}) > 1


def _findings(rows: Sequence[Row], many_lpars: bool) -> Iterator[Finding]:
    """The breaches by rule and severity, in the order of their first row, then the broken rules."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["state"] == BREACH:
            groups.setdefault((row["rule_id"], row["severity"]), []).append(row)
    for (rule_id, severity), group in groups.items():
        at = tuple(FindingAt(_subject_text(row, many_lpars), _figures(row), row) for row in group)
        title, summary, remedy = rules()[rule_id].title, summary_of(group[0]), remedy_of(group[0])
        yield Finding(severity, rule_id, title, summary, remedy, "", at)
    for row in rows:
        if row["state"] == BROKEN:
            at = (FindingAt(_subject_text(row, many_lpars), "", row),)
            yield Finding(BROKEN, row["rule_id"], rules()[row["rule_id"]].title, clean(reason_of(row)), "", "", at)


def _subject_text(row: Row, many_lpars: bool) -> str:
    """Queue manager and subject as text."""
    return subject_name(row["lpar"], row["qmgr"], row["subject"], many_lpars)


def _figures(row: Row) -> str:
    """The figure of a finding with its limit, its share of the intervals and its worst moment."""
    rule = rules()[row["rule_id"]]
    parts = [row_phrase(row, rule)]
    if limit_note(row):
        parts.append(limit_note(row))
    if row["worst_interval_utc"] is not None:
        share = share_text(row, rule)
        parts.append(f"in {share}, worst {_moment(row)}" if share else f"worst {_moment(row)}")
    return ", ".join(parts)


def _moment(row: Mapping[str, Any]) -> str:
    at = row["local"] or row["worst_interval_utc"]
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}{'' if row['local'] else 'Z'}"


GAPS = 4
"""Lines about rules that were not judged; the report of all findings has every rule with its reason."""


def _unjudged(rows: Sequence[Row], many_lpars: bool) -> Iterator[str]:
    """Why rules were not judged, except of areas without enough activity and those that are switched off: a line for each gap of the data, with the number of its rules and how to close it."""
    gaps: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["state"] in UNJUDGED and row["state"] not in (ACTIVE, IDLE, OFF):
            gaps.setdefault((row["state"], _gap(row)), []).append(row)
    managers = {(row["lpar"], row["qmgr"]) for row in rows if row["qmgr"]}
    in_order = sorted(gaps.items(), key=lambda item: -len({row["rule_id"] for row in item[1]}))
    for (state, gap), own in in_order[: GAPS if len(in_order) > GAPS else None]:
        ids = sorted({row["rule_id"] for row in own})
        here = {(row["lpar"], row["qmgr"]) for row in own if row["qmgr"]}
        on = (
            f" on {', '.join(qmgr_name(*owner, many_lpars) for owner in sorted(here))}"
            if here and here < managers
            else ""
        )
        named = ", ".join(ids) if len(ids) <= FEW_RULES else plural(len(ids), "rule")
        yield f"{state}{on}: {named}: {reason_of(own[0]) if len(ids) == 1 else gap}"
    rest = {row["rule_id"] for _, own in in_order[GAPS:] for row in own} if len(in_order) > GAPS else set()
    if rest:
        yield f"not judged for {len(in_order) - GAPS} more reasons: {plural(len(rest), 'rule')}"
    if any(len({row["rule_id"] for row in own}) > FEW_RULES for own in gaps.values()) or rest:
        yield "mqstat report --report overview/findings lists every rule with the reason"


FEW_RULES = 3
"""Rules that a line names; more are counted."""


def _gap(row: Row) -> str:
    """What is missing for a rule, the same for all rules that lack it, and the command that collects or lists it."""
    if row["state"] == NEEDS_FACT:
        return "mqstat site init lists the facts"
    if row["state"] == NOT_COLLECTED and row["missing_classes"]:
        collect = f"; collect them with {row['collect_command']}" if row["collect_command"] else ""
        return f"no {' or '.join(row['missing_classes'])} records{collect}"
    return reason_of(row) if row["state"] in (NOT_COLLECTED, BROKEN) else "a later release writes what they need"


def rule_texts(rows: Iterable[Row]) -> dict[str, str]:
    """The state of every rule in a few words: in breach and where, clear, or why it was not judged; `rows` are those of view finding, the worst first."""
    rows = list(rows)
    many = _many_lpars(rows)
    texts: dict[str, str] = {}
    for rule_id, own in grouped_by(rows, lambda row: str(row["rule_id"])).items():
        state = states.worst(map(states.status_of, own))
        deciding = [row for row in own if states.status_of(row) == state]
        text = deciding[0]["state"]
        if text == BREACH:
            deciding = [row for row in own if row["state"] == BREACH]
            where = _subject_text(deciding[0], many)
            text += f": {where}" if where else ""
            text += f" and {len(deciding) - 1} more" if len(deciding) > 1 else ""
        elif text == CLEAR:
            silencers = [row["silenced_by"] for row in own if row["silenced_by"]]
            text += f" ({len(silencers)} reported by {', '.join(sorted(set(silencers)))})" if silencers else ""
        else:
            text += f": {reason_of(deciding[0])}"
        absent = [row for row in own if row["state"] in states.ABSENT and row not in deciding]
        if absent:
            managers = sorted({_subject_text({**row, "subject": None}, many) for row in absent})
            text += f"; {absent[0]['state']} on {', '.join(managers[:3])}{' and more' if len(managers) > 3 else ''}"
        texts[rule_id] = clean(text)
    return texts
