"""What a user sets on the command line: `--set NAME=VALUE`, or `--set SUBJECT[NAME].PARAMETER=VALUE` for one subject."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mqstat.assemble.plan import units
from mqstat.assemble.plan.model import Parameter, Plan, Value
from mqstat.base.errors import UsageError
from mqstat.base.formats import choice
from mqstat.base.formatting import bare_text, unit_text
from mqstat.base.nearest import did_you_mean

WHOLE = frozenset({"count", "buffers"})
"""Units of which there is no part."""

_SETTING = re.compile(
    r"(?:(?P<kind>[a-z_]+)\[(?P<subject>[^\]]*)\]\.)?(?P<name>[A-Za-z0-9_-]+)=(?P<value>.*)\Z", re.DOTALL
)


@dataclass(frozen=True)
class Setting:
    """A value for a parameter, of all subjects or of one; `text` is what the user wrote."""

    name: str
    value: Value
    text: str
    qmgr: str | None = None
    subject: str | None = None

    def holds(self, lpar: str | None, qmgr: str | None, subject: str | None) -> bool:
        """Whether it is for this subject."""
        names = (qmgr, f"{lpar}.{qmgr}")
        return self.qmgr in (None, *names) and self.subject in (None, subject)


def settings(plan: Plan, texts: Iterable[str]) -> tuple[Setting, ...]:
    """The settings of a plan; UsageError with what is wrong in the first one that is not valid."""
    made: list[Setting] = []
    for text in texts:
        setting = _setting(plan, text)
        scope = (setting.name, setting.qmgr, setting.subject)
        if any((each.name, each.qmgr, each.subject) == scope for each in made):
            raise UsageError(f"--set {text}: {setting.name} is set twice.")
        made.append(setting)
    # The setting of one subject wins over that of all, so it comes last.
    return tuple(sorted(made, key=lambda each: (each.subject is not None, each.qmgr is not None)))


def _setting(plan: Plan, text: str) -> Setting:
    match = _SETTING.match(text)
    if match is None:
        raise UsageError(
            f"--set {text}: write PARAMETER=VALUE, or {plan.subject}[NAME].PARAMETER=VALUE for one {plan.subject_words}."
        )
    name = match["name"].lower().replace("-", "_")
    if name not in plan.parameters:
        near = did_you_mean(name, plan.parameters) or f"; it has {', '.join(plan.parameters)}"
        raise UsageError(f"--set {text}: the plan {plan.id} has no parameter {name}{near}.")
    if match["kind"] not in {None, plan.subject, "qmgr"}:
        raise UsageError(
            f"--set {text}: the plan {plan.id} answers for each {plan.subject_words}, so write {plan.subject}[NAME]."
        )
    value = _value(plan.parameters[name], match["value"])
    if match["kind"] is None:
        return Setting(name, value, text)
    if match["kind"] == "qmgr":
        return Setting(name, value, text, qmgr=match["subject"])
    qmgr, slash, subject = match["subject"].rpartition("/")
    return Setting(name, value, text, qmgr=qmgr if slash else None, subject=subject)


def _value(parameter: Parameter, text: str) -> Value:
    what = parameter.name
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
