"""The page in a browser: still, reachable by keyboard, readable for everybody, narrow enough for a telephone, and deaf to what names say.

The pages of all scenarios are opened where they are made, in tests/test_scenarios.py; this file proves that the looking finds what it looks for,
and opens the others.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Chromium, started

STYLE = "a:focus,summary:focus{outline:2px solid}body{color:#111;background:#fff}"
SOUND = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sound</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{hash}'">
<style>{style}</style></head><body><main><h1>Sound</h1><p id="top"><a href="#end">end</a></p><details><summary>more</summary><p>text</p></details>
<p id="end">end</p>{more}</main></body></html>"""


def small_page(more: str, policy: bool = True) -> str:
    """A page without a fault, but for what is added."""
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
    """The browser; tests that need nothing else are skipped without it."""
    if chromium is None:
        with started() as none:  # skips, and says why
            yield none
    else:
        yield chromium


def test_a_sound_page_has_no_fault(looking: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(small_page(""), encoding="utf-8")
    assert looking.faults(file) == []


def test_pale_words_are_pale_for_axe_too(looking: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(small_page(FAULTS["pale words"][0], False), encoding="utf-8")
    assert any(fault.startswith("axe color-contrast") for fault in looking.thorough_faults(file))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, looking: Chromium, tmp_path: Path) -> None:
    more, policy, expected = FAULTS[name]
    file = tmp_path / "page.html"
    file.write_text(small_page(more, policy), encoding="utf-8")
    assert expected in "\n".join(looking.faults(file))
