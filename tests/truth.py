"""Compares the statements of a report with the decoded tables (tests/truth_facts.py); tests/truth_words.py compares the
words of text and page.

The checker reads states, counts, figures and times from the JSON of a report (`document`), never from prose.
`contradictions` returns one sentence for each statement that does not hold.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mqstat.assemble.table_model import Table
from mqstat.base.areas import WATCHED
from mqstat.base.formatting import clean
from mqstat.base.grouping import grouped_by
from mqstat.judge.model import SEVERITIES, Rule, level_number, rules
from mqstat.parsers import LAYOUTS
from mqstat.sql import sqlfile
from mqstat.sql.schemas import quoted
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace
from tests.absence import OF_GROUPS, lacking
from tests.truth_activity import CALM, clear_contradictions, idle_contradictions
from tests.truth_facts import Facts, Judged, Manager, Row, asked, holds, judge
from tests.truth_records import record_contradictions

ORDER = (
    "broken", "critical", "warning", "partly judged", "info", "clear in part", "reported by", "clear", "not judged", "idle", "not collected",
    "not in this release", "needs a site fact", "off",
)  # fmt: skip
"""States of lines, areas and queue managers, the worst first."""

RANKS = ("critical", "warning", "info")
JUDGED = ("breach", *CALM)
"""States of rules of which something was judged."""
UNCERTAIN = dt.timedelta(seconds=2)


def contradictions(
    document: Mapping[str, Any], findings: Sequence[Row], db: Workspace, site: Site, tables: Iterable[Table]
) -> list[str]:
    """The statements of a report that the data contradicts, one sentence each.

    `findings` are the rows of decoded.finding, `tables` those that text and page show, with their marks.
    """
    facts = Facts(db)
    lines: list[str] = []
    for table in tables:
        rows = [dict(zip([c.name for c in table.columns], row, strict=True)) for row in table.rows]
        lines += [f"marks: {line}" for line in _marked(table.report_id, rows, table.marked, findings, facts, site)]
    lines += [f"idle: {line}" for line in idle_contradictions(document, findings, facts)]
    lines += [f"clear: {line}" for line in clear_contradictions(document)]
    for check in (_absences, _lacking, _judgements, _aggregates, _findings, _marks, _times):
        lines += [f"{check.__name__[1:]}: {line}" for line in check(document, findings, facts, site)]
    return lines + record_contradictions(document, db)


def states_of(document: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each rule line with each of its states by queue manager."""
    for line in document["rules"]:
        for state in line["queue_managers"]:
            yield line, state


# --- absence


def _absences(document: Mapping[str, Any], findings: Sequence[Row], facts: Facts, site: Site) -> Iterator[str]:
    """Not collected, not in this release, idle, needs a site fact: each against counts of records and values."""
    for line, state in states_of(document):
        rule, owner = rules()[line["rule_id"]], (state["lpar"], state["qmgr"])
        where = f"{rule.id} on {owner[1]}: {state['state']}"
        if state["state"] == "not collected":
            if not (state["missing_classes"] or state["missing_views"]):
                yield f"{where}, but nothing is named as missing"
            for name in state["missing_classes"]:
                if facts.records(owner, name):
                    yield f"{where}, {name} is named as missing and has {facts.records(owner, name)} records"
            for name in state["missing_views"]:
                if _rows_in(facts.db, name, owner):
                    yield f"{where}, view {name} is named as missing and has rows"
        elif state["state"] == "not in this release":
            level = facts.levels.get(owner, 0)
            if level_number(state["found_mq_level"]) != level:
                yield f"{where}, found level {state['found_mq_level']}, the records have {level}"
            if state["short_structure"]:
                yield from (f"{where}, {text}" for text in _not_short(state, owner, facts))
            elif level_number(state["needs_mq_level"]) <= level:
                yield f"{where}, needs {state['needs_mq_level']}, the records have {level}"
            for name in state["missing_columns"]:
                if _values_in(facts.db, name, owner):
                    yield f"{where}, {name} is named as missing and has values"
        elif state["state"] in ("idle", "not judged"):
            for view in rule.needed_views:
                classes = sqlfile.views()[view].classes
                if (
                    classes
                    and not any(facts.records(owner, name) for name in classes)
                    and not _rows_in(facts.db, view, owner)
                ):
                    yield f"{where}, but there is no record of {' or '.join(classes)} and no row of {view}"
        elif state["state"] == "needs a site fact":
            for name in state["missing_facts"]:
                if owner != (None, None) and site.has_facts and site.facts(*_both(owner)).get(name) is not None:
                    yield f"{where}, the site file has {name}"
    for owner in facts.managers:
        judged = {line["rule_id"] for line, state in states_of(document) if (state["lpar"], state["qmgr"]) == owner}
        lacking = {rule.id for rule in rules().values() if {"lpar", "qmgr"} <= set(rule.grain)} - judged
        if lacking:
            yield f"{owner[1]}: no state is given for {', '.join(sorted(lacking))}"


def _lacking(document: Mapping[str, Any], findings: Sequence[Row], facts: Facts, site: Site) -> Iterator[str]:
    """The rules that lack their data are those whose columns the records cannot hold, and no others; none of them is
    called idle.
    """
    derived = lacking(facts.db, site)
    for line, state in states_of(document):
        key = (state["lpar"], state["qmgr"], line["rule_id"])
        if (
            state["qmgr"] is None
            or line["rule_id"] in OF_GROUPS
            or state["state"]
            in (
                *JUDGED,
                "off",
                "broken",
                "needs a site fact",
            )
        ):
            continue
        absent = state["state"] in ("not collected", "not in this release")
        if absent != (key in derived):
            yield f"{line['rule_id']} on {state['qmgr']}: {state['state']}, and its records {'can' if absent else 'cannot'} hold what it needs"


def _not_short(state: Mapping[str, Any], owner: Manager, facts: Facts) -> Iterator[str]:
    """Whether the sections of a structure are as short as a state claims, and a field lies beyond them."""
    structure, claimed = state["short_structure"], state["short_section_bytes"]
    lengths = "SELECT max(section_bytes) AS longest FROM decoded.section WHERE lpar = $lpar AND qmgr = $qmgr AND structure = $structure"
    (row,) = facts.db.rows(lengths, {"lpar": owner[0], "qmgr": owner[1], "structure": structure})
    if row["longest"] != claimed:
        yield f"{structure} is named with {claimed} bytes and has {row['longest']}"
    if all(one.at < claimed for one in LAYOUTS[structure].named):
        yield f"no field of {structure} lies beyond {claimed} bytes"


def _both(owner: Manager) -> tuple[str, str]:
    return owner[0] or "", owner[1] or ""


def _values_in(db: Workspace, name: str, owner: Manager) -> int:
    view, _, column = name.partition(".")
    return _rows_in(db, view, owner, f"count({quoted(column)})")


def _rows_in(db: Workspace, view: str, owner: Manager, counted: str = "count(*)") -> int:
    columns = sqlfile.views()[view].columns
    conditions = [f"{name} = '{value}'" for name, value in zip(("lpar", "qmgr"), owner, strict=True) if value is not None and name in columns]  # fmt: skip
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    (row,) = asked(db, f"SELECT {counted} AS number FROM {quoted(view)}{where}")
    return int(row["number"])


# --- judgements


def _judgements(document: Mapping[str, Any], findings: Sequence[Row], facts: Facts, site: Site) -> Iterator[str]:
    """Breach and clear: counts, worst value, first and last interval of every subject, against the rows of the rule."""
    given: dict[str, list[Row]] = defaultdict(list)
    for row in findings:
        given[row["rule_id"]].append(row)
    summed: Counter[tuple[str, Manager, str]] = Counter()
    for rule in rules().values():
        mine = [row for row in given[rule.id] if row["state"] in JUDGED]
        for row in mine:
            owner = (row["lpar"], row["qmgr"])
            summed[rule.id, owner, "intervals_checked"] += row["intervals_checked"]
            summed[rule.id, owner, "intervals_breached"] += row["intervals_breached"]
            summed[rule.id, owner, "subjects"] += 1
            summed[rule.id, owner, "subjects_in_breach"] += row["state"] == "breach"
        if any(row["state"] == "broken" for row in given[rule.id]):
            continue
        subjects = judge(facts, rule, site)
        stated = {(row["lpar"], row["qmgr"], row["subject"]) for row in given[rule.id]}
        whole = {(row["lpar"], row["qmgr"]) for row in given[rule.id] if row["subject"] is None}
        for subject, judged in subjects.items():
            if judged.rows and subject not in stated and subject[:2] not in whole and (None, None) not in whole:
                yield f"{rule.id} {subject}: {len(judged.rows)} intervals can be judged, and nothing is stated"
        for row in mine:
            subject = (row["lpar"], row["qmgr"], row["subject"])
            yield from _judgement(rule, row, subjects.get(subject, Judged([], [])))
    loud = {(row["rule_id"], row["lpar"], row["qmgr"], row["subject"]) for row in findings if row["state"] == "breach"}
    for rule_id, *where in sorted(loud, key=str):
        for other in rules()[rule_id].silenced_by:
            if (other, *where) in loud:
                yield f"{rule_id} {where}: in breach together with {other}, which silences it"
    for line, state in states_of(document):
        owner = (state["lpar"], state["qmgr"])
        for name in ("intervals_checked", "intervals_breached", "subjects", "subjects_in_breach"):
            if state[name] != summed[line["rule_id"], owner, name]:
                yield f"{line['rule_id']} on {owner[1]}: {name} {state[name]}, the findings have {summed[line['rule_id'], owner, name]}"


def _judgement(rule: Rule, row: Row, judged: Judged) -> Iterator[str]:
    where = f"{rule.id} {row['qmgr']} {row['subject']}"
    counts = (len(judged.rows), len(judged.hits))
    if (row["intervals_checked"], row["intervals_breached"]) != counts:
        yield f"{where}: {row['intervals_breached']} of {row['intervals_checked']} intervals, the rule gives {counts[1]} of {counts[0]}"
        return
    if rule.judge.kind in ("any", "whole"):
        loud = row["state"] == "breach" or row["silenced_by"] is not None
        if loud != bool(judged.hits):
            yield f"{where}: {row['state']} with {len(judged.hits)} rows in breach"
    if row["state"] == "breach" and not judged.hits:
        yield f"{where}: in breach without a row in breach"
    chosen = judged.hits or judged.rows
    starts = [r["interval_start_utc"] for r in chosen if r.get("interval_start_utc")]
    if (
        row["state"] == "breach"
        and starts
        and (row["first_seen_utc"], row["last_seen_utc"]) != (min(starts), max(starts))
    ):
        yield f"{where}: seen {row['first_seen_utc']} to {row['last_seen_utc']}, the rows in breach are of {min(starts)} to {max(starts)}"
    if row["worst_interval_utc"] is not None and row["worst_interval_utc"] not in starts:
        yield f"{where}: worst at {row['worst_interval_utc']}, where no row is {'in breach' if judged.hits else 'judged'}"
    at = [
        r
        for r in chosen
        if row["worst_interval_utc"] is None or r.get("interval_start_utc") == row["worst_interval_utc"]
    ]
    yield from _deciding_clause(rule, row, chosen, at, where)


def _deciding_clause(rule: Rule, row: Row, chosen: Sequence[Row], at: Sequence[Row], where: str) -> Iterator[str]:
    """The figure that a finding shows is in its worst row, and no row of the subject is worse in the same respect."""
    clause = next((candidate for candidate in rule.clauses if candidate.id == row["clause"]), None)
    if clause is None:
        yield f"{where}: the clause {row['clause']} is not one of the rule"
        return
    if row["operator"] != clause.operator or row["measure"] != clause.measure:
        yield f"{where}: states {row['measure']} {row['operator']}, the clause has {clause.measure} {clause.operator}"
    figures = [_float(r.get(clause.shown)) for r in at]
    if row["observed"] is not None and not any(_near(row["observed"], name) for name in figures):
        yield f"{where}: observed {row['observed']}, the row has {figures}"
    if row["observed"] is None or row["limit_value"] is None or not clause.has_limit or clause.value:
        return
    if row["state"] == "breach" and not holds(clause, row["observed"], row["limit_value"]):
        yield f"{where}: in breach, but {row['observed']} {clause.operator} {row['limit_value']} does not hold"
    fixed = isinstance(clause.limit, float) or clause.limit in rule.thresholds
    if len(rule.clauses) == 1 and fixed and clause.operator in ("<", "<=", ">", ">="):
        known = [value for r in chosen if (value := _float(r.get(clause.shown))) is not None]
        extreme = (min if clause.operator[0] == "<" else max)(known, default=None)
        if extreme is not None and not _near(row["observed"], extreme):
            yield f"{where}: observed {row['observed']} is not the worst, which is {extreme}"
    limits = (
        [_float(r.get(str(clause.limit))) for r in at]
        if isinstance(clause.limit, str) and clause.limit not in rule.thresholds
        else []
    )
    if limits and not any(_near(row["limit_value"], entry) for entry in limits):
        yield f"{where}: limit {row['limit_value']}, the row has {limits}"


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def _near(first: float, second: float | None) -> bool:
    return second is not None and abs(first - second) <= 1e-9 * max(1.0, abs(first), abs(second))


# --- what is derived from states


def _worst(states: Iterable[str]) -> str | None:
    return min(states, key=ORDER.index, default=None)


def _of_area(below: Iterable[tuple[str, str]]) -> str | None:
    """The worst state of rules. Without a finding it is the worst of those that are watched and judged; without one of
    these, that of the rules that were not judged.
    """
    below = list(below)
    worst = _worst(state for _, state in below)
    if worst not in CALM or len({rule_id for rule_id, _ in below}) == 1:
        return worst
    sure = [state for rule_id, state in below if state in CALM and rule_id in WATCHED[rules()[rule_id].area]]
    return _worst(sure) or _worst(state for _, state in below if state not in CALM) or worst


def _shown(state: Mapping[str, Any]) -> str:
    return str(state["severity"]) if state["state"] == "breach" else str(state["state"])


def _aggregates(document: Mapping[str, Any], findings: Sequence[Row], facts: Facts, site: Site) -> Iterator[str]:
    """Lines, areas, tiles, queue managers and the report have the worst of the states below them; counts are sums."""
    by_area: dict[str, list[tuple[str, str]]] = defaultdict(list)
    by_tile: dict[tuple[str, Manager], list[tuple[str, str]]] = defaultdict(list)
    by_manager: dict[Manager, Counter[str]] = defaultdict(Counter)
    severities: dict[Manager, list[str]] = defaultdict(list)
    for line in document["rules"]:
        below = [_shown(state) for state in line["queue_managers"]]
        if below and line["state"] != _worst(below):
            yield f"rule {line['rule_id']} is {line['state']}, its queue managers are {sorted(set(below))}"
        by_area[line["area"]] += [(line["rule_id"], state) for state in below]
        for state in line["queue_managers"]:
            owner = (state["lpar"], state["qmgr"])
            by_tile[line["area"], owner].append((line["rule_id"], _shown(state)))
            by_manager[owner][state["state"]] += 1
            severities[owner].append(_shown(state))
    for area in document["verdict"]:
        if area["state"] != _of_area(by_area[area["rule_area"]]):
            yield f"area {area['rule_area']} is {area['state']}, its rules are {sorted(set(by_area[area['rule_area']]))}"
    # An area of rules that are all off by default has no line until a site gives their facts.
    always = {rule.area for rule in rules().values() if rule.default_on}
    unasked = {
        area
        for area, below in by_area.items()
        if area not in always and {state for _, state in below} == {"needs a site fact"}
    }
    listed = {area["rule_area"] for area in document["verdict"]}
    missing = {area for area, below in by_area.items() if below} - listed - unasked
    if missing or unasked & listed:
        yield f"areas without a line: {sorted(missing)}; areas that nobody asked for: {sorted(unasked & listed)}"
    tiled = {tile["area"] for tile in document["tiles"]}
    if tiled != {area for area, below in by_area.items() if below} - unasked:
        yield f"tiles of {sorted(tiled)}, rules of {sorted(by_area)}, of which nobody asked for {sorted(unasked)}"
    for tile in document["tiles"]:
        of_tile = by_tile[tile["area"], (tile["lpar"], tile["qmgr"])]
        if tile["state"] != _of_area(of_tile):
            yield f"tile {tile['area']} of {tile['qmgr']} is {tile['state']}, its rules are {sorted(set(of_tile))}"
    stated = {(manager["lpar"], manager["qmgr"]) for manager in document["queue_managers"]}
    if stated != set(facts.managers):
        yield f"queue managers {sorted(stated, key=str)}, the records have {facts.managers}"
    for manager in document["queue_managers"]:
        owner = (manager["lpar"], manager["qmgr"])
        counts = by_manager[owner]
        judged = sum(counts[name] for name in JUDGED)
        if (manager["judged"], manager["rules"]) != (judged, sum(counts.values())):
            yield f"{owner[1]}: {manager['judged']} of {manager['rules']} rules judged, its states give {judged} of {sum(counts.values())}"
        if dict(manager["counts"]) != {name: count for name, count in counts.items() if count}:
            yield f"{owner[1]}: counts {manager['counts']}, its states give {dict(counts)}"
        numbers = [int(number) for number in re.findall(r"\d+", re.sub(r"\([^)]*\)", "", manager["text"]))]
        if any(number not in (*counts.values(), judged, sum(counts.values())) for number in numbers):
            yield f"{owner[1]}: {manager['text']!r} has a number that is not one of {dict(counts)}"
        health = [state["state"] for line, state in states_of(document)
                  if (state["lpar"], state["qmgr"]) == owner and line["area"] not in ("data_quality", "coverage")]  # fmt: skip
        seen = sum(state in (*JUDGED, "not judged", "idle") for state in health)
        hardly = not set(JUDGED) & set(health) or health.count("not collected") > seen
        worst = _worst(severities[owner])
        expected = "partly judged" if hardly and worst not in ("critical", "warning", "broken") else worst
        if manager["state"] != (expected or "partly judged"):
            yield f"{owner[1]} is {manager['state']}, its rules are {sorted(set(severities[owner]))}, which makes {expected}"
    yield from _return_code(document, findings)


def _return_code(document: Mapping[str, Any], findings: Sequence[Row]) -> Iterator[str]:
    loud = {row["severity"] for row in findings if row["state"] == "breach"}
    code = document["return_code"]
    damaged = sum(source["bytes_damaged"] or 0 for source in document["sources"])
    if any(row["state"] == "broken" for row in findings):
        expected = {16}
    elif "critical" in loud:
        expected = {8, 12} if damaged else {8}
    elif "warning" in loud:
        expected = {4, 12} if damaged else {4}
    else:
        expected = {4, 12} if damaged else {0}
    if code not in expected:
        yield f"return code {code} with findings of {sorted(loud)} and {damaged} damaged bytes"


# --- findings


def _findings(document: Mapping[str, Any], findings: Sequence[Row], facts: Facts, site: Site) -> Iterator[str]:
    """Each subject in breach is listed exactly once, the worst first; the printed figure and limit are those of the
    data.
    """
    stated: Counter[tuple[Any, ...]] = Counter()
    for finding in document["findings"]:
        for subject in finding["subjects"]:
            stated[finding["rule_id"], subject["lpar"], subject["qmgr"], subject["subject"]] += 1
            if subject["state"] == "breach" and SEVERITIES.index(subject["severity"]) < SEVERITIES.index(
                finding["severity"]
            ):
                yield f"{finding['rule_id']}: {subject['subject']} is {subject['severity']} in a finding that is {finding['severity']}"
            yield from _printed(finding["rule_id"], subject)
    real = Counter(
        (row["rule_id"], row["lpar"], row["qmgr"], row["subject"])
        for row in findings
        if row["state"] in ("breach", "broken")
    )
    if stated != real:
        yield f"listed and not in breach: {sorted((stated - real).elements(), key=str)}; in breach and not listed: {sorted((real - stated).elements(), key=str)}"
    by_rule = grouped_by(findings, lambda row: row["rule_id"])
    for line in document["rules"]:
        of_rule = by_rule.get(line["rule_id"], [])
        breaches = [row for row in of_rule if row["state"] == "breach"]
        if line["places"] != len(breaches):
            yield f"{line['rule_id']}: {line['places']} subjects in breach, there are {len(breaches)}"
        if (
            breaches
            and line["state"] != min((row["severity"] for row in breaches), key=RANKS.index)
            and line["state"] != "broken"
        ):
            yield f"{line['rule_id']} is {line['state']} with breaches of {sorted({row['severity'] for row in breaches})}"
        yield from _line_figure(line, of_rule)


_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def _read(text: str) -> float | None:
    """The first number of a printed figure."""
    match = _NUMBER.search(text)
    return float(match[0].replace(",", "")) if match else None


def _printed(rule_id: str, row: Row) -> Iterator[str]:
    """The printed figure of a subject: its number is the rounded number of the data."""
    numbers = [float(number.replace(",", "")) for number in _NUMBER.findall(row["figure"])]
    if numbers and row["observed"] is not None and not any(_rounds_to(row["observed"], number) for number in numbers):
        yield f"{rule_id} {row['subject']}: prints {row['figure']!r} for {row['observed']}"
    match = re.search(r"(\d[\d,]*) of (\d[\d,]*) intervals?", row["figure"])
    if match and (int(match[1].replace(",", "")), int(match[2].replace(",", ""))) != (
        row["intervals_breached"],
        row["intervals_checked"],
    ):
        yield f"{rule_id} {row['subject']}: prints {match[0]}, the data has {row['intervals_breached']} of {row['intervals_checked']}"


def _rounds_to(exact: float, shown: float) -> bool:
    """Whether a printed number is the exact one to three digits or more, whatever its unit was scaled by."""
    return any(
        abs(exact / scale - shown) <= max(0.006 * abs(exact / scale), 0.051)
        for scale in (1, 60, 1e3, 1024, 1e6, 1024**2, 3600, 86400)
    )


def _line_figure(line: Mapping[str, Any], rows: Sequence[Row]) -> Iterator[str]:
    """The value and limit of a line belong to one judged subject, in breach where one is; their relation is that of the
    clause.
    """
    value, limit = _read(line["value"]), _read(line["limit"])
    if not line["value"] or value is None or line["state"] == "broken":
        return
    state = "breach" if line["state"] in RANKS else line["state"]
    mine = [row for row in rows if row["state"] == state and row["observed"] is not None]
    fit = [row for row in mine if _rounds_to(row["observed"], value) and clean(row["subject"] or "") in line["where"]]
    if mine and not fit:
        yield f"{line['rule_id']} prints {line['value']} for {line['where']!r}, the subjects have {[(row['subject'], row['observed']) for row in mine][:5]}"
    if fit and state == "breach" and limit is not None:
        within = [row for row in fit if row["limit_value"] is not None and _rounds_to(row["limit_value"], limit)]
        if not within:
            yield f"{line['rule_id']} prints the limit {line['limit']}, the data has {[row['limit_value'] for row in fit]}"
        for row in within:
            operator = row["operator"]
            alike = operator in ("<", ">") and _unit(line["value"]) == _unit(line["limit"])
            if alike and not (value < limit if operator == "<" else value > limit):
                yield f"{line['rule_id']} prints {line['value']} {operator} {line['limit']}, which does not hold as printed"


def _unit(text: str) -> str:
    return _NUMBER.sub("", text).strip()


# --- marks


def _marks(document: Mapping[str, Any], findings: Sequence[Row], facts: Facts, site: Site) -> Iterator[str]:
    """The marks of the reports in the JSON, where it has them as a column."""
    for name, table in document["reports"].items():
        columns = [column["name"] for column in table["columns"]]
        if "in_breach" in columns:
            rows = [dict(zip(columns, row, strict=True)) for row in table["rows"]]
            yield from _marked(name, rows, [row["in_breach"] for row in rows], findings, facts, site)
            for row in rows:
                if bool(row["in_breach"]) != bool(row.get("breach_rules")):
                    yield f"{name}: in_breach {row['in_breach']} with the rules {row.get('breach_rules')!r}"


def _marked(
    name: str, rows: Sequence[Row], marked: Sequence[bool], findings: Sequence[Row], facts: Facts, site: Site
) -> Iterator[str]:
    """A row of a report is marked exactly where a rule that the report names is in breach in that row."""
    broken: list[tuple[Row, Rule]] = []
    grain = set(sqlfile.reports()[name].header.get("grain", ()))
    for rule_id in sqlfile.reports()[name].header.get("rules", ()):
        hit = {
            (row["lpar"], row["qmgr"], row["subject"])
            for row in findings
            if row["rule_id"] == rule_id and row["state"] == "breach"
        }
        if hit:
            rule = rules()[rule_id]
            broken += [
                (row, rule) for key, judged in judge(facts, rule, site).items() if key in hit for row in judged.hits
            ]
    for row, mark in zip(rows, marked, strict=True):
        shown = {key: str(value) for key, value in list(row.items())[:8]}
        if mark and not any(_same(row, other, rule) for other, rule in broken):
            yield f"{name}: the row {shown} is marked, and no rule of the report is in breach there"
        if not mark and any(_same(row, other, rule) for other, rule in broken if set(rule.row_key) == grain):
            yield f"{name}: the row {shown} is in breach and not marked"


def _text(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.datetime) else value


def _same(row: Row, other: Row, rule: Rule) -> bool:
    """Whether a row of a report is that row of a rule: nothing that identifies a row of the rule differs."""
    return all(key in row and _text(row[key]) == _text(other.get(key)) for key in rule.row_key)


# --- times


def _times(document: Mapping[str, Any], findings: Sequence[Row], facts: Facts, site: Site) -> Iterator[str]:
    """Every time of a finding lies in the data of its queue manager; a local time is the worst interval at an offset of
    that queue manager.
    """
    for row in findings:
        owner = (row["lpar"], row["qmgr"])
        if owner not in facts.period or row["rule_id"] in OF_GROUPS:
            continue  # the hours in which a member has no data are those of the others
        first, last = facts.period[owner]
        for name in ("worst_interval_utc", "first_seen_utc", "last_seen_utc"):
            if row[name] is not None and not first - UNCERTAIN <= row[name] <= last + UNCERTAIN:
                yield f"{row['rule_id']} {owner[1]}: {name} {row[name]} is outside the data, {first} to {last}"
    for finding in document["findings"]:
        for subject in finding["subjects"]:
            printed = re.search(r"worst (?:\d{4}-\d\d-\d\d )?(\d\d:\d\d)", subject["figure"])
            offsets = facts.offsets[subject["lpar"], subject["qmgr"]]
            if printed and subject["worst_interval_utc"] and offsets:
                worst = dt.datetime.fromisoformat(subject["worst_interval_utc"])
                if printed[1] not in _local_texts(worst, offsets):
                    yield f"{finding['rule_id']} {subject['qmgr']}: prints {printed[0]}, the worst interval is {worst} GMT, offsets {sorted(offsets)}"
    by_rule = grouped_by((row for row in findings if row["worst_interval_utc"] is not None), lambda row: row["rule_id"])
    for line in document["rules"]:
        if not line["when"]:
            continue
        mine = by_rule.get(line["rule_id"], [])
        texts = {
            text
            for row in mine
            for text in _local_texts(row["worst_interval_utc"], facts.offsets[row["lpar"], row["qmgr"]])
        }
        if texts and not any(line["when"].startswith(text) or text in line["when"] for text in texts):
            yield f"{line['rule_id']}: the time {line['when']} is no worst interval; those are {sorted(texts)[:6]}"


def _local_texts(utc: dt.datetime, offsets: Iterable[int]) -> Iterator[str]:
    for minutes in offsets or [0]:
        yield f"{utc + dt.timedelta(minutes=minutes):%H:%M}"


# --- the words of the formats


def parsed(text: str) -> dict[str, Any]:
    """The JSON of a report."""
    document: dict[str, Any] = json.loads(text)
    return document
