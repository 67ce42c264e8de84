"""The result of a plan (`mqstat.assemble.plan.answer`) as text, Markdown, HTML, CSV, Parquet and JSON with its
schema.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeAlias

import msgspec
from msgspec import Meta

from mqstat.assemble.plan.answer import ANSWERED, STATES, PlanAnswer, PlanResult, value_text
from mqstat.assemble.plan.inputs import ORIGINS, Input
from mqstat.assemble.plan.model import Plan, plans
from mqstat.base.formatting import clean, listed, number_text
from mqstat.base.json_object import Object, json_text, one_of
from mqstat.base.return_codes import CLEAR, WARNING
from mqstat.base.version import __version__
from mqstat.render.json_model import like, schema_of
from mqstat.render.layout import wrapped
from mqstat.render.values import csv_value

SCHEMA_VERSION = 2
"""Incremented when programs that read the JSON must change."""

COLUMNS = (
    "plan",
    "lpar",
    "qmgr",
    "subject",
    "state",
    "kind",
    "name",
    "value",
    "text",
    "unit",
    "origin",
    "origin_text",
    "value_before",
)
"""The columns of CSV and Parquet: a row for each answer (`kind` answer), input, step and other figure of the texts."""

Value: TypeAlias = float | str | bool | None

_INDENT = 4


def list_lines(width: int) -> Iterator[str]:
    """All plans with the question that each answers."""
    room = max(map(len, plans())) + 2
    for plan in plans().values():
        yield from wrapped(f"{plan.id:{room}}{plan.question}", width, room)
    yield ""
    yield from wrapped(
        "mqstat plan NAME DUMP answers one of them; mqstat plan NAME without data shows its parameters.", width
    )


def write(result: PlanResult, format_name: str, stream: TextIO, width: int) -> None:
    """Write a result in one of `PLAN_FORMATS` except Parquet; `width` of text in columns."""
    if format_name == "json":
        stream.write(json_text(as_object(result), indent=1) + "\n")
    elif format_name == "html":
        write_document(result, "plan.html", stream)
    elif format_name == "csv":
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([csv_value(row[name]) for name in COLUMNS] for row in long_rows(result))
    elif format_name == "markdown":
        write_document(result, "plan.md", stream)
    else:
        stream.write("\n".join(text_lines(result, width)) + "\n")


# --- what all texts state


def head(plan: Plan) -> Iterator[tuple[str, str]]:
    """Label and text of what is stated about a plan."""
    yield "Holds for", plan.holds
    yield "Source", plan.source
    if plan.note:
        yield "Note", plan.note


def remarks(result: PlanResult, conclusion: PlanAnswer, others: str) -> Iterator[tuple[str, str]]:
    """Label and text of what is stated below the answer of one subject; `others` are subjects that lack the same."""
    plan = result.plan
    if others:
        yield "The same for", others
    if conclusion.before:
        yield "Without --set", conclusion.before
    if conclusion.low is not None and conclusion.high is not None:
        step = plan.steps[plan.result]
        names = ", ".join(plan.parameters[name].label for name in conclusion.disputed)
        yield (
            "Range",
            f"{step.label}: {value_text(conclusion.low, step.unit, fit=True)} to {value_text(conclusion.high, step.unit, fit=True)}; the sources give several values for {names}.",
        )
    if conclusion.changes:
        step = plan.steps[plan.result]
        listed = ", ".join(
            f"{plan.parameters[name].label} ({'+' if share > 0 else ''}{number_text(share, 2)} %)"
            for name, share in conclusion.changes
        )
        yield "Changes most", f"{step.label}, for 10 % more of: {listed}."
    for label, is_optional in (("Missing", False), ("Not given", True)):
        lacking = [each for each in conclusion.missing if each.parameter.optional is is_optional]
        if lacking:
            texts = (
                f"{each.parameter.label}: {each.origin_text or each.parameter.doc.rstrip('.')}" for each in lacking
            )
            yield label, f"{'; '.join(texts)}."


def input_cells(each: Input) -> tuple[str, str, str]:
    """Name, value and origin of an input."""
    origin = each.origin if each.origin == "missing" else f"{each.origin}: {each.origin_text}"
    return (
        each.parameter.label,
        value_text(each.value, each.parameter.unit, fit=each.origin == "measured"),
        clean(origin),
    )


MOST_SUBJECTS = 20
"""Subjects that texts show with inputs and steps; CSV, Parquet and JSON have all."""


def sections(result: PlanResult) -> Iterator[tuple[PlanAnswer, str]]:
    """The answers that texts show, those with an answer first; subjects that lack the same share one, whose second text
    names the others.
    """
    alike: dict[object, list[PlanAnswer]] = {}
    for number, each in enumerate(sorted(result.conclusions, key=lambda each: STATES.index(each.state))):
        lacks = tuple(item.parameter.name for item in each.missing)
        alike.setdefault(number if each.state == ANSWERED else (each.text, lacks), []).append(each)
    for first, *others in list(alike.values())[:MOST_SUBJECTS]:
        names = [each.where for each in others]
        yield first, listed(names, MOST_SUBJECTS)
    left = sum(map(len, list(alike.values())[MOST_SUBJECTS:]))
    if left:
        yield (
            PlanAnswer(
                None,
                None,
                None,
                f"{left:,} more",
                ANSWERED,
                "--format csv and json have all; --qmgr selects queue managers.",
            ),
            "",
        )


# --- text


def text_lines(result: PlanResult, width: int) -> Iterator[str]:
    """The answers first, each with its inputs and steps."""
    plan = result.plan
    yield from wrapped(f"{plan.id}  {plan.question}", width)
    for conclusion, others in sections(result):
        yield ""
        lead = f"{conclusion.where}: " if conclusion.where else ""
        yield from wrapped(f"{lead}{conclusion.text}", width, 2)
        for text in conclusion.do:
            yield from wrapped(f"  > {text}", width, _INDENT)
        for label, text in remarks(result, conclusion, others):
            yield from wrapped(f"  {label}: {text}", width, _INDENT)
        known = [input_cells(each) for each in conclusion.inputs if each.value is not None]
        if known:
            yield "  Inputs"
            yield from _aligned(known, width)
        if conclusion.steps:
            yield "  Steps"
            yield from _aligned(step_cells(conclusion), width)
    yield ""
    for label, text in head(plan):
        yield from wrapped(f"{label}: {text}", width, 2)


def step_cells(conclusion: PlanAnswer) -> list[tuple[str, str, str]]:
    """Label, value and formula of each step; the value without settings, if it differs, is in parentheses."""
    rows = []
    for each in conclusion.steps:
        text = value_text(each.value, each.step.unit, fit=True)
        if conclusion.before and each.before != each.value:
            text += f" (was {value_text(each.before, each.step.unit, fit=True)})"
        rows.append((each.step.label, text, each.step.formula))
    return rows


def _aligned(rows: list[tuple[str, str, str]], width: int) -> Iterator[str]:
    names, values = (max(len(row[number]) for row in rows) for number in (0, 1))
    for name, value, origin in rows:
        lead = f"{'':{_INDENT}}{name:{names}}  {value:>{values}}  "
        yield from wrapped(f"{lead}{origin}".rstrip(), width, len(lead))


# --- Markdown and HTML


def write_document(result: PlanResult, template: str, stream: TextIO) -> None:
    """Write the result by a template: Markdown with a table of inputs and one of steps for each subject, or one page
    without a script.
    """
    from mqstat.render import html

    plan = result.plan
    html.write_document(
        template, stream, result=result, plan=plan, title=plan.title, sections=list(sections(result)),
        head=list(head(plan)), remarks=remarks, tables=tables,
    )  # fmt: skip


def tables(conclusion: PlanAnswer) -> Iterator[tuple[str, tuple[str, str, str], list[tuple[str, str, str]]]]:
    """The tables of an answer: what it lists, its headings, and its rows."""
    if conclusion.inputs:
        yield "Inputs", ("Input", "Value", "Origin"), [input_cells(each) for each in conclusion.inputs]
    if conclusion.steps:
        yield "Steps", ("Step", "Value", "Formula"), step_cells(conclusion)


# --- tables and JSON


def long_rows(result: PlanResult) -> Iterator[dict[str, Any]]:
    """A row for each answer, the answer without settings, what to do, input, step, end of the range, and change by a
    tenth more of an input.

    Numbers are in `value`, texts and flags in `text`; for an end of the range `text` has the constants in dispute.
    """
    for conclusion in result.conclusions:
        where = {name: getattr(conclusion, name) for name in ("lpar", "qmgr", "subject", "state")}
        for kind, name, values in _named_values(result.plan, conclusion):
            yield {**dict.fromkeys(COLUMNS), "plan": result.plan.id, **where, "kind": kind, "name": name, **values}


def _named_values(plan: Plan, conclusion: PlanAnswer) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Kind, name and values of each row of an answer."""
    yield "answer", "answer", {"text": conclusion.text}
    if conclusion.before:
        yield "before", "answer", {"text": conclusion.before}
    for text in conclusion.do:
        yield "do", "do", {"text": text}
    for each in conclusion.inputs:
        origin = {"unit": each.parameter.unit, "origin": each.origin, "origin_text": each.origin_text}
        yield "input", each.parameter.name, {**_value(each.value), **origin}
    for step in conclusion.steps:
        before = _value(step.before)["value"] if conclusion.before else None
        yield "step", step.step.name, {**_value(step.value), "unit": step.step.unit, "value_before": before}
    if conclusion.disputed:
        names, unit = ", ".join(conclusion.disputed), plan.steps[plan.result].unit
        for end, value in (("low", conclusion.low), ("high", conclusion.high)):
            yield "range", end, {"value": value, "text": names, "unit": unit}
    for name, share in conclusion.changes:
        yield "change", name, {"value": share, "unit": "percent"}


def _value(value: Any) -> dict[str, Any]:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {
        "value": float(value) if is_number else None,
        "text": None if value is None or is_number else value_text(value, "text"),
    }


def write_parquet(result: PlanResult, path: Path) -> None:
    """Write the rows of `long_rows` as a Parquet file, completely or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from mqstat.base.atomic_write import replaced

    numbers = ("value", "value_before")
    schema = pa.schema([(name, pa.float64() if name in numbers else pa.string()) for name in COLUMNS])
    with replaced(path, follow=True) as part:
        pq.write_table(pa.Table.from_pylist(list(long_rows(result)), schema=schema), part)


class Given(Object, frozen=True):
    """An input: its value, None if it is missing, and where it comes from."""

    name: str
    value: Value
    unit: str
    origin: Annotated[str, one_of(ORIGINS)]
    origin_text: str
    at_local: str | None
    remedy: str


class StepTaken(Object, frozen=True):
    """A step with its value, and the one without settings (`before`)."""

    name: str
    value: Value
    unit: str
    formula: str
    before: Value


class Change(Object, frozen=True):
    """By how much the result changes with a tenth more of an input."""

    name: str
    percent: float


class Answer(Object, frozen=True):
    """The answer for one subject."""

    lpar: str | None
    qmgr: str | None
    subject: str | None
    state: Annotated[str, one_of(STATES)]
    text: str
    do: Sequence[str]
    inputs: list[Given]
    steps: list[StepTaken]
    result: str
    low: float | None
    high: float | None
    disputed: Sequence[str]
    changes: list[Change]
    before: str


class PlanDocument(Object, frozen=True):
    """A plan with its answers."""

    schema_version: Annotated[int, Meta(extra_json_schema={"const": SCHEMA_VERSION})]
    mqstat: str
    plan: str
    question: str
    holds: str
    source: str
    return_code: Annotated[int, one_of((CLEAR, WARNING))]
    conclusions: list[Answer] = msgspec.field(name="answers")


def as_object(result: PlanResult) -> PlanDocument:
    """The result as JSON has it."""
    plan, objects = result.plan, [_conclusion(result.plan, conclusion) for conclusion in result.conclusions]
    return PlanDocument(
        SCHEMA_VERSION, __version__, plan.id, plan.question, plan.holds, plan.source, result.return_code, objects
    )


def _conclusion(plan: Plan, conclusion: PlanAnswer) -> Answer:
    inputs = [
        Given(
            each.parameter.name, each.value, each.parameter.unit, each.origin, each.origin_text,
            None if each.at_local is None else each.at_local.isoformat(), each.parameter.remedy if each.value is None else "",
        )
        for each in conclusion.inputs
    ]  # fmt: skip
    steps = [
        like(StepTaken, each.step, value=each.value, before=each.before if conclusion.before else None)
        for each in conclusion.steps
    ]
    changes = [Change(name, share) for name, share in conclusion.changes]
    return like(Answer, conclusion, inputs=inputs, steps=steps, result=plan.result, changes=changes)


def schema_text() -> str:
    """The JSON Schema of a result, as text."""
    return json.dumps(make_schema(), indent=1) + "\n"


def make_schema() -> dict[str, Any]:
    """The JSON Schema of a result."""
    return schema_of(PlanDocument, "The answers of a plan by mqstat plan --format json")
