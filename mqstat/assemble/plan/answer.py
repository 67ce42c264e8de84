"""The answer of a plan for each subject, as the writers show it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mqstat.assemble.plan import formula
from mqstat.assemble.plan.inputs import Input, Subject, subjects
from mqstat.assemble.plan.model import SUBJECTS, Plan, Step
from mqstat.assemble.plan.settings import Setting, settings
from mqstat.base.errors import UsageError
from mqstat.base.formatting import clean, figure, fitted, is_odd, number_text, plural, subject_name, unit_text
from mqstat.base.nearest import nearest_or_known
from mqstat.base.return_codes import CLEAR, WARNING
from mqstat.judge.mqsc import Template, UnfitError
from mqstat.judge.sentences import fill, required
from mqstat.judge.settings import settings as kinds
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace

ANSWERED, TOO_LITTLE, MISSING = "answered", "too little data", "input missing"
STATES = (ANSWERED, TOO_LITTLE, MISSING)
"""The states of a question."""

MOST_CHANGES = 3
"""Inputs named as those that change the answer most."""

LEAST_CHANGE = 0.001
"""Smaller relative changes of the answer are not shown."""

Dispute = tuple[tuple[str, ...], float | None, float | None]
"""The constants in dispute that change a result, and its least and greatest value over what the sources give for
them."""

UNDISPUTED: Dispute = ((), None, None)


@dataclass(frozen=True)
class StepValue:
    """A step with its value, None if an optional input of it is missing; `before` is its value without settings."""

    step: Step
    value: Any
    before: Any = None


@dataclass(frozen=True)
class PlanAnswer:
    """The answer for one subject.

    `text` is the answer, or why there is none; `do` are commands and sentences; `low` and `high` are the result with
    the other published values of the constants (`disputed`), None if no constant is disputed; `changes` names the
    inputs that change the result most, with the change in percent for a tenth more of the input; `before` is the answer
    without settings, empty if no setting replaces a value.
    """

    lpar: str | None
    qmgr: str | None
    subject: str | None
    where: str
    state: str
    text: str
    do: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    steps: tuple[StepValue, ...] = ()
    disputed: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    changes: tuple[tuple[str, float], ...] = ()
    before: str = ""

    @property
    def missing(self) -> tuple[Input, ...]:
        """The inputs without a value."""
        return tuple(each for each in self.inputs if each.value is None)


@dataclass(frozen=True)
class PlanResult:
    """A plan with its answers."""

    plan: Plan
    conclusions: tuple[PlanAnswer, ...]

    @property
    def return_code(self) -> int:
        """4 if no subject has an answer."""
        return CLEAR if any(each.state == ANSWERED for each in self.conclusions) else WARNING


def answered(plan: Plan, database: Workspace | None, site: Site, texts: Sequence[str]) -> PlanResult:
    """The answers of a plan over a database (None: settings, site file and defaults only); UsageError for a setting
    that is not valid.
    """
    chosen = settings(plan, texts)
    targets = subjects(plan, database, site, chosen)
    for each in chosen:
        if not any(each.holds(target.lpar, target.qmgr, target.name) for target in targets):
            raise UsageError(f"--set {each.text}: {_not_there(plan, database, targets, each)}.")
    if chosen and not any(each.is_for_all for each in chosen):
        # Who asks about some subjects wants no answer about the others.
        targets = [
            target for target in targets if any(each.holds(target.lpar, target.qmgr, target.name) for each in chosen)
        ]
    several = len({each.lpar for each in targets}) > 1
    now = [{key: each.value for key, each in target.inputs.items()} for target in targets]
    before = [{key: each.value for key, each in target.before.items()} for target in targets]
    rows = formula.computed(plan, now)
    rows_before = formula.computed(plan, before) if chosen else rows
    disputes, changes = _scenarios(plan, targets, now, rows)
    return PlanResult(
        plan,
        tuple(
            concluded(
                plan,
                target,
                row,
                old,
                where=_where(plan, target, several),
                dispute=disputes[number],
                changes=changes[number],
            )
            for number, (target, row, old) in enumerate(zip(targets, rows, rows_before, strict=True))
        ),
    )


def _not_there(plan: Plan, database: Workspace | None, targets: Sequence[Subject], setting: Setting) -> str:
    """Why a setting of one subject or queue manager is for none."""
    if database is None:
        return f"without data there is one answer, so write {setting.name}=VALUE"
    if setting.subject is None:
        names, what, known = setting.qmgr or "", "queue manager", {each.qmgr or "" for each in targets}
    else:
        names, what, known = setting.subject, plan.subject_words, {each.name or "" for each in targets}
        known |= {f"{each.qmgr}/{each.name}" for each in targets} if "/" in names else set()
    return f"the data has no {what} {names}{nearest_or_known(names, sorted(known))}"


def advice(
    plan: Plan, database: Workspace, site: Site
) -> dict[tuple[str | None, str | None, str | None], tuple[str, ...]]:
    """What to do by a plan without settings, for each LPAR, queue manager and subject (as findings name it; None if the
    plan answers for queue managers); the reason where there is no answer.
    """
    targets = subjects(plan, database, site, ())
    rows = formula.computed(plan, [{key: each.value for key, each in target.inputs.items()} for target in targets])
    made = {}
    for target, row in zip(targets, rows, strict=True):
        conclusion = concluded(plan, target, row)
        name = f"{SUBJECTS[plan.subject]}{target.name}" if target.name else None
        made[target.lpar, target.qmgr, name] = conclusion.do if conclusion.state == ANSWERED else (conclusion.text,)
    return made


def _scenarios(
    plan: Plan, targets: Sequence[Subject], now: Sequence[formula.Values], rows: Sequence[Mapping[str, Any]]
) -> tuple[list[Dispute], list[tuple[tuple[str, float], ...]]]:
    """For each subject the range of its result over the published values of its constants, and the inputs that change
    it most: all in one run of the formula.
    """
    tried: list[formula.Values] = []
    plots: list[tuple[list[str], int, int, dict[str, int]]] = []
    for target, values in zip(targets, now, strict=True):
        constants = [key for key, each in target.inputs.items() if each.origin == "default" and each.parameter.others]
        first = len(tried)
        tried += formula.alternatives(plan, values, constants)
        last = len(tried)
        moved = formula.nudged(plan, values)
        numbers_of = {name: last + number for number, name in enumerate(moved)}
        tried += moved.values()
        plots.append((constants, first, last, numbers_of))
    results = [row.get(plan.result) for row in formula.computed(plan, tried)] if tried else []
    disputes = [
        _dispute(constants, [(values, row.get(plan.result)), *zip(tried[first:last], results[first:last], strict=True)])
        for values, row, (constants, first, last, _) in zip(now, rows, plots, strict=True)
    ]
    changes = [
        _changes(row.get(plan.result), {name: results[number] for name, number in numbers_of.items()})
        for row, (*_, numbers_of) in zip(rows, plots, strict=True)
    ]
    return disputes, changes


def _dispute(constants: Sequence[str], runs: Sequence[tuple[formula.Values, Any]]) -> Dispute:
    """The constants whose published values give several results, and the least and the greatest of these, from runs of
    inputs with the result.
    """
    numbers = [(values, float(result)) for values, result in runs if isinstance(result, (int, float))]
    disputed = []
    for name in constants:
        results: dict[tuple[Any, ...], set[float]] = {}
        for values, result in numbers:
            results.setdefault(tuple(values[key] for key in constants if key != name), set()).add(result)
        if any(len(each) > 1 for each in results.values()):
            disputed.append(name)
    values_of_result = [result for _, result in numbers]
    return (tuple(disputed), min(values_of_result), max(values_of_result)) if disputed else UNDISPUTED


def _changes(base: Any, results: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """The inputs that change a result most, with the change in percent."""
    if not isinstance(base, (int, float)) or isinstance(base, bool) or not base:
        return ()
    shares = {name: 100 * (float(value) / float(base) - 1) for name, value in results.items() if value is not None}
    most = sorted(shares.items(), key=lambda item: -abs(item[1]))[:MOST_CHANGES]
    return tuple((name, share) for name, share in most if abs(share) > 100 * LEAST_CHANGE)


def _where(plan: Plan, target: Subject, several: bool) -> str:
    name = f"{SUBJECTS[plan.subject]}{target.name}" if target.name else ""
    return subject_name(target.lpar, target.qmgr, name, several)


def concluded(
    plan: Plan,
    target: Subject,
    row: Mapping[str, Any],
    old: Mapping[str, Any] | None = None,
    *,
    where: str = "",
    dispute: Dispute = UNDISPUTED,
    changes: tuple[tuple[str, float], ...] = (),
) -> PlanAnswer:
    """The answer for a subject from the row of its steps; `old` is that of its inputs without settings."""
    old = row if old is None else old
    inputs = tuple(target.inputs.values())
    changed = f" {target.changed}" if target.changed else ""
    owner = (target.lpar, target.qmgr, target.name, where)
    least = plan.coverage
    if least is not None and target.covered is not None and target.covered < least.least:
        has = figure(target.covered, least.unit)
        return PlanAnswer(
            *owner,
            TOO_LITTLE,
            f"Too little data: {has} of at least {figure(least.least, least.unit)}; {least.why}.{changed}",
        )
    if not _has_answer(plan, target, row):
        text = _missing_text(inputs) if row else "Not answered: a step is too large for its column; check the inputs."
        return PlanAnswer(*owner, MISSING, f"{text}{changed}", inputs=inputs)
    steps = tuple(StepValue(step, row[step.name], old.get(step.name)) for step in plan.steps.values())
    return PlanAnswer(
        *owner, ANSWERED, f"{_sentence(plan, target, row)}{changed}", tuple(_do(plan, target, row)), inputs, steps,
        *dispute, changes,
        _sentence(plan, target, old, before=True) if target.has_settings and _has_answer(plan, target, old, before=True) else "",
    )  # fmt: skip


def _missing_text(inputs: Sequence[Input]) -> str:
    """Which inputs are missing."""
    names = [each.parameter.label for each in inputs if each.value is None and not each.parameter.optional]
    zeros = [
        each.parameter.label
        for each in inputs
        if each.value == 0 and each.parameter.is_number and each.origin != "default"
    ]
    texts = [each.parameter.label for each in inputs if each.origin == "set" and not each.parameter.is_number]
    if not names and texts:
        return f"Not answered: the plan cannot read {', '.join(texts)}."
    if not names:
        return f"Not answered: the formula divides by 0, because {' and '.join(zeros) or 'an input'} {'is' if len(zeros) < 2 else 'are'} 0."
    return f"Not answered: {plural(len(names), 'input')} missing ({', '.join(names)})."


def _values(plan: Plan, target: Subject, row: Mapping[str, Any], *, before: bool = False) -> dict[str, Any]:
    inputs = target.before if before else target.inputs
    return {
        "lpar": target.lpar, "qmgr": target.qmgr, "subject": target.name,
        **{key: each.value for key, each in inputs.items()}, **{name: row.get(name) for name in plan.steps},
    }  # fmt: skip


def _has_answer(plan: Plan, target: Subject, row: Mapping[str, Any], *, before: bool = False) -> bool:
    """Whether the formula has an answer, with all values of its sentence that are not optional."""
    if row.get("answer") is None:
        return False
    values = _values(plan, target, row, before=before)
    return all(values[name] is not None for name in required(plan.conclusions[row["answer"]].text))


def _sentence(plan: Plan, target: Subject, row: Mapping[str, Any], *, before: bool = False) -> str:
    return _filled(plan, plan.conclusions[row["answer"]].text, _values(plan, target, row, before=before))


_AMOUNT = re.compile(r"(about )?\{(\w+)(:[^{}]*)?\}( [a-zA-Zµ/%]+)(?![\w\[])")


def _filled(plan: Plan, text: str, values: Mapping[str, Any]) -> str:
    """A sentence with its values; one that its own unit follows is in a unit that fits, if it has no format or is very
    small or large.
    """

    def in_fitting_unit(amount: re.Match[str]) -> str:
        about, name, spec, suffix = amount.groups()
        part, value = plan.steps.get(name) or plan.parameters.get(name), values.get(name)
        if part is None or not isinstance(value, (int, float)) or suffix != unit_text(part.unit):
            return amount[0]
        text = fitted(value, part.unit)
        if spec and not is_odd(value):
            return amount[0]
        return text if text.startswith("below") else f"{about or ''}{text}"

    return fill(_AMOUNT.sub(in_fitting_unit, text), values)


def _do(plan: Plan, target: Subject, row: Mapping[str, Any]) -> list[str]:
    """The commands and sentences of an answer; of a command that a value does not fit, why, without the sentences about
    it.
    """
    values = _values(plan, target, row)
    made: list[str] = []
    shown = True
    for item in plan.conclusions[row["answer"]].do:
        if isinstance(item, Template):
            try:
                made.append(item.fill(values))
                shown = True
            except UnfitError as error:
                shown = False
                made.append(f"{item.title} is not shown: {clean(str(error))}.")
        elif shown:
            made.append(_filled(plan, item, values))
    return [text for text in made if text] + list(_conditions(plan, target, row))


def _conditions(plan: Plan, target: Subject, row: Mapping[str, Any]) -> Iterator[str]:
    """The conditions of the commands of an answer: of settings that no record shows, and that nobody stated."""
    known = {each.parameter.fact for each in target.inputs.values() if each.origin in ("set", "site file")}
    for item in plan.conclusions[row["answer"]].do:
        for keyword in item.keywords if isinstance(item, Template) else ():
            setting = kinds().get(keyword)
            if setting is not None and setting.ask and setting.fact not in known:
                yield setting.ask


def value_text(value: Any, unit: str, *, fit: bool = False) -> str:
    """A value with its unit, as texts show it; `fit` for figures, of which three digits in a unit that fits are
    shown.
    """
    if value is None:
        return "not known"
    if unit == "tally":
        pairs = [tuple(map(float, pair.split(":"))) for pair in value.split()]
        low, high = (number_text(pick(pair[0] for pair in pairs)) for pick in (min, max))
        return (
            f"{low if low == high else f'{low} to {high}'} in {plural(int(sum(pair[1] for pair in pairs)), 'interval')}"
        )
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return fitted(value, unit) if fit else f"{number_text(value)}{unit_text(unit, value)}"
    return clean(str(value))
