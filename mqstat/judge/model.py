"""The model of a rule: dataclasses that validate themselves, built from the header of a rule file.

A rule returns the facts of each interval; `mqstat.judge.engine` judges them. Every message of SqlFileError names the file and the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from string import Formatter
from types import MappingProxyType
from typing import Any

from mqstat.base.areas import AREAS
from mqstat.base.errors import SqlFileError
from mqstat.base.formatting import exact_text
from mqstat.judge.clauses import COUNTS, Clause, alternatives, breach_sql, make_clause
from mqstat.judge.mqsc import Commands, commands_of
from mqstat.judge.settings import settings
from mqstat.sql import sqlfile
from mqstat.sql.columns import UNITS
from mqstat.sql.syntax import select_list

SEVERITIES = ("critical", "warning", "info")
"""From the worst to the mildest."""

WEIGHTS: Mapping[str, str] = {
    "loss": "messages or log data are lost, or puts fail",
    "outage": "work stops, or stops when a resource is full",
    "delay": "work takes longer than it must",
    "waste": "work costs more than it must",
    "collection": "the data is incomplete, or what it shows is uncertain",
}
"""What a finding means for the work, the most important first: findings of one severity are in this order."""

GUARDS: Mapping[str, str] = {
    "G1": "fragments are not judged: intervals below 10 seconds and below half of the usual interval of the queue manager",
    "G2": "the first interval after a start of the queue manager or of the trace is not judged",
}
"""Guards that a rule may name; the guards for missing fields (no-data), damaged records and minimum activity always apply."""

_JUDGE = re.compile(
    r"(?P<any>any interval)|share >= (?P<share>\d+(\.\d+)?) %|(?P<run>\d+) consecutive|(?P<whole>whole period)"
)
KINDS: Mapping[str, str] = {
    "documented": "IBM documentation states it",
    "guidance": "advice of IBM consultants, or the default of a monitor",
    "judgement": "our own judgement; no document gives the number",
}
"""Who gives a limit, each with its meaning."""

MARGIN_PCT = 10
"""A figure that is beyond a limit of our own by less than this share of the limit is a note: the number is not that exact."""

OVER: Mapping[str, str] = {
    "qmgr": "records of its queue manager",
    "group": "records of the queue-sharing group of its queue manager",
    "lpar": "records of its LPAR",
    "input": "records of its input",
    "all": "all records, such as those of other queue managers of its name",
}
"""What the figures of a subject are computed from, each with its meaning."""

_ID = re.compile(r"[A-Z]{2}\d{3}\Z")
_RULE_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+\Z")
_LEVEL = re.compile(r"base\Z|\d+\.\d+\.\d+\Z")
_REQUIRED: Mapping[str, type | tuple[type, ...]] = {
    "id": str, "name": str, "title": str, "severity": str, "weight": str, "grain": list, "judge": str, "worst": str, "source": dict, "advice": dict,
}  # fmt: skip
_OPTIONAL: Mapping[str, type | tuple[type, ...]] = {
    "needs": list, "needs_any": list, "prints": list, "min_activity": str, "weighted_by": str, "weighted_min": int, "threshold": dict, "unit": str, "caused_by": list, "culprits": list, "victims": list,
    "measure": str, "when": str, "text": str, "clear": str, "compared_with": str, "counts_when": list, "missing": str, "clause": dict, "breach_when": str,
    "judged_when": str, "leaves_out": str, "mark_by": list, "guards": list, "silenced_by": list, "mq_since": str, "default_on": bool, "key_figure": str,
    "look": list, "do": list, "do_unless": dict, "raises": list, "lowers": list, "sets": list, "size": dict, "plans": list, "do_of_plan": str, "over": str,
}  # fmt: skip

DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "needs": [], "needs_any": [], "prints": [], "mark_by": [], "guards": [], "silenced_by": [], "caused_by": [],
        "threshold": {}, "mq_since": "base", "default_on": True, "breach_when": "limit", "leaves_out": "", "plans": [], "do_of_plan": "",
        "over": "qmgr", "do_unless": {}, "raises": [], "lowers": [], "sets": [],
    }
)  # fmt: skip
"""What a header need not state."""


@dataclass(frozen=True)
class Threshold:
    """A limit that a site may change: default, unit, who gives the default (a key of KINDS), its reason, and its document if it is not the rule's.

    A breach by less than `margin_pct` percent of the default is only a note; None = `MARGIN_PCT` for a limit of our own, 0 for others.
    """

    name: str
    value: float
    unit: str
    kind: str
    why: str
    cite: str = ""
    margin_pct: float | None = None

    @property
    def margin(self) -> float:
        """Percent of the limit by which a breach of it is only a note. Of a count below 10, one more is more than that; a share of 95 % has 5 % above it."""
        if self.margin_pct is not None or self.kind != "judgement" or not self.value:
            return self.margin_pct or 0
        if self.unit in COUNTS and abs(self.value) < 100 / MARGIN_PCT:
            return 0
        if self.unit == "percent" and 50 < self.value < 100:
            return MARGIN_PCT * (100 - self.value) / self.value
        return MARGIN_PCT


@dataclass(frozen=True)
class Judge:
    """What makes a hit: any interval in breach, a share of them, a run of them, or the whole period."""

    kind: str
    number: float = 1

    @property
    def wants_four(self) -> bool:
        """Whether full severity needs four judged intervals: share and consecutive."""
        return self.kind in ("share", "consecutive")

    def __str__(self) -> str:
        return {
            "any": "any interval",
            "share": f"at least {exact_text(self.number)} % of the intervals",
            "consecutive": f"{exact_text(self.number)} intervals of five minutes or more in a row",
            "whole": "the whole period",
        }[self.kind]


@dataclass(frozen=True)
class Source:
    """The documents of a rule, and who gives the limit of a leading clause that is not a threshold (a key of KINDS); empty if all of them are."""

    cite: str
    kind: str = ""


@dataclass(frozen=True)
class Advice:
    """The sentence with the figures, the remedy, and the report to open."""

    summary: str
    remedy: str
    report: str


def placeholders(text: str) -> frozenset[str]:
    """Columns and thresholds that an advice text names."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


@dataclass(frozen=True)
class Rule:
    """One rule, complete and checked."""

    id: str
    name: str
    title: str
    area: str
    severity: str
    weight: str
    """One of `WEIGHTS`."""
    grain: tuple[str, ...]
    over: str
    """What the figures of a subject are computed from (a key of `OVER`): the rule may be judged with these records alone."""
    needs: tuple[str, ...]
    needs_any: tuple[tuple[str, ...], ...]
    prints: tuple[str, ...]
    judge: Judge
    worst: str
    clauses: tuple[Clause, ...]
    alternatives: tuple[tuple[int, ...], ...]
    mark_by: tuple[str, ...]
    unit: str
    guards: tuple[str, ...]
    min_activity: str | None
    """A condition in SQL over a row of the result. Not a clause: a subject without a row with this activity is idle, not clear."""
    judged_when: str | None
    """A condition in SQL over a row of the result: without it, its figures are unknown. Not a clause: such a row is not judged."""
    leaves_out: str
    """The rows that the SELECT leaves out because of a limit. Not a clause: no finding names their subject, not even as clear."""
    weighted_by: str | None
    """Column whose values weight the intervals of a share; None = all intervals have the same weight."""
    weighted_min: float
    """The sum of `weighted_by` that is enough evidence for the full severity, even in few intervals."""
    silenced_by: tuple[str, ...]
    caused_by: tuple[str, ...]
    """The rules that may explain its findings; of a row with a column `causes` only those that it lists."""
    culprits: tuple[str, ...] | None
    """Measures of view work_measure by which those who cause a finding are ranked; () = no record shows who, None = nobody's work causes it."""
    victims: tuple[str, ...] | None
    """The same for those that wait."""
    mq_since: str
    default_on: bool
    key_figure: str | None
    """Metric of view figure_kind that is `observed`: its usual range is that of the rule's curve; None = no key figure is."""
    thresholds: Mapping[str, Threshold]
    source: Source
    advice: Advice
    commands: Commands
    plans: tuple[str, ...]
    """The plans that compute the sizes which its findings are about (`mqstat.assemble.plan`)."""
    do_of_plan: str
    """The one of them whose answer is what to do about a finding, with its commands; empty if the rule has its own (`commands.do`)."""
    do_unless: Mapping[str, str]
    """The rules that must not be in breach on the queue manager, each with what is stated in place of what to do if it is."""
    settings: Mapping[str, str]
    """The settings that its advice changes (`mqstat.judge.settings`), each with the way: raises, lowers or sets."""
    file: sqlfile.SqlFile

    @property
    def sql(self) -> str:
        """The whole file, which DuckDB runs unchanged."""
        return self.file.text

    @cached_property
    def select(self) -> str:
        """The SQL without its header."""
        return self.file.body.rstrip(";")

    @cached_property
    def breach(self) -> str:
        """The condition over a row of `select`: true = breach, false = clear, NULL = not judged; limits are parameters."""
        return breach_sql(self.clauses, self.alternatives, self.judged_when)

    @property
    def statement(self) -> str:
        """The SELECT that decides which rows are in breach, for people; limits are parameters."""
        return f"SELECT *, {self.breach} AS breach\nFROM (\n{self.select}\n)\nORDER BY {', '.join(self.row_key)}"

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names in the SELECT list of the SQL; empty if it does not name each of its columns."""
        return _columns(self.select)

    @property
    def read_views(self) -> tuple[str, ...]:
        """Views that its SQL reads, as its header names them."""
        names = [*self.needs, *(name for group in self.needs_any for name in group), *self.prints]
        return tuple(dict.fromkeys(name.partition(".")[0] for name in names))

    @property
    def views(self) -> tuple[str, ...]:
        """Views that the rule reads: those of its SQL, and those with the settings of its advice."""
        return tuple(dict.fromkeys((*self.read_views, *(settings()[name].view for name in self.settings_shown))))

    @cached_property
    def settings_shown(self) -> tuple[str, ...]:
        """The settings of its advice whose value the records have for each of its subjects."""
        known = {name: settings()[name] for name in self.settings}
        return tuple(name for name, each in known.items() if each.shown and (not each.by or each.by in self.grain))

    @property
    def judged_after(self) -> tuple[str, ...]:
        """The rules that must have run before its findings are written."""
        return (*self.silenced_by, *self.do_unless)

    @property
    def needed_views(self) -> tuple[str, ...]:
        """Views whose rows the rule requires."""
        names = [*self.needs, *(name for group in self.needs_any for name in group)]
        return tuple(dict.fromkeys(name.partition(".")[0] for name in names))

    @property
    def site_facts(self) -> tuple[str, ...]:
        """Columns of view site_input that the rule requires: a site that specifies them switches the rule on."""
        names = (name.partition(".") for name in self.needs)
        return tuple(column for view, _, column in names if view == "site_input")

    @property
    def measure(self) -> str:
        """The name of the rule's figure: that of its leading clause."""
        return self.clauses[self.alternatives[0][0]].measure

    def advice_for(self, id_: str | None) -> tuple[str, str]:
        """Summary and remedy if this clause decides."""
        clause = self.clause(id_)
        return clause.summary or self.advice.summary, clause.remedy or self.advice.remedy

    def clause(self, id_: str | None) -> Clause:
        """The clause with this id; the leading clause for an unknown id."""
        return next((clause for clause in self.clauses if clause.id == id_), self.clauses[self.alternatives[0][0]])

    def limit_kind(self, clause: Clause) -> str:
        """Who gives the limit of a leading clause: a key of KINDS."""
        threshold = self._threshold(clause)
        return threshold.kind if threshold else self.source.kind

    def limit_source(self, clause: Clause) -> str:
        """The document and section of the limit of a clause."""
        threshold = self._threshold(clause)
        return (threshold.cite if threshold else "") or self.source.cite

    def _threshold(self, clause: Clause) -> Threshold | None:
        return self.thresholds.get(clause.limit) if isinstance(clause.limit, str) else None

    @property
    def row_key(self) -> tuple[str, ...]:
        """Columns that identify a row of the result: its grain, further columns (`mark_by`), and the interval unless the rule judges the period."""
        timed = self.judge.kind != "whole" and "interval_start_utc" in self.sql
        return (*self.grain, *self.mark_by, *(("interval_start_utc",) if timed else ()))


@cache
def _columns(sql: str) -> frozenset[str]:
    names = {item.get("alias") or (item.get("column_names") or [""])[-1] for item in select_list(sql)}
    return frozenset() if "" in names else frozenset(names)


def level_number(level: str) -> int:
    """An MQ level as one number VVRRMM; `base` is 0. Levels compare as numbers, never as text."""
    if level == "base":
        return 0
    version, release, modification = level.split(".")
    return int(version) * 10000 + int(release) * 100 + int(modification)


def level_text(level: int) -> str:
    """The MQ level of a number VVRRMM: 80000 is 8.0.0."""
    return f"{level // 10000}.{level // 100 % 100}.{level % 100}"


def _texts(value: Any, name: str, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise SqlFileError(f"{name}: key {key} must be a list of texts.")
    return tuple(value)


def _thresholds(table: Mapping[str, Any], name: str) -> Mapping[str, Threshold]:
    thresholds = {}
    for key, value in table.items():
        where = f"{name}: threshold.{key}"
        if not isinstance(value, dict) or set(value) - {"cite", "margin_pct"} != {"value", "unit", "kind", "why"}:
            raise SqlFileError(f"{where} must have value, unit, kind and why, and may have cite and margin_pct.")
        if value.get("margin_pct", 0) != 0 or ("margin_pct" in value and value["kind"] != "judgement"):
            raise SqlFileError(
                f"{where}.margin_pct is 0 for a limit of our own without a margin; no other limit has one."
            )
        if not isinstance(value["value"], (int, float)) or isinstance(value["value"], bool):
            raise SqlFileError(f"{where}.value must be a number.")
        if value["unit"] not in UNITS:
            raise SqlFileError(f"{where}.unit {value['unit']!r} is not in the list of units.")
        if not isinstance(value["why"], str) or not value["why"].strip():
            raise SqlFileError(f"{where}.why must give the reason for this number.")
        if value["kind"] not in KINDS:
            raise SqlFileError(f"{where}.kind must be one of {', '.join(KINDS)}.")
        if "cite" in value and (
            value["kind"] == "judgement" or not isinstance(value["cite"], str) or not value["cite"]
        ):
            raise SqlFileError(
                f"{where}.cite must be the document that gives the number, which a limit of kind judgement does not have."
            )
        thresholds[key] = Threshold(**{"name": key, **value})
    return MappingProxyType(thresholds)


def _judge(text: str, name: str) -> Judge:
    match = _JUDGE.fullmatch(text)
    if match is None:
        raise SqlFileError(
            f"{name}: key judge {text!r} must be 'any interval', 'share >= N %', 'N consecutive' or 'whole period'."
        )
    if match["share"]:
        return Judge("share", float(match["share"]))
    if match["run"]:
        return Judge("consecutive", int(match["run"]))
    return Judge("any" if match["any"] else "whole")


def _part(header: Mapping[str, Any], key: str, parts: tuple[str, ...], name: str) -> list[str]:
    table = header[key]
    if set(table) != set(parts) or not all(isinstance(table[part], str) for part in parts):
        raise SqlFileError(f"{name}: {key} must have exactly the texts {', '.join(parts)}.")
    return [table[part] for part in parts]


def _source(
    header: Mapping[str, Any], leading: Iterable[Clause], thresholds: Mapping[str, Threshold], name: str
) -> Source:
    """The documents of a rule; its kind is that of the leading clauses whose limit is not a threshold, and missing if there are none."""
    if all(isinstance(clause.limit, str) and clause.limit in thresholds for clause in leading):
        return Source(_part(header, "source", ("cite",), name)[0])
    cite, kind = _part(header, "source", ("cite", "kind"), name)
    if kind not in KINDS:
        raise SqlFileError(f"{name}: source.kind must be one of {', '.join(KINDS)}.")
    return Source(cite, kind)


_SINGLE = ("measure", "when", "text", "clear", "compared_with", "counts_when", "missing")
"""Keys of a header that describe its only clause, whose id is then `limit`."""


def _clauses(
    header: Mapping[str, Any], thresholds: Mapping[str, Threshold], unit: str, name: str
) -> tuple[tuple[Clause, ...], tuple[tuple[int, ...], ...]]:
    """The clauses of a rule, and the combinations of them that are a breach."""
    single = {key: header[key] for key in _SINGLE if key in header}
    if ("clause" in header) == bool(single):
        raise SqlFileError(f"{name}: either measure and when, or tables clause.ID with breach_when.")
    tables = header.get("clause", {"limit": single})
    clauses = []
    for id_, table in tables.items():
        if not isinstance(table, dict):
            raise SqlFileError(f"{name}: clause.{id_} must be a table.")
        clauses.append(make_clause(id_, table, thresholds, unit, name))
    return tuple(clauses), alternatives(header["breach_when"], list(tables), name)


def make_rule(file: sqlfile.SqlFile) -> Rule:
    """Check the header of a rule file and build the Rule; SqlFileError names file and key."""
    header, name = {**DEFAULTS, **file.header}, file.name
    sqlfile.check_keys(header, {**_REQUIRED, **_OPTIONAL}, frozenset(_OPTIONAL), name)
    if " AS breach" in file.body:
        raise SqlFileError(
            f"{name}: remove the column breach from the SELECT; when or clause and breach_when in the header state the condition."
        )
    if not _ID.match(header["id"]):
        raise SqlFileError(f"{name}: key id must be two capital letters and three digits.")
    if not _RULE_NAME.match(header["name"]):
        raise SqlFileError(f"{name}: key name must be lowercase words joined by hyphens.")
    if header["severity"] not in SEVERITIES:
        raise SqlFileError(f"{name}: key severity must be one of {', '.join(SEVERITIES)}.")
    if header["weight"] not in WEIGHTS:
        raise SqlFileError(f"{name}: key weight must be one of {', '.join(WEIGHTS)}.")
    if header["worst"] not in ("lowest", "highest"):
        raise SqlFileError(f"{name}: key worst must be lowest or highest.")
    if header["over"] not in OVER:
        raise SqlFileError(f"{name}: key over must be one of {', '.join(OVER)}.")
    if header["over"] in ("qmgr", "group") and not {"lpar", "qmgr"} <= set(header["grain"]):
        raise SqlFileError(f"{name}: key over must be lpar, input or all, because the grain has no queue manager.")
    if not _LEVEL.match(header["mq_since"]):
        raise SqlFileError(f"{name}: key mq_since must be base or a level such as 9.4.0.")
    if file.area not in AREAS:
        raise SqlFileError(f"{name}: the folder {file.area} is not an area.")
    guards = _texts(header["guards"], name, "guards")
    for guard in guards:
        if guard not in GUARDS:
            raise SqlFileError(f"{name}: key guards has {guard!r}, known are {', '.join(GUARDS)}.")
    needs = _texts(header["needs"], name, "needs")
    needs_any = tuple(_texts(group, name, "needs_any") for group in header["needs_any"])
    prints = _texts(header["prints"], name, "prints")
    for column in [*needs, *(item for group in needs_any for item in group), *prints]:
        view, _, field = column.partition(".")
        if view not in sqlfile.views() or field not in sqlfile.views()[view].columns:
            raise SqlFileError(f"{name}: {column} is not a column of a view.")
    if not needs and not needs_any:
        raise SqlFileError(f"{name}: neither needs nor needs_any names a column.")
    thresholds = _thresholds(header["threshold"], name)
    if not thresholds and "unit" not in header:
        raise SqlFileError(f"{name}: key unit is missing, and no threshold has one.")
    unit = header.get("unit", next(iter(thresholds.values())).unit if thresholds else "")
    if unit not in UNITS:
        raise SqlFileError(f"{name}: key unit {unit!r} is not in the list of units.")
    advice = Advice(*_part(header, "advice", ("summary", "remedy", "report"), name))
    clauses, combined = _clauses(header, thresholds, unit, name)
    source = _source(header, [clauses[leading] for leading, *_ in combined], thresholds, name)
    lead = clauses[combined[0][0]].operator
    if (header["worst"] == "lowest" and lead in (">", ">=")) or (header["worst"] == "highest" and lead in ("<", "<=")):
        raise SqlFileError(f"{name}: key worst is {header['worst']}, the clause that leads compares with {lead}.")
    for text in (
        advice.summary,
        advice.remedy,
        *(part for clause in clauses for part in (clause.summary, clause.remedy)),
    ):
        for _, placeholder, spec, conversion in Formatter().parse(text):
            if placeholder is not None and (
                not re.fullmatch(r"[a-z][a-z0-9_]*", placeholder) or conversion or "{" in (spec or "")
            ):
                raise SqlFileError(
                    f"{name}: advice has the placeholder {{{placeholder}}}, which is not a column or threshold name."
                )
    if not header["title"] or header["title"].endswith("."):
        raise SqlFileError(f"{name}: key title must be a heading without a full stop.")
    if header["do_of_plan"] and (header["do_of_plan"] not in header["plans"] or "do" in header or "size" in header):
        raise SqlFileError(f"{name}: key do_of_plan must be one of plans, and excludes do and size.")
    return Rule(
        header["id"], header["name"], header["title"], file.area, header["severity"], header["weight"], _texts(header["grain"], name, "grain"), header["over"], needs, needs_any, prints,
        _judge(header["judge"], name), header["worst"], clauses, combined, _texts(header["mark_by"], name, "mark_by"), unit, guards, header.get("min_activity"), header.get("judged_when"), header["leaves_out"], *_weighted(header, name),
        _texts(header["silenced_by"], name, "silenced_by"), _texts(header["caused_by"], name, "caused_by"),
        _measures(header, "culprits", name), _measures(header, "victims", name), header["mq_since"],
        header["default_on"], header.get("key_figure"), thresholds, source, advice, commands_of(header, lambda: _columns(file.body.rstrip(";")) | set(thresholds), name), _texts(header["plans"], name, "plans"), header["do_of_plan"],
        header["do_unless"], _settings(header, name), file,
    )  # fmt: skip


def _settings(header: Mapping[str, Any], name: str) -> Mapping[str, str]:
    """The settings that the advice changes, with the way of each."""
    ways = {each: way for way in ("raises", "lowers", "sets") for each in _texts(header[way], name, way)}
    if unknown := sorted(ways.keys() - settings().keys()):
        raise SqlFileError(f"{name}: settings.toml has no setting {unknown[0]}.")
    return ways


def _measures(header: Mapping[str, Any], key: str, name: str) -> tuple[str, ...] | None:
    """Measures of view work_measure; None if the header does not state the key."""
    return _texts(header[key], name, key) if key in header else None


def _weighted(header: Mapping[str, Any], name: str) -> tuple[str | None, float]:
    """The column that weights intervals and the weight that is enough; only a share can be weighted, and the two keys must be used together."""
    weight: str | None = header.get("weighted_by")
    enough = float(header.get("weighted_min", 0))
    if (weight is None) != ("weighted_min" not in header):
        raise SqlFileError(f"{name}: give both weighted_by and weighted_min, or neither.")
    if weight is None or enough is None:
        return None, 0.0
    if not header["judge"].startswith("share") or not re.fullmatch(r"[a-z][a-z0-9_]*", weight) or enough <= 0:
        raise SqlFileError(
            f"{name}: weighted_by names a column of a rule that judges a share of intervals; weighted_min is above 0."
        )
    return weight, enough


@cache
def rules() -> Mapping[str, Rule]:
    """All rules by id in the order of their areas, each after the rules that silence it; no rule causes itself over others."""
    made = {name: make_rule(file) for name, file in sqlfile.rules().items()}
    in_areas = sorted(made.values(), key=lambda item: (AREAS.index(item.area), item.id))
    _in_order(in_areas, made, "caused_by", "cause")
    return MappingProxyType(_in_order(in_areas, made, "judged_after", "silence"))


def _in_order(rules_: Iterable[Rule], made: Mapping[str, Rule], key: str, verb: str) -> dict[str, Rule]:
    """Rules by id, each after those that a key of its header names; SqlFileError if they name each other in a cycle."""
    done: dict[str, Rule] = {}
    open_: list[str] = []

    def visit(rule: Rule) -> None:
        if rule.id in done:
            return
        if rule.id in open_:
            raise SqlFileError(f"{rule.file.name}: the rules {', '.join(open_)} {verb} each other in a cycle.")
        open_.append(rule.id)
        for other in getattr(rule, key):
            if other not in made:
                raise SqlFileError(f"{rule.file.name}: {key} names {other}, which is not a rule.")
            visit(made[other])
        open_.pop()
        done[rule.id] = rule

    for rule in rules_:
        visit(rule)
    return done
