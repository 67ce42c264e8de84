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
from mqstat.assemble.health import REPEATED
from mqstat.assemble.history import AGAIN, LIMIT_CHANGED, NEW, RUNNING
from mqstat.assemble.model import Report
from mqstat.assemble.page_model import Curve, KeyFigure, RuleLine, Tile, Verdict
from mqstat.assemble.status import STATE_OF, names_text
from mqstat.base.areas import TITLES
from mqstat.base.card_key import anchor_of
from mqstat.base.formatting import clean, exact_text, listed, plural, qmgr_name, short_offset
from mqstat.base.return_codes import MEANING, UNUSABLE
from mqstat.judge import states
from mqstat.judge.model import rules
from mqstat.judge.states import BAD
from mqstat.judge.states import STATUSES as STATES
from mqstat.render.card_text import next_step, subject_of
from mqstat.render.graph import note
from mqstat.render.html import charts
from mqstat.render.html.estate import estate
from mqstat.render.html.figures import day_maps, picture_groups, with_cards
from mqstat.render.html.findings import anchors, cards, chart_values
from mqstat.render.html.map import map_svg
from mqstat.render.html.states import BLIND, MEANINGS, report_anchor
from mqstat.render.html.tables import input_rows, report_groups, table_parts

COVERAGE_LINES = 6
"""Lines of the coverage that are always visible; the rest is folded."""

FEW = 3
"""Up to this number of queue managers, a tile has room for its sentence."""

MANY_NAMES = 12
"""Names of queue managers on the one line of a folded head."""

TREND_ROWS = 12
"""Rows of a trend table that are always visible."""


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
    state, word, meaning = headline(report)
    areas = [] if report.only_tables else verdict_areas(report, anchors(all_cards))
    head = list(head_parts(report))
    return {
        "report": report,
        "page": report.page,
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
        "sentence": state_sentence(report),
        "unseen": unseen_sentence(report),
        "estate": estate(report, many_lpars),
        "banner": banner(report),
        "counters": counters(report),
        "data_line": data_line(report),
        "is_command": is_command,
        "meanings": MEANINGS,
        "blind": BLIND,
        "offset": offset(report),
        "headroom": [
            (qmgr_name(manager.lpar, manager.qmgr, many_lpars), manager.headroom)
            for manager in report.qmgrs
            if manager.headroom
        ],
        "maps": [] if report.page is None or report.only_tables else day_maps(report.page),
        "areas": areas,
        "cards": [card for card in all_cards if card["state"] != "info"],
        "notes": [card for card in all_cards if card["state"] == "info"],
        "trend": []
        if report.only_tables
        else [table_parts(table, report, TREND_ROWS) for table in report.trend if table.rows],
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


def headline(report: Report) -> tuple[str, str, str]:
    """State, its word, and what the return code means: the return code decides unless it is 0, where the queue managers do."""
    state, meaning = STATE_OF[report.return_code], MEANING[report.return_code]
    if state == states.CLEAR and report.state == states.PARTLY:
        state = report.state
    return state, "incomplete" if state == states.BROKEN else state, meaning


def title(report: Report) -> str:
    """The title of the page: state, systems and day."""
    names = list(dict.fromkeys(clean(qmgr) for _, qmgr in report.times.changes if qmgr))
    state = "" if report.only_tables else headline(report)[1].upper()
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


def state_sentence(report: Report) -> str:
    """The verdict in one sentence, preceded by a note about repeated records."""
    notes_of_input = [text for _, text in report.head if text == REPEATED]
    return " ".join([*(f"{text[0].upper()}{text[1:]}." for text in notes_of_input), _state(report)])


def _state(report: Report) -> str:
    counts = report.counts
    where = {
        name: sorted({clean(qmgr) for f in report.findings if f.severity == name for qmgr in f.qmgrs})
        for name in ("critical", "warning")
    }
    notes = f"; {plural(counts['info'], 'info finding')}" if counts["info"] else ""
    if not report.times.changes:
        return "No queue manager records in the input: MQ cannot be assessed."
    if report.return_code == 16:
        return f"{plural(counts['broken'], 'rule')} failed, so the verdict is incomplete."
    critical = f"{plural(counts['critical'], 'critical finding')}{_named(where['critical'])}"
    warning = f"{plural(counts['warning'], 'warning')}{_named(where['warning'])}"
    if report.return_code == 12:
        more = ", ".join(text for name, text in (("critical", critical), ("warning", warning)) if counts[name])
        return "The input is damaged: this report is incomplete" + (
            f". {more[0].upper()}{more[1:]}{notes}." if more else f"{notes}."
        )
    if counts["critical"]:
        return f"MQ needs attention now: {critical}" + (f", {warning}" if counts["warning"] else "") + f"{notes}."
    if counts["warning"]:
        return f"Nothing critical; {warning}{notes}."
    if report.return_code == 4:
        return f"Some bytes of the input are damaged; no critical finding and no warning in the rest{notes}."
    partly = [manager for manager in report.qmgrs if manager.state == states.PARTLY]
    if partly:
        manager = partly[0]
        more = f" and {len(partly) - 1} more" if len(partly) > 1 else ""
        return f"Partly judged: {manager.judged} of {manager.rules} rules on {clean(manager.qmgr or '')}{more}; no critical finding, no warning{notes}."
    return f"MQ is OK in all that was judged: no critical finding, no warning{notes}."


def _named(names: list[str]) -> str:
    if not names:
        return ""
    return f" on {', '.join(names)}" if len(names) <= FEW else f" on {len(names)} queue managers"


def unseen_sentence(report: Report) -> str:
    """The areas that were not judged, with their queue managers unless it is all of them, so that an incomplete verdict never looks complete."""
    every = [(manager.lpar, manager.qmgr) for manager in report.qmgrs]
    many_lpars = len({lpar for lpar, _ in every}) > 1
    names = []
    for verdict in report.verdicts:
        mine = [tile for tile in report.tiles if tile.area == verdict.rule_area and _unseen(tile)]
        # A rule about inputs that was not judged does not matter if the rest of its area was judged.
        managers = [(tile.lpar, tile.qmgr) for tile in mine if tile.qmgr]
        if (managers or (mine and _unseen(verdict))) and every:
            named = names_text(managers, many_lpars)
            names.append(verdict.area + (f" on {named}" if named and set(every) - set(managers) else ""))
    return f"Not assessed: {', '.join(names)}." if names else ""


def _unseen(line: Tile | Verdict) -> bool:
    return line.state in states.UNJUDGED and line.state not in (states.ACTIVE, states.IDLE)


def banner(report: Report) -> dict[str, str] | None:
    """The worst finding in a sentence: where, what, and when, with its cause and the next step; None if no finding is worse than a note."""
    first = report.worst
    if report.only_tables or first is None or report.return_code >= UNUSABLE:
        return None
    tree = next(tree for tree in trees(report.findings) if any(finding is first for finding in tree.findings))
    do, look = next_step(tree)
    is_caused = tree.root is not first
    return {
        "cause": f"{subject_of(tree.root.row)}: {tree.root.title}" if is_caused else "",
        "cause_anchor": anchor_of(tree.root.key) if is_caused else "",
        "do": do,
        "look": look,
        "anchor": anchor_of(first.key),
        "where": first.location or first.key,
        "text": f"{first.title} ({figure_line(first)}).",
        "when": f"{first.when[0].upper()}{first.when[1:]}." if first.when else "",
    }


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


def data_line(report: Report) -> str:
    """Gaps, damage and missing numbers in one line."""
    damaged = sum(row["bytes_damaged"] or 0 for row in report.sources)
    records = sum(row["records_decoded"] or 0 for row in report.sources)
    parts = [
        f"{plural(records, 'record')} of {plural(len(report.sources), 'input')}",
        f"{damaged:,} bytes damaged" if damaged else "no damage",
    ]
    gaps = (
        f"{plural(len(report.coverage), 'gap')} in the collection" if report.coverage else "every class was collected"
    )
    numbers = f" {report.completeness[0].upper()}{report.completeness[1:]}." if report.completeness else ""
    return f"{', '.join(parts)}; {gaps}.{numbers}"


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
                "open": state in BAD,
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
    """The key figures as a table: a row for each queue manager, with a sparkline in each cell."""
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

    rows = [(qmgr_name(*owner, many_lpars), [cell(shown) for shown in figures]) for owner, figures in drawn.rows]
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
