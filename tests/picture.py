"""The picture of README.md: `python -m tests.picture`, or `make picture`. The page of the bundled sample in Chromium,
the first screen, as docs/report.png.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from mqstat.cli import run
from mqstat.fixtures.scenarios import find
from tests.browser import find_chromium, started
from tests.support import ROOT

WIDTH, HEIGHT = 1280, 860


def main() -> int:
    """Write the picture; 16 if Chromium is not installed or the page is not written."""
    if find_chromium() is None:
        print("chromium is not installed; CONTRIBUTING.md describes how to install it")
        return 16
    with tempfile.TemporaryDirectory() as folder, started() as chromium:
        dump, page = Path(folder) / "sample.smf", Path(folder) / "report.html"
        dump.write_bytes(find("sample").build())
        if run(["report", str(dump), "--format", "html", "--output", str(page)]) not in (0, 4, 8):
            return 16
        window = chromium.browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        window.goto(page.as_uri())
        window.screenshot(path=ROOT / "docs" / "report.png", animations="disabled")
    print("docs/report.png written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
