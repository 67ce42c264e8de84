"""Findings as cards of a page: one for each rule and severity, with its subjects, worst intervals and evidence; symptoms inside causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mqstat.assemble.conditions import condition, limit_note, row_condition, share_text
from mqstat.assemble.model import Finding, FindingAt, Report, WorstInterval
from mqstat.base.formatting import clean
from mqstat.judge.model import rules
from mqstat.judge.states import BROKEN
from mqstat.render.html.states import report_anchor

LISTED_SUBJECTS = 12
"""Listed subjects of one finding; the rest is counted."""

WORST = 5
"""Worst intervals in the line of the first subject."""


def cards(report: Report) -> list[dict[str, Any]]:
    """The findings in the order of the report, each with those that it explains in `symptoms`."""
    known: set[str] = set()
    roots: list[dict[str, Any]] = []
    path: list[dict[str, Any]] = []
    for finding in report.findings:
        anchor = f"finding-{finding.rule_id}"
        if anchor in known:
            anchor += f"-{finding.severity}"
        known.add(anchor)
        card = _card(finding, anchor, report)
        del path[finding.depth :]
        (path[-1]["symptoms"] if path else roots).append(card)
        path.append(card)
    return roots


def anchors(cards: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The anchor of the first card of each rule."""
    result: dict[str, str] = {}
    for card in cards:
        for rule_id, anchor in [(card["rule_id"], card["anchor"]), *anchors(card["symptoms"]).items()]:
            result.setdefault(rule_id, anchor)
    return result


def _card(finding: Finding, anchor: str, report: Report) -> dict[str, Any]:
    row = finding.row
    if finding.severity == BROKEN:
        return {
            "anchor": anchor, "rule_id": finding.rule_id, "state": BROKEN, "title": finding.title, "summary": finding.summary, "remedy": "",
            "source": finding.facts, "report": "", "report_anchor": "", "measure": "", "subjects": [], "timed": False, "more": 0, "limits": [],
            "worst": [], "evidence": [], "sql": "", "symptoms": [], "depth": finding.depth, "rating": "",
        }  # fmt: skip
    shown = finding.subjects[:LISTED_SUBJECTS]
    return {
        "anchor": anchor,
        "rule_id": finding.rule_id,
        "state": finding.severity,
        "title": finding.title,
        "summary": finding.summary,
        "remedy": finding.remedy,
        "source": row["rule_source"],
        "report": row["report"] or "",
        "report_anchor": report_anchor(row["report"]) if row["report"] in _present(report) else "",
        "measure": row["measure"],
        "subjects": [_subject_line(subject, report) for subject in shown],
        "timed": any(subject.row["worst_interval_utc"] for subject in shown),
        "more": len(finding.subjects) - len(shown),
        "limits": sorted({_site_limit(subject) for subject in finding.subjects} - {""}),
        "worst": _worst(finding.subjects[0], report)[:WORST] if row["intervals_checked"] > 1 else [],
        "evidence": [line for subject in shown for line in _evidence(subject, report)],
        "sql": row["sql"] or "",
        "symptoms": [],
        "depth": finding.depth,
        "rating": finding.rating,
    }


def _present(report: Report) -> set[str]:
    """The reports that the page contains."""
    tables = report.tables if report.page is None else (*report.page.tables, *report.page.empty)
    return {table.report_id for table in tables}


def _subject_line(finding: FindingAt, report: Report) -> dict[str, str]:
    row = finding.row
    here = (row["lpar"], row["qmgr"])
    moments = {
        name: report.times.text(*here, row[column]) if row["worst_interval_utc"] else ""
        for name, column in (("worst", "worst_interval_utc"), ("first", "first_seen_utc"), ("last", "last_seen_utc"))
    }
    share = share_text(row, rules()[row["rule_id"]], noun=False) if row["worst_interval_utc"] else ""
    measure, observed, limit = row_condition(row, rules()[row["rule_id"]])
    return {
        "where": finding.location,
        "observed": observed or measure,
        "limit": limit,
        "share": share,
        **moments,
    }


def _site_limit(finding: FindingAt) -> str:
    """The limit from the site file, with the default of the rule."""
    note = limit_note(finding.row)
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def _key(finding: FindingAt) -> tuple[str, str | None, str | None, str | None]:
    row = finding.row
    return row["rule_id"], row["lpar"], row["qmgr"], row["subject"]


def _worst(finding: FindingAt, report: Report) -> list[dict[str, str]]:
    """The worst intervals of a finding: when, and the figure."""
    if report.page is None:
        return []
    row = finding.row
    return [
        {
            "when": report.times.text(row["lpar"], row["qmgr"], interval.at_utc),
            **_figures(row, interval),
            "source": clean(interval.source_name or ""),
            "offset": "" if interval.offset is None else str(interval.offset),
        }
        for interval in report.page.worst.get(_key(finding), ())
    ]


def _figures(row: Mapping[str, Any], interval: WorstInterval) -> dict[str, str]:
    """Figure and limit of one of the worst intervals."""
    clause = rules()[row["rule_id"]].clause(row["clause"])
    observed, limit = condition(clause, interval.observed, interval.limit, True)
    return {"observed": observed, "limit": limit}


def _evidence(finding: FindingAt, report: Report) -> list[dict[str, str]]:
    """Where the input contains the figures of a finding: its worst intervals, else the record of the worst value."""
    intervals = _worst(finding, report)
    row = finding.row
    if not intervals and row["evidence_offset"] is not None:
        sources = () if report.page is None else report.sources
        names = {source["source_id"]: source["source_name"] for source in sources}
        line = _subject_line(finding, report)
        source = clean(names.get(row["evidence_source_id"]) or "input")
        intervals = [{**line, "when": line["worst"], "source": source, "offset": str(row["evidence_offset"])}]
    return [
        {**interval, "where": finding.location} for interval in intervals if interval["source"] or interval["offset"]
    ]
