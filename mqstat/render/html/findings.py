"""Findings as cards of a page: one for each rule and queue manager, with its chart, subjects, commands and evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from msgspec import structs

from mqstat.assemble.cards import earlier_text
from mqstat.assemble.conditions import condition, limit_note, row_condition, share_text
from mqstat.assemble.finding import COUNTED, Finding, FindingAt
from mqstat.assemble.model import Report
from mqstat.assemble.page_model import CardChart, Grid, WorstInterval
from mqstat.base.card_key import anchor_of
from mqstat.base.formatting import clean
from mqstat.judge.model import rules
from mqstat.judge.states import BROKEN
from mqstat.render.card_text import card_text
from mqstat.render.html.charts import card_caption, card_data, card_svg
from mqstat.render.html.states import report_anchor
from mqstat.render.html.svg import runs

LISTED_SUBJECTS = 8
"""Listed subjects of one finding; the rest is counted."""

EVIDENCE_SUBJECTS = 3
"""Subjects whose worst intervals are listed as evidence."""


def cards(report: Report) -> list[dict[str, Any]]:
    """The findings, those of the highest severity first; each names those that it explains (`explains`), and the
    finding that explains it (`cause`).
    """
    made: list[dict[str, Any]] = []
    path: list[dict[str, Any]] = []
    for finding in report.findings:
        card = _card(finding, report)
        del path[finding.depth :]
        if path:
            card["cause"] = {name: path[-1][name] for name in ("key", "anchor", "title")}
            path[-1]["explains"].append({"key": card["key"], "anchor": card["anchor"], "state": card["state"]})
        path.append(card)
        made.append(card)
    made.sort(key=lambda card: COUNTED.index(card["state"]))
    above: set[str] = set()
    for card in made:  # only a card below its cause is set in
        card["depth"] = card["depth"] if card["cause"] and card["cause"]["key"] in above else 0
        above.add(card["key"])
    return made


def anchors(cards: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The anchor of the first card of each rule."""
    result: dict[str, str] = {}
    for card in cards:
        result.setdefault(card["rule_id"], card["anchor"])
    return result


def chart_values(report: Report) -> dict[str, dict[str, Any]]:
    """The values of the charts of all cards for the script, by the id of their figure."""
    charts = {} if report.page is None else report.page.charts
    data = {f"chart-{anchor_of(key)}": card_data(chart) for key, chart in charts.items()}
    return {name: values for name, values in data.items() if values is not None}


def _card(finding: Finding, report: Report) -> dict[str, Any]:
    row, anchor = finding.row, anchor_of(finding.key)
    card: dict[str, Any] = {
        **structs.asdict(finding), "anchor": anchor, "state": finding.severity, "source": finding.facts, "explains": [], "cause": None,
        "head": finding.where, "report": "", "report_anchor": "", "measure": "", "subjects": [], "timed": False, "more": 0, "limits": [],
        "evidence": [], "sql": "", "rating": "", "chart": "", "caption": "", "rows": [], "steps": "", "history": "",
        "earlier": "", "ticket": "",
    }  # fmt: skip
    if finding.severity == BROKEN:
        return card
    shown = finding.subjects[:LISTED_SUBJECTS]
    grid = report.page.grid if report.page is not None else None
    chart = None if report.page is None else report.page.charts.get(finding.key)
    past = report.history_of(finding)
    return card | {
        "history": past.word,
        "earlier": earlier_text(past),
        "ticket": "\n".join(card_text(finding, report)),
        "head": finding.location if len(finding.subjects) == 1 else finding.where,
        "source": row["rule_source"],
        "report": row["report"] or "",
        "report_anchor": report_anchor(row["report"]) if row["report"] in _present(report) else "",
        "measure": row["measure"],
        "subjects": [_subject_line(subject, report) for subject in shown] if len(finding.subjects) > 1 else [],
        "timed": any(subject.row["worst_interval_utc"] for subject in shown),
        "more": len(finding.subjects) - len(shown),
        "limits": sorted({_site_limit(subject) for subject in finding.subjects} - {""}),
        "evidence": [line for subject in shown[:EVIDENCE_SUBJECTS] for line in _evidence(subject, report)],
        "sql": row["sql"] or "",
        "rating": finding.rating,
        "chart": Markup(card_svg(chart, grid)) if chart is not None else "",  # noqa: S704 - drawn by us; texts in it are escaped there
        "caption": card_caption(chart, grid) if chart is not None else "",
        "rows": list(zip(chart.labels, chart.texts, strict=True))
        if chart is not None and chart.chart == "rows"
        else [],
        "steps": " ".join(f"{first}-{end}" for first, end, hit in runs(_hits(chart, grid)) if hit),
    }


def _hits(chart: CardChart | None, grid: Grid | None) -> list[bool]:
    """Whether each step of the page is in breach; empty for a finding without intervals."""
    if chart is None or grid is None or chart.chart != "series":
        return []
    return [step in chart.breached for step in range(len(grid.starts))]


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
    share = share_text(row, noun=False) if row["worst_interval_utc"] else ""
    measure, observed, limit = row_condition(row)
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
