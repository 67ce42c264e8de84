"""The page of `mqstat explain` about a plan: its question, its parameters with their origins, its steps, its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from mqstat.assemble.plan.answer import value_text
from mqstat.assemble.plan.model import REASONS, Parameter, names, plan_of
from mqstat.judge.wrapping import wrapped
from mqstat.sql import sqlfile

_MARGIN = " " * 12


def plan_pages() -> dict[str, Callable[[], list[str]]]:
    """The page of each plan by its name; a plan is read when its page is asked for."""
    return {name: partial(plan_page, name) for name in names()}


def plan_page(name: str) -> list[str]:
    """The lines about a plan."""
    plan = plan_of(name)
    lines = [f"{plan.id}  {plan.title} (plan)", *wrapped(plan.question, ""), ""]
    lines += [f"For each    {plan.subject.replace('_', ' ')}"]
    lines += wrapped(f"Holds for   {plan.holds}", "", _MARGIN)
    if plan.coverage is not None:
        least = value_text(plan.coverage.least, plan.coverage.unit)
        lines += wrapped(f"Needs       at least {least} of data: {plan.coverage.why}", "", _MARGIN)
    about = [rule for rule, file in sqlfile.rules().items() if plan.id in file.header.get("plans", ())]
    lines += wrapped(f"Rules       {', '.join(about)}", "", _MARGIN) if about else []
    lines += wrapped(f"Reads       {', '.join(plan.needs)}", "", _MARGIN)
    lines += ["", "Note", *wrapped(plan.note, "  ")] if plan.note else []
    lines += ["", "Parameters, each with the first of its origins that has a value"]
    for parameter in plan.parameters.values():
        lines += wrapped(f"{parameter.name} [{parameter.unit}]: {parameter.doc}", "  ", "    ")
        reason = f"; not measured: {REASONS[parameter.why]}" if parameter.why else ""
        lines += wrapped(", then ".join(_origins(parameter)) + reason, "    ", "      ")
    lines += ["", "Steps"]
    for step in plan.steps.values():
        lines += wrapped(f"{step.name} [{step.unit}]: {step.label} = {step.formula}", "  ", "    ")
    return [*lines, "", *wrapped(f"Source      {plan.source}", "", _MARGIN)]


def _origins(parameter: Parameter) -> Iterator[str]:
    """Where the value of a parameter comes from, in the order in which it is looked for."""
    yield "--set"
    origins = [f"data ({parameter.measured})"] if parameter.measured else []
    origins += [f"site file ({parameter.fact})"] if parameter.fact else []
    yield from reversed(origins) if parameter.estimate else origins
    if parameter.default is not None:
        published = "".join(f"; also published: {value_text(other, parameter.unit)}" for other in parameter.others)
        yield f"default {value_text(parameter.default, parameter.unit)} ({parameter.source}{published})"
