"""Opens pages in a headless Chromium and reports what is wrong with them; one browser serves a whole test process.

A page is loaded from a file with JavaScript enabled and must be inert: no console error, request, violation of its
Content-Security-Policy, dialog or navigation. `faults` checks that, the keyboard, axe-core and the width of a
telephone; the methods below it do one thing each.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Names of the Chromium program; `MQSTAT_CHROMIUM` overrides them."""

SCREEN, TELEPHONE = (1280, 900), (390, 844)
"""Width and height of the window in CSS pixels."""

SERIOUS = ("serious", "critical")
NEVER_SERIOUS = (
    "aria-allowed-role", "empty-heading", "empty-table-header", "heading-order", "image-redundant-alt", "landmark-banner-is-top-level",
    "landmark-complementary-is-top-level", "landmark-contentinfo-is-top-level", "landmark-main-is-top-level", "landmark-no-duplicate-banner",
    "landmark-no-duplicate-contentinfo", "landmark-no-duplicate-main", "landmark-one-main", "landmark-unique", "meta-viewport-large",
    "page-has-heading-one", "presentation-role-conflict", "region", "scope-attr-valid", "skip-link", "table-duplicate-name",
)  # fmt: skip
"""Rules of axe-core whose faults are minor or moderate by its documentation; `accessible` counts serious ones only, so
they do not run."""

SLOW = ("color-contrast", "link-in-text-block")
"""Rules of axe-core that check the background of every letter, and take most of its time; `contrast` checks each pair
of colours once."""

WATCH = """
window.__violations = [];
document.addEventListener('securitypolicyviolation', e => window.__violations.push(
  e.effectiveDirective + ' ' + (e.sample || e.blockedURI || '')));
"""

AXE = """
(without) => axe.run(document, {
  resultTypes: ['violations'], iframes: false, preload: false, rules: Object.fromEntries(without.map(r => [r, {enabled: false}])),
}).then(r => r.violations.map(v => [v.id, v.impact, v.nodes.length, v.nodes[0].target.join(' '),
  (v.nodes[0].any[0] || v.nodes[0].all[0] || v.nodes[0].none[0] || {message: v.help}).message]))
"""

PALE = """
() => {
  const numbers = text => { const n = text.match(/-?[\\d.]+(e-?\\d+)?/g).map(Number); return text.startsWith('color(') ? [...n.slice(0, 3).map(v => 255 * v), n[3]] : n; };
  const colours = new Map();  // there are few, and each is asked for thousands of times
  const colour = text => {
    if (!colours.has(text)) { const [r, g, b, a] = numbers(text); colours.set(text, [r, g, b, a === undefined ? 1 : a]); }
    return colours.get(text);
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const dark = matchMedia('(prefers-color-scheme: dark)').matches && getComputedStyle(document.documentElement).colorScheme.includes('dark');
  const base = dark ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const grounds = new Map();
  const ground = e => {  // background colour of an element
    if (!e) return base;
    if (!grounds.has(e)) {
      const c = colour(getComputedStyle(e).backgroundColor);
      grounds.set(e, c[3] === 1 ? c : over(c, ground(e.parentElement)));
    }
    return grounds.get(e);
  };
  const inside = e => {  // in a picture the last shape or broad stroke drawn below the text
    const box = e.getBoundingClientRect(), middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
    let below = ground(e.closest('svg'));
    for (const shape of e.closest('svg').querySelectorAll('rect, path, line')) {
      if (!(shape.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const s = getComputedStyle(shape), at = middle.matrixTransform(shape.getScreenCTM().inverse());
      for (const [paint, hit] of [['fill', 'isPointInFill'], ['stroke', 'isPointInStroke']]) {
        if (s[paint] === 'none' || s[paint].startsWith('url') || !shape[hit](at)) continue;
        const c = colour(s[paint]);
        below = over([c[0], c[1], c[2], c[3] * s[paint + 'Opacity'] * s.opacity], below);
      }
    }
    return below;
  };
  const seen = new Set(), done = new Set(), out = [];
  const folded = n => n.nodeType === 1 && n.parentElement.localName === 'details' && !n.parentElement.open && n.localName !== 'summary';
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    n => folded(n) ? NodeFilter.FILTER_REJECT : n.nodeType === 1 ? NodeFilter.FILTER_SKIP : NodeFilter.FILTER_ACCEPT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (done.has(e) || !texts.currentNode.data.trim()) continue;
    done.add(e);
    if (!e.checkVisibility({visibilityProperty: true}) || e.closest('title, desc, option, :disabled')) continue;
    const s = getComputedStyle(e), drawn = e instanceof SVGElement, size = parseFloat(s.fontSize);
    const below = drawn ? inside(e) : ground(e), ink = colour(drawn ? s.fill : s.color);
    const key = [ink, below, size, s.fontWeight, s.opacity].join('|');
    if (seen.has(key)) continue;
    seen.add(key);
    const box = e.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;
    let through = ink[3];
    for (let p = e; p; p = p.parentElement) through *= getComputedStyle(p).opacity;
    const [one, other] = [light(over([ink[0], ink[1], ink[2], through], below)), light(below)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < (size >= 24 || (size >= 18.66 && s.fontWeight >= 700) ? 3 : 4.5) - 0.005)
      out.push(ratio.toFixed(2) + ': ' + e.tagName.toLowerCase() + ' "' + texts.currentNode.data.trim().slice(0, 30) + '" ' + ink.slice(0, 3).map(Math.round) + ' on ' + below.slice(0, 3).map(Math.round));
  }
  return out;
}
"""

FOLDED = "document.querySelectorAll('details:not([open]) > :not(summary)').forEach(e => e.remove())"
"""Removes folded content: users cannot see or hear it, but axe-core would check it."""

ALIKE = "document.querySelectorAll('tbody').forEach(b => [...b.rows].slice(3, -1).forEach(row => row.remove()))"
"""Keeps only the first rows and the last row of every table: the others have the same structure."""

SIDEWAYS = """
() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return null;
  const boxed = e => { for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
    if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(p).overflowX)) return true; return false; };
  const out = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > wide + 1 && !boxed(e));
  const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + (e.getAttribute('class') ? '.' + e.getAttribute('class').split(' ').join('.') : '');
  return document.documentElement.scrollWidth + ' px of ' + wide + ': ' + out.slice(0, 3).map(name).join(', ');
}
"""

OVERPRINTED = """
() => {
  const texts = e => { const r = document.createRange(); r.selectNodeContents(e); return [...r.getClientRects()].filter(b => b.width > 1 && b.height > 1); };
  const out = [];
  for (const row of document.querySelectorAll('.rules tr, .places tr, .data tr:nth-child(-n+3), summary, .facts > div, .coverage li')) {
    const cells = [...row.children].filter(e => e.checkVisibility() && !e.classList.contains('unseen') && !e.querySelector('.unseen, svg.chart'));
    const lines = cells.map(texts);
    cells.forEach((cell, i) => cells.slice(i + 1).forEach((other, k) => {
      const close = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3 && Math.min(a.right, b.right) - Math.max(a.left, b.left) > -3;
      if (lines[i].some(a => lines[i + 1 + k].some(b => close(a, b))))
        out.push(cell.textContent.trim().slice(0, 30) + ' | ' + other.textContent.trim().slice(0, 30));
    }));
  }
  return [...new Set(out)].slice(0, 5);
}
"""
"""Cells of a row, and parts of a line, whose texts overlap or are less than 3 px apart."""

WIDTHS = (TELEPHONE[0], 600, 768, 1024, 1440)
"""Widths of a window at which texts must not overlap."""

OPEN = "document.querySelectorAll('details').forEach(e => { e.open = true; })"

CONTROLS = "a[href], area[href], button, input, select, textarea, summary, [contenteditable], [tabindex], svg a"
"""Elements that a keyboard can reach, unless disabled or hidden."""

FOCUS = (
    """
(limit) => {  // of each kind of control so many
  const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' ' + (e.getAttribute('aria-label') || e.textContent || '').trim().slice(0, 30);
  const shown = e => e.checkVisibility({visibilityProperty: true, contentVisibilityAuto: false}) && !e.disabled && !e.closest('[inert]');
  const controls = [...document.querySelectorAll('"""
    + CONTROLS
    + """')].filter(e => shown(e) && e.getAttribute('tabindex') !== '-1');
  const bad = [];
  const look = e => { const s = getComputedStyle(e); return [s.outlineStyle, s.outlineWidth, s.outlineColor, s.boxShadow, s.borderColor, s.backgroundColor,
    s.textDecorationLine, s.textDecorationThickness, s.stroke, s.strokeWidth].join('|'); };
  const before = document.activeElement;
  const kinds = new Map();
  for (const e of controls) {
    const kind = [e.localName, e.getAttribute('class'), e.getAttribute('tabindex'), e.parentElement.localName, e.parentElement.getAttribute('class')].join('|');
    kinds.set(kind, (kinds.get(kind) || 0) + 1);
    if (kinds.get(kind) > limit) continue;
    if (e.tabIndex < 0) { bad.push(name(e) + ' is not reached by Tab'); continue; }
    if (e.tabIndex > 0) bad.push(name(e) + ' has a tab order of its own');
    e.focus({preventScroll: true});
    if (document.activeElement !== e) { bad.push(name(e) + ' cannot be focused'); continue; }
    const s = getComputedStyle(e);
    if (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1) continue;
    const focused = look(e);
    e.blur();
    if (look(e) === focused) bad.push(name(e) + ' does not show its focus');
  }
  for (const e of document.querySelectorAll('[onclick], [role=button], [role=link], [role=tab], [role=checkbox]'))
    if (shown(e) && !e.closest('"""
    + CONTROLS
    + """')) bad.push(name(e) + ' can be clicked and not focused');
  for (const e of document.body.querySelectorAll('div, section, article, aside, main, nav, figure, pre, ul, ol, dl, table')) {
    if (e.closest('summary') || !shown(e) || !(e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)) continue;  // the size of what is folded takes long
    const s = getComputedStyle(e);
    if (!['auto', 'scroll'].includes(s.overflowX) && !['auto', 'scroll'].includes(s.overflowY)) continue;
    if (e.tabIndex < 0 && !e.querySelector('a[href], button, input, select, summary')) bad.push(name(e) + ' scrolls and cannot be focused');
  }
  if (before && before.focus) before.focus(); else document.activeElement.blur();
  return [controls.length, bad];
}
"""
)

STRANGERS = """
() => {
  const named = new Set(['style', 'srcdoc']), addresses = new Set(['href', 'src', 'action', 'formaction', 'xlink:href']);
  const kinds = new Set(['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'FORM', 'MARQUEE', 'foreignObject', 'PORTAL', 'FRAME']);
  const out = [];
  for (const e of document.getElementsByTagName('*')) {
    if (e.hasAttributes()) for (const name of e.getAttributeNames()) {  // objects of attributes would take twice the time
      if (name.startsWith('on') || named.has(name) || (addresses.has(name) && !/^(#|data:,$|data:image\\/)/.test(e.getAttribute(name))))
        out.push(e.tagName.toLowerCase() + ' ' + name + '=' + e.getAttribute(name));
    }
    if (kinds.has(e.tagName) || (e.localName === 'meta' || e.localName === 'link') && e.matches('meta[http-equiv=refresh i], link:not([rel=icon])'))
      out.push(e.tagName.toLowerCase());
  }
  return out;
}
"""
"""Handlers, styles, addresses and elements that a self-contained page does not have."""


def find_chromium() -> str | None:
    """Path of the Chromium of this machine, None if it is not installed."""
    given = os.environ.get("MQSTAT_CHROMIUM")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def started() -> Iterator[Chromium]:
    """A browser, closed at the end; the test is skipped with a reason if Chromium is not installed."""
    program = find_chromium()
    if program is None:
        pytest.skip(
            "chromium is not installed: pages were not opened in a browser (CONTRIBUTING.md describes how to install it)"
        )
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox"] if as_root else [],  # Chromium does not start as root with its sandbox
        )
        try:
            yield Chromium(playwright, browser)
        finally:
            browser.close()


class Window:
    """A window with its page and the forbidden events that occurred in it."""

    def __init__(self, context: BrowserContext) -> None:
        self.events: list[str] = []
        self.file = ""
        context.add_init_script(WATCH)
        context.on("request", lambda request: self._note("request", request.url))
        context.on("page", lambda page: self._note("window", page.url))
        self.page: Page = context.new_page()
        self.events.clear()
        self.page.on("console", lambda message: self._note(f"console {message.type}", message.text))
        self.page.on("framenavigated", lambda frame: self._went(frame.url))
        self.page.on("pageerror", lambda error: self._note("error", str(error)))
        self.page.on("dialog", self._dialog)
        self.page.on("download", lambda download: self._note("download", download.url))

    def _note(self, what: str, text: str) -> None:
        if not (what == "request" and (text.partition("#")[0] == self.file or text.startswith("data:"))):
            self.events.append(f"{what}: {text[:200]}")

    def _went(self, url: str) -> None:
        if url.partition("#")[0] != self.file:
            self._note("went to", url)

    def _dialog(self, dialog: Any) -> None:
        self._note("dialog", dialog.message)
        dialog.dismiss()

    def open(self, file: Path) -> list[str]:
        """Load a page; returns the events during loading."""
        self.file = file.as_uri()
        self.events.clear()
        self.page.goto(self.file, wait_until="load")
        return self.happened()

    def happened(self) -> list[str]:
        """The events since the page was opened: console, requests, dialogs, and policy violations."""
        stopped = self.page.evaluate("window.__violations.splice(0)")
        out = self.events + [f"stopped by the policy: {each}" for each in stopped]
        self.events = []
        return out


class Chromium:
    """The browser, with one window that is reused, and new windows on request."""

    def __init__(self, playwright: Playwright, browser: Browser) -> None:
        self.playwright, self.browser = playwright, browser
        self.axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
        self._usual: Window | None = None

    @contextmanager
    def window(
        self, *, size: tuple[int, int] = SCREEN, dark: bool = False, printed: bool = False, scripts: bool = True
    ) -> Iterator[Window]:
        """A new window."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light", java_script_enabled=scripts,
            timezone_id="Asia/Kolkata", locale="de-DE",
        )  # fmt: skip
        try:
            window = Window(context)
            if printed:
                window.page.emulate_media(media="print")
            yield window
        finally:
            context.close()

    @property
    def usual(self) -> Window:
        """The window of a screen, light, with scripts."""
        if self._usual is None:
            context = self.browser.new_context(
                viewport={"width": SCREEN[0], "height": SCREEN[1]}, locale="de-DE", timezone_id="Asia/Kolkata"
            )
            self._usual = Window(context)
        return self._usual

    def faults(self, file: Path) -> list[str]:
        """All faults of a page when it opens, as text: on a screen and at the width of a phone."""
        return self._checked(file, self._basic_checks)

    def thorough_faults(self, file: Path) -> list[str]:
        """The slow checks: all folds open, in light, dark and print; all rules of axe-core; Tab until everything was
        reached.
        """
        return self._checked(file, self._full_checks)

    def _checked(self, file: Path, checks: Callable[[Page], list[str]]) -> list[str]:
        window = self.usual
        page = window.page
        out: list[str] = []
        try:
            page.set_viewport_size({"width": TELEPHONE[0], "height": TELEPHONE[1]})
            out += window.open(file)
            out += checks(page)
            out += window.happened()
            if page.url.partition("#")[0] == window.file:
                return out
        except Error as error:
            out.append(f"the page does not stay: {error}")
        if page.url.partition("#")[0] != window.file:
            out.append(f"the page does not stay: {page.url}")
        self._usual = None  # the next page gets a window that nothing has happened in
        page.context.close()
        return out + window.events

    def _basic_checks(self, page: Page) -> list[str]:
        out = self.sideways(page)
        page.set_viewport_size({"width": SCREEN[0], "height": SCREEN[1]})
        out += [*self.strangers(page), *self.keyboard(page), *self.contrast(page)]
        return out + self.accessible(page, without=SLOW)

    def _full_checks(self, page: Page) -> list[str]:
        page.evaluate(OPEN)
        out = [*self.sideways(page), *self.overprinted(page)]
        page.set_viewport_size({"width": SCREEN[0], "height": SCREEN[1]})
        out += [*self.keyboard(page, 10_000), *self.contrast(page)]
        page.emulate_media(color_scheme="dark")
        out += self.contrast(page)
        page.emulate_media(color_scheme="light", media="print")
        out += self.contrast(page)
        page.emulate_media(media="screen")
        page.evaluate(ALIKE)
        out += self.accessible(page, without=SLOW)
        page.reload()
        wanted, missed = self.tabbed(page)
        out += [f"keyboard: Tab does not reach {each}" for each in missed]
        return out + ([] if wanted else ["keyboard: there is no control"]) + self.accessible(page)

    def accessible(self, page: Page, without: Sequence[str] = ()) -> list[str]:
        """What axe-core calls serious or critical, of all its rules but some; what is folded is left out, and long
        tables are shortened.
        """
        page.evaluate(FOLDED)
        page.evaluate(ALIKE)
        page.evaluate(self.axe)
        return [
            f"axe {rule} ({impact}, {count} places): {where}: {message}"
            for rule, impact, count, where, message in page.evaluate(AXE, [*NEVER_SERIOUS, *without])
            if impact in SERIOUS
        ]

    def contrast(self, page: Page) -> list[str]:
        """Text with too little contrast to its background: below 4.5 to 1, large text below 3 to 1; each pair of
        colours once.
        """
        return [f"contrast {each}" for each in page.evaluate(PALE)]

    def keyboard(self, page: Page, limit: int = 1) -> list[str]:
        """Controls that Tab does not reach or that do not show focus; the first `limit` of each kind (element, class,
        parent).
        """
        page.keyboard.press("Tab")  # from now on the focus is set by the keyboard
        count, bad = page.evaluate(FOCUS, limit)
        return [f"keyboard: {each}" for each in bad] + ([] if count else ["keyboard: there is no control"])

    def tabbed(self, page: Page, limit: int = 2000) -> tuple[int, list[str]]:
        """Press Tab until the focus is back at the start; returns the number of reached controls, and those not
        reached.
        """
        page.evaluate(
            f"""() => {{ window.__reached = new Set(); document.activeElement.blur(); window.scrollTo(0, 0);
            document.addEventListener('focusin', e => window.__reached.add(e.target), true);
            window.__wanted = [...document.querySelectorAll('{CONTROLS}')].filter(e => e.checkVisibility({{visibilityProperty: true}}) && !e.disabled && e.tabIndex >= 0); }}"""
        )
        wanted = int(page.evaluate("window.__wanted.length"))
        for _ in range(min(limit, wanted + 3)):
            page.keyboard.press("Tab")
        missed = page.evaluate(
            "window.__wanted.filter(e => !window.__reached.has(e)).map(e => e.outerHTML.slice(0, 80))"
        )
        return wanted, list(missed)

    def sideways(self, page: Page) -> list[str]:
        """Whether the page needs horizontal scrolling."""
        too_wide = page.evaluate(SIDEWAYS)
        return [f"wider than its window: {too_wide}"] if too_wide else []

    def overprinted(self, page: Page) -> list[str]:
        """Neighbouring texts that overlap or touch, at several widths of the window."""
        out = []
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": SCREEN[1]})
            out += [f"overprinted at {width} px: {each}" for each in page.evaluate(OVERPRINTED)]
        return out

    def strangers(self, page: Page) -> list[str]:
        """Handlers, styles, addresses and elements that do not belong in the page."""
        return [f"does not belong here: {each}" for each in page.evaluate(STRANGERS)]
