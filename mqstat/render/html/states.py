"""States on a page: each has a label and a symbol, so that colour is never the only cue; and anchors for links."""

from __future__ import annotations

from mqstat.base.formatting import clean, qmgr_name


def css(state: str) -> str:
    """The name of a state in classes and ids: its words with hyphens."""
    return state.replace(" ", "-")


def report_anchor(report_id: str) -> str:
    """The id of a report in the page."""
    return "report-" + report_id.replace("/", "-")


def manager_heading(lpar: str | None, qmgr: str | None, many_lpars: bool) -> str:
    """A queue manager as a heading names it."""
    return qmgr_name(lpar, qmgr, many_lpars) or clean(lpar or "") or "inputs"
