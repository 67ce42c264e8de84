"""Findings as cards of a page: one for each rule and severity, with its places, its worst intervals and its evidence; symptoms inside causes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from mqstat.render.html.states import report_anchor
from mqstat.render.model import Finding, Report
from mqstat.render.words import figure
from mqstat.rules.engine import clean
from mqstat.rules.model import rules

PLACES = 12
"""Places of one finding that are listed; the rest is counted."""

WORST = 5
"""Worst intervals that stand in the line of the first place."""


def cards(report: Report) -> list[dict[str, Any]]:
    """The findings in the order of the report, each with those that it explains in `symptoms`."""
    known: set[str] = set()
    roots: list[dict[str, Any]] = []
    path: list[dict[str, Any]] = []
    for (depth, severity, rule_id), grouped in groupby(
        report.findings, lambda finding: (finding.depth, finding.severity, finding.rule_id)
    ):
        anchor = f"finding-{rule_id}"
        if anchor in known:
            anchor += f"-{severity}"
        while anchor in known:  # the same rule and severity told twice
            anchor += "-more"
        known.add(anchor)
        card = _card(list(grouped), anchor, report)
        del path[depth:]
        (path[-1]["symptoms"] if path else roots).append(card)
        path.append(card)
    return roots


def anchors(found: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Where the first card of each rule stands."""
    result: dict[str, str] = {}
    for card in found:
        for rule_id, anchor in [(card["rule_id"], card["anchor"]), *anchors(card["symptoms"]).items()]:
            result.setdefault(rule_id, anchor)
    return result


def _card(found: list[Finding], anchor: str, report: Report) -> dict[str, Any]:
    first = found[0]
    row = first.row
    if first.severity == "broken":
        return {
            "anchor": anchor, "rule_id": first.rule_id, "state": "broken", "title": first.title, "say": str(row["advice"]), "remedy": "",
            "source": first.facts, "report": "", "report_anchor": "", "measure": "", "places": [], "timed": False, "more": 0, "limits": [],
            "worst": [], "evidence": [], "sql": "", "symptoms": [], "depth": first.depth,
        }  # fmt: skip
    advice = str(row["advice"])
    told = first.summary if first.summary and advice.startswith(first.summary) else advice
    shown = found[:PLACES]
    return {
        "anchor": anchor,
        "rule_id": first.rule_id,
        "state": first.severity,
        "title": first.title,
        "say": told,
        "remedy": advice[len(told) :].strip(),
        "source": row["rule_source"],
        "report": row["report"] or "",
        "report_anchor": report_anchor(row["report"]) if row["report"] in _present(report) else "",
        "measure": rules()[first.rule_id].measure,
        "places": [_place(finding, report) for finding in shown],
        "timed": any(finding.row["worst_interval_utc"] for finding in shown),
        "more": len(found) - len(shown),
        "limits": sorted({_site_limit(finding) for finding in found} - {""}),
        "worst": _worst(first, report)[:WORST] if first.row["intervals_checked"] > 1 else [],
        "evidence": [line for finding in shown for line in _evidence(finding, report)],
        "sql": row["sql"] or "",
        "symptoms": [],
        "depth": first.depth,
    }


def _present(report: Report) -> set[str]:
    """The reports that have a place in the page."""
    tables = report.tables if report.page is None else (*report.page.tables, *report.page.empty)
    return {table.report_id for table in tables}


def _place(finding: Finding, report: Report) -> dict[str, str]:
    row = finding.row
    here = (row["lpar"], row["qmgr"])
    moments = {
        name: report.times.text(*here, row[column]) if row["worst_interval_utc"] else ""
        for name, column in (("worst", "worst_interval_utc"), ("first", "first_seen_utc"), ("last", "last_seen_utc"))
    }
    share = f"{row['intervals_breached']} of {row['intervals_checked']}" if row["worst_interval_utc"] else ""
    limit = "" if row["limit_value"] is None else figure(row["limit_value"], row["limit_unit"])
    return {
        "where": finding.place,
        "observed": figure(row["observed"], row["limit_unit"]),
        "limit": limit,
        "share": share,
        **moments,
    }


def _site_limit(finding: Finding) -> str:
    """The limit of a site beside the one that comes with the rule."""
    row = finding.row
    first = rules()[finding.rule_id].first_threshold
    if not first or row["limit_from"] in ("default", None):
        return ""
    return f"The site set the limit to {row['limit_value']:g} ({clean(row['limit_from'])}); the default is {first.value:g}."


def _key(finding: Finding) -> tuple[str, str | None, str | None, str | None]:
    row = finding.row
    return finding.rule_id, row["lpar"], row["qmgr"], row["subject"]


def _worst(finding: Finding, report: Report) -> list[dict[str, str]]:
    """The worst intervals of a finding: when, and the figure."""
    if report.page is None:
        return []
    row = finding.row
    return [
        {
            "when": report.times.text(row["lpar"], row["qmgr"], one.at_utc),
            "observed": figure(one.observed, row["limit_unit"]),
            "limit": "" if one.limit is None else figure(one.limit, row["limit_unit"]),
            "source": clean(one.source_name or ""),
            "offset": "" if one.offset is None else str(one.offset),
        }
        for one in report.page.worst.get(_key(finding), ())
    ]


def _evidence(finding: Finding, report: Report) -> list[dict[str, str]]:
    """Where the figures of a finding stand in the input: its worst intervals, else the record of the worst value."""
    found = _worst(finding, report)
    row = finding.row
    if not found and row["evidence_offset"] is not None:
        names = {} if report.page is None else {one["source_id"]: one["source_name"] for one in report.page.sources}
        place = _place(finding, report)
        source = clean(names.get(row["evidence_source_id"]) or "input")
        found = [{**place, "when": place["worst"], "source": source, "offset": str(row["evidence_offset"])}]
    return [{**one, "where": finding.place} for one in found if one["source"] or one["offset"]]
