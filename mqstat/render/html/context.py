"""Data for the templates: the report model with groups, labels and anchors. No figure is computed here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from mqstat.assemble.cards import figure_line
from mqstat.assemble.finding import is_command
from mqstat.assemble.finding_tree import trees
from mqstat.assemble.history import AGAIN, LIMIT_CHANGED, NEW, RUNNING
from mqstat.assemble.model import Report
from mqstat.assemble.page_model import Curve, KeyFigure, RuleLine, Verdict
from mqstat.assemble.status import STATE_OF
from mqstat.base.areas import TITLES
from mqstat.base.card_key import anchor_of
from mqstat.base.formatting import clean, exact_text, listed, plural, qmgr_name, short_offset
from mqstat.base.return_codes import MEANING
from mqstat.judge import states
from mqstat.judge.model import rules
from mqstat.judge.states import BAD
from mqstat.judge.states import STATUSES as STATES
from mqstat.render.card_text import next_step, subject_of
from mqstat.render.first_screen import headline
from mqstat.render.graph import note
from mqstat.render.html import charts
from mqstat.render.html.estate import by_urgency, estate
from mqstat.render.html.figures import day_maps, picture_groups, with_cards
from mqstat.render.html.findings import anchors, cards, chart_values
from mqstat.render.html.map import map_svg
from mqstat.render.html.states import BLIND, MEANINGS, report_anchor
from mqstat.render.html.tables import input_rows, report_groups, table_parts

COVERAGE_LINES = 6
"""Lines of the coverage that are always visible; the rest is folded."""

MANY_NAMES = 12
"""Names of queue managers on the one line of a folded head."""

ROWS_SHOWN = 12
"""Rows of a trend table, and queue managers with their key figures or headroom, that are always visible."""

OPEN_CARDS = 12
"""Findings, the worst first, whose cards are open; the others are a line each until they are opened."""

FIGURES_SHOWN = 4
"""Pictures of one kind that are open; more of them, of as many queue managers, are folded."""


def shown(value: object) -> object:
    """Text without control and direction characters; our own markup is kept."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def sql_text(text: str) -> Markup:
    """A statement, escaped, with its lines."""
    return Markup("\n").join(escape(clean(line)) for line in text.splitlines())


def context(report: Report) -> dict[str, Any]:
    """The names that the templates use."""
    many_lpars = len({lpar for lpar, _ in report.times.changes if lpar}) > 1
    all_cards = [] if report.only_tables else cards(report)
    pictures, chart_data = ([], {}) if report.page is None else picture_groups(report.page, many_lpars)
    if report.page is not None and not report.only_tables:
        chart_data = with_cards(chart_data, chart_values(report), report.page.grid)
    state, word, meaning = state_of(report)
    areas = [] if report.only_tables else verdict_areas(report, anchors(all_cards))
    head = list(head_parts(report))
    return {
        "report": report,
        "code": report.return_code,
        "code_state": state,
        "code_word": word,
        "code_means": meaning,
        "title": title(report),
        "head": [(label, texts, folded(label, texts, report)) for label, texts in head],
        "day": day(report),
        "step": "" if report.page is None else step_text(report.page.grid.seconds),
        "coverage": report.coverage,
        "coverage_lines": COVERAGE_LINES,
        "headline": headline(report),
        "estate": estate(report, many_lpars),
        "banner": banner(report),
        "counters": counters(report),
        "is_command": is_command,
        "meanings": MEANINGS,
        "blind": BLIND,
        "offset": offset(report),
        "headroom": [
            (qmgr_name(manager.lpar, manager.qmgr, many_lpars), manager.headroom)
            for manager in by_urgency(report)
            if manager.headroom
        ],
        "maps": [] if report.page is None or report.only_tables else day_maps(report.page),
        "areas": areas,
        "cards": [card for card in all_cards if card["state"] != "info"],
        "open_cards": OPEN_CARDS,
        "rows_shown": ROWS_SHOWN,
        "figures_shown": FIGURES_SHOWN,
        "notes": [card for card in all_cards if card["state"] == "info"],
        "trend": []
        if report.only_tables
        else [table_parts(table, report, ROWS_SHOWN) for table in report.trend if table.rows],
        "key_figures": key_figure_rows(report, many_lpars),
        "baseline": report.baseline,
        "baseline_tables": [table_parts(table, report) for table in report.baseline.tables] if report.baseline else [],
        "pictures": pictures,
        "lines_without_breach": [line for area in pictures for line in area["lines"]],
        "map": queue_map(report),
        "chart_data": chart_data,
        "groups": report_groups(report),
        "inputs": input_rows(report),
        "limits": [] if report.only_tables else list(limit_rows()),
        "sql_text": sql_text,
        "plural": plural,
    }


def queue_map(report: Report) -> dict[str, Any] | None:
    """The map of queues and applications: the drawing, and how much of the map it shows."""
    drawn = report.page.queue_map if report.page is not None else None
    if drawn is None or report.only_tables:
        return None
    return {"svg": Markup(map_svg(drawn)), "note": note(drawn), "anchor": report_anchor("application/map")}  # noqa: S704 - drawn by us; texts in it are escaped there


# --- head


def state_of(report: Report) -> tuple[str, str, str]:
    """State, its word, and what the return code means: the return code decides unless it is 0, where the queue managers
    do.
    """
    state, meaning = STATE_OF[report.return_code], MEANING[report.return_code]
    if state == states.CLEAR and report.state == states.PARTLY:
        state = report.state
    return state, "incomplete" if state == states.BROKEN else state, meaning


def title(report: Report) -> str:
    """The title of the page: state, systems and day."""
    names = list(dict.fromkeys(clean(qmgr) for _, qmgr in report.times.changes if qmgr))
    state = "" if report.only_tables else state_of(report)[1].upper()
    return " ".join(part for part in (state, report.title, listed(names, 3), day(report)) if part)


def day(report: Report) -> str:
    """The first day of the period in local time."""
    return f"{report.first_local:%Y-%m-%d}" if report.first_local else ""


def offset(report: Report) -> str:
    """The offset of local time at the start of the period."""
    grid = report.page.grid if report.page is not None else None
    return short_offset(grid.offset_minutes(0)) if grid is not None and grid.starts else ""


def step_text(seconds: int) -> str:
    """The length of a step of the grid."""
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size and seconds % size == 0:
            return word if seconds == size else f"{seconds // size} {word}s"
    return plural(seconds, "second")


def head_parts(report: Report) -> Iterable[tuple[str, list[str]]]:
    """The lines of the head by label."""
    parts: list[tuple[str, list[str]]] = []
    for label, text in report.head:
        if label or not parts:
            parts.append((label, []))
        parts[-1][1].append(text)
    return parts


def folded(label: str, texts: list[str], report: Report) -> str:
    """The summary line of a folded group of lines in the head."""
    if label == "System":
        names = sorted({clean(qmgr) for _, qmgr in report.times.changes if qmgr})
        return f"{plural(len(names), 'queue manager')}: {listed(names, MANY_NAMES)}"
    return f"{texts[0]}; and {plural(len(texts) - 1, 'more line')}"


# --- verdict


def banner(report: Report) -> list[tuple[str, str, str]]:
    """The worst problem: its figure and when, its cause and the next step, each with its label and an anchor; nothing
    if no finding is worse than a note.
    """
    problems = () if report.only_tables else trees(report.findings)
    tree = next((tree for tree in problems if tree.lead.severity in (states.CRITICAL, states.WARNING)), None)
    if tree is None:
        return []
    lead, root = tree.lead, tree.root
    worst = f"{lead.location or lead.key}: {figure_line(lead)}{f'; {lead.when}' if lead.when else ''}"
    rows = [("Worst", worst, anchor_of(lead.key))]
    if root is not lead:
        rows.append(("Cause", f"{subject_of(root.row)}: {root.title}", anchor_of(root.key)))
    return [*rows, *((label, text, "") for label, text in zip(("Do", "Look"), next_step(tree), strict=True) if text)]


def counters(report: Report) -> list[tuple[str, str]]:
    """The numbers of findings with their symbols, and of the queue managers that have them."""
    names = (
        (states.BROKEN, "broken rule"),
        (states.CRITICAL, "critical finding"),
        (states.WARNING, "warning"),
        (states.INFO, "info finding"),
    )
    shown = [(state, plural(report.counts[state], word)) for state, word in names if report.counts[state]]
    hit = {
        (at.row["lpar"], at.row["qmgr"])
        for finding in report.findings
        if finding.severity in (states.CRITICAL, states.WARNING)
        for at in finding.subjects
        if at.row["qmgr"]
    }
    if report.history is not None:
        words = Counter(
            report.history_of(finding).state
            for finding in report.findings
            if finding.severity in (states.CRITICAL, states.WARNING)
        )
        shown += [
            ("", f"{words[state]} {word}")
            for state, word in (
                (NEW, "new"),
                (RUNNING, "since earlier days"),
                (AGAIN, "again"),
                (LIMIT_CHANGED, "limit changed"),
            )
            if words[state]
        ]
        shown += [("", f"{len(report.history.ended)} gone")] if report.history.ended else []
    if report.accepted:
        ends = sorted(override.until for override in report.accepted if override.until)
        shown.append(("", f"{len(report.accepted)} accepted{f' (first end {ends[0]})' if ends else ''}"))
    if report.baseline is not None and report.baseline.unusual is not None:
        shown.append(("", f"unusual {report.baseline.unusual} of {report.baseline.compared}"))
    if len(report.qmgrs) > 1:
        where = plural(len(report.qmgrs), "queue manager")
        shown.append(("", f"on {len(hit)} of {where}" if hit else where))
    return shown


def verdict_areas(report: Report, known: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each area with its verdict and a line for each of its rules, the most urgent first."""
    verdicts = {verdict.rule_area: verdict for verdict in report.verdicts}
    areas = []
    for area, grouped in groupby(report.rule_lines, key=lambda line: line.area):
        lines = sorted(grouped, key=lambda line: STATES.index(line.state))
        verdict = verdicts.get(area, Verdict(TITLES[area], lines[0].state, ""))  # none where nobody asked for the area
        state = verdict.state
        areas.append(
            {
                "area": area,
                "title": TITLES[area],
                "state": state,
                "text": verdict.text,
                "counts": _counts(lines),
                "lines": [_line(line, report, known) for line in lines],
            }
        )
    return areas


def _counts(lines: Iterable[RuleLine]) -> str:
    """The number of rules of an area by state."""
    known = [line.state for line in lines]
    texts = [f"{known.count(state)} {state}" for state in STATES if state in known]
    return f"{plural(len(known), 'rule')}: {', '.join(texts)}"


def _line(line: RuleLine, report: Report, known: Mapping[str, str]) -> dict[str, Any]:
    spark = ""
    judged = line.curve is not None and any(value is not None for value in line.curve.values)
    if line.curve is not None and report.page is not None and judged and line.state != states.CLEAR:
        spark = charts.sparkline_svg(line.curve, report.page.grid)
    return {
        "rule": line,
        "spark": Markup(spark),  # noqa: S704 - drawn by us; texts in it are escaped there
        "finding": known.get(line.rule_id, "") if line.state in (*BAD, "info") else "",
        "blind": not line.value,
        "more": line.breached_subjects - 1 if line.breached_subjects > 1 else 0,
    }


def key_figure_rows(report: Report, many_lpars: bool) -> dict[str, Any] | None:
    """The key figures as a table: a row for each queue manager, the worst first, with a sparkline in each cell."""
    drawn = report.page.key_figures if report.page is not None else None
    if drawn is None or report.page is None or report.only_tables:
        return None
    grid = report.page.grid

    def cell(shown: KeyFigure | None) -> dict[str, Any] | None:
        if shown is None:
            return None
        spark = charts.sparkline_svg(Curve(shown.values, None, frozenset(), ""), grid)
        return {
            "worst": shown.worst,
            "when": shown.when,
            "median": shown.median,
            "usual": shown.usual,
            "spark": Markup(spark),  # noqa: S704 - drawn by us
        }

    ranks = {(manager.lpar, manager.qmgr): rank for rank, manager in enumerate(by_urgency(report))}
    ordered = sorted(drawn.rows, key=lambda row: ranks.get(row[0], len(ranks)))
    rows = [(qmgr_name(*owner, many_lpars), [cell(shown) for shown in figures]) for owner, figures in ordered]
    return {
        "labels": drawn.labels,
        "rows": rows,
        "usual": any(cell and cell["usual"] for _, cells in rows for cell in cells),
    }


# --- foot


def limit_rows() -> Iterable[tuple[str, ...]]:
    """The default limits of all rules: rule, name, default, unit, kind, reason."""
    for rule in rules().values():
        for limit in rule.thresholds.values():
            yield rule.id, limit.name, exact_text(limit.value), limit.unit, limit.kind, limit.why
