"""What a user sets on the command line: `--set NAME=VALUE`, or `--set SUBJECT[NAME].PARAMETER=VALUE` for one
subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mqstat.assemble.plan import units
from mqstat.assemble.plan.model import Parameter, Plan, Value
from mqstat.base.errors import UsageError
from mqstat.base.formats import choice
from mqstat.base.formatting import bare_text, unit_text
from mqstat.base.nearest import nearest_or_known

WHOLE = frozenset({"count", "buffers", "level"})
"""Units of which there is no part."""

_SETTING = re.compile(
    r"\s*(?:(?P<kind>[A-Za-z_-]+)\[(?P<subject>[^\]]*)\]\.)?(?P<name>[A-Za-z0-9_-]+)\s*=(?P<value>.*)\Z", re.DOTALL
)


@dataclass(frozen=True)
class Setting:
    """A value for a parameter, of all subjects, of a queue manager or of one subject; `text` is what the user wrote.

    `subject` may begin with the name of its queue manager and a slash. Names of queues and tasks have slashes of their
    own, so that it is compared as a whole.
    """

    name: str
    value: Value
    text: str
    qmgr: str | None = None
    subject: str | None = None

    @property
    def is_for_all(self) -> bool:
        """Whether it is for all subjects."""
        return self.qmgr is None and self.subject is None

    def holds(self, lpar: str | None, qmgr: str | None, subject: str | None) -> bool:
        """Whether it is for this subject."""
        if self.subject is not None:
            return subject is not None and self.subject in (
                subject,
                f"{qmgr}/{subject}",
                f"{lpar}.{qmgr}/{subject}",
            )
        return self.qmgr in (None, qmgr, f"{lpar}.{qmgr}")


def settings(plan: Plan, texts: Iterable[str]) -> tuple[Setting, ...]:
    """The settings of a plan; UsageError with what is wrong in the first one that is not valid."""
    made: list[Setting] = []
    for text in texts:
        setting = _setting(plan, text)
        scope = (setting.name, setting.qmgr, setting.subject)
        if any((each.name, each.qmgr, each.subject) == scope for each in made):
            raise UsageError(f"--set {text}: {setting.name} is set twice.")
        made.append(setting)
    # The most specific comes last and wins: of those for one subject the longest name, which has the queue manager and
    # the LPAR too.
    return tuple(sorted(made, key=lambda each: (each.subject is not None, len(each.subject or each.qmgr or ""))))


def _setting(plan: Plan, text: str) -> Setting:
    match = _SETTING.match(text)
    if match is None:
        raise UsageError(
            f"--set {text}: write PARAMETER=VALUE, or {plan.subject}[NAME].PARAMETER=VALUE for one {plan.subject_words}."
        )
    name, kind = ((match[part] or "").lower().replace("-", "_") for part in ("name", "kind"))
    if name not in plan.parameters:
        near = nearest_or_known(name, plan.parameters)
        raise UsageError(f"--set {text}: the plan {plan.id} has no parameter {name}{near}.")
    if kind not in {"", plan.subject, "qmgr"}:
        raise UsageError(
            f"--set {text}: the plan {plan.id} answers for each {plan.subject_words}, so write {plan.subject}[NAME]."
        )
    value = _value(plan.parameters[name], text[: match.start("value") - 1].strip(), match["value"].strip())
    if not kind:
        return Setting(name, value, text)
    named = match["subject"].strip()
    return Setting(name, value, text, qmgr=named) if kind == "qmgr" else Setting(name, value, text, subject=named)


def _value(parameter: Parameter, what: str, text: str) -> Value:
    """The value of a parameter; errors call it `what`, as the user wrote it."""
    if parameter.unit == "flag":
        if text.lower() not in ("yes", "no", "true", "false"):
            raise UsageError(f"--set {what}={text}: choose yes or no.")
        return text.lower() in ("yes", "true")
    if parameter.unit == "tally":
        raise UsageError(f"--set {what}: it has a value for each interval, which only the data can give.")
    if parameter.unit == "text":
        known = {each.lower(): each for each in parameter.choices}
        if parameter.choices and text.lower() not in known:
            raise UsageError(f"--set {what}={text}: choose {choice(parameter.choices)}.")
        return known.get(text.lower(), text)
    value = units.amount(text, parameter.unit, what)
    if parameter.unit in WHOLE and not value.is_integer():
        raise UsageError(f"--set {what}={text}: it must be a whole number.")
    for limit, wrong, word in (
        (parameter.least, value < (parameter.least or 0), "least"),
        (parameter.most, False, "most"),
    ):
        if limit is not None and (wrong if word == "least" else value > limit):
            raise UsageError(
                f"--set {what}={text}: it must be at {word} {bare_text(limit)}{unit_text(parameter.unit, limit)}."
            )
    return value
