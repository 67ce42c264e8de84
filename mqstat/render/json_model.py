"""The JSON of reports and findings: a class for each object, with what its members mean. The JSON Schemas follow from
these classes.

Rows of views are objects with the columns of the view; their part of the schema is made from the header of the view.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import starmap
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mqstat.assemble import model
from mqstat.assemble.catalogue import columns_of
from mqstat.assemble.conditions import DECIDING
from mqstat.assemble.finding import RULE_ID, Finding, fields
from mqstat.assemble.head import COVERAGE_STATES
from mqstat.assemble.lines import MISSING
from mqstat.assemble.page_model import QmgrState, Rule, State, Tile, Verdict
from mqstat.base.json_object import Count, Object, one_of, row_of
from mqstat.base.return_codes import LADDER
from mqstat.base.version import __version__
from mqstat.judge import states as vocabulary
from mqstat.judge.clauses import OPERATORS
from mqstat.judge.model import KINDS, SEVERITIES, WEIGHTS
from mqstat.judge.states import STATES as RULE_STATES

SCHEMA_VERSION = 4
"""Incremented when programs that read the JSON must change."""

Version: TypeAlias = Annotated[int, Meta(extra_json_schema={"const": SCHEMA_VERSION})]
Row: TypeAlias = Mapping[str, Any]
Kind = TypeVar("Kind", bound=Object)


class Line(Object, frozen=True):
    """A line of text; an empty label continues the line before."""

    label: str
    text: str


class Coverage(Object, frozen=True):
    """Record classes that were not collected."""

    state: Annotated[str, one_of(COVERAGE_STATES)]
    text: str


class Gap(Object, frozen=True):
    """What was not judged because something is missing, or a class that is there in part or was dropped: each reason
    once.
    """

    state: str
    text: str


class Counts(Object, frozen=True):
    """The number of findings by severity. A finding is a rule in breach on one queue manager or on most of them,
    whatever the number of its subjects.
    """

    broken: Count
    critical: Count
    warning: Count
    info: Count


class Condition(Object, frozen=True):
    """A condition of a rule."""

    clause: str
    measure: str
    operator: Annotated[str, one_of(OPERATORS)]
    observed: float | None
    limit: float | None
    unit: str
    holds: bool
    decides: bool


class Column(Object, frozen=True):
    """A column of a table."""

    name: str
    label: str | None
    unit: str


class Table(Object, frozen=True):
    """A report with all its rows."""

    title: str
    question: str
    note: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str | float | bool | None]]


Tables: TypeAlias = Mapping[Annotated[str, Meta(pattern="^[a-z0-9_]+/[a-z0-9_]+$")], Table]


class Baseline(Object, frozen=True):
    """The day compared with the days before it, or two periods side by side. Key figures are null without a usual
    range.
    """

    enough: bool
    unusual: int | None
    compared: int | None
    lines: list[Line]
    tables: Tables


class CheckDocument(Object, frozen=True):
    """Times whose name ends in _utc are GMT, without a zone. Unknown values are null.

    `findings` has the outcome of every rule on every subject, the worst first.
    """

    schema_version: Version
    counts: Counts
    findings: list[Annotated[Row, row_of("finding")]]


class ReportDocument(Object, frozen=True, kw_only=True):
    """Times whose name ends in _utc are GMT, without a zone. Unknown values are null.

    `mqstat` is the version of the program. `head` has period, systems and inputs, `foot` the limits, settings and
    versions in force; `state` is the worst of all queue managers; `trend` has peaks and what grows, by the name of the
    report, `reports` all reports. `baseline` is null or left out if no comparison was requested.
    """

    schema_version: Version
    mqstat: str
    title: str
    return_code: Annotated[int, one_of(LADDER)]
    head: list[Line]
    sources: list[Annotated[Row, row_of("source")]]
    foot: list[Line]
    state: State | UnsetType = UNSET
    coverage: list[Coverage] | UnsetType = UNSET
    gaps: list[Gap] | UnsetType = UNSET
    queue_managers: list[QmgrState] | UnsetType = UNSET
    verdict: list[Verdict] | UnsetType = UNSET
    tiles: list[Tile] | UnsetType = UNSET
    rules: list[Rule] | UnsetType = UNSET
    counts: Counts | UnsetType = UNSET
    findings: list[Finding] | UnsetType = UNSET
    trend: Tables | UnsetType = UNSET
    baseline: Baseline | UnsetType | None = UNSET
    reports: Tables


JUDGED = tuple(
    field.name
    for field in msgspec.structs.fields(ReportDocument)
    if field.default is UNSET and field.name != "baseline"
)
"""Members that are left out if reports are requested by name or two periods are compared."""


# --- the content


def like(kind: type[Kind], source: object, **members: Any) -> Kind:
    """An object whose members are the attributes of the same names, except those that are given."""
    rest = {name: getattr(source, name) for name in kind.__struct_fields__ if name not in members}
    return kind(**rest, **members)


def document(report: model.Report) -> ReportDocument:
    """A report without its tables, whose rows are written as they come."""
    judged: dict[str, Any] = {}
    if not report.only_tables:
        judged = {
            "state": report.state,
            "coverage": list(starmap(Coverage, report.coverage)),
            "gaps": list(starmap(Gap, report.gaps)),
            "queue_managers": list(report.qmgrs),
            "verdict": list(report.verdicts),
            "tiles": list(report.tiles),
            "rules": [like(Rule, line, on_qmgrs=list(map(fields, line.on_qmgrs))) for line in report.rule_lines],
            "counts": Counts(**report.counts),
            "findings": list(report.findings),
            "trend": {},
            "baseline": None,
        }
    if report.baseline is not None:
        lines = list(starmap(Line, report.baseline.lines))
        judged["baseline"] = like(Baseline, report.baseline, lines=lines, tables={})
    return ReportDocument(
        schema_version=SCHEMA_VERSION,
        mqstat=__version__,
        title=report.title,
        return_code=report.return_code,
        head=list(starmap(Line, report.head)),
        sources=list(map(fields, report.sources)),
        foot=list(starmap(Line, report.foot)),
        reports={},
        **judged,
    )


# --- schemas


def schema_text(command: str = "report") -> str:
    """The JSON Schema of what a command writes, as text; `compare` writes reports."""
    return json.dumps(make_schema(command), indent=1) + "\n"


def make_schema(command: str = "report") -> dict[str, Any]:
    """The JSON Schema of what a command writes."""
    finding = _columns("finding", _ALWAYS)
    if command == "check":
        title = "Findings of mqstat check --format json"
        return schema_of(CheckDocument, title, {"finding": finding}, Condition)
    counts = ("subjects", "subjects_in_breach", "intervals_checked", "intervals_breached")
    rows = {
        "deciding": {name: finding[name] for name in finding if name in DECIDING},
        "subject": {**finding, "place": {"type": "string"}, "figure": {"type": "string"}},
        "rule_on_queue_manager": {
            "lpar": {"type": ["string", "null"]},
            "qmgr": {"type": ["string", "null"]},
            "state": {"enum": list(RULE_STATES)},
            "severity": {"enum": [*SEVERITIES, None]},
            **{name: {"type": "integer", "minimum": 0} for name in counts},
            **{name: finding[name] for name in MISSING},
        },
        "source": _columns("source", ("source_id", "source_name")),
    }
    title = "A report of mqstat report --format json, or a comparison of mqstat compare --format json"
    made = schema_of(ReportDocument, title, rows, Condition)
    made["description"] += (
        f" Of reports by name and comparisons, {', '.join(JUDGED[:-1])} and {JUDGED[-1]} are left out."
    )
    made["dependentRequired"] = {name: [other for other in (*JUDGED, "baseline") if other != name] for name in JUDGED}
    return made


def schema_of(
    kind: type[Object], title: str, rows: Mapping[str, Mapping[str, Any]] | None = None, *others: type[Object]
) -> dict[str, Any]:
    """The JSON Schema of a class: objects have all members, except those that the document leaves out (UNSET).

    `rows` has the columns of the rows that it names, `others` are classes that these name.
    """
    _, parts = msgspec.json.schema_components((kind, *others), ref_template="#/$defs/{name}")
    for name, columns in (rows or {}).items():
        parts[name] = {"type": "object", "properties": columns, "additionalProperties": False}
    for part in parts.values():
        part["required"] = list(part["properties"])
        part["description"] = " ".join(part.get("description", "").split())
        for member in part["properties"].values():
            member.pop("default", None)
    top = parts.pop(kind.__name__)
    top["required"] = [field.encode_name for field in msgspec.structs.fields(kind) if field.default is not UNSET]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **top, "title": title, "$defs": parts}


_ALWAYS = frozenset(
    "rule_id rule_name rule_area state outcome severity weight limit_unit limit_kind intervals_checked "
    "intervals_breached too_few_intervals within_margin rule_source".split()
)
"""Columns of view finding that are never null."""

_CHOICES: Mapping[str, Sequence[str]] = {
    "state": RULE_STATES,
    "outcome": tuple(dict.fromkeys(vocabulary.OUTCOMES.values())),
    "severity": SEVERITIES,
    "weight": tuple(WEIGHTS),
    "operator": OPERATORS,
    "clear_because": ("silenced", "share", "consecutive", "condition"),
    "limit_from": ("default", "site", "qmgr", "subject"),
    "limit_kind": tuple(KINDS),
}
_TYPES = {"text": "string", "count": "integer", "id": "integer", "bytes": "integer", "flag": "boolean"}
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"
_SPECIAL: Mapping[str, Mapping[str, Any]] = {
    "caused_by": {"type": "array", "items": {"type": "string", "pattern": RULE_ID}},
    "figures": {
        "type": ["object", "null"],
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
    },
    "clauses": {"type": "array", "items": {"$ref": "#/$defs/Condition"}},
}
"""Columns of view finding that are lists or JSON."""


def _columns(view: str, always: Collection[str]) -> dict[str, Any]:
    """The columns of a view in a JSON Schema; only those in `always` are never null."""
    properties: dict[str, Any] = {}
    for column in columns_of(view).values():
        kind = "string" if column.unit.startswith("ts_") else _TYPES.get(column.unit, "number")
        described: dict[str, Any] = {"type": kind if column.name in always else [kind, "null"]}
        if column.unit == "texts":
            described = {"type": "array", "items": {"type": "string"}}
        elif column.name in _CHOICES:
            described["enum"] = [*_CHOICES[column.name], *([] if column.name in always else [None])]
        elif column.unit.startswith("ts_"):
            described["pattern"] = _TIME
        elif column.name in ("rule_id", "silenced_by"):
            described["pattern"] = RULE_ID
        elif column.unit == "count":
            described["minimum"] = 0
        doc = column.doc.replace(", as JSON", "")
        properties[column.name] = {"description": doc, **_SPECIAL.get(column.name, described)}
    return properties
