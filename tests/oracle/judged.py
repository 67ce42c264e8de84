"""The judgement of rules: counts, shares, runs, worst row, severity and distance, from the rows that the SELECT of a
rule returns.

Sources: the header of the rule (condition, limits, guards, how it judges), the catalogue (rules.csv: judge, excludes,
thresholds; guards G1, G2), and the descriptions of the columns of view finding.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import Template
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.causes import add_causes
from tests.oracle.formulas import SECOND, groups, judgeable, known
from tests.oracle.rule_headers import LOWER, SEVERITIES, Clause, Condition, Rule, plural, rules
from tests.oracle.shares import Shares

OUTCOMES = {"breach": "breach", "clear": "clear", "clear in part": "partial", "reported by": "reported"}


@dataclass
class Judged:
    """A row with what it is: in breach, clear or not judged, the way that decides it, and its place among the rows of
    the subject.
    """

    row: Row
    breach: bool | None
    verdict: bool | None
    way: int
    order: tuple[Any, ...]


def _last(value: Any) -> tuple[bool, Any]:
    """Sorts nulls last."""
    return value is None, 0 if value is None else value


def judged_row(rule: Rule, row: Row, damaged: set[int]) -> Judged:
    """Catalogue, guards: G1 leaves out fragments, G2 those with a start; rows of damaged records do not count."""
    holds = {name: clause.holds(row) for name, clause in rule.clauses.items()}
    parts = [False if False in (h := [holds[n] for n in way]) else None if None in h else True for way in rule.ways]
    breach = (True if True in parts else None if None in parts else False) if row["judged_when"] else None
    guards = rule.header.get("guards", ())
    out = row["min_activity"] is not True
    out |= "G1" in guards and row.get("interval_seconds") is not None and not judgeable(row)
    out |= "G2" in guards and bool(row.get("startup_interval") or row.get("suspect_first"))
    out |= rule.header["judge"] != "whole period" and row.get("record_id") in damaged
    verdict = None if out else breach
    way, near = 0, 0.0
    if len(rule.ways) > 1:
        full = [all(holds[name] for name in combination) for combination in rule.ways]
        shares = [rule.clauses[combination[0]].near(row) for combination in rule.ways]
        way = full.index(True) if any(full) else shares.index(max(shares))
        near = 0.0 if any(full) else max(shares)
    lead = rule.clauses[rule.ways[way][0]]
    figure = lead.value(row)
    worse = None if figure is None else float(figure) if rule.low(lead) else -float(figure)
    values = [
        *(clause.value(row) for clause in rule.clauses.values()),
        *(clause.main.limit_of(row) for clause in rule.clauses.values()),
    ]
    order = (not verdict, way if verdict else 0, -near, _last(worse), _last(row.get("interval_start_utc")), _last(row.get("record_id")), way,
             *(_last(None if v is None else float(v)) for v in values), *(bool(h) for h in holds.values()))  # fmt: skip
    return Judged(row, breach, verdict, way, order)


def longest_run(rows: list[Judged]) -> int:
    """Slots in breach one after the other: intervals of five minutes (less 5 % for timers), or the shorter ones whose
    middle is in the same five minutes from the first of them; two seconds between two are a hole.
    """
    slots: list[dict[str, Any]] = []
    begin = end = -math.inf
    passed, was_short = 0.0, False
    for (start,), same in sorted(groups([{**r.row, "hit": r.verdict} for r in rows], "interval_start_utc").items()):
        seconds = max(row["interval_seconds"] for row in same)
        short = seconds < 285
        hole = start - end > 2 * SECOND
        if hole or not (short and was_short):
            begin, passed = start, 0.0
        number = math.floor((passed + seconds / 2) / 300)
        if not slots or (slots[-1]["begin"], slots[-1]["number"]) != (begin, number):
            slots.append({"begin": begin, "number": number, "hole": hole, "long": 0.0, "bad": 0.0})
        slots[-1]["long"] += seconds
        slots[-1]["bad"] += seconds * any(row["hit"] for row in same)
        passed, was_short, end = passed + seconds, short, start + round(seconds * 1e6)
    best = run = 0
    for slot in slots:
        run = 0 if slot["hole"] else run
        hit = 2 * slot["bad"] > slot["long"]
        run = run + (slot["long"] >= 285) if hit else 0
        best = max(best, run)
    return best


def margin(table: dict[str, Any]) -> float:
    """Percent by which a limit of our own may be exceeded: 10; of a count below 10 nothing, of a share above 50 % the
    same part of what is above it.
    """
    if table["kind"] != "judgement" or not table["value"] or "margin_pct" in table:
        return 0.0
    if table["unit"] in ("count", "buffers") and abs(table["value"]) < 10:
        return 0.0
    if table["unit"] == "percent" and 50 < table["value"] < 100:
        return float(10 * (100 - table["value"]) / table["value"])
    return 10.0


def distance(main: Condition, value: Any, limit: Any) -> float | None:
    if main.limit is None or main.operator == "=":
        return 1.0
    if value is None or limit is None:
        return None
    if limit <= 0:
        return float(1 + abs(value - limit))
    return float(min(100.0, limit / value if value > 0 else 100.0) if main.operator in LOWER else value / limit)


def _number(value: Any) -> float | None:
    return None if value is None else float(value) + 0.0


def _printed(value: Any) -> float | None:
    """A figure with 12 significant digits: the others depend on the order of adding."""
    return None if value is None else float(f"{float(value):.12g}") + 0.0


def _about(rule: Rule, clause: Clause) -> Row:
    """The columns of a finding about its deciding condition: measure, unit, who gives the limit."""
    header, limit = rule.header, clause.main.limit
    own = header.get("threshold", {}).get(limit) if isinstance(limit, str) else None
    unit = header.get("unit") or next(iter(header.get("threshold", {}).values()))["unit"]
    if own:
        unit = own["unit"]
    elif clause.main.column != "observed":
        unit = "count" if limit is not None or clause.shown else "flag"
    kind = own["kind"] if own else header["source"].get("kind", "")
    cite = (own or {}).get("cite") or header["source"]["cite"]
    measure = plural(clause.given["measure"])
    return {
        "clause": clause.id, "measure": measure, "operator": clause.main.operator, "limit_unit": clause.given.get("unit", unit), "limit_kind": kind,
        "rule_source": f"{cite} ({kind})",
    }  # fmt: skip


def _shown(rule: Rule, row: Row, way: int) -> str:
    """All conditions of the combination that decides, as JSON."""
    parts = []
    for number, name in enumerate(rule.ways[way]):
        clause = rule.clauses[name]
        about = _about(rule, clause)
        parts.append({
            "clause": name, "measure": about["measure"], "operator": about["operator"], "observed": _printed(clause.value(row)),
            "limit": _printed(clause.main.limit_of(row)), "unit": about["limit_unit"], "holds": bool(clause.holds(row)), "decides": number == 0,
        })  # fmt: skip
    return json.dumps(parts)


def _is_near(rule: Rule, row: Row, way: int) -> bool:
    lead = rule.clauses[rule.ways[way][0]]
    own = rule.header.get("threshold", {}).get(lead.main.limit) if isinstance(lead.main.limit, str) else None
    far = distance(lead.main, lead.value(row), lead.main.limit_of(row))
    return bool(own and far is not None and far < 1 + margin(own) / 100)


@dataclass
class Subject:
    """The judged rows of one subject, and what they amount to."""

    rule: Rule
    rows: list[Judged]

    def __post_init__(self) -> None:
        self.judged = [each for each in self.rows if each.verdict is not None]
        self.hits = [each for each in self.judged if each.verdict]
        self.worst = min(self.judged, key=lambda each: each.order, default=None)

    @property
    def share(self) -> float:
        weight = self.rule.header.get("weighted_by")
        if weight:
            whole = math.fsum(known(float(each.row[weight]) for each in self.judged if each.row[weight] is not None))
            if whole:
                return (
                    100
                    * math.fsum(float(each.row[weight]) for each in self.hits if each.row[weight] is not None)
                    / whole
                )
        return 100 * len(self.hits) / len(self.judged)

    @property
    def is_hit(self) -> bool:
        judge = self.rule.header["judge"]
        if judge.startswith("share"):
            return bool(self.hits) and self.share >= float(judge.split()[2])
        if judge.endswith("consecutive"):
            return bool(self.hits) and longest_run(self.rows) >= int(judge.split()[0])
        return bool(self.hits)

    @property
    def too_few(self) -> bool:
        header = self.rule.header
        if not re.match(r"share|\d+ consecutive", header["judge"]) or len(self.judged) >= 4:
            return False
        weights = known(each.row[header["weighted_by"]] for each in self.judged) if "weighted_by" in header else []
        return not ("weighted_by" in header and sum(weights) >= header["weighted_min"])


def _finding(subject: Subject) -> Row:
    """The columns of a subject that was judged, apart from other rules."""
    rule, worst = subject.rule, subject.worst
    assert worst is not None
    header, row, is_hit = rule.header, worst.row, subject.is_hit
    lead = rule.clauses[rule.ways[worst.way][0]]
    starts = known(each.row.get("interval_start_utc") for each in subject.hits)
    ranks = [SEVERITIES.index(each.row["severity"]) for each in subject.hits if each.row.get("severity") in SEVERITIES]
    severity = SEVERITIES[min(ranks)] if ranks else header["severity"]
    too_few = is_hit and subject.too_few
    return {
        "lpar": row.get("lpar"), "qmgr": row.get("qmgr"), "subject": row["subject"], "rule_id": header["id"], "rule_name": header["name"], "rule_area": rule.area,
        "weight": header["weight"], "report": header["advice"]["report"], **_about(rule, lead), "observed": _number(lead.value(row)),
        "limit_value": _number(lead.main.limit_of(row)), "clauses": _shown(rule, row, worst.way),
        "intervals_checked": len(subject.judged), "intervals_breached": len(subject.hits), "breached_pct": subject.share,
        "worst_interval_utc": row.get("interval_start_utc"), "first_seen_utc": min(starts, default=None), "last_seen_utc": max(starts, default=None),
        "evidence_record_id": row.get("record_id"), "too_few_intervals": too_few, "within_margin": False, "distance": None, "silenced_by": None,
        "state": "breach" if is_hit else "clear",
        "severity": "info" if too_few else severity,
        "clear_because": None if is_hit else header["judge"].split()[0 if header["judge"].startswith("share") else 1] if subject.hits else "condition" if lead.holds(row) else None,
    }  # fmt: skip


def _in_breach(subject: Subject, out: Row) -> None:
    """Distance and margin of a finding that no stronger rule silences."""
    rule, worst = subject.rule, subject.worst
    assert worst is not None
    lead = rule.clauses[rule.ways[worst.way][0]]
    out["distance"] = distance(lead.main, out["observed"], out["limit_value"])
    holding = [way for way, names in enumerate(rule.ways) if all(rule.clauses[name].holds(worst.row) for name in names)]
    near = [_is_near(rule, worst.row, way) for way in sorted(holding, key=lambda way: (way != worst.way, way))]
    if near and near[0] and out["severity"] != "info":
        out["within_margin"] = all(near)
        out["severity"] = "info" if all(near) else rule.header["severity"]


def _subjects(data: Data, rule: Rule, damaged: set[int]) -> Iterator[Subject]:
    header = rule.header
    texts = [f"({header.get(name, 'true')}) AS {name}" for name in ("min_activity", "judged_when")]
    query = f"SELECT *, {', '.join(texts)} FROM ({rule.body})"
    rows = data.asked(Template(query).safe_substitute({name: repr(value) for name, value in rule.limits.items()}))
    rows = [{"lpar": None, "qmgr": None, **rule.limits, **row} for row in rows]
    for members in groups(rows, "lpar qmgr subject").values():
        yield Subject(rule, [judged_row(rule, row, damaged) for row in members])


def _has_facts(data: Data, rule: Rule, place: tuple[Any, Any]) -> bool:
    """Whether the site file gives every fact that a rule needs."""
    needed = [name.partition(".")[2] for name in rule.header.get("needs", ()) if name.startswith("site_input.")]
    facts = data.by("decoded.site_input", "lpar", "qmgr").get(place, {})
    return all(facts.get(name) is not None for name in needed)


@view("finding", "rule_id lpar qmgr subject")
def finding(data: Data) -> list[Row]:
    """A subject without a figure other than 0 is not judged where all counters of the area are 0."""
    damaged = {row["record_id"] for row in data.every("record") if row["damage"] is not None}
    offsets = {row["record_id"]: row for row in data.every("record")}
    counters: dict[tuple[Any, ...], list[Any]] = {}
    for row in data.view("area_activity"):
        if row["is_collected"]:
            counters.setdefault((row["lpar"], row["qmgr"], row["area"]), []).append(row["activity_value"])
    found: dict[tuple[Any, ...], tuple[Subject, Row]] = {}
    for rule in rules().values():
        if rule.header.get("default_on", True) is False and not any(
            name.startswith("site_input.") for name in rule.header.get("needs", ())
        ):
            continue
        for subject in _subjects(data, rule, damaged):
            if subject.worst is None:
                continue
            out = _finding(subject)
            here = counters.get((out["lpar"], out["qmgr"], rule.area), [])
            figures = [clause.value(subject.worst.row) for clause in rule.clauses.values()]
            idle = bool(here) and not any(here) and not subject.hits and not any(figures)
            if not idle and _has_facts(data, rule, (out["lpar"], out["qmgr"])):
                found[out["rule_id"], out["lpar"], out["qmgr"], out["subject"]] = (subject, out)
    loud: dict[tuple[Any, ...], str | None] = {}

    def silenced(key: tuple[Any, ...]) -> str | None:
        """The stronger rule that is itself in breach on the same subject."""
        if key not in loud:
            loud[key] = None
            others = rules()[key[0]].header.get("silenced_by", ())
            loud[key] = next(
                (
                    o
                    for o in others
                    if (o, *key[1:]) in found
                    and found[o, *key[1:]][1]["state"] == "breach"
                    and silenced((o, *key[1:])) is None
                ),
                None,
            )
        return loud[key]

    shares = Shares(data)
    quiet = {key: silenced(key) for key, (_, out) in found.items() if out["state"] == "breach"}
    for key, (subject, out) in found.items():
        hit = out["state"] == "breach"
        record = offsets.get(out["evidence_record_id"]) if hit else None
        own = subject.worst.row.get("evidence_offset") if subject.worst and hit else None
        out["evidence_source_id"] = (
            record["source_id"] if record else subject.worst.row.get("source_id") if subject.worst and hit else None
        )
        out["evidence_offset"] = own if own is not None or record is None else record["source_offset"]
        out.update(shares.of(subject.rule, (out["lpar"], out["qmgr"])))
        is_part = out.pop("is_part")
        if hit and quiet[key] is not None:
            out |= {"state": "reported by", "clear_because": "silenced", "silenced_by": quiet[key]}
        elif hit:
            _in_breach(subject, out)
        elif is_part:
            out["state"] = "clear in part"
        out |= {"outcome": OUTCOMES[out["state"]], "caused_by": None, "culprits": None, "victims": None}
    add_causes(data, {key: (subject, out) for key, (subject, out) in found.items() if out["state"] == "breach"})
    return [out for _, out in found.values()]
