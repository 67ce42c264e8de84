"""The page of plans: the output of its examples, and every plan with its parameters and steps."""

from __future__ import annotations

import re
import shlex
from typing import Any

from docs.pages.markdown import ROOT, anchor, current, fill, sample_output, sentence, table


def plans_page() -> str:
    """docs/plans.md with the output of its examples and the list of all plans."""
    text = fill(current(ROOT / "docs" / "plans.md"), "reports/plan", plan_list)
    for command in re.findall(r"^<!-- begin: mqstat (plan .*) -->$", text, re.MULTILINE):
        text = fill(text, f"mqstat {command}", lambda command=command: output_over_sample(command))  # type: ignore[misc]
    return text


def output_over_sample(command: str) -> list[str]:
    """What a command prints over the bundled sample, as a block; the lines about the plan itself are left out."""
    lines = sample_output(shlex.split(command))
    end = max(number for number, line in enumerate(lines) if line.startswith("Holds for: "))
    return ["```text", f"$ mqstat {command}", *lines[:end], "```"]


def plan_list() -> list[str]:
    """Every plan with its question, parameters and steps."""
    from mqstat.assemble.plan.answer import value_text
    from mqstat.assemble.plan.model import plans
    from mqstat.sql import sqlfile

    lines = table(
        ("plan", "question"), ((f"[{plan.id}](#{anchor(plan.id)})", plan.question) for plan in plans().values())
    )
    for plan in plans().values():
        lines += [
            "",
            f"### {plan.id}",
            "",
            f"{sentence(plan.title)} {plan.question}",
            "",
            f"For each {plan.subject.replace('_', ' ')}. {sentence(plan.holds)}",
        ]
        if plan.note:
            lines += ["", sentence(plan.note)]
        if plan.coverage is not None:
            lines += [
                "",
                f"Needs at least {value_text(plan.coverage.least, plan.coverage.unit)} of data: {plan.coverage.why}.",
            ]
        about = [rule for rule, file in sqlfile.rules().items() if plan.id in file.header.get("plans", ())]
        if about:
            lines += ["", f"Answers findings of {', '.join(f'[{rule}](rules.md#{anchor(rule)})' for rule in about)}."]
        lines += [
            "",
            *table(
                ("parameter", "unit", "from", "meaning"),
                ((f"`{each.name}`", each.unit, origin_of(each), each.doc) for each in plan.parameters.values()),
            ),
        ]
        lines += [
            "",
            *table(
                ("step", "unit", "formula"),
                ((f"`{step.name}`: {step.label}", step.unit, step.formula) for step in plan.steps.values()),
            ),
        ]
        lines += ["", f"Source: {sentence(plan.source)}"]
    return lines


def origin_of(parameter: Any) -> str:
    """Where the value of a parameter comes from, in the order in which it is looked for."""
    from mqstat.assemble.plan.answer import value_text

    ways = ["`--set`"]
    ways += [f"site file (`{parameter.fact}`)"] if parameter.fact else []
    ways += [f"data ({parameter.measured})"] if parameter.measured else []
    if parameter.default is not None:
        others = "".join(f"; also published: {value_text(other, parameter.unit)}" for other in parameter.others)
        ways.append(f"default {value_text(parameter.default, parameter.unit)} ({parameter.source}{others})")
    return ", then ".join(ways)
