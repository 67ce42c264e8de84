"""The page that `mqstat explain RULE` prints, made from the rule file alone."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable

from mqstat import sqlfile
from mqstat.errors import RuleError
from mqstat.rules.model import GUARDS, Rule, rules

WIDTH = 100

_KINDS = {
    "documented": "IBM documentation states it",
    "guidance": "advice of IBM consultants or a monitor's default",
    "judgement": "our number for what the documents say in words",
}


def nearest(word: str, known: Iterable[str]) -> str:
    """`; the nearest is X`, or nothing."""
    near = difflib.get_close_matches(word, list(known), 1, 0.4)
    return f"; the nearest is {near[0]}" if near else ""


def explain(rule_id: str) -> str:
    """The explanation of a rule; RuleError with the nearest id when it is unknown."""
    known = rules()
    rule = known.get(rule_id.upper())
    if rule is None:
        near = difflib.get_close_matches(rule_id.upper(), list(known), 1, 0.4)
        raise RuleError(f"There is no rule {rule_id}" + (f"; the nearest id is {near[0]}." if near else "."))
    return "\n".join(_lines(rule)) + "\n"


def _lines(rule: Rule) -> list[str]:
    lines = [f"{rule.id}  {rule.name}", f"{rule.title}."]
    lines += ["", f"Severity    {rule.severity}{'' if rule.default_on else ', off unless the site switches it on'}"]
    lines += [f"Judged by   {rule.judge}; subject: one per {', '.join(rule.grain)}"]
    if rule.judge.wants_four:
        lines += ["            below four judged intervals a hit is a note (info) only"]
    for guard in rule.guards:
        lines += [f"            {GUARDS[guard]} ({guard})"]
    if rule.min_activity:
        lines += [f"            only intervals with {rule.min_activity.replace('$', '')}"]
    if rule.silenced_by:
        lines += [f"            silent where {', '.join(rule.silenced_by)} already reports the same subject"]
    if rule.thresholds:
        lines += ["", "Limits (change them in the site file, with a reason)"]
        for threshold in rule.thresholds.values():
            lines += _wrapped(f"{threshold.name} = {threshold.value:g} [{threshold.unit}]: {threshold.why}.", "  ")
    lines += ["", "Who says so"]
    lines += _wrapped(f"{rule.source.cite} ({rule.source.kind}: {_KINDS[rule.source.kind]}).", "  ")
    lines += ["", "What to do"]
    lines += _wrapped(rule.advice.remedy, "  ")
    lines += ["", "Needs"]
    for column in rule.needs:
        lines += [f"  {column}"]
    for group in rule.needs_any:
        lines += [f"  one of {', '.join(group)}"]
    classes = sorted({name for view in rule.needed_views for name in sqlfile.views()[view].classes})
    if classes:
        lines += [
            f"  from records {', '.join(classes)}"
            + (f", MQ {rule.mq_since} or later" if rule.mq_since != "base" else "")
        ]
    if rule.advice.report in sqlfile.reports():
        lines += ["", f"Look at     mqstat report --report {rule.advice.report}"]
    lines += ["", f"Test        {rule.file.name}", ""]
    lines += [f"  {line}".rstrip() for line in rule.sql.split("---*/", 1)[1].strip().splitlines()]
    return lines


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False)
