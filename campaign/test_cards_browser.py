"""Cards in Chromium: how soon a reader reaches them, their charts on screen and phone, folds open, and paper."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.base.card_key import anchor_of
from mqstat.fixtures.day import morning
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS
from tests.browser import OPEN, TELEPHONE, Chromium, started
from tests.estates import LETTERS, judged, renamed
from tests.report_checks import written
from tests.support import file_of, reading

DESK = (1440, 900)
ENTER, TABS = 900, 20
"""The first card begins above so many px of a screen of 1440 x 900, and so many Tabs reach it at most."""

STATISTICS = 115
"""Type of the records that are judged."""
STORIES = ("pool_exhausted", "slow_log_writes")
MANY = ("logs", "log_space", "buffer_pools_and_tls", "adapters", "page_sets_and_structures")
"""Estates that together have more than 60 different findings, by their statistics alone, which are judged in a fraction
of the time."""


@dataclass(frozen=True)
class Shown:
    """A report and the file with its page."""

    report: Report
    file: Path


def estate_of(count: int) -> bytes:
    """A morning of so many queue managers: one in three has a story, the others are quiet."""
    quiet, *stories = (
        [each for each in joined(dump) if each[5] == STATISTICS and each[18:22] == "MQ01".encode("cp500")]
        for dump in (smf_file(morning()), *(SCENARIOS[name].build() for name in STORIES))
    )
    records: list[bytes] = []
    for number in range(count):
        own = stories[number // 3 % len(stories)] if number % 3 == 0 else quiet
        records += renamed(own, {"MQ01": f"M{number:03}", "SYS1": f"S{number // 8:03}"})
    return smf_file(records)


def many_findings() -> bytes:
    """The stories of several estates in one dump; the second letter of a name is that of its estate."""
    records: list[bytes] = []
    for letter, name in zip(LETTERS, MANY, strict=False):
        together = judged(name)
        given = {new for own in together.names.values() for new in own.values()}
        heads = {"SY": f"S{letter}", "QS": f"Q{letter}"}
        again = {old: heads.get(old[:2], f"{old[0]}{letter}") + old[2:] for old in given}
        records += renamed((each for each in joined(together.dump) if each[5] == STATISTICS), again)
    return smf_file(records)


DUMPS = {"1": lambda: estate_of(1), "3": lambda: estate_of(3), "20": lambda: estate_of(20), "60": lambda: estate_of(60), "60 findings": many_findings}  # fmt: skip


@pytest.fixture(scope="module", params=DUMPS)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder = tmp_path_factory.mktemp("cards")
    with reading(file_of(DUMPS[request.param](), folder)) as db:
        report = health_report(db, page=True)
        page = written(report, "html")
    if request.param == "60 findings":
        assert len({finding.key for finding in report.findings}) >= 60
        assert len({finding.rule_id for finding in report.findings}) >= 50
    else:
        assert len(report.qmgrs) == int(request.param)
        assert {finding.severity for finding in report.findings} >= {"critical"}
    return Shown(report, file_of(page.encode(), folder, "page.html"))


@pytest.fixture(scope="module")
def looking(chromium: Chromium | None) -> Iterator[Chromium]:
    """The browser; without it these tests are skipped."""
    if chromium is None:
        with started() as browser:  # skips with a reason
            yield browser
    else:
        yield chromium


def test_the_first_card_is_on_the_first_screen_and_few_tabs_away(shown: Shown, looking: Chromium) -> None:
    with looking.window(size=DESK) as window:
        assert window.open(shown.file) == []
        page = window.page
        assert page.evaluate("document.querySelector('.card').getBoundingClientRect().top") < ENTER
        for _ in range(TABS):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.closest('.card') === document.querySelector('.card')"):
                break
        else:
            pytest.fail(f"{TABS} Tabs do not reach the first card")


COMMAND = """
(anchor) => {
  const card = document.getElementById(anchor), code = card.querySelector('code.cmd');
  const box = e => e.getBoundingClientRect(), inside = r => r.top >= 0 && r.bottom <= innerHeight;
  return [inside(box(card.querySelector('h3, h4'))), code ? code.textContent : '', code ? code.checkVisibility() && inside(box(code)) : false];
}
"""


def test_one_click_leads_from_the_banner_to_the_first_command(shown: Shown, looking: Chromium) -> None:
    """Without script too: the link is an anchor, and nothing on the way is folded."""
    worst = min((each for each in shown.report.findings if each.severity != "info"), key=lambda each: each.urgency)
    for scripts in (True, False):
        with looking.window(size=DESK, scripts=scripts) as window:
            window.page.goto(shown.file.as_uri())
            window.page.locator("#verdict .verdict a").first.click()
            heading, command, visible = window.page.evaluate(COMMAND, anchor_of(worst.key))
            assert heading
            commands = [line for line in (*worst.look, *worst.do) if line.split()[0].isupper()]
            if commands:
                assert command == commands[0]
                assert visible, command
    assert worst.look or worst.do, f"{worst.key}: the worst finding of these dumps has a command"


CHARTS = """
() => Object.fromEntries([...document.querySelectorAll('.card')].map(card => {
  const svg = card.querySelector('figure svg'), rows = card.querySelectorAll('ul.rows > li').length;
  if (!svg) return [card.id, {kind: rows ? 'rows' : '', rows}];
  const box = svg.getBoundingClientRect(), holder = svg.closest('figure').getBoundingClientRect();
  const within = r => r.left >= box.left - 1 && r.right <= box.right + 1 && r.top >= box.top - 1 && r.bottom <= box.bottom + 1;
  const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect(), parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a]);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  const limits = [...svg.querySelectorAll('path[stroke-dasharray], path[stroke="var(--ink)"]')].map(p => p.getBoundingClientRect());
  return [card.id, {
    kind: svg.classList.contains('card-series') ? 'series' : svg.classList.contains('card-bars') ? 'subjects' : svg.getAttribute('class'), rows,
    limits: limits.length, outside: limits.filter(r => !within(r)).length + texts.filter(t => !within(t[1])).length,
    meeting: texts.flatMap(([one, a], n) => texts.slice(0, n).filter(([, b]) => meet(a, b)).map(([other]) => one + ' on ' + other)),
    smallest: Math.min(...texts.map(t => t[2])), wider: svg.getBoundingClientRect().right - holder.right, words: texts.map(t => t[0]),
  }];
}))
"""


@pytest.mark.parametrize("size", [DESK, TELEPHONE], ids=["desk", "phone"])
def test_every_card_has_its_chart_with_the_limit_in_the_frame(
    size: tuple[int, int], shown: Shown, looking: Chromium
) -> None:
    with looking.window(size=size) as window:
        assert window.open(shown.file) == []
        window.page.evaluate(OPEN)
        drawn: dict[str, Any] = window.page.evaluate(CHARTS)
    expected = {anchor_of(finding.key): finding for finding in shown.report.findings}
    assert drawn.keys() == expected.keys()
    for anchor, finding in expected.items():
        assert shown.report.page is not None
        chart, made = shown.report.page.charts[finding.key], drawn[anchor]
        assert made["kind"] == chart.chart, anchor
        if chart.chart == "rows":
            assert made["rows"] == len(chart.texts) > 0, anchor
            continue
        known = [limit for limit in chart.limits if limit is not None]
        assert (made["limits"] > 0) == bool(known), anchor
        assert (made["outside"], made["meeting"]) == (0, []), anchor
        assert made["wider"] <= 1, anchor
        assert made["smallest"] >= 10, anchor
        if chart.chart == "series" and known:
            assert any(word.startswith("limit ") for word in made["words"]), anchor


SMALL = """
() => [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && !e.closest('title, desc')).map(e => {
  const drawn = e.closest('svg') && e.getScreenCTM;
  return [parseFloat(getComputedStyle(e).fontSize) * (drawn ? e.getScreenCTM().a : 1), e.tagName + ' ' + e.textContent.slice(0, 30)];
}).filter(([size]) => size < 9.999)
"""


def test_a_phone_shows_every_text_in_ten_px_and_nothing_wider_than_itself(shown: Shown, looking: Chromium) -> None:
    with looking.window(size=TELEPHONE) as window:
        assert window.open(shown.file) == []
        assert looking.sideways(window.page) == []
        assert window.page.evaluate(SMALL) == []
        window.page.evaluate(OPEN)
        assert looking.sideways(window.page) == []
        assert window.page.evaluate(SMALL) == []


QUIET = """
() => [...document.querySelectorAll('.estate')].flatMap(table => {
  const rows = [...table.tBodies[0].rows];
  return [...table.tHead.rows[0].cells].flatMap((head, column) =>
    head.matches('.area') && head.checkVisibility() && !rows.some(row => row.cells[column].querySelector('a')) ? [head.textContent] : []);
})
"""


def test_a_phone_shows_the_areas_that_have_findings(shown: Shown, looking: Chromium) -> None:
    with looking.window(size=TELEPHONE) as window:
        assert window.open(shown.file) == []
        folded = window.page.locator(".estate").count() > 1  # an area may be quiet in one of the two tables
        assert folded or window.page.evaluate(QUIET) == []
        assert window.page.locator(".estate td a:visible").count()
    with looking.window(size=DESK) as window:
        assert window.open(shown.file) == []
        assert window.page.evaluate(QUIET)


def test_nothing_serious_with_folds_open_in_light_dark_and_print(shown: Shown, looking: Chromium) -> None:
    assert looking.faults(shown.file) == []
    if len(shown.report.findings) < 60 and len(shown.report.qmgrs) < 20:  # thousands of Tabs
        assert looking.thorough_faults(shown.file) == []


# --- one axis of time

CURSORS = """
() => [...document.querySelectorAll('.cursor')].map(cursor => {
  const box = cursor.parentElement, svg = box.querySelector('svg').getBoundingClientRect(), x = cursor.getBoundingClientRect().left;
  const chart = JSON.parse(document.getElementById('chart-data').textContent).charts[box.parentElement.id];
  const [from, width] = chart ? [svg.left + chart.plot.x * svg.width / chart.size[0], chart.plot.width * svg.width / chart.size[0]] : [svg.left, svg.width];
  return [box.closest('.card') ? 'card' : 'strip', (x - from) / width];
})
"""
DRAWN = """
() => ['.card .picture .plot', '.estate .day .plot'].map(boxes =>
  [...document.querySelectorAll(boxes)].filter(box => box.querySelector('.strip, .card-series')?.clientWidth).length)
"""
DIMS = """
() => [...document.querySelectorAll('.dim')].map(dim => {
  const box = dim.parentElement, svg = box.querySelector('svg').getBoundingClientRect(), r = dim.getBoundingClientRect();
  return [box.closest('.card') ? 'card' : 'strip', (r.left - svg.left) / svg.width, (r.right - svg.left) / svg.width];
})
"""


def in_breach(report: Report, first: int, last: int) -> tuple[set[str], set[str]]:
    """The anchors of the findings that have steps in breach: all of them, and those in breach between two steps."""
    assert report.page is not None
    steps = {anchor_of(key): chart.breached for key, chart in report.page.charts.items() if chart.chart == "series"}
    timed = {anchor: own for anchor, own in steps.items() if own}
    return set(timed), {anchor for anchor, own in timed.items() if any(first <= step <= last for step in own)}


def test_one_cursor_is_at_the_same_time_in_all_charts(shown: Shown, looking: Chromium) -> None:
    with looking.window(size=DESK) as window:
        assert window.open(shown.file) == []
        page = window.page
        cards, strips = page.evaluate(DRAWN)
        assert cards
        assert strips
        for pointed in (".card .picture:has(.card-series) .plot", ".estate .day .plot"):
            page.locator(pointed).first.scroll_into_view_if_needed()
            box = page.locator(f"{pointed} svg").first.bounding_box()
            assert box is not None
            page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
            drawn = page.evaluate(CURSORS)
            assert [kind for kind, _ in drawn].count("card") == cards
            assert [kind for kind, _ in drawn].count("strip") == strips
            at = [part for _, part in drawn]
            assert max(at) - min(at) < 0.01, drawn
            assert 0.5 < at[0] < 0.7
        page.mouse.move(2, 2)
        assert page.evaluate(CURSORS) == []
        assert window.happened() == []


def test_a_range_dims_and_hides_and_stays_in_the_address(shown: Shown, looking: Chromium) -> None:
    grid = shown.report.page.grid  # type: ignore[union-attr]
    count = len(grid.starts)
    timed, _ = in_breach(shown.report, 0, count)
    # The longest range from the start without all of the findings: some are shown, some hidden, unless all have the
    # same times.
    last = max((end for end in range(1, count - 1) if in_breach(shown.report, 0, end)[1] < timed), default=count // 2)
    _, kept = in_breach(shown.report, 0, last)
    visible = "() => [...document.querySelectorAll('.card')].filter(card => !card.hidden).map(card => card.id)"
    with looking.window(size=DESK) as window:
        assert window.open(shown.file) == []
        page = window.page
        every = page.evaluate(visible)
        assert timed <= set(every)
        strip = page.locator(".estate .day .plot svg").first
        strip.scroll_into_view_if_needed()
        box = strip.bounding_box()
        assert box is not None
        middle, px = box["y"] + box["height"] / 2, box["width"] / count
        page.mouse.move(box["x"] + 0.5 * px, middle)
        page.mouse.down()
        page.mouse.move(box["x"] + (last + 0.5) * px, middle)
        page.mouse.up()
        page.wait_for_function("location.hash.startsWith('#range=')")
        for when in ("drawn", "reloaded", "after a link", "resized"):
            if when == "reloaded":
                page.reload()
            if when == "after a link":
                page.evaluate("location.hash = 'reports'")
                page.wait_for_function("location.hash !== '#reports'")
            if when == "resized":
                page.set_viewport_size({"width": 1000, "height": 800})
                page.wait_for_timeout(100)
            assert page.evaluate("location.hash") == f"#range=0-{last}", when
            assert set(page.evaluate(visible)) == set(every) - timed | kept, when
            assert f"{len(kept)} of {len(timed)} findings" in page.inner_text("#findings"), when
            cards, strips = page.evaluate(DRAWN)
            dims = page.evaluate(DIMS)
            assert [kind for kind, *_ in dims].count("card") == 2 * cards, when
            assert [kind for kind, *_ in dims].count("strip") == 2 * strips, when
            left = {round(start, 2) for kind, start, end in dims if kind == "strip" and end > 0.99}
            assert left == {round((last + 1) / count, 2)}, when
        hidden = sorted(timed - kept)
        if hidden:  # a link to a hidden finding ends the range
            page.evaluate("anchor => { location.hash = anchor; }", hidden[0])
            page.wait_for_function("!document.querySelector('.card[hidden]')")
            page.go_back()
            page.wait_for_function("document.querySelector('.card[hidden]')")
        page.get_by_role("button", name="Whole period").click()
        assert page.evaluate("location.hash") == ""
        assert page.evaluate(visible) == every
        assert page.evaluate(DIMS) == []
        assert window.happened() == []


# --- paper

PAPER = (1031, 688)
"""A4 landscape without its margins of 12 and 14 mm, in px."""

SPLIT = """
(height) => [...document.querySelectorAll('.card')].filter(card => card.checkVisibility()).flatMap(card => {
  const faults = [];
  if (getComputedStyle(card).breakInside !== 'avoid') faults.push(card.id + ' may be split');
  for (let e = card.parentElement; e && e !== document.documentElement; e = e.parentElement)
    if (getComputedStyle(e).display !== 'block' || getComputedStyle(e).overflow !== 'visible') faults.push(card.id + ' is in a box of ' + getComputedStyle(e).display);
  const tall = card.getBoundingClientRect().height;
  if (tall > height) faults.push(card.id + ' is ' + Math.round(tall) + ' px high');
  return faults;
})
"""


def test_paper_has_a_running_head_and_page_numbers_and_splits_no_card(shown: Shown, looking: Chromium) -> None:
    with looking.window(size=PAPER, printed=True) as window:
        window.page.goto(shown.file.as_uri())
        assert window.page.evaluate(SPLIT, PAPER[1]) == []
        assert not any(fold.is_visible() for fold in window.page.locator(".card details:not([open]), .range").all())
        pages = pdf_texts(window.page.pdf(prefer_css_page_size=True))
    assert len(pages) > 1
    for number, text in enumerate(pages, start=1):
        assert shown.report.title.replace(" ", "") in text
        assert f"{number}/{len(pages)}" in text


def pdf_texts(data: bytes) -> list[str]:
    """The text of each page of a PDF of Chromium, without blanks: the glyphs of its content, by the character maps of
    its fonts.
    """
    objects = {int(number): body for number, body in re.findall(rb"(?s)(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj", data)}

    def stream(number: int) -> bytes:
        head, _, body = objects[number].partition(b"stream\n")
        length = int(re.search(rb"/Length (\d+)", head)[1])  # type: ignore[index]
        return zlib.decompress(body[:length]) if b"FlateDecode" in head else body[:length]

    letters: dict[int, dict[int, str]] = {}
    for number, body in objects.items():
        if found := re.search(rb"/ToUnicode (\d+) 0 R", body):
            letters[number] = dict(_characters(stream(int(found[1]))))
    texts = []
    for body in objects.values():
        if not re.search(rb"/Type /Page\b(?!s)", body):
            continue
        fonts = {name: int(at) for name, at in re.findall(rb"/(F\d+) (\d+) 0 R", body)}
        contents = stream(int(re.search(rb"/Contents (\d+) 0 R", body)[1]))  # type: ignore[index]
        text, known = [], {}
        for name, glyphs in re.findall(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>", contents):
            if name:
                known = letters.get(fonts[name], {})
            else:
                text += [known.get(int(glyphs[at : at + 4], 16), "") for at in range(0, len(glyphs), 4)]
        texts.append("".join(text).replace(" ", ""))
    return texts


def _characters(table: bytes) -> Iterator[tuple[int, str]]:
    """Glyphs and characters of a ToUnicode table."""

    def text(digits: bytes) -> str:
        return bytes.fromhex(digits.decode()).decode("utf-16-be")

    for block in re.findall(rb"(?s)beginbfchar(.*?)endbfchar", table):
        for glyph, character in re.findall(rb"<([0-9A-Fa-f]+)> <([0-9A-Fa-f]+)>", block):
            yield int(glyph, 16), text(character)
    for block in re.findall(rb"(?s)beginbfrange(.*?)endbfrange", table):
        for first, last, character in re.findall(rb"<([0-9A-Fa-f]+)> <([0-9A-Fa-f]+)> <([0-9A-Fa-f]+)>", block):
            for glyph in range(int(first, 16), int(last, 16) + 1):
                yield glyph, chr(ord(text(character)) + glyph - int(first, 16))
