"""The files of plans, `reports/plan/NAME.sql`: a header, and two statements.

The first statement reads views only: a row for each subject, with the columns lpar, qmgr, subject, covered, and the parameters that the header calls
`measured` (and NAME_at, the local time of a value of one interval). The second reads `plan_input` only, which has a row for each subject and a column
for each parameter, and the tables of `reports/plan/profiles` that the header names; it has the columns lpar, qmgr, subject, answer and every step.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import duckdb

from mqstat.assemble.plan import units
from mqstat.base.errors import RuleError, SqlFileError, UsageError
from mqstat.base.nearest import did_you_mean
from mqstat.judge.mqsc import Template, is_command, template
from mqstat.sql import sqlfile
from mqstat.sql.site import FACTS

Value = float | str | bool
"""The value of a parameter."""

TEXTS = frozenset({"text", "flag", "tally"})
"""Units of parameters that are no numbers; a tally is how many intervals had each value, as `896:2 1050:5`, and comes from the data only."""

SUBJECTS: Mapping[str, str] = MappingProxyType(
    {
        "qmgr": "", "buffer_pool": "buffer pool ", "page_set": "page set ", "structure": "structure ", "channel": "channel ", "queue": "queue ",
        "task": "", "application": "", "group": "group ", "figure": "",
    }
)  # fmt: skip
"""What a plan answers for, as `--set SUBJECT[NAME].PARAMETER=VALUE` names it, with the words before its name in texts."""

OWN_COLUMNS = ("lpar", "qmgr", "subject")

_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "id": str, "title": str, "question": str, "subject": str, "needs": list, "profiles": list, "rules": list, "covers": list, "holds": str, "source": str,
    "note": str, "result": str, "coverage": dict, "parameter": dict, "step": dict, "answer": dict,
}  # fmt: skip
_OPTIONAL = frozenset({"profiles", "rules", "covers", "note", "coverage"})
_PARAMETER: Mapping[str, type | tuple[type, ...]] = {
    "unit": str, "doc": str, "measured": str, "fact": str, "default": (int, float, str, bool), "others": list, "choices": (list, str), "optional": bool,
    "source": str, "remedy": str, "least": (int, float), "most": (int, float), "limit": str,
}  # fmt: skip
_STEP: Mapping[str, type | tuple[type, ...]] = {"unit": str, "label": str, "formula": str}
_ANSWER: Mapping[str, type | tuple[type, ...]] = {"text": str, "do": list}
_COVERAGE: Mapping[str, type | tuple[type, ...]] = {"least": (int, float), "unit": str, "why": str}


@dataclass(frozen=True)
class Parameter:
    """An input of a plan: where its value comes from, in this order: a setting, the site file (`fact`), the data (`measured` states what), `default`.

    `others` are values that other sources give for the same constant. An `optional` parameter without a value leaves the steps empty that use it;
    without any other the plan has no answer, and `remedy` states how to provide the value. `choices` are the values of a text.
    `limit` is a limit of a rule (RULE.THRESHOLD) that gives the default, and of which a site file may state another value.
    """

    name: str
    unit: str
    doc: str
    measured: str = ""
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
    """A column of the second statement: a figure on the way to the answer, with its formula in words."""

    name: str
    unit: str
    label: str
    formula: str


@dataclass(frozen=True)
class Answer:
    """One of the answers that column `answer` names: a sentence with values, and what to do: commands and sentences."""

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
    file: sqlfile.SqlFile
    question: str
    subject: str
    measured: str
    """The statement over views."""
    formula: str
    """The statement over `plan_input`."""
    parameters: Mapping[str, Parameter]
    steps: Mapping[str, Step]
    conclusions: Mapping[str, Answer]
    result: str
    """The step that is the answer as a number."""
    coverage: Coverage | None
    needs: tuple[str, ...]
    profiles: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    """Further calculations of the source that this plan includes."""
    holds: str = ""
    source: str = ""
    note: str = ""

    @property
    def subject_words(self) -> str:
        """What it answers for, in words."""
        return {"qmgr": "queue manager"}.get(self.subject, self.subject.replace("_", " "))

    @property
    def title(self) -> str:
        """Its title."""
        return self.file.title


def names() -> list[str]:
    """The names of all plans."""
    folder = resources.files("mqstat.reports") / "plan"
    return sorted(entry.name.removesuffix(".sql") for entry in folder.iterdir() if entry.name.endswith(".sql"))


@cache
def plan_of(name: str) -> Plan:
    """The plan of a name that exists; SqlFileError if its file is not one."""
    file = resources.files("mqstat.reports") / "plan" / f"{name}.sql"
    return parse(file.read_text(encoding="utf-8"), f"reports/plan/{name}.sql")


@cache
def plans() -> Mapping[str, Plan]:
    """All plans by name."""
    return MappingProxyType({name: plan_of(name) for name in names()})


def plan_named(name: str) -> Plan:
    """The plan of a name as a user writes it, with _ or - between its words; UsageError with the nearest name."""
    word = name.strip().lower().replace("-", "_")
    if word not in names():
        raise UsageError(f"There is no plan {name}{did_you_mean(word, names()) or '; mqstat plan lists them'}.")
    return plan_of(word)


def parse(text: str, name: str) -> Plan:
    """Check the text of a plan; messages call it `name`."""
    header, body = sqlfile.split(text, name)
    sqlfile.check_keys(header, _KEYS, _OPTIONAL, name)
    stem = name.rsplit("/", 1)[-1].removesuffix(".sql")
    if header["id"] != f"plan/{stem}":
        raise SqlFileError(f"{name}: key id is {header['id']!r}, but the location of the file requires 'plan/{stem}'.")
    if header["subject"] not in SUBJECTS:
        raise SqlFileError(f"{name}: key subject is {header['subject']!r}, it must be one of {', '.join(SUBJECTS)}.")
    statements = [each.query.strip().rstrip(";") for each in duckdb.extract_statements(body)]
    if len(statements) != 2:
        raise SqlFileError(f"{name}: the file has {len(statements)} statements; it must have two, each ended by ;.")
    profiles = tuple(header.get("profiles", ()))
    parameters = dict(_parameters(header["parameter"], profiles, name))
    steps = {key: _step(key, stated, name) for key, stated in header["step"].items()}
    if header["result"] not in steps:
        raise SqlFileError(f"{name}: key result is {header['result']!r}, which is not a step.")
    conclusions = {key: _conclusion(key, stated, name) for key, stated in header["answer"].items()}
    coverage = header.get("coverage")
    if coverage is not None:
        sqlfile.check_keys(coverage, _COVERAGE, frozenset(), f"{name}: coverage")
    return Plan(
        stem, sqlfile.SqlFile("plan", header["id"], name, text, MappingProxyType(header)), header["question"], header["subject"],
        statements[0], statements[1], MappingProxyType(parameters), MappingProxyType(steps), MappingProxyType(conclusions), header["result"],
        None if coverage is None else Coverage(**coverage), tuple(header["needs"]), profiles,
        tuple(header.get("rules", ())), tuple(header.get("covers", ())), header["holds"], header["source"], header.get("note", ""),
    )  # fmt: skip


def _parameters(table: Mapping[str, Any], profiles: tuple[str, ...], file: str) -> Iterator[tuple[str, Parameter]]:
    for key, written in table.items():
        where = f"{file}: parameter.{key}"
        stated = {**written, **_of_limit(written.get("limit", ""), where)}
        sqlfile.check_keys(stated, _PARAMETER, frozenset(_PARAMETER) - {"unit", "doc"}, where)
        if not key.isidentifier() or not key.islower():
            raise SqlFileError(f"{where}: a name has small letters, digits and _.")
        if stated["unit"] not in units.KNOWN | TEXTS:
            raise SqlFileError(f"{where}: the unit {stated['unit']} is unknown.")
        if stated.get("fact", "") and stated["fact"] not in FACTS:
            raise SqlFileError(f"{where}: the site file has no fact {stated['fact']}.")
        if ("default" in stated or "others" in stated) and not stated.get("source"):
            raise SqlFileError(f"{where}: a default needs its source.")
        if not (stated.get("optional") or "default" in stated or stated.get("remedy")):
            raise SqlFileError(f"{where}: without a default it needs a remedy: how to provide the value.")
        choices = stated.get("choices", [])
        if isinstance(choices, str):
            profile, _, column = choices.partition(".")
            if profile not in profiles:
                raise SqlFileError(f"{where}: key profiles does not list {profile}.")
            choices = dict.fromkeys(row[column] for row in profile_rows(profile))
        yield (
            key,
            Parameter(
                **{
                    **stated,
                    "name": key,
                    "choices": tuple(choices),
                    "others": tuple(map(float, stated.get("others", ()))),
                }
            ),
        )


def _of_limit(text: str, where: str) -> dict[str, Any]:
    """Default and source of a parameter that is a limit of a rule; nothing for another."""
    if not text:
        return {}
    rule_id, _, name = text.partition(".")
    limit = sqlfile.rules()[rule_id].header.get("threshold", {}).get(name) if rule_id in sqlfile.rules() else None
    if limit is None:
        raise SqlFileError(f"{where}: there is no limit {text}.")
    return {"default": limit["value"], "source": f"limit {name} of rule {rule_id}: {limit['why']}"}


def _step(key: str, stated: Any, file: str) -> Step:
    sqlfile.check_keys(stated, _STEP, frozenset(), f"{file}: step.{key}")
    if stated["unit"] not in units.KNOWN | TEXTS:
        raise SqlFileError(f"{file}: step.{key}: the unit {stated['unit']} is unknown.")
    return Step(key, **stated)


def _conclusion(key: str, stated: Any, file: str) -> Answer:
    sqlfile.check_keys(stated, _ANSWER, frozenset({"do"}), f"{file}: answer.{key}")
    try:
        do = tuple(template(text) if is_command(text) else text for text in stated.get("do", ()))
    except RuleError as error:
        raise SqlFileError(f"{file}: answer.{key}: {error}") from None
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
