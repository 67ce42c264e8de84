"""The model of a rule: dataclasses that validate themselves, built from the header of a rule file.

A rule returns the facts of each interval; `mqstat.judge.engine` judges them. Every message of SqlFileError names the
file and the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from string import Formatter
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import Meta, field
from msgspec.structs import replace

from mqstat.base.areas import AREAS
from mqstat.base.errors import SqlFileError
from mqstat.base.formatting import exact_text
from mqstat.base.toml_model import Document, KeyOfTable, Number, Table, Text, Wanted, one_of
from mqstat.judge.clauses import COUNTS, Clause, ClauseKeys, alternatives, breach_sql, make_clause
from mqstat.judge.mqsc import Commands, Size, commands_of
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
"""Guards that a rule may name; the guards for missing fields (no-data), damaged records and minimum activity always
apply."""

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
"""A figure that is beyond a limit of our own by less than this share of the limit is a note: the number is not that
exact."""

OVER: Mapping[str, str] = {
    "qmgr": "records of its queue manager",
    "group": "records of the queue-sharing group of its queue manager",
    "lpar": "records of its LPAR",
    "input": "records of its input",
    "all": "all records, such as those of other queue managers of its name",
}
"""What the figures of a subject are computed from, each with its meaning."""

Texts = Annotated[tuple[str, ...], Wanted("must be a list of texts")]
Column = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*\Z"), Wanted("must be the name of a column")]
_Settings = Annotated[tuple[str, ...], Wanted("must be settings of settings.toml", lambda name: name in settings())]
_Units = Annotated[str, one_of(sorted(UNITS))]


class Threshold(Table, frozen=True):
    """A limit that a site may change: default, unit, who gives the default (a key of KINDS), its reason, and its
    document if it is not the rule's.

    A breach by less than `margin_pct` percent of the default is only a note; None = `MARGIN_PCT` for a limit of our
    own, 0 for others.
    """

    value: Number
    unit: _Units
    kind: Annotated[str, one_of(KINDS)]
    why: Annotated[str, Wanted("must give the reason for this number", str.strip)]
    cite: Annotated[str, Wanted("must be the document that gives the number", str.strip)] = ""
    margin_pct: Annotated[int, Wanted("must be 0, for a limit without a margin", lambda number: number == 0)] | None = (
        None
    )
    name: KeyOfTable = ""

    @property
    def margin(self) -> float:
        """Percent of the limit by which a breach of it is only a note. Of a count below 10, one more is more than that;
        a share of 95 % has 5 % above it.
        """
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


class Source(Table, frozen=True):
    """The documents of a rule, and who gives the limit of a leading clause that is not a threshold (a key of KINDS);
    empty if all of them are.
    """

    cite: Text
    kind: Annotated[str, one_of(KINDS)] = ""


class Advice(Table, frozen=True):
    """The sentence with the figures, the remedy, and the report to open."""

    summary: Text
    remedy: Text
    report: Text


class Header(Table, frozen=True, kw_only=True):
    """The keys of the header of a rule, except `judge`; a header with one clause has its keys in place of a table
    `clause`.
    """

    id: Annotated[str, Meta(pattern=r"^[A-Z]{2}\d{3}\Z"), Wanted("must be two capital letters and three digits")]
    name: Annotated[
        str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)+\Z"), Wanted("must be lowercase words joined by hyphens")
    ]
    title: Annotated[str, Meta(pattern=r"[^.]\Z"), Wanted("must be a heading without a full stop")]
    severity: Annotated[str, one_of(SEVERITIES)]
    weight: Annotated[str, one_of(WEIGHTS)]
    grain: Texts
    over: Annotated[str, one_of(OVER)] = "qmgr"
    """What the figures of a subject are computed from (a key of `OVER`): the rule may be judged with these records
    alone."""
    needs: Texts = ()
    needs_any: Annotated[tuple[tuple[str, ...], ...], Wanted("must be lists of texts")] = ()
    prints: Texts = ()
    worst: Annotated[str, one_of(("lowest", "highest"))]
    stated: dict[str, ClauseKeys] = field(name="clause")
    breach_when: Text = "limit"
    mark_by: Texts = ()
    unit: _Units
    """By default that of the first threshold."""
    guards: Annotated[tuple[str, ...], one_of(GUARDS)] = ()
    min_activity: Text | None = None
    """A condition in SQL over a row of the result. Not a clause: a subject without a row with this activity is idle,
    not clear."""
    judged_when: Text | None = None
    """A condition in SQL over a row of the result: without it, its figures are unknown. Not a clause: such a row is not
    judged."""
    leaves_out: Text = ""
    """The rows that the SELECT leaves out because of a limit. Not a clause: no finding names their subject, not even as
    clear."""
    weighted_by: Column | None = None
    """Column whose values weight the intervals of a share; None = all intervals have the same weight."""
    weighted_min: Annotated[float, Meta(ge=0), Wanted("must be a number above 0")] = 0.0
    """The sum of `weighted_by` that is enough evidence for the full severity, even in few intervals."""
    silenced_by: Texts = ()
    caused_by: Texts = ()
    """The rules that may explain its findings; of a row with a column `causes` only those that it lists."""
    culprits: Texts | None = None
    """Measures of view work_measure by which those who cause a finding are ranked; () = no record shows who, None =
    nobody's work causes it."""
    victims: Texts | None = None
    """The same for those that wait."""
    mq_since: Annotated[
        str, Meta(pattern=r"^(base|\d+\.\d+\.\d+)\Z"), Wanted("must be base or a level such as 9.4.0")
    ] = "base"
    default_on: Annotated[bool, Wanted("must be true or false")] = True
    key_figure: Text | None = None
    """Metric of view figure_kind that is `observed`: its usual range is that of the rule's curve; None = no key figure
    is."""
    threshold: dict[str, Threshold] = field(default_factory=dict)
    source: Source
    advice: Advice
    look: Texts = ()
    do: Texts = ()
    size: dict[str, Size] = field(default_factory=dict)
    plans: Texts = ()
    """The plans that compute the sizes which its findings are about (`mqstat.assemble.plan`)."""
    do_of_plan: Text = ""
    """The one of them whose answer is what to do about a finding, with its commands; empty if the rule has its own
    (`commands.do`)."""
    do_unless: Annotated[Mapping[str, str], Wanted("must be a table of texts")] = field(default_factory=dict)
    """The rules that must not be in breach on the queue manager, each with what is stated in place of what to do if it
    is."""
    raises: _Settings = ()
    lowers: _Settings = ()
    sets: _Settings = ()


class Rule(Header, frozen=True, kw_only=True, dict=True):
    """One rule, complete and checked."""

    area: str
    judge: Judge
    clauses: tuple[Clause, ...]
    alternatives: tuple[tuple[int, ...], ...]
    thresholds: Mapping[str, Threshold]
    commands: Commands
    file: sqlfile.SqlFile

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings that its advice changes (`mqstat.judge.settings`), each with the way: raises, lowers or sets."""
        return {name: way for way in ("raises", "lowers", "sets") for name in getattr(self, way)}

    @property
    def sql(self) -> str:
        """The whole file, which DuckDB runs unchanged."""
        return self.file.text

    @property
    def select(self) -> str:
        """The SQL without its header."""
        return self.file.select

    @cached_property
    def breach(self) -> str:
        """The condition over a row of `select`: true = breach, false = clear, NULL = not judged; limits are
        parameters.
        """
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
    def needed(self) -> tuple[str, ...]:
        """Columns (`view.column`) that it requires, all of them or one of several."""
        return (*self.needs, *(name for group in self.needs_any for name in group))

    @property
    def columns_read(self) -> tuple[str, ...]:
        """Columns that its SQL reads, as its header names them."""
        return (*self.needed, *self.prints)

    @property
    def read_views(self) -> tuple[str, ...]:
        """Views that its SQL reads."""
        return _views_of(self.columns_read)

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
        return _views_of(self.needed)

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
        """Columns that identify a row of the result: its grain, further columns (`mark_by`), and the interval unless
        the rule judges the period.
        """
        timed = self.judge.kind != "whole" and "interval_start_utc" in self.sql
        return (*self.grain, *self.mark_by, *(("interval_start_utc",) if timed else ()))


def _views_of(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.partition(".")[0] for name in columns))


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


def _judge(stated: dict[str, Any], document: Document) -> Judge:
    match = _JUDGE.fullmatch(str(stated.pop("judge", "")))
    if match is None:
        must = "must be 'any interval', 'share >= N %', 'N consecutive' or 'whole period'"
        raise document.fault(("judge",), must)
    if match["share"]:
        return Judge("share", float(match["share"]))
    if match["run"]:
        return Judge("consecutive", int(match["run"]))
    return Judge("any" if match["any"] else "whole")


_SINGLE = ("measure", "when", "text", "clear", "compared_with", "counts_when", "missing")
"""Keys of a header that describe its only clause, whose id is then `limit`."""


def make_rule(file: sqlfile.SqlFile) -> Rule:
    """Check the header of a rule file and build the Rule; SqlFileError names file, line and key."""
    stated, name = dict(file.header), file.name
    single = {key: stated.pop(key) for key in _SINGLE if key in stated}
    if ("clause" in stated) == bool(single):
        raise SqlFileError(f"{name}: either measure and when, or tables clause.ID with breach_when.")
    stated.setdefault("clause", {"limit": single})
    limits = stated.get("threshold")
    for limit in list(limits.values())[:1] if isinstance(limits, dict) else ():
        unit = limit.get("unit") if isinstance(limit, dict) else None
        stated.setdefault(
            "unit", unit if unit in UNITS else "count"
        )  # one that is not valid is reported where it is stated
    document = sqlfile.document(file, stated)
    judge, header = _judge(stated, document), document.convert(Header)
    thresholds = {key: replace(table, name=key) for key, table in header.threshold.items()}
    for key, limit in thresholds.items():
        if limit.kind != "judgement" and limit.margin_pct is not None:
            raise document.fault(("threshold", key, "margin_pct"), "is that of a limit of our own (kind judgement)")
        if limit.kind == "judgement" and limit.cite:
            raise document.fault(("threshold", key, "cite"), "must go: no document gives a limit of kind judgement")
    clauses = tuple(
        make_clause(id_, table, thresholds, header.unit, f"{name}: clause {id_}")
        for id_, table in header.stated.items()
    )
    combined = alternatives(header.breach_when, list(header.stated), name)
    rule = Rule(
        **{key: getattr(header, key) for key in Header.__struct_fields__},
        area=file.area, judge=judge, clauses=clauses, alternatives=combined, thresholds=MappingProxyType(thresholds), file=file,
        commands=commands_of(header.look, header.do, header.size, lambda: _columns(file.select) | set(thresholds), name),
    )  # fmt: skip
    for fault in _faults(rule):
        raise SqlFileError(f"{name}: {fault}.")
    return rule


def _faults(rule: Rule) -> Iterator[str]:
    """What keys that are each valid state together, but must not."""
    if " AS breach" in rule.file.select:
        yield "remove the column breach from the SELECT; when or clause and breach_when in the header state the condition"
    if rule.over in ("qmgr", "group") and not {"lpar", "qmgr"} <= set(rule.grain):
        yield "key over must be lpar, input or all, because the grain has no queue manager"
    if rule.area not in AREAS:
        yield f"the folder {rule.area} is not an area"
    for column in rule.columns_read:
        view, _, field_ = column.partition(".")
        if view not in sqlfile.views() or field_ not in sqlfile.views()[view].columns:
            yield f"{column} is not a column of a view"
    if not rule.needs and not rule.needs_any:
        yield "neither needs nor needs_any names a column"
    leads = [rule.clauses[leading] for leading, *_ in rule.alternatives]
    if all(clause.limit in rule.thresholds for clause in leads) == bool(rule.source.kind):
        yield "source.kind must state who gives the limit of a clause that leads, if and only if that is no threshold"
    if leads[0].operator in {"lowest": (">", ">="), "highest": ("<", "<=")}[rule.worst]:
        yield f"key worst is {rule.worst}, the clause that leads compares with {leads[0].operator}"
    texts: tuple[Advice | Clause, ...] = (rule.advice, *rule.clauses)
    for _, placeholder, spec, conversion in (
        part for each in texts for text in (each.summary, each.remedy) for part in Formatter().parse(text)
    ):
        if placeholder is not None and (
            not re.fullmatch(r"[a-z][a-z0-9_]*", placeholder) or conversion or "{" in (spec or "")
        ):
            yield f"advice has the placeholder {{{placeholder}}}, which is not a column or threshold name"
    if rule.do_of_plan and (rule.do_of_plan not in rule.plans or rule.do or rule.size):
        yield "key do_of_plan must be one of plans, and excludes do and size"
    if (rule.weighted_by is None) != (rule.weighted_min == 0):
        yield "give both weighted_by and weighted_min, or neither"
    if rule.weighted_by and rule.judge.kind != "share":
        yield "weighted_by is for a rule that judges a share of intervals"


@cache
def rules() -> Mapping[str, Rule]:
    """All rules by id in the order of their areas, each after the rules that silence it; no rule causes itself over
    others.
    """
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
