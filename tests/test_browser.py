"""The page in a browser: inert, usable by keyboard, accessible, narrow enough for a phone, and safe from scripts in
names.

tests/test_scenarios.py opens the pages of all scenarios; this file tests that the checks detect faults, and opens the
other pages.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest

from mqstat.base.formatting import clean
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.fixtures.scenarios.hostile_everywhere import FIRST, GROUP, PARTED, QUEUES, SECOND
from tests.browser import TELEPHONE, Chromium, started
from tests.outputs import Outputs
from tests.report_checks import without_copies
from tests.support import call, file_of

pytestmark = pytest.mark.slow

STYLE = "a:focus,summary:focus{outline:2px solid}body{color:#111;background:#fff}"
SOUND = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sound</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{hash}'">
<style>{style}</style></head><body><main><h1>Sound</h1><p id="top"><a href="#end">end</a></p><details><summary>more</summary><p>text</p></details>
<p id="end">end</p>{more}</main></body></html>"""


def small_page(more: str, policy: bool = True) -> str:
    """A page without faults except those in the added text."""
    digest = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    text = SOUND.format(hash=digest, style=STYLE, more=more)
    return text if policy else text.replace("Content-Security-Policy", "X-Nothing")


FAULTS = {
    "a script": ("<script>window.owned = 1</script>", True, "stopped by the policy: script-src-elem"),
    "a handler": ('<img src="data:," alt="" onerror="window.owned = 1">', True, "img onerror="),
    "a picture from elsewhere": ('<img src="http://127.0.0.1:9/x.png" alt="">', False, "request: http://127.0.0.1:9/x.png"),
    "a style": ('<p style="color:red">red</p>', True, "stopped by the policy: style-src-attr"),
    "a script that fails": ("<script>nothing.here()</script>", False, "nothing is not defined"),
    "a dialog": ("<script>alert('hello')</script>", False, "dialog: hello"),
    "a page that leaves": ('<meta http-equiv="refresh" content="0;url=about:blank">', False, "the page does not stay"),
    "a box that is clicked": ('<div role="button" aria-label="x">x</div>', True, "can be clicked and not focused"),
    "a link that hides its focus": (
        "<style>.h:focus{outline:none}</style><a class=h href='#top'>x</a>",
        False,
        "x does not show its focus",
    ),
    "a picture without words": ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', False, "axe image-alt"),
    "pale words": ("<style>.p{color:#bbb}</style><p class=p>pale</p>", False, "contrast 1.92: p \"pale\" 187,187,187 on 255,255,255"),
    "pale words in a picture": (
        '<svg width="90" height="30" role="img" aria-label="x"><rect width="90" height="30" fill="#fff"/><rect width="40" height="30" fill="#333"/>'
        '<text x="5" y="20" fill="#555">in</text><text x="60" y="20" fill="#555">out</text></svg>',
        False,
        'contrast 1.69: text "in"',
    ),
    "a wide box": ("<style>.w{width:600px}</style><p class=w>wide</p>", False, "wider than its window: "),
    "an order of its own": ('<a href="#top" tabindex="3">x</a>', True, "has a tab order of its own"),
}  # fmt: skip


@pytest.fixture(scope="module")
def looking(chromium: Chromium | None) -> Iterator[Chromium]:
    """The browser; without it, tests that only need a browser are skipped."""
    if chromium is None:
        with started() as browser:  # skips with a reason
            yield browser
    else:
        yield chromium


def test_a_sound_page_has_no_fault(looking: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(small_page(""), encoding="utf-8")
    assert looking.faults(file) == []


def test_low_contrast_is_found_as_by_axe(looking: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(small_page(FAULTS["pale words"][0], False), encoding="utf-8")
    assert any(fault.startswith("axe color-contrast") for fault in looking.thorough_faults(file))


def test_overprinted_cells_are_found(looking: Chromium, tmp_path: Path) -> None:
    table = "<style>.rules{table-layout:fixed;width:90px}td{white-space:nowrap}</style><table class=rules><tr><td>needs a site fact<td>BP009</table>"
    file = tmp_path / "page.html"
    file.write_text(small_page(table, False), encoding="utf-8")
    assert "overprinted at 390 px: needs a site fact | BP009" in looking.thorough_faults(file)


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name: str, looking: Chromium, tmp_path: Path) -> None:
    more, policy, expected = FAULTS[name]
    file = tmp_path / "page.html"
    file.write_text(small_page(more, policy), encoding="utf-8")
    assert expected in "\n".join(looking.faults(file))


# ---------------------------------------------------------------------------------------------------------------- pages


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a dump that is hostile in every text, in a file with a hostile name, by a process with other hashes,
    time zone and language.
    """
    folder = tmp_path_factory.mktemp("hostile")
    dump = file_of(SCENARIOS["hostile_everywhere"].build(), folder, FILE)
    site = file_of(SCENARIOS["hostile_everywhere"].site.encode(), folder, "site.toml")
    env = {"PYTHONHASHSEED": "2", "TZ": "America/St_Johns", "LC_ALL": "C"}
    target = folder / "page.html"
    done = call("report", dump, "--site", site, "--format", "html", "--output", target, env=env, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (8, b"", b"")
    page = target.read_bytes().decode()
    assert str(folder) not in page
    return page


FILE = "\u202e<img src=x onerror=owned=1>\"'&.smf"
INVISIBLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def test_real_dumps(dump: Path, looking: Chromium, tmp_path: Path, outputs: Outputs) -> None:
    assert looking.faults(file_of(outputs.dump(dump).page.encode(), tmp_path, "page.html")) == []


def test_names_are_shown_without_effect(hostile_page: str, looking: Chromium, tmp_path: Path) -> None:
    assert not INVISIBLE.search(hostile_page)
    assert not any(INVISIBLE.search(text) for text in texts(chart_data(hostile_page)))
    file = file_of(hostile_page.encode(), tmp_path, "page.html")
    assert looking.thorough_faults(file) == []
    page = looking.usual.page
    looking.usual.open(file)
    assert page.evaluate("typeof owned") == "undefined"
    assert "MQ health report" in page.title()
    for box in page.locator("svg:visible").element_handles()[:40]:  # a locator would search again for each
        box.hover(force=True)
    page.goto(file.as_uri() + "#%zz")  # a broken address
    shown = page.evaluate("document.body.textContent")
    for name in (FIRST.name, FIRST.lpar, SECOND.name, SECOND.lpar, GROUP, *PARTED):
        assert clean(name).rstrip() in shown, name
    dump = file_of(SCENARIOS["hostile_everywhere"].build(), tmp_path, "dump.smf")
    whole = tmp_path / "depth.html"
    done = call("report", dump, "--report", "queue_statistics/depth", "--format", "html", "--output", whole)
    assert done.stderr == b""
    looking.usual.open(whole)
    depth = page.evaluate("document.body.textContent")
    assert page.evaluate("document.querySelectorAll('b b, u, i, iframe, img, [onerror], [onload]').length") == 0
    missing = [name for name in QUEUES if clean(name).rstrip() not in shown and clean(name).rstrip() not in depth]
    assert not missing, "the page shows ten rows of a report, a requested report has all"
    looking.usual.open(file)
    assert FILE.replace("\u202e", r"\u202e") in shown, "a file name keeps its characters, escaped"
    assert page.evaluate("document.querySelectorAll('b b, u, i, iframe, img, [onerror], [onload]').length") == 0
    assert looking.usual.happened() == []


def chart_data(page: str) -> Any:
    """What the script shows under the pointer."""
    script = re.search(r'<script type="application/json" id="chart-data">(.*?)</script>', page, re.DOTALL)
    assert script
    return json.loads(script[1])


def texts(data: Any) -> Iterator[str]:
    """All texts in JSON data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from texts(value)


INJECTED = (
    "<script>owned = 1</script><script src='data:text/javascript,owned=1'></script><img src=x onerror='owned = 1' alt=''>"
    "<img src='http://HOST/x.png' alt=''><p style='color:red'>red</p><style>p{color:red}</style><script src='http://HOST/x.js'></script>"
    "<link rel=stylesheet href='http://HOST/x.css'><iframe src='http://HOST/'></iframe><a id=run href='javascript:owned=1'>run</a>"
)
DIRECTIVES = {"script-src-elem", "script-src-attr", "img-src", "style-src-attr", "style-src-elem", "frame-src"}


def test_the_policy_stops_injected_code(hostile_page: str, looking: Chromium, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, looking.window() as window:
        injected = INJECTED.replace("HOST", f"127.0.0.1:{server.getsockname()[1]}")
        page = hostile_page.replace("<main", injected + "<main", 1)
        happened = window.open(file_of(page.encode(), tmp_path, "page.html"))
        window.page.locator("#run").click()
        happened += window.happened()
        assert window.page.evaluate("typeof owned") == "undefined"
        assert window.page.evaluate("getComputedStyle(document.querySelector('p[style]')).color") != "rgb(255, 0, 0)"
        assert received(server) == b""
    assert {each.split()[4] for each in happened if each.startswith("stopped by the policy: ")} >= DIRECTIVES


def received(server: socket.socket) -> bytes:
    """What was sent to a server; a browser may connect before it knows that it may not, and then sends nothing."""
    server.settimeout(0.1)
    out = b""
    while True:
        try:
            with server.accept()[0] as caller:
                caller.settimeout(0.1)
                out += caller.recv(1000)
        except TimeoutError:
            return out


def test_it_is_complete_without_script(hostile_page: str, looking: Chromium, tmp_path: Path) -> None:
    file = file_of(hostile_page.encode(), tmp_path, "page.html")
    with looking.window(scripts=False, size=TELEPHONE) as window:
        page = window.page
        page.goto(file.as_uri())
        assert looking.sideways(page) == []
        fold = page.locator("#reports details, details").last
        fold.locator("summary").click()
        assert fold.locator("table").first.is_visible()
        assert page.locator("a[href^='#']").count() > 20
        dead = page.locator("button:visible, select:visible, input:visible")
        assert dead.count() == 0, "a control that no script handles"


SHOWN = escape(FILE.replace("\u202e", r"\u202e")).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")
"""The name of the file as the page shows it."""


def test_two_processes_write_the_same_bytes(hostile_page: str, outputs: Outputs) -> None:
    """The page of the other process is that of this process, which gave the file a name without effect and computed no
    checksum.
    """
    page = outputs.scenario("hostile_everywhere").page
    page, other = (without_copies(text) for text in (page, hostile_page))
    # Commands name the input and the site file of the run that printed them; the page of this process has neither.
    commands = re.compile(r"(mqstat (?:report|check|site init|rules) )&#39;[^<]*?\.smf&#39;")
    other = commands.sub(r"\1DUMP", other.replace(" --site site.toml", ""))
    assert page.count("hostile_everywhere.smf") == other.count(SHOWN) > 3
    checksum = hashlib.sha256(SCENARIOS["hostile_everywhere"].build()).hexdigest()
    page = page.replace("hostile_everywhere.smf", SHOWN).replace(
        "<code>not computed</code>", f"<code>{checksum}</code>"
    )
    assert page == other
