"""States on a page: each has a word, a symbol and a meaning, so that colour is never the only cue; and anchors for
links.
"""

from __future__ import annotations

from collections.abc import Mapping

from mqstat.base.formatting import clean, qmgr_name
from mqstat.judge import states

MEANINGS: Mapping[str, str] = {
    states.BROKEN: "a rule failed",
    states.CRITICAL: "a finding that needs attention now",
    states.WARNING: "a finding that needs attention",
    states.PARTLY: "hardly any rule could be judged",
    states.INFO: "a finding that needs no action today",
    states.PART: "no finding, but records are missing in a part of the period",
    states.REPORTED: "in breach; the finding of a stronger rule reports it",
    states.CLEAR: "judged, no finding",
    states.ACTIVE: "there is activity, but too little of what the rule is about",
    states.IDLE: "no activity, so nothing to judge",
    states.NOT_COLLECTED: "the records are not in the data: a problem would not be seen",
    states.NOT_IN_RELEASE: "this release of MQ does not write what the rule needs",
    states.NEEDS_FACT: "the site file does not state what the rule needs",
    states.OFF: "the site file switches the rule off",
}
"""What each state means, in the order of urgency."""

BLIND = (states.NOT_COLLECTED, states.NEEDS_FACT)
"""States in which a problem would not be seen, although something can be done about it."""


def css(state: str) -> str:
    """The name of a state in classes and ids: its words with hyphens."""
    return state.replace(" ", "-")


def report_anchor(report_id: str) -> str:
    """The id of a report in the page."""
    return "report-" + report_id.replace("/", "-")


def manager_heading(lpar: str | None, qmgr: str | None, many_lpars: bool) -> str:
    """A queue manager as a heading names it."""
    return qmgr_name(lpar, qmgr, many_lpars) or clean(lpar or "") or "inputs"
