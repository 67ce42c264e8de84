"""States as a page shows them: a word and a sign for each, so that colour is never alone; and anchors that links point to."""

from __future__ import annotations

from collections.abc import Iterable

from mqstat.render.model import STATES
from mqstat.rules.engine import clean

WORDS = {
    "broken": "broken", "critical": "critical", "warning": "warning", "info": "note", "ok": "ok", "idle": "no activity",
    "needs-site": "needs a fact", "not-collected": "not collected", "not-in-release": "not in release", "off": "off",
}  # fmt: skip
"""The word for each state."""

BAD = ("broken", "critical", "warning")
"""States that somebody has to do something about."""

BLIND = ("needs-site", "not-collected", "not-in-release", "off")
"""States of what was not judged."""

_OF_TEXT = {
    "CRITICAL": "critical", "WARNING": "warning", "BROKEN": "broken", "note": "info", "nothing to judge": "idle", "in part": "not-collected",
    "not collected": "not-collected", "not in release": "not-in-release",
}  # fmt: skip


def of_text(text: str) -> str:
    """The state behind the word that a line of text uses for it."""
    return _OF_TEXT.get(text, text if text in STATES else "info")


def worst(states: Iterable[str | None]) -> str | None:
    """The state that a reader must see first; None where there is none."""
    return min((state for state in states if state), key=STATES.index, default=None)


def report_anchor(report_id: str) -> str:
    """The id of a report in the page."""
    return "report-" + report_id.replace("/", "-")


def place(lpar: str | None, qmgr: str | None, many_lpars: bool) -> str:
    """A queue manager as a heading names it."""
    lpar, qmgr = clean(lpar or ""), clean(qmgr or "")
    if not qmgr:
        return lpar or "inputs"
    return f"{qmgr} on {lpar}" if many_lpars and lpar else qmgr
