"""The files of plans, `reports/plan/NAME.toml`: parameters, steps and answers.

A parameter that is `measured` has its expression over the view that the plan `needs`, grouped by its subject. A plan
that reads more has a statement (`sql`) with the columns lpar, qmgr, subject, covered, the measured parameters, and
NAME_at, the local time of a value of one interval. Steps and the conditions of answers are expressions over
`plan_input`, which has a row for each subject and a column for each parameter, and over other steps; with a clause
`from` they also read the tables of `reports/plan/profiles` that the file names.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from mqstat.assemble.plan import statements, units
from mqstat.base.errors import RuleError, SqlFileError, UsageError
from mqstat.base.nearest import nearest_or_known
from mqstat.judge.mqsc import Template, is_command, template
from mqstat.judge.settings import settings
from mqstat.sql import sqlfile
from mqstat.sql.schemas import quoted
from mqstat.sql.site import FACTS

Value = float | str | bool
"""The value of a parameter."""

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "aim": "it is a choice: what is wanted, planned or compared",
        "setting": "no record has this setting",
        "outside": "records do not show it: hardware, programs, partners, or what happens at another time",
        "published": "it is a constant that a test showed",
        "rule": "it is a limit of a rule",
    }
)
"""Why nothing in the records measures a parameter, by its key `why`; every other parameter is `measured`."""

TEXTS = frozenset({"text", "flag", "tally"})
"""Units of parameters that are no numbers.

A tally is how many intervals had each value, as `896:2 1050:5`, and comes from the data only.
"""

SUBJECTS: Mapping[str, str] = MappingProxyType(
    {
        "qmgr": "",
        "buffer_pool": "buffer pool ",
        "page_set": "page set ",
        "structure": "structure ",
        "channel": "channel ",
        "queue": "queue ",
        "task": "",
        "application": "",
        "group": "group ",
        "figure": "",
    }
)
"""What a plan answers for, as `--set SUBJECT[NAME].PARAMETER=VALUE` names it, with the words before a name in texts."""

KEY_COLUMNS = ("lpar", "qmgr", "subject")
"""The columns that name the subject in the rows of each statement."""

_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "title": str, "question": str, "subject": str, "needs": list, "where": str, "name": str, "covered": str, "sql": str,
    "profiles": list, "from": str, "covers": list, "holds": str, "source": str, "result": str, "note": str,
    "collect": str, "unanswered": str, "coverage": dict, "parameter": dict, "step": dict, "answer": dict,
}  # fmt: skip
_REQUIRED = frozenset({"title", "question", "holds", "source", "result", "parameter", "step", "answer"})
_PARAMETER: Mapping[str, type | tuple[type, ...]] = {
    "unit": str, "doc": str, "measured": str, "estimate": bool, "why": str, "fact": str, "default": (int, float, str, bool), "others": list,
    "choices": (list, str), "optional": bool, "source": str, "remedy": str, "least": (int, float),
    "most": (int, float), "limit": str, "setting": str,
}  # fmt: skip
_EXPRESSIONS = ("sql", "peak", "at")
"""Keys of a measured parameter that are expressions over the view (see `statements.over_views`)."""
_STEP: Mapping[str, type | tuple[type, ...]] = {"unit": str, "label": str, "formula": str, "sql": str}
_ANSWER: Mapping[str, type | tuple[type, ...]] = {"when": str, "text": str, "do": list}
_COVERAGE: Mapping[str, type | tuple[type, ...]] = {"least": (int, float), "unit": str, "why": str}


@dataclass(frozen=True)
class Parameter:
    """An input of a plan.

    Its value is the first of a setting, the data (`measured` states what), the site file (`fact`) and `default`; an
    `estimate` from the data yields to the site file. `why` is one of `REASONS` if nothing measures it;
    `others` are values that other sources give for the same constant. Without a value of an `optional` parameter the
    steps that use it are empty; without one of any other there is no answer, and `remedy` states how to provide it.
    `choices` are the values of a text. `limit` is a limit of a rule (RULE.THRESHOLD) that gives the default, and of
    which a site file may state another value. `setting` is its name in rules/settings.toml: if it changed, what is
    measured follows from the intervals since.
    """

    name: str
    unit: str
    doc: str
    measured: str = ""
    estimate: bool = False
    why: str = ""
    fact: str = ""
    default: Value | None = None
    others: tuple[float, ...] = ()
    choices: tuple[str, ...] = ()
    optional: bool = False
    source: str = ""
    remedy: str = ""
    least: float | None = 0
    most: float | None = None
    limit: str = ""
    setting: str = ""

    @property
    def label(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")

    @property
    def is_number(self) -> bool:
        """Whether its value is a number."""
        return self.unit not in TEXTS


@dataclass(frozen=True)
class Step:
    """A figure on the way to the answer, with its formula in words."""

    name: str
    unit: str
    label: str
    formula: str


@dataclass(frozen=True)
class Answer:
    """One of the answers: a sentence with values, and what to do: commands and sentences."""

    name: str
    text: str
    do: tuple[Template | str, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """The least data, in `unit` of column `covered`, below which a plan answers that there is too little, and why."""

    least: float
    unit: str
    why: str


@dataclass(frozen=True)
class Plan:
    """A checked file of a plan."""

    id: str
    title: str
    question: str
    subject: str
    measured_sql: str
    """The statement over views; empty if it needs none."""
    steps_sql: str
    """The statement over `plan_input`."""
    parameters: Mapping[str, Parameter]
    steps: Mapping[str, Step]
    conclusions: Mapping[str, Answer]
    result: str
    """The step that is the answer as a number."""
    coverage: Coverage | None
    needs: tuple[str, ...]
    profiles: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    """Further calculations of the source that this plan includes."""
    holds: str = ""
    source: str = ""
    note: str = ""

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings of its parameters."""
        return tuple(dict.fromkeys(each.setting for each in self.parameters.values() if each.setting))

    @property
    def setting_views(self) -> tuple[str, ...]:
        """The views that have their values."""
        return tuple(dict.fromkeys(settings()[name].view for name in self.settings))

    @property
    def subject_words(self) -> str:
        """What it answers for, in words."""
        return {"qmgr": "queue manager"}.get(self.subject, self.subject.replace("_", " "))


def names() -> list[str]:
    """The names of all plans."""
    folder = resources.files("mqstat.reports") / "plan"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


@cache
def plan_of(name: str) -> Plan:
    """The plan of a name that exists; SqlFileError if its file is not one."""
    file = resources.files("mqstat.reports") / "plan" / f"{name}.toml"
    return parse(file.read_text(encoding="utf-8"), f"reports/plan/{name}.toml")


@cache
def plans() -> Mapping[str, Plan]:
    """All plans by name."""
    return MappingProxyType({name: plan_of(name) for name in names()})


def plan_named(name: str) -> Plan:
    """The plan of a name as a user writes it, with _ or - between its words; UsageError with the nearest name."""
    word = name.strip().lower().replace("-", "_")
    if word not in names():
        raise UsageError(f"There is no plan {name}{nearest_or_known(word, names(), 'mqstat plan lists them')}.")
    return plan_of(word)


def parse(text: str, name: str) -> Plan:
    """The plan in a text of the file `name`; SqlFileError, which names the file, if it is not one."""
    try:
        header = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SqlFileError(f"{name}: this is not TOML: {error}.") from error
    sqlfile.check_keys(header, _KEYS, frozenset(_KEYS) - _REQUIRED, name)
    subject = header.get("subject", "qmgr")
    if subject not in SUBJECTS:
        raise SqlFileError(f"{name}: key subject is {subject!r}, it must be one of {', '.join(SUBJECTS)}.")
    written = {key: _table(stated, f"{name}: parameter.{key}") for key, stated in header["parameter"].items()}
    columns = {
        key: {part: stated.pop(part) for part in _EXPRESSIONS if part in stated} for key, stated in written.items()
    }
    parameters = {key: _parameter(key, stated, header, f"{name}: parameter.{key}") for key, stated in written.items()}
    steps, formulas = _steps(header["step"], name)
    result = header["result"]
    if result not in steps:
        raise SqlFileError(f"{name}: key result is {result!r}, which is not a step.")
    written = {key: _table(stated, f"{name}: answer.{key}") for key, stated in header["answer"].items()}
    conclusions = {key: _conclusion(key, stated, f"{name}: answer.{key}") for key, stated in written.items()}
    conditions = {key: stated.get("when", "") for key, stated in written.items()}
    coverage = header.get("coverage")
    if coverage is not None:
        sqlfile.check_keys(coverage, _COVERAGE, frozenset(), f"{name}: coverage")
    required = [key for key, parameter in parameters.items() if not parameter.optional and parameter.default is None]
    unanswered = header.get("unanswered") or " OR ".join(f"{quoted(key)} IS NULL" for key in (*required, result))
    source = header.get("from", "plan_input AS i")
    return Plan(
        id=name.rsplit("/", 1)[-1].removesuffix(".toml"),
        title=header["title"],
        question=header["question"],
        subject=subject,
        measured_sql=_measured_sql(header, subject, columns, name),
        steps_sql=statements.over_inputs(formulas, source, steps, conditions, unanswered, name),
        parameters=MappingProxyType(parameters),
        steps=MappingProxyType(steps),
        conclusions=MappingProxyType(conclusions),
        result=result,
        coverage=None if coverage is None else Coverage(**coverage),
        needs=tuple(header.get("needs", ())),
        profiles=tuple(header.get("profiles", ())),
        covers=tuple(header.get("covers", ())),
        holds=header["holds"],
        source=header["source"],
        note=header.get("note", ""),
    )


def _measured_sql(header: Mapping[str, Any], subject: str, columns: Mapping[str, Mapping[str, str]], file: str) -> str:
    """The statement over views: that of the file, or one over its only view; empty if the plan needs none."""
    needs = header.get("needs", [])
    if "sql" in header or not needs:
        return str(header.get("sql", ""))
    if len(needs) > 1:
        raise SqlFileError(f"{file}: a plan that needs several views has the statement over them, key sql.")
    covered = {"covered": {"sql": header.get("covered", statements.COVERED)}} if "coverage" in header else {}
    name = header.get("name", statements.NAMES.get(subject, ""))
    return statements.over_views(needs[0], name, header.get("where", ""), {**covered, **columns})


def _parameter(key: str, stated: dict[str, Any], header: Mapping[str, Any], where: str) -> Parameter:
    """A parameter from its table, without its expressions; `where` names the table in messages."""
    if "default" in stated:
        stated["source"] = _source(stated.get("source", ""), header["source"])
    if "example" in stated:
        collect = f"collect {header['collect']}, or " if "measured" in stated and "collect" in header else ""
        stated["remedy"] = f"{collect}use --set {key}={stated.pop('example')}"
    stated |= _of_limit(stated.get("limit", ""), where)
    sqlfile.check_keys(stated, _PARAMETER, frozenset(_PARAMETER) - {"unit", "doc"}, where)
    if not key.isidentifier() or not key.islower():
        raise SqlFileError(f"{where}: a name has small letters, digits and _.")
    if stated["unit"] not in units.KNOWN | TEXTS:
        raise SqlFileError(f"{where}: the unit {stated['unit']} is unknown.")
    if ("measured" in stated) == (stated.get("why") in REASONS):
        raise SqlFileError(f"{where}: it must be measured, or why must be one of {', '.join(REASONS)}.")
    if stated.get("fact", "") and stated["fact"] not in FACTS:
        raise SqlFileError(f"{where}: the site file has no fact {stated['fact']}.")
    if stated.get("setting") and not settings()[stated["setting"]].shown:
        raise SqlFileError(f"{where}: no record shows {stated['setting']}.")
    if not (stated.get("optional") or "default" in stated or stated.get("remedy")):
        raise SqlFileError(f"{where}: without a default it needs a remedy or an example: how to provide the value.")
    choices = stated.get("choices", [])
    if isinstance(choices, str):
        profile, _, column = choices.partition(".")
        if profile not in header.get("profiles", ()):
            raise SqlFileError(f"{where}: key profiles does not list {profile}.")
        choices = dict.fromkeys(row[column] for row in profile_rows(profile))
    stated |= {"choices": tuple(choices), "others": tuple(map(float, stated.get("others", ())))}
    return Parameter(key, **stated)


def _table(stated: Any, where: str) -> dict[str, Any]:
    """The keys of a parameter, step or answer: one table, or the lines of a list of tables that together are one."""
    parts = stated if isinstance(stated, list) else [stated]
    if not all(isinstance(part, dict) for part in parts):
        raise SqlFileError(f"{where} must be a table, or several that together are one.")
    keys = Counter(key for part in parts for key in part)
    if repeated := [key for key, count in keys.items() if count > 1]:
        raise SqlFileError(f"{where}: key {repeated[0]} is stated twice.")
    return {key: value for part in parts for key, value in part.items()}


def _source(stated: str, of_plan: str) -> str:
    """The source of a default: that of the plan, with what follows a colon; a section alone is of the same document."""
    if stated.startswith("'"):
        return f"{of_plan.partition(',')[0]}, {stated}"
    return f"{of_plan}{stated}" if stated.startswith(":") else stated or of_plan


def _of_limit(text: str, where: str) -> dict[str, Any]:
    """Default and source of a parameter that is a limit of a rule; nothing for another."""
    if not text:
        return {}
    rule_id, _, name = text.partition(".")
    limit = sqlfile.rules()[rule_id].header.get("threshold", {}).get(name) if rule_id in sqlfile.rules() else None
    if limit is None:
        raise SqlFileError(f"{where}: there is no limit {text}.")
    return {"default": limit["value"], "source": f"limit {name} of rule {rule_id}: {limit['why']}"}


def _steps(table: Mapping[str, Any], file: str) -> tuple[dict[str, Step], dict[str, str]]:
    """The steps, and their expressions with those that are text alone, which are not shown."""
    steps, formulas = {}, {}
    for key, written in table.items():
        if isinstance(written, str):
            formulas[key] = written
            continue
        where = f"{file}: step.{key}"
        stated = _table(written, where)
        if "sql" in stated:
            formulas[key] = stated.pop("sql")
            stated.setdefault("formula", statements.words(formulas[key]))
        sqlfile.check_keys(stated, _STEP, frozenset({"sql"}), where)
        if stated["unit"] not in units.KNOWN | TEXTS:
            raise SqlFileError(f"{where}: the unit {stated['unit']} is unknown.")
        steps[key] = Step(key, **stated)
    return steps, formulas


def _conclusion(key: str, stated: Mapping[str, Any], where: str) -> Answer:
    """An answer from its table; `where` names the table in messages."""
    sqlfile.check_keys(stated, _ANSWER, frozenset({"when", "do"}), where)
    try:
        do = tuple(template(text) if is_command(text) else text for text in stated.get("do", ()))
    except RuleError as error:
        raise SqlFileError(f"{where}: {error}") from None
    return Answer(key, stated["text"], do)


@cache
def profile_rows(name: str) -> tuple[Mapping[str, Any], ...]:
    """The rows of a table of constants, `reports/plan/profiles/NAME.csv`: numbers as numbers, empty fields as None."""
    text = (resources.files("mqstat.reports") / "plan" / "profiles" / f"{name}.csv").read_text(encoding="utf-8")
    return tuple(
        MappingProxyType({key: _cell(cell) for key, cell in row.items()}) for row in csv.DictReader(text.splitlines())
    )


def _cell(text: str) -> Any:
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return text
