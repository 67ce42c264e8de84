"""Findings without the report around them: text lines, JSON, and the JSON Schema."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.base.formatting import clean, plural, subject_name
from mqstat.base.grouping import grouped_by
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT, FAILED
from mqstat.render import markdown
from mqstat.render.files import with_metadata
from mqstat.render.layout import TEXT_WIDTH, wrapped
from mqstat.render.writers import csv_value, fitting, json_value
from mqstat.report.conditions import conditions_of, limit_note, row_phrase, share_text
from mqstat.report.health import counts_text, return_code
from mqstat.rules import run_rules
from mqstat.rules import states as vocabulary
from mqstat.rules.clauses import OPERATORS
from mqstat.rules.model import SEVERITIES, rules
from mqstat.rules.sentences import reason_of
from mqstat.rules.states import BREACH, BROKEN, CLEAR, IDLE, OFF, STATES, UNJUDGED, Row, worst
from mqstat.sql import sqlfile
from mqstat.sql.database import Database
from mqstat.sql.plans import HEAD_QUERIES
from mqstat.sql.plans import rows as ask_rows
from mqstat.sql.schemas import finding_schema
from mqstat.sql.site import Site

SCHEMA_VERSION = 2
"""Incremented when programs that read the JSON must change."""

SCHEMA_FILE = f"findings-{SCHEMA_VERSION}.schema.json"

INDENT = 15
"""Indentation of the continuation lines of a finding: below its queue manager."""


def with_others(rule_id: str) -> set[str]:
    """A rule with the rules that can silence or explain it."""
    rule = rules()[rule_id]
    return {rule_id}.union(*map(with_others, {*rule.silenced_by, *rule.caused_by}))


@dataclass(frozen=True)
class Checked:
    """Outcomes in the order of overview/findings, each a row of view finding with `local`, the text of its worst moment."""

    rows: Sequence[Mapping[str, Any]]
    rules: int
    return_code: int


def check(
    db: Database,
    site: Site | None = None,
    only: Collection[str] | None = None,
    damage_limit_pct: float = DAMAGE_LIMIT_PCT,
    fail_on: str = "warning",
    max_rc: int = FAILED,
    *,
    every: bool = True,
) -> Checked:
    """Run all rules (or the named ones) and collect their outcomes; without `every` only those that texts are written from, which may represent others."""
    wanted = None if only is None else sorted(set().union(*(with_others(rule_id) for rule_id in only)))
    table = run_rules(db, site or db.site, wanted, then=HEAD_QUERIES)
    # Local time of the worst moment: the clock offset of the last statistics interval that began before it.
    rows = ask_rows(
        db,
        f"""
        SELECT f.*, i.interval_start_local + (f.worst_interval_utc - i.interval_start_utc) AS local
        FROM (SELECT * FROM {"finding" if every else db.listed_findings}) AS f
        ASOF LEFT JOIN (
          SELECT lpar, qmgr, interval_start_utc, interval_start_local FROM interval_cut WHERE interval_start_local IS NOT NULL
        ) AS i ON f.lpar = i.lpar AND f.qmgr = i.qmgr AND f.worst_interval_utc >= i.interval_start_utc
        ORDER BY {sqlfile.reports()["overview/findings"].text.rsplit("ORDER BY", 1)[1]}
        """,  # noqa: S608 - the order is that of a report of this package
    )
    requested = set(rules() if only is None else only)
    if only is not None:
        rows = [row for row in rows if row["rule_id"] in requested]
        table = table.filter(pc.is_in(table["rule_id"], pa.array(sorted(requested))))
    for row in rows:
        row["local"] = _moment(row)
    sources = ask_rows(db, "SELECT source_bytes, bytes_damaged, records_decoded, records_duplicate FROM source")
    code = max(return_code(table, sources, damage_limit_pct, fail_on), db.input_code)
    return Checked(rows, len(requested), code if code == FAILED else min(code, max_rc))


def _moment(row: Mapping[str, Any]) -> str:
    at = row["local"] or row["worst_interval_utc"]
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}{'' if row['local'] else 'Z'}"


# --- lines


def place_text(row: Mapping[str, Any], many_lpars: bool) -> str:
    """Queue manager and subject as text."""
    return subject_name(row["lpar"], row["qmgr"], row["subject"], many_lpars)


def figures(row: Mapping[str, Any]) -> str:
    """The figure of a finding with its limit, its share of the intervals and its worst moment."""
    parts = [row_phrase(row, rules()[row["rule_id"]])]
    if limit_note(row):
        parts.append(limit_note(row))
    if row["worst_interval_utc"] is not None:
        share = share_text(row, rules()[row["rule_id"]])
        parts.append(f"in {share}, worst {row['local']}" if share else f"worst {row['local']}")
    return ", ".join(parts)


def lines(checked: Checked) -> Iterable[str]:
    """One line for each rule and severity in breach, the worst subject first; what was not judged; and the counts."""
    many = len({row["lpar"] for row in checked.rows if row["lpar"]}) > 1
    for rows in grouped(checked.rows):
        yield breach_line(rows, many)
    for row in checked.rows:
        if row["state"] == BROKEN:
            yield f"{BROKEN:<8} {row['rule_id']} {clean(reason_of(row))}"
    yield from _not_judged(checked.rows, many)
    yield f"{plural(checked.rules, 'rule')}, {counts_text(checked.rows)}; return code {checked.return_code}"


def grouped(rows: Iterable[Row]) -> list[list[Row]]:
    """The breaches grouped by rule and severity, in the order of their first row."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["state"] == BREACH:
            groups.setdefault((row["rule_id"], row["severity"]), []).append(row)
    return list(groups.values())


def breach_line(rows: Sequence[Row], many_lpars: bool) -> str:
    """A finding on one line: the worst subject with its figure, then the other subjects with theirs."""
    first, *others = rows
    cause = f" <- {', '.join(first['caused_by'])}" if first["caused_by"] else ""
    where = place_text(first, many_lpars)
    title = rules()[first["rule_id"]].title
    also = "; ".join(f"{place_text(row, many_lpars)}: {figures(row)}" for row in others)
    head = f"{first['severity']:<8} {first['rule_id']} {where}{': ' if where else ''}{figures(first)}: {title}{cause}"
    return head + (f"; also {also}" if also else "")


def _not_judged(rows: Sequence[Row], many_lpars: bool) -> Iterable[str]:
    """Rules that were not judged, except idle and switched off ones; rules with the same reason and queue managers share a line."""
    of_rule: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if row["state"] in UNJUDGED and row["state"] not in (IDLE, OFF):
            key = (row["state"], reason_of(row), row["rule_id"])
            of_rule.setdefault(key, []).append(place_text({**row, "subject": None}, many_lpars))
    alike: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (state, reason, rule_id), managers in of_rule.items():
        alike.setdefault((state, reason, tuple(managers)), []).append(rule_id)
    everywhere = {place_text({**row, "subject": None}, many_lpars) for row in rows if row["qmgr"]}
    for (state, reason, those), ids in alike.items():
        named = [name for name in those if name]
        where = f" on {', '.join(named)}" if named and set(named) != everywhere else ""
        yield f"{state}{where}: {', '.join(sorted(ids))}: {reason}"


def render_text(checked: Checked, stream: TextIO, width: int = TEXT_WIDTH) -> None:
    """Plain lines of at most `width` columns; the continuation lines of a finding are indented."""
    encoding = getattr(stream, "encoding", None)
    for line in lines(checked):
        for part in wrapped(clean(line), width, INDENT):
            stream.write(fitting(part, encoding) + "\n")


# --- JSON


def as_objects(rows: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    """Findings as JSON objects: the columns of view finding, causes as a list of ids, figures as an object."""
    names = list(sqlfile.views()["finding"].columns)
    for row in rows:
        item = {name: json_value(row[name]) for name in names}
        item["figures"] = _steady_figures(json.loads(row["figures"])) if row["figures"] else None
        item |= {name: item[name] or [] for name in LISTS}
        item["clauses"] = [_steady_figures(condition) for condition in conditions_of(row)]
        yield item


def _steady_figures(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json_value(value) for name, value in values.items()}


LISTS = ("caused_by", "missing_classes", "missing_views", "missing_columns", "missing_facts")
"""Columns of view finding that are lists, empty where there is nothing."""


def render_json(checked: Checked, stream: TextIO) -> None:
    """`{"schema_version": 2, "findings": [...]}`, one finding on a line."""
    stream.write(f'{{"schema_version": {SCHEMA_VERSION}, "findings": [')
    for number_, row in enumerate(as_objects(checked.rows)):
        stream.write(("," if number_ else "") + "\n" + json.dumps(row, ensure_ascii=True))
    stream.write("\n]}\n")


def schema_text() -> str:
    """The JSON Schema of findings that is shipped with the program."""
    return (resources.files("mqstat.render") / SCHEMA_FILE).read_text(encoding="utf-8")


_ALWAYS = frozenset(
    "rule_id rule_name rule_area state outcome severity limit_unit intervals_checked intervals_breached too_few_intervals rule_source".split()
)
_CHOICES: Mapping[str, Sequence[str]] = {
    "state": STATES,
    "outcome": tuple(dict.fromkeys(vocabulary.OUTCOMES.values())),
    "severity": SEVERITIES,
    "operator": OPERATORS,
    "clear_because": ("silenced", "share", "consecutive", "condition"),
    "limit_from": ("default", "site", "qmgr", "subject"),
}
CLAUSE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "clause": {"type": "string"},
        "measure": {"type": "string"},
        "operator": {"enum": list(OPERATORS)},
        "observed": {"type": ["number", "null"]},
        "limit": {"type": ["number", "null"]},
        "unit": {"type": "string"},
        "holds": {"type": "boolean"},
        "decides": {"type": "boolean"},
    },
    "required": ["clause", "measure", "operator", "observed", "limit", "unit", "holds", "decides"],
    "additionalProperties": False,
}
"""A condition of a rule in a JSON Schema."""
_TYPES = {"text": "string", "count": "integer", "id": "integer", "bytes": "integer", "flag": "boolean"}


def finding_properties() -> dict[str, Any]:
    """The properties of a finding in a JSON Schema, made from the columns of view finding."""
    return properties_of("finding", _ALWAYS)


def properties_of(view: str, always: Collection[str]) -> dict[str, Any]:
    """The properties of a row of a view in a JSON Schema; only the columns `always` are never null."""
    properties: dict[str, Any] = {}
    for column in sqlfile.views()[view].columns.values():
        kind = "string" if column.unit.startswith("ts_") else _TYPES.get(column.unit, "number")
        described: dict[str, Any] = {
            "description": column.doc,
            "type": kind if column.name in always else [kind, "null"],
        }
        if column.name == "caused_by":
            described = {
                "description": column.doc,
                "type": "array",
                "items": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{3}$"},
            }
        elif column.unit == "texts":
            described = {"description": column.doc, "type": "array", "items": {"type": "string"}}
        elif column.name == "figures":
            values = {"type": ["string", "number", "boolean", "null"]}
            described = {"description": column.doc, "type": ["object", "null"], "additionalProperties": values}
        elif column.name == "clauses":
            described = {"description": column.doc.replace(", as JSON", ""), "type": "array", "items": CLAUSE}
        elif column.name in _CHOICES:
            described["enum"] = [*_CHOICES[column.name], *([] if column.name in always else [None])]
        elif column.unit.startswith("ts_"):
            described["pattern"] = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"
        elif column.name in ("rule_id", "silenced_by"):
            described["pattern"] = "^[A-Z]{2}[0-9]{3}$"
        elif column.unit == "count":
            described["minimum"] = 0
        properties[column.name] = described
    return properties


def make_schema() -> dict[str, Any]:
    """The JSON Schema of findings, made from the columns of view finding."""
    properties = finding_properties()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Findings of mqstat check --format json",
        "description": "Times whose name ends in _utc are GMT, without a zone. Unknown values are null.",
        "type": "object",
        "properties": {
            "schema_version": {"const": SCHEMA_VERSION},
            "findings": {
                "type": "array",
                "items": {
                    "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
                },
            },
        },
        "required": ["schema_version", "findings"],
        "additionalProperties": False,
    }  # fmt: skip


def write(checked: Checked, format_name: str, stream: TextIO, width: int = TEXT_WIDTH, *, raw: bool = False) -> None:
    """Write findings to a text stream in one of FINDING_FORMATS, except parquet, which needs a file (`as_table`); `width` is the text width in columns."""
    if format_name == "openmetrics":
        from mqstat.render.openmetrics import render_findings

        render_findings(checked.rows, checked.return_code, stream)
        return
    if format_name == "text":
        render_text(checked, stream, width)
    elif format_name == "csv":
        render_csv(checked, stream, raw)
    else:
        {"json": render_json, "markdown": render_markdown}[format_name](checked, stream)


# --- CSV, Markdown, Parquet


def render_csv(checked: Checked, stream: TextIO, raw: bool = False) -> None:
    """All outcomes with all columns of view finding; text safe for terminals and spreadsheets unless `raw`."""
    names = list(sqlfile.views()["finding"].columns)
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([csv_value(row[name], raw) for name in names] for row in checked.rows)


def render_markdown(checked: Checked, stream: TextIO) -> None:
    """A table of the breaches, then the rules that were not judged, and the counts."""
    many = len({row["lpar"] for row in checked.rows if row["lpar"]}) > 1
    groups = grouped(checked.rows)
    head = ("severity", "rule", "where", "figure", "what", "cause")
    rows = [
        [
            row["severity"],
            row["rule_id"],
            "<br>".join(markdown.text(place_text(row, many)) for row in group),
            "<br>".join(markdown.text(figures(row)) for row in group),
            markdown.text(rules()[row["rule_id"]].title),
            ", ".join(row["caused_by"] or ()),
        ]
        for group in groups
        for row in group[:1]
    ]
    shown = [*markdown.table_lines(head, rows, [False] * len(head)), ""] if rows else []
    others = list(lines(checked))[len(rows) :]
    for line in [*shown, *(f"- {markdown.text(line)}" for line in others)]:
        stream.write(line + "\n")


def as_table(checked: Checked) -> pa.Table:
    """All outcomes as an Arrow table with the units and descriptions of the columns."""
    columns = sqlfile.views()["finding"].columns
    rows = [{name: row[name] for name in columns} for row in checked.rows]
    table = pa.Table.from_pylist(rows, schema=finding_schema())
    return table.cast(with_metadata(table.schema, columns.values(), {"view": "finding"}))


def states(checked: Checked) -> dict[str, str]:
    """The state of every rule in a few words: in breach and where, clear, or why it was not judged."""
    many = len({row["lpar"] for row in checked.rows if row["lpar"]}) > 1
    texts: dict[str, str] = {}
    for rule_id, own in grouped_by(checked.rows, lambda row: str(row["rule_id"])).items():
        state = worst(map(vocabulary.status_of, own))
        rows = [row for row in own if vocabulary.status_of(row) == state]
        text = rows[0]["state"]
        if text == BREACH:
            rows = [row for row in own if row["state"] == BREACH]
            where = place_text(rows[0], many)
            text += f": {where}" if where else ""
            text += f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        elif text == CLEAR:
            silencers = [row["silenced_by"] for row in own if row["silenced_by"]]
            text += f" ({len(silencers)} reported by {', '.join(sorted(set(silencers)))})" if silencers else ""
        else:
            text += f": {reason_of(rows[0])}"
        absent = [row for row in own if row["state"] in vocabulary.ABSENT and row not in rows]
        if absent:
            managers = sorted({place_text({**row, "subject": None}, many) for row in absent})
            text += f"; {absent[0]['state']} on {', '.join(managers[:3])}{' and more' if len(managers) > 3 else ''}"
        texts[rule_id] = clean(text)
    return texts
