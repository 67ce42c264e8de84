"""A finding in parts and as a sentence: measured value, limit, location, time. Lines and tiles print it."""

from __future__ import annotations

from dataclasses import dataclass

from mqstat.assemble.conditions import row_condition, row_phrase, share_text, why_clear
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.formatting import clean, subject_name
from mqstat.judge.model import Rule
from mqstat.judge.states import CALM, Row


@dataclass(frozen=True)
class FindingText:
    """A finding in parts: measured value, limit, location, time, share of the intervals (if useful), and as a sentence.

    `why` is the reason why a figure beyond its limit is not a breach.
    """

    measure: str
    value: str
    limit: str
    where: str
    when: str
    share: str
    text: str
    why: str = ""


def finding_text(row: Row, rule: Rule, times: LocalTimes, many_lpars: bool, *, placed: bool = True) -> FindingText:
    """A row of a finding, in breach or clear, as text; without `placed`, the queue manager is left out because a heading names it."""
    measure, value, limit = row_condition(row, rule)
    subject = row["subject"]
    where = subject_name(row["lpar"], row["qmgr"], subject, many_lpars) if placed else clean(subject or "")
    when = times.text(row["lpar"], row["qmgr"], row["worst_interval_utc"])
    share = ""
    if row["outcome"] == "breach" and row["worst_interval_utc"]:
        share = share_text(row, rule, noun=False)
    text = row_phrase(row, rule) + (f", {where}" if where else "")
    text += (f" at {when}" if when else "") + (f", in {share_text(row, rule)}" if share else "")
    why = why_clear(row, rule) if row["state"] in CALM else ""
    return FindingText(measure, value, limit, where, when, share, text + (f"; {why}" if why else ""), why)
