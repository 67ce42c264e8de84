"""The page: its parts in order, all text escaped, every link with a target, no requests, omitted rows counted,
reproducible bytes.
"""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cached_property
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from mqstat.assemble.finding import Finding, FindingAt
from mqstat.assemble.finding_tree import trees
from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.assemble.page import compares
from mqstat.assemble.page_model import Baseline, Curve, DayRow, Grid, Limit, Picture, Series, Tile, WorstInterval
from mqstat.base.areas import AREAS
from mqstat.base.card_key import anchor_of
from mqstat.judge.model import rules
from mqstat.judge.states import STATUSES as STATES
from mqstat.render.first_screen import headline
from mqstat.render.html import digest, file_text, render_html
from mqstat.render.html.context import OPEN_CARDS, banner, counters, step_text
from mqstat.render.html.estate import SHOWN, estate
from mqstat.render.html.figures import _hourly_table
from mqstat.render.html.findings import LISTED_SUBJECTS
from mqstat.render.html.states import MEANINGS, css
from mqstat.sql import sqlfile
from tests.opening import open_database
from tests.support import arrow

VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr", "area", "base", "embed", "source", "track"}
HOSTILE = "<script>alert(1)</script>\"'&\u202e\x07<img src=x onerror=alert(1)>"
SEEN = "<script>alert(1)</script>\"'&??<img src=x onerror=alert(1)>"
"""The hostile text as a reader sees it: literal, without what steers."""


class Node:
    """An element with its attributes, text and children."""

    def __init__(self, name: str, attributes: dict[str, str | None], parent: Node | None) -> None:
        self.name, self.attributes, self.parent = name, attributes, parent
        self.children: list[Node | str] = []

    def walk(self) -> Iterator[Node]:
        """This element and all below it."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left += [child for child in reversed(node.children) if isinstance(child, Node)]

    @property
    def text(self) -> str:
        """All text below it."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def get(self, name: str) -> str:
        """An attribute, empty when it is not there."""
        return self.attributes.get(name) or ""


class Tree(HTMLParser):
    """A page as a tree; what is not closed as it was opened is a fault."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.here = Node("", {}, None)
        self.faults: list[str] = []
        self.feed(text)
        self.close()
        if self.here is not self.root:
            self.faults.append(f"{self.here.name} is not closed")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.faults.append(f"{tag} has an attribute twice: {names}")
        if tag == "td":
            self._end_cell()
        node = Node(tag, dict(attrs), self.here)
        self.here.children.append(node)
        if tag not in VOID:
            self.here = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.here.children.append(Node(tag, dict(attrs), self.here))

    def _end_cell(self) -> None:
        """A cell needs no end tag before another one or the end of its row."""
        if self.here.name == "td" and self.here.parent is not None:
            self.here = self.here.parent

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._end_cell()
        if self.here.name != tag:
            self.faults.append(f"{self.here.name} is closed by {tag} {self.getpos()}")
        elif self.here.parent is not None:
            self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        self.here.children.append(data)

    def all(self, *names: str) -> list[Node]:
        """Every element of these names, in order."""
        return [node for node in self.root.walk() if node.name in names]

    def by_id(self, ident: str) -> Node:
        """The element of an id."""
        (match,) = self._by_id[ident]
        return match

    @cached_property
    def _by_id(self) -> dict[str, list[Node]]:
        out: dict[str, list[Node]] = {}
        for node in self.root.walk():
            out.setdefault(node.get("id"), []).append(node)
        return out


def page_of(report: Report) -> str:
    """The page as text."""
    stream = io.StringIO()
    render_html(report, stream)
    return stream.getvalue()


@pytest.fixture(scope="module")
def page(pool_report: Report) -> str:
    return page_of(pool_report)


@pytest.fixture(scope="module")
def tree(page: str) -> Tree:
    return Tree(page)


# ------------------------------------------------------------------------------------------------------------ structure


def sound(tree: Tree) -> None:
    """What holds of every page."""
    assert not tree.faults
    ids = [node.get("id") for node in tree.root.walk() if node.get("id")]
    assert len(set(ids)) == len(ids), sorted(name for name in set(ids) if ids.count(name) > 1)
    links = [node.get("href") for node in tree.all("a", "use")]
    assert links
    assert [link for link in links if not link.startswith("#") or link[1:] not in ids] == []
    labelled = [node.get("aria-labelledby") for node in tree.root.walk() if node.get("aria-labelledby")]
    assert set(labelled) <= set(ids)
    for node in tree.root.walk():
        strange = [name for name in node.attributes if name.startswith("on") or name in ("style", "src", "srcset")]
        assert not strange, f"{node.name} {strange}"
        assert node.name not in ("iframe", "object", "embed", "base", "form", "img")
        if node.name == "link":
            assert node.attributes == {"rel": "icon", "href": "data:,"}
    levels = [int(node.name[1]) for node in tree.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels


def test_a_page_is_sound(tree: Tree) -> None:
    sound(tree)


def test_parts_are_in_the_order_of_a_health_report(tree: Tree) -> None:
    parts = ["verdict", "findings", "figures", "trend", "pictures", "reports", "coverage", "rules", "foot"]
    ids = [node.get("id") for node in tree.root.walk()]
    positions = [ids.index(part) for part in parts]
    assert positions == sorted(positions)
    assert [node.get("href") for node in tree.all("nav")[0].walk() if node.name == "a"] == [
        "#findings", "#figures", "#reports", "#rules",
    ]  # fmt: skip


def test_the_page_runs_and_styles_only_what_it_brings(tree: Tree, page: str) -> None:
    (policy,) = [node.get("content") for node in tree.all("meta") if node.get("http-equiv")]
    (style,) = tree.all("style")
    scripts = [node for node in tree.all("script") if node.get("type") != "application/json"]
    assert len(scripts) == 1
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest(scripts[0].text)}'; style-src 'sha256-{digest(style.text)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert scripts[0].text == file_text("enhance.js")
    assert style.text == file_text("style.css")


def test_no_address_of_anything_outside_is_in_the_page(page: str) -> None:
    addresses = set(re.findall(r"\w+://[^\s\"'<>)]*", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_every_rule_has_a_line_and_every_report_a_place(tree: Tree, pool_report: Report) -> None:
    ids = {node.get("id") for node in tree.root.walk()}
    assert {f"rule-{rule_id}" for rule_id in rules()} <= ids
    assert {f"report-{name.replace('/', '-')}" for name in sqlfile.reports() if not compares(name)} <= ids
    for finding in pool_report.findings:
        assert anchor_of(finding.key) in ids
    states = {line.rule_id: line.state for line in pool_report.rule_lines}
    for rule_id, state in states.items():
        assert state in tree.by_id(f"rule-{rule_id}").text


def test_reports_and_rules_are_folded(tree: Tree) -> None:
    opened = {node.get("id"): "open" in node.attributes for node in tree.all("details") if node.get("id")}
    assert {"area-buffer_pool", "reports-buffer_pool", "report-buffer_pool-usage"} <= opened.keys()
    assert not any(opened.values())


def test_the_worst_findings_are_open_and_the_others_are_folded(pool_report: Report) -> None:
    first = next(finding for finding in pool_report.findings if finding.severity == "critical")
    many = [structs.replace(first, key=f"BP001/Q{number:03d}", depth=0) for number in range(OPEN_CARDS + 2)]
    page = Tree(page_of(dataclasses.replace(pool_report, findings=tuple(many))))
    cards = [node for node in page.all("article") if node.parent]
    folded = [node.get("id") for node in cards if node.parent and node.parent.name == "details"]
    assert folded == [anchor_of(finding.key) for finding in many[OPEN_CARDS:]]
    assert "2 more findings" in page.by_id("findings").text


def test_the_title_has_the_state_the_queue_managers_and_the_date(tree: Tree) -> None:
    assert tree.all("title")[0].text == "CRITICAL MQ health report MQ01 2026-03-02"


def test_a_finding_shows_its_figure_its_limit_and_where_it_comes_from(tree: Tree, pool_report: Report) -> None:
    card = tree.by_id("finding-BP001-MQ01").text
    first = next(finding for finding in pool_report.findings if finding.rule_id == "BP001")
    for text in (first.title, "Advice", first.row["rule_source"], "MQ01 buffer pool 2", "10:30", "Evidence"):
        assert text in card
    assert str(first.row["evidence_offset"]) in card
    assert "breach" in card  # the statement


def test_two_pages_of_one_report_are_the_same(pool_report: Report, page: str) -> None:
    assert page_of(pool_report) == page


# ------------------------------------------------------------------------------------------------- reports made by hand


def grid(steps: int = 8) -> Grid:
    start = datetime(2026, 3, 2, 8)
    moments = tuple(start + timedelta(minutes=15 * step) for step in range(steps))
    return Grid(moments, moments, 900)


def hostile(report: Report) -> Report:
    """The report with the hostile text wherever text of records may appear."""
    assert report.page is not None
    values = tuple(float(step) for step in range(8))
    curve = Curve(values, 3.0, frozenset({5}), HOSTILE)
    lines = [
        structs.replace(line, text=HOSTILE, where=HOSTILE, title=HOSTILE, curve=curve) for line in report.rule_lines
    ]
    table = report.page.tables[0]
    row = tuple(HOSTILE if column.unit == "text" else None for column in table.columns)
    bad = dataclasses.replace(
        table, title=HOSTILE, question=HOSTILE, note=HOSTILE, rows=(row,), marked=(True,), total=1
    )
    finding = report.findings[0]
    changed = structs.replace(
        finding, title=HOSTILE, summary=HOSTILE, remedy="Do.",
        subjects=(FindingAt(HOSTILE, HOSTILE, {**finding.row, "rule_source": HOSTILE, "qmgr": HOSTILE, "subject": HOSTILE, "sql": HOSTILE + "\nSELECT 1"}),),
    )  # fmt: skip
    picture = Picture(
        "log/rate", "log", "Log data", "How much?", "line", "percent", HOSTILE, HOSTILE, grid(), (Series(HOSTILE, values, frozenset({5})),),
        (Limit(3.0, HOSTILE, "LG010"),), "highest", table.report_id, note=HOSTILE,
    )  # fmt: skip
    worst = WorstInterval(datetime(2026, 3, 2, 9), 1.0, 2.0, HOSTILE, 12)
    page = dataclasses.replace(
        report.page,
        grid=grid(),
        day=(DayRow("log", HOSTILE, HOSTILE, ("clear",) * 7 + ("critical",)),),
        pictures=(picture, dataclasses.replace(picture, kind="strip")),
        worst={(finding.rule_id, finding.row["lpar"], HOSTILE, HOSTILE): (worst,)},
        tables=(bad, *report.page.tables[1:]),
    )
    sources = ({**report.sources[0], "source_name": HOSTILE, "source_sha256": HOSTILE},)
    return dataclasses.replace(
        report, sources=sources, head=(("Period", HOSTILE), ("System", HOSTILE)), coverage=(("not collected", HOSTILE),), foot=((HOSTILE, HOSTILE),),
        verdicts=tuple(structs.replace(line, text=HOSTILE) for line in report.verdicts), findings=(changed,), rule_lines=tuple(lines),
        tiles=(Tile("log", HOSTILE, HOSTILE, "critical", HOSTILE, "LG001"),), trend=(bad,), page=page,
    )  # fmt: skip


def test_names_are_shown_and_never_read_as_markup(pool_report: Report) -> None:
    text = page_of(hostile(pool_report))
    tree = Tree(text)
    sound(tree)
    assert not [mark for mark in ("\u202e", "\x07") if mark in text]
    assert len([node for node in tree.all("script") if node.get("type") != "application/json"]) == 1
    assert "<script>alert" not in text
    assert "<img" not in text
    for part in ("coverage", "verdict", "findings", "trend", "pictures", "reports", "rules", "foot", "rule-BP001"):
        assert SEEN in tree.by_id(part).text, part


def test_omitted_rows_are_counted(pool_report: Report) -> None:
    assert pool_report.page is not None
    table = dataclasses.replace(pool_report.page.tables[0], total=1234)
    first = pool_report.findings[0]
    subjects = tuple(FindingAt(f"MQ{number:02}", "", first.row) for number in range(LISTED_SUBJECTS + 5))
    many = [structs.replace(first, subjects=subjects, depth=0)]
    page = dataclasses.replace(pool_report.page, tables=(table,), empty=())
    changed = dataclasses.replace(pool_report, findings=tuple(many), page=page, trend=())
    tree = Tree(page_of(changed))
    shown = tree.by_id(f"report-{table.report_id.replace('/', '-')}").text
    assert f"{1234 - len(table.rows):,} more rows" in shown
    assert f"--report {table.report_id} --format csv" in shown
    assert "5 more subjects" in tree.by_id("findings").text


@pytest.mark.slow
def test_the_previous_days_come_before_the_peaks(pool_report: Report) -> None:
    table = dataclasses.replace(pool_report.tables[0], total=77)
    before = Baseline((("Usual", HOSTILE), ("", "more")), (table,), enough=True)
    tree = Tree(page_of(dataclasses.replace(pool_report, baseline=before)))
    sound(tree)
    trend = tree.by_id("trend").text
    assert SEEN in trend
    assert f"{77 - len(table.rows)} more rows" in trend
    assert trend.index(before.title) < trend.index(pool_report.trend[0].title)


def test_a_finding_and_the_one_that_explains_it_name_each_other(pool_report: Report) -> None:
    """Cards are siblings, whatever explains what, so that each has the full width and a place of its own."""
    first, second = pool_report.findings[:2]
    chain = (structs.replace(first, depth=0), structs.replace(second, depth=1))
    tree = Tree(page_of(dataclasses.replace(pool_report, findings=chain)))
    sound(tree)
    cause, effect = (tree.by_id(anchor_of(finding.key)) for finding in chain)
    assert cause.parent is effect.parent is tree.by_id("findings")
    for card, label, other in ((cause, "Leads to", second), (effect, "Cause", first)):
        (named,) = [
            node for node in card.walk() if node.name == "div" and node.text.strip().startswith(f"{label}{other.key}")
        ]
        assert [node.get("href") for node in named.walk() if node.name == "a"] == [f"#{anchor_of(other.key)}"]
    alone = Tree(page_of(dataclasses.replace(pool_report, findings=(first,))))
    assert not {"Leads to", "Cause"} & {label.text for label in alone.all("dt")}


def test_a_report_without_a_page_is_complete(pool_report: Report) -> None:
    tree = Tree(page_of(dataclasses.replace(pool_report, page=None)))
    sound(tree)
    assert not [node for node in tree.root.walk() if node.get("id") == "pictures"]
    assert pool_report.tables[0].title in tree.by_id("reports").text


def test_requested_reports_are_alone_and_open(pool_report: Report) -> None:
    tree = Tree(page_of(dataclasses.replace(pool_report, only_tables=True, page=None)))
    sound(tree)
    ids = {node.get("id") for node in tree.root.walk()}
    assert not ids & {"verdict", "findings", "coverage"}
    assert all("open" in node.attributes for node in tree.all("details") if node.get("id").startswith("report-"))
    for table in pool_report.tables:
        rows = tree.by_id(f"report-{table.report_id.replace('/', '-')}").walk()
        assert sum(node.name == "tr" for node in rows) - 1 == table.total


@pytest.mark.slow
def test_an_empty_page_states_that_it_is_empty() -> None:
    with open_database({}, views=False) as db:
        empty = health_report(db, page=True)
        tree = Tree(page_of(empty))
    sound(tree)
    assert "there are no queue manager records in the data" in tree.by_id("verdict").text


@pytest.mark.slow
def test_a_nearly_empty_page_is_valid() -> None:
    rows: dict[str, Any] = {"qpst": [{"pool_id": 1, "buffers": 200, "lowest_stealable": 50}]}
    with open_database(arrow(rows, 1_800_000_000), views=False) as db:
        sound(Tree(page_of(health_report(db, page=True))))


# ---------------------------------------------------------------------------------------------------------------- words


def test_every_state_has_a_word_a_sign_and_a_colour(page: str) -> None:
    for state in STATES:
        assert f'id="i-{css(state)}"' in page
        assert f".is-{css(state)}" in file_text("style.css")


def test_every_state_has_a_meaning_and_a_symbol_of_its_own(tree: Tree) -> None:
    assert tuple(MEANINGS) == STATES
    drawn = [[node.attributes for node in tree.by_id(f"i-{css(state)}").walk()][1:] for state in STATES]
    alike = {state for state, shape in zip(STATES, drawn, strict=True) if drawn.count(shape) > 1}
    assert not alike
    meant = [node for node in tree.all("dl") if "states" in node.get("class").split()]
    assert [words.text.split() for words in meant[0].walk() if words.name == "dt"] == [
        state.split() for state in STATES
    ]


def test_the_legend_has_the_states_of_the_table(pool_report: Report) -> None:
    tiles = tuple(
        Tile(area, pool_report.qmgrs[0].lpar, "MQ01", state, "")
        for area, state in zip(AREAS, ("off", "idle", "clear"), strict=False)
    )
    made = dataclasses.replace(managers(pool_report, "MQ01"), tiles=tiles)
    assert estate(made, many_lpars=False)["legend"] == ["clear", "idle", "off"]
    (line,) = [node for node in Tree(page_of(made)).all("p") if "legend" in node.get("class").split()]
    assert line.text.split()[:3] == ["clear", "idle", "off"]


def managers(report: Report, *names: str) -> Report:
    """The report with these queue managers, all clear and without findings."""
    states_of = tuple(structs.replace(report.qmgrs[0], qmgr=name, state="clear") for name in names)
    return dataclasses.replace(report, qmgrs=states_of, findings=(), tiles=(), page=None)


def on(finding: Finding, qmgr: str, severity: str = "warning") -> Finding:
    """The finding on another queue manager."""
    row = {**finding.row, "qmgr": qmgr, "severity": severity}
    at = FindingAt(qmgr, finding.subjects[0].figure, row)
    return structs.replace(
        finding, severity=severity, subjects=(at,), key=f"{finding.rule_id}/{qmgr}", depth=0, where=qmgr
    )


def test_rows_are_queue_managers_and_columns_areas(pool_report: Report) -> None:
    tiles = (
        Tile("log", "SYS1", "MQ01", "clear", "fine"),
        Tile("log", "SYS2", "MQ02", "critical", "bad", "LG001"),
        Tile("smds", "SYS2", "MQ02", "not collected", "none"),
        Tile("data_quality", None, None, "warning", "damage", "DQ001"),
    )
    own = on(structs.replace(pool_report.findings[0], rule_id="LG001"), "MQ02", "critical")
    own = structs.replace(own, subjects=(FindingAt(own.location, "", {**own.row, "lpar": "SYS2"}),))
    both = managers(pool_report, "MQ01", "MQ02")
    qmgrs = tuple(structs.replace(at, lpar=lpar) for at, lpar in zip(both.qmgrs, ("SYS1", "SYS2"), strict=True))
    made = dataclasses.replace(both, tiles=tiles, qmgrs=qmgrs, findings=(own,))
    table = estate(made, many_lpars=True)
    assert table["areas"] == ["Log", "SMDS"]
    assert [row["name"] for row in table["rows"]] == ["MQ02 on SYS2", "MQ01 on SYS1"]
    assert [[cell and cell["state"] for cell in row["cells"]] for row in table["rows"]] == [
        ["critical", "not collected"], ["clear", None],
    ]  # fmt: skip
    assert [row["anchor"] for row in table["rows"]] == [anchor_of("LG001/MQ02"), ""]
    assert [cell and cell["anchor"] for cell in table["rows"][0]["cells"]] == [anchor_of("LG001/MQ02"), ""]


def test_the_worst_queue_managers_lead_and_the_healthy_are_one_line(pool_report: Report) -> None:
    names = [f"MQ{number:02}" for number in range(SHOWN + 4)]
    warned, worst = names[2 : SHOWN + 3], names[-1]
    findings = (*(on(pool_report.findings[0], name) for name in warned), on(pool_report.findings[0], worst, "critical"))
    table = estate(dataclasses.replace(managers(pool_report, *names), findings=findings), many_lpars=False)
    assert [row["name"] for row in table["rows"]] == [worst, *warned[: SHOWN - 1]]
    assert [row["name"] for row in table["folded"]] == warned[SHOWN - 1 :]
    assert [text.partition(" (")[0] for text in table["rest"]] == names[:2]
    few = estate(managers(pool_report, *names[:SHOWN]), many_lpars=False)
    assert (len(few["rows"]), few["folded"], few["rest"]) == (SHOWN, [], [])


def test_what_holds_for_the_estate_is_one_line_and_no_row(pool_report: Report) -> None:
    names = [f"MQ{number:02}" for number in range(SHOWN + 1)]
    one = pool_report.findings[0]
    rows = tuple(FindingAt(one.location, "", {**one.row, "qmgr": name}) for name in names)
    everywhere = structs.replace(one, subjects=rows, key=f"{one.rule_id}/*", where="all queue managers", depth=0)
    made = dataclasses.replace(managers(pool_report, *names), findings=(everywhere,))
    table = estate(made, many_lpars=False)
    assert (table["rows"], [text.partition(" (")[0] for text in table["rest"]]) == ([], names)
    assert [(line["key"], line["where"]) for line in table["estate"]] == [(f"{one.rule_id}/*", "all queue managers")]
    line = [node.text for node in Tree(page_of(made)).all("p") if node.get("class") == "for-all"]
    assert len(line) == 1
    assert one.title in line[0]


def test_the_banner_is_the_headline_with_figure_time_and_next_step(pool_report: Report, tree: Tree) -> None:
    lead = trees(pool_report.findings)[0].lead
    (label, worst, anchor), *others = banner(pool_report)
    assert (label, anchor) == ("Worst", anchor_of(lead.key))
    assert worst.startswith(f"{lead.location}: ")
    assert worst.endswith(lead.when)
    assert "Look" in [label for label, _, _ in others]
    shown = tree.by_id("verdict")
    for text in (headline(pool_report), *(text for _, text, _ in banner(pool_report))):
        assert text in shown.text
    assert f"#{anchor}" in [node.get("href") for node in shown.walk() if node.name == "a"]
    assert banner(dataclasses.replace(pool_report, findings=())) == []


def test_the_counters_are_those_of_the_findings(pool_report: Report) -> None:
    names = ("MQ01", "MQ02", "MQ03")
    findings = (
        on(pool_report.findings[0], "MQ01", "critical"),
        on(pool_report.findings[0], "MQ02"),
        on(pool_report.findings[0], "MQ03", "info"),
    )
    assert counters(dataclasses.replace(managers(pool_report, *names), findings=findings)) == [
        ("critical", "1 critical finding"), ("warning", "1 warning"), ("info", "1 info finding"), ("", "on 2 of 3 queue managers"),
    ]  # fmt: skip
    assert counters(dataclasses.replace(managers(pool_report, *names), findings=())) == [("", "3 queue managers")]


def test_a_symbol_has_the_colour_of_its_own_state_wherever_it_is(tree: Tree) -> None:
    """A critical finding that a warning explains is red in the card of the warning; only the banner overrides it."""
    for state in ("critical", "warning", "info", "clear", "broken"):
        (shape,) = [node for node in tree.by_id(f"i-{state}").walk() if node.name == "path"]
        assert f"var(--icon, var(--state-{state}))" in (shape.get("fill"), shape.get("stroke"))


@pytest.mark.parametrize(
    ("seconds", "text"), [(60, "minute"), (900, "15 minutes"), (3600, "hour"), (7200, "2 hours"), (86400, "day")]
)
def test_steps_are_written_in_words(seconds: int, text: str) -> None:
    assert step_text(seconds) == text


def test_templates_and_styles_are_shipped() -> None:
    folder = Path(__file__).resolve().parent.parent / "mqstat" / "render" / "html"
    text = (folder.parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"mqstat.render.html" = ["*.css", "*.js", "templates/*.html", "templates/*.md"]' in text
    kinds = {path.suffix for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert kinds == {".py", ".css", ".js", ".html", ".md"}


@pytest.mark.parametrize(
    ("steps", "seconds", "worst", "rows", "title"),
    [
        (288, 300, "lowest", 24, "Lowest of each hour"),
        (8, 1800, "highest", 4, "Highest of each hour"),
        (240, 3600, "highest", 20, "Highest of each 12 hours"),
        (120, 86400, "lowest", 24, "Lowest of each 5 days"),
    ],
)
def test_the_table_of_a_picture_has_the_worst_of_each_hour_or_more(
    steps: int, seconds: int, worst: str, rows: int, title: str
) -> None:
    starts = tuple(datetime(2026, 3, 2) + timedelta(seconds=seconds * number) for number in range(steps))
    values = (None, *(float(number) for number in range(1, steps)))
    picture = Picture(
        "x/y", "log", "t", "q", "line", "percent", "S", "Q", Grid(starts, starts, seconds),
        (Series("pool 1", values, frozenset({1})),), (), worst, "log/io",
    )  # fmt: skip
    table = _hourly_table(picture)
    assert (len(table["rows"]), table["title"]) == (rows, title)
    each = steps // rows
    first = 1 if worst == "lowest" else each - 1
    assert table["rows"][0] == (table["rows"][0][0], [(f"{first}", True)])
    last = steps - each if worst == "lowest" else steps - 1
    assert table["rows"][-1][1] == [(f"{last}", False)]
