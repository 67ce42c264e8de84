"""Findings without the report around them: text lines, JSON, and the JSON Schema."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.base.formatting import clean, plural, subject_name
from mqstat.base.grouping import grouped_by
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT, FAILED
from mqstat.render import markdown
from mqstat.render.columns import converted
from mqstat.render.files import with_metadata
from mqstat.render.findings_schema import SCHEMA_VERSION
from mqstat.render.layout import TEXT_WIDTH, wrapped
from mqstat.render.writers import csv_value, fitting, json_value
from mqstat.report.catalogue import order_of
from mqstat.report.conditions import conditions_of, limit_note, row_phrase, share_text
from mqstat.report.health import counts_text, return_code
from mqstat.rules import run_rules
from mqstat.rules import states as vocabulary
from mqstat.rules.model import rules
from mqstat.rules.sentences import reason_of
from mqstat.rules.states import BREACH, BROKEN, CLEAR, IDLE, OFF, UNJUDGED, Row, worst
from mqstat.sql import sqlfile
from mqstat.sql.database import Database
from mqstat.sql.plans import HEAD_QUERIES, ask, keep
from mqstat.sql.plans import rows as ask_rows
from mqstat.sql.schemas import finding_schema, literal
from mqstat.sql.site import Site

INDENT = 15
"""Indentation of the continuation lines of a finding: below its queue manager."""


def with_others(rule_id: str) -> set[str]:
    """A rule with the rules that can silence or explain it."""
    rule = rules()[rule_id]
    return {rule_id}.union(*map(with_others, {*rule.silenced_by, *rule.caused_by}))


@dataclass(frozen=True)
class Checked:
    """Outcomes in the order of overview/findings, each a row of view finding with `local`, the text of its worst moment; some may represent others."""

    rows: Sequence[Mapping[str, Any]]
    rules: int
    return_code: int
    database: Database | None = None
    """Has all outcomes while it is open, if `rows` are only those that texts are written from: a rule may have a hundred thousand subjects."""
    query: str = ""

    def batches(self, size: int = 2000) -> Iterator[Sequence[tuple[Any, ...]]]:
        """All outcomes with the columns of view finding, in the same order."""
        if self.database is None:
            names = list(sqlfile.views()["finding"].columns)
            if self.rows:
                yield [tuple(row[name] for name in names) for row in self.rows]
            return
        cursor = ask(self.database, self.query)
        while batch := cursor.fetchmany(size):
            yield batch

    def arrow(self, size: int = 65_536) -> Iterator[pa.Table]:
        """The same as Arrow tables with `arrow_schema`."""
        schema = finding_schema()
        tables: Iterable[pa.Table]
        if self.database is None:
            names = schema.names
            tables = [pa.Table.from_pylist([{name: row[name] for name in names} for row in self.rows], schema=schema)]
        else:
            keep(self.database, [self.query])
            reader = self.database.reader(self.query, size)
            tables = (pa.Table.from_batches([batch]) for batch in reader)
        return (table.cast(arrow_schema()) for table in tables)


def check(
    db: Database,
    site: Site | None = None,
    only: Collection[str] | None = None,
    damage_limit_pct: float = DAMAGE_LIMIT_PCT,
    fail_on: str = "warning",
    max_rc: int = FAILED,
) -> Checked:
    """Run all rules (or the named ones) and collect their outcomes."""
    wanted = None if only is None else sorted(set().union(*(with_others(rule_id) for rule_id in only)))
    table = run_rules(db, site or db.site, wanted, then=HEAD_QUERIES)
    # Local time of the worst moment: the clock offset of the last statistics interval that began before it.
    rows = ask_rows(
        db,
        f"""
        SELECT f.*, i.interval_start_local + (f.worst_interval_utc - i.interval_start_utc) AS local
        FROM (SELECT * FROM {db.listed_findings}) AS f
        ASOF LEFT JOIN (
          SELECT lpar, qmgr, interval_start_utc, interval_start_local FROM interval_cut WHERE interval_start_local IS NOT NULL
        ) AS i ON f.lpar = i.lpar AND f.qmgr = i.qmgr AND f.worst_interval_utc >= i.interval_start_utc
        ORDER BY {order_of("overview/findings")}
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
    code = code if code == FAILED else min(code, max_rc)
    return Checked(rows, len(requested), code, db, every_outcome(requested))


def every_outcome(rule_ids: Iterable[str]) -> str:
    """The query of all outcomes of these rules, in the order of overview/findings."""
    names = ", ".join(sqlfile.views()["finding"].columns)
    chosen = ", ".join(map(literal, sorted(rule_ids)))
    order = order_of("overview/findings")
    return f"SELECT {names} FROM finding WHERE rule_id IN ({chosen}) ORDER BY {order}"  # noqa: S608 - names of this package


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
    converters = {name: _json_of(name) for name in sqlfile.views()["finding"].columns}
    for row in rows:
        yield {name: convert(row[name]) for name, convert in converters.items()}


def _json_of(name: str) -> Callable[[Any], Any]:
    """Converts the values of a column."""
    if name == "figures":
        return lambda text: _steady_figures(json.loads(text)) if text else None
    if name == "clauses":
        return lambda text: [_steady_figures(condition) for condition in conditions_of({"clauses": text})]
    if name in LISTS:
        return lambda value: json_value(value) or []
    return json_value


def _member_of(name: str) -> Callable[[Any], str]:
    """Converts the values of a column to members of a JSON object."""
    head, convert = f"{json.dumps(name)}: ", _json_of(name)
    return lambda value: head + json.dumps(convert(value), ensure_ascii=True)


def _steady_figures(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json_value(value) for name, value in values.items()}


LISTS = ("caused_by", "missing_classes", "missing_views", "missing_columns", "missing_facts")
"""Columns of view finding that are lists, empty where there is nothing."""


def render_json(checked: Checked, stream: TextIO) -> None:
    """`{"schema_version": 2, "findings": [...]}`, one finding on a line."""
    stream.write(f'{{"schema_version": {SCHEMA_VERSION}, "findings": [')
    separator = "\n"
    for rows in converted(checked.batches(), [_member_of(name) for name in sqlfile.views()["finding"].columns]):
        for row in rows:
            stream.write(f"{separator}{{{', '.join(row)}}}")
            separator = ",\n"
    stream.write("\n]}\n")


def write(checked: Checked, format_name: str, stream: TextIO, width: int = TEXT_WIDTH, *, raw: bool = False) -> None:
    """Write findings to a text stream in one of FINDING_FORMATS, except parquet, which needs a file (`Checked.arrow`); `width` is the text width in columns."""
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
    for rows in converted(checked.batches(), [partial(csv_value, raw=raw)] * len(names)):
        writer.writerows(rows)


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


def arrow_schema() -> pa.Schema:
    """The columns of view finding with their units and descriptions."""
    return with_metadata(finding_schema(), sqlfile.views()["finding"].columns.values(), {"view": "finding"})


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
