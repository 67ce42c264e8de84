"""Writes the generated pages under docs, the marked parts of README.md and docs/promises.md, and reports/columns.txt. `make docs` runs it; `--check` only reports differences.

A page is generated from the registry that the program itself uses: layouts and tables, views, reports, pictures, rules, and the command line.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ROOT / "reports" / "columns.txt"
DICTIONARY = ROOT / "docs" / "dictionary"
WIDTH = 132
INDEXED = 4
"""Tables and views that the index lists for one column, the first that have it first."""
MADE = "<!-- made by `make docs`; do not edit -->"


def main() -> int:
    """Write every page that differs; with --check, only list them and return 1."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; return 1 if a page differs")
    check = parser.parse_args().check
    if not check:
        update_columns()
    made = pages()
    stale = [(path, text) for path, text in made.items() if current(path) != text]
    removed = sorted(set(DICTIONARY.glob("*.md")) - set(made))
    for path, text in stale:
        if check:
            print(f"{path.relative_to(ROOT).as_posix()} is out of date")
        else:
            write(path, text)
    for path in removed:
        print(f"{path.relative_to(ROOT).as_posix()} {'is of a structure that is not there' if check else 'removed'}")
        if not check:
            path.unlink()
    return 1 if check and (stale or removed) else 0


def write(path: Path, text: str) -> None:
    """Write a page and report it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.relative_to(ROOT).as_posix()} written")


def current(path: Path) -> str:
    """The current page, empty if it does not exist."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def pages() -> dict[Path, str]:
    """Every generated page with its text."""
    docs = ROOT / "docs"
    return {
        COLUMNS: columns_of_views(),
        **data_dictionary(),
        docs / "reports.md": reports(),
        docs / "pictures.md": pictures(),
        docs / "rules.md": rules(),
        docs / "plans.md": plans_page(),
        docs / "messages.md": message_table(),
        docs / "cli.md": command_line(),
        docs / "formats.md": formats(),
        docs / "feeds.md": feeds(),
        docs / "catalogue.csv": catalogue(),
        docs / "promises.md": fill(current(docs / "promises.md"), "docs/campaign.md", campaign),
        ROOT / "README.md": readme(),
    }


def columns_of_views() -> str:
    """The columns of every view as DuckDB finds them, a view a line."""
    from mqstat.sql import sqlfile
    from mqstat.sql.views import view_types

    return "".join(f"{name}: {' '.join(view_types(name))}\n" for name in sorted(sqlfile.views()))


def update_columns() -> None:
    """Write the list of columns first, because all pages about views are made from it."""
    from mqstat.sql import columns, sqlfile

    listed = columns_of_views()
    if current(COLUMNS) != listed:
        write(COLUMNS, listed)
        for registry in (columns.view_columns, sqlfile.views, sqlfile.reports):
            registry.cache_clear()


# ---------------------------------------------------------------------------------------------------------------- Markdown


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> list[str]:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]


def cell(value: object) -> str:
    """A value as the content of a table cell."""
    return str(value).replace("|", "\\|").replace("\n", " ")


def page(title: str, *parts: Iterable[str]) -> str:
    """A page: title, remark that it is generated, parts with an empty line between them."""
    return "\n\n".join([f"# {title}", MADE, *("\n".join(part) for part in parts)]).rstrip() + "\n"


def linked(names: Iterable[str], where: str = "") -> str:
    """Names as links to their headings."""
    return ", ".join(f"[{name}]({where}#{anchor(name)})" for name in names) or "none"


def anchor(heading: str) -> str:
    """The anchor that a Markdown renderer gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


# ------------------------------------------------------------------------------------------------------- the data dictionary


def data_dictionary() -> dict[Path, str]:
    """The index of the data dictionary, and a page for each structure, for the tables about records and for the tables of the program."""
    from mqstat.parsers.tables import READER_TABLES

    made = {
        "records": page(
            "Tables about the records themselves",
            *([f"## {name}", "", doc, "", *columns(own)] for name, (doc, own) in READER_TABLES.items()),
            *views("records"),
        ),
        "program": page(
            "Tables of the program itself",
            ["Site facts, findings, the two sides of a comparison, and lists of constants: read the views."],
            *views("program"),
        ),
    }
    made |= {name: structure(layout) for name, layout in layouts().items()}
    made["index"] = field_index()
    texts = {DICTIONARY / f"{name}.md": text for name, text in made.items()}
    return {ROOT / "docs" / "data-dictionary.md": dictionary_index(), **texts}


def layouts() -> Mapping[str, Any]:
    """The structures of the records by name."""
    from mqstat.parsers import LAYOUTS

    return LAYOUTS


@cache
def families() -> Mapping[str, str]:
    """The page of each decoded table (`decoded.name`) and view: that of the first table or view that it reads."""
    from mqstat.parsers.tables import READER_TABLES
    from mqstat.sql import sqlfile

    pages = {f"decoded.{name}": "records" for name in READER_TABLES}
    for layout in layouts().values():
        pages |= {f"decoded.{name}": layout.name for name in [layout.name, *(child.name for child in layout.children)]}
    for view in sqlfile.views().values():  # a view comes after those that it reads
        pages[view.id] = pages.get(view.needs[0], "program") if view.needs else "program"
    return pages


def dictionary_index() -> str:
    """What all tables have in common, with links to the pages of tables and views."""
    from mqstat.parsers.tables import LINEAGE, READER_TABLES
    from mqstat.sql import sqlfile
    from mqstat.sql.columns import common_columns

    return page(
        "Data dictionary",
        [
            "Every structure of the records is a table of its own name; an array whose entries are rows is a child table. Reports and rules read the [views](#views).",
            "",
            "All integers are 64 bits. Times have no zone: names that end in `_utc` are UTC, those that end in `_local` are local to the LPAR. NULL means that the release does "
            "not have the value, or that it was never set; it is never zero. Child tables omit entries in which all fields are zero.",
            "",
            "The [index](dictionary/index.md) lists every field by IBM's name and every column with the page that describes it. "
            "[A record read by hand](smf-record.md) shows how offsets, triplets and strides lead to a value: entry `i` of an array begins at its offset plus `i` times its stride.",
        ],
        ["## Columns of every decoded table", "", *columns(LINEAGE)],
        [
            "## Tables about the records themselves",
            "",
            *table(
                ("table", "rows"),
                ((linked([name], "dictionary/records.md"), doc) for name, (doc, _) in READER_TABLES.items()),
            ),
        ],
        [
            "## Structures",
            "",
            *table(
                ("structure", "child tables", "content", "found in"),
                (
                    (
                        linked([layout.name], f"dictionary/{layout.name}.md"),
                        ", ".join(f"`{child.name}`" for child in layout.children),
                        layout.title,
                        routes(layout.routes),
                    )
                    for layout in layouts().values()
                ),
            ),
        ],
        [
            "## Views",
            "",
            "What reports and rules read. Each derived figure is defined once, here.",
            "",
            *table(
                ("view", "rows"),
                ((link(view.id, "dictionary/"), view.header["grain"]) for view in sqlfile.views().values()),
            ),
        ],
        ["### Columns of many views", "", *sql_columns(common_columns().values())],
    )


def field_index() -> str:
    """Every field by IBM's name and every column of tables and views by its name, with the page that describes it."""
    from mqstat.parsers.tables import LINEAGE, tables
    from mqstat.sql import sqlfile
    from mqstat.sql.columns import common_columns

    def listed(texts: Iterable[str]) -> str:
        shown = list(texts)
        return ", ".join(shown[:INDEXED]) + (f" and {len(shown) - INDEXED} more" if len(shown) > INDEXED else "")

    by_field: dict[str, dict[str, None]] = {}
    by_column: dict[str, dict[str, None]] = {}
    common = {column.name for column in LINEAGE} | set(common_columns())
    for name, (_, all_columns) in tables().items():
        for column in all_columns:
            if column.mnemonic:
                by_field.setdefault(column.mnemonic.upper(), {})[f"`{column.name}` in {link(f'decoded.{name}')}"] = None
            if column.name not in common:
                by_column.setdefault(column.name, {})[link(f"decoded.{name}")] = None
    for view in sqlfile.views().values():
        for name in view.columns.keys() - common:
            by_column.setdefault(name, {})[link(view.id)] = None
    return page(
        "Index of fields and columns",
        ["[By IBM's name](#fields) - [by column](#columns)"],
        [
            "## Fields",
            "",
            *table(("field", "column"), ((f"`{name}`", listed(by_field[name])) for name in sorted(by_field))),
        ],
        [
            "## Columns",
            "",
            "Columns of every decoded table and of many views are in the [data dictionary](../data-dictionary.md).",
            "",
            *table(
                ("column", "tables and views"),
                ((f"`{name}`", listed(by_column[name])) for name in sorted(by_column)),
            ),
        ],
    )


def link(table: str, folder: str = "") -> str:
    """A view or decoded table (`decoded.name`) as a link to its description."""
    if table not in families():
        return f"`{table}`"
    decoded = table.removeprefix("decoded.")
    heading = f"View {table}" if decoded == table else decoded
    return f"[{table}]({folder}{families()[table]}.md#{anchor(heading)})"


def structure(layout: Any) -> str:
    """The page of a structure: its tables, its fields in the record, and the views over it."""
    from mqstat.parsers.tables import LINEAGE, tables

    common = {column.name for column in LINEAGE}
    parts: list[list[str]] = []
    for name in [layout.name, *(child.name for child in layout.children)]:
        doc, all_columns = tables()[name]
        parts.append([f"## {name}", "", doc])
        if name == layout.name:
            sizes = ", ".join(str(size) for size in layout.sizes)
            parts.append([f"{layout.name.upper()}, {sizes} bytes. {routes(layout.routes)}"])
        parts.append(columns(column for column in all_columns if column.name not in common))
    parts.append([f"Fields of {layout.name.upper()} in the record:", "", *fields(layout)])
    return page(f"{layout.name.upper()}: {layout.title}", *parts, *views(layout.name))


def columns(own: Iterable[Any]) -> list[str]:
    """The columns of one table."""
    return table(
        ("column", "type", "unit", "kind", "IBM name", "meaning"),
        (
            (f"`{c.name}`", arrow_name(c.type), c.unit, c.kind, f"`{c.mnemonic}`" if c.mnemonic else "", c.doc)
            for c in own
        ),
    )


def arrow_name(arrow_type: Any) -> str:
    """An Arrow type in one word."""
    import pyarrow as pa

    if pa.types.is_dictionary(arrow_type):
        return str(arrow_type.value_type)
    return str(arrow_type)


def routes(triplets: Iterable[tuple[int, int, int]]) -> str:
    """Where a structure occurs, as a sentence."""
    texts = [f"type {smf} subtype {sub}, triplet {triplet}" for smf, sub, triplet in triplets]
    return f"Found in SMF {'; '.join(texts)}." if texts else "Part of the record header area."


def fields(layout: Any) -> list[str]:
    """The fields of one structure by offset, with what only the declaration knows."""

    def rows() -> Iterator[tuple[object, ...]]:
        for field in layout.named:
            count = 1
            for n, _ in field.dims:
                count *= n
            marks = [f"never set: {field.never_set:#x}"] if field.never_set is not None else []
            marks += [f"no limit: {field.no_limit:#x}"] if field.no_limit is not None else []
            marks += [f"since {field.since}"] if field.since != "base" else []
            marks += [", ".join(f"{code} = {word}" for code, word in field.codes.items())] if field.codes else []
            marks += [f"valid when `{field.valid_when}`"] if field.valid_when else []
            size = (
                f"{field.type.width}"
                if count == 1
                else f"{' x '.join(str(n) for n, _ in field.dims)} x {field.type.width}"
            )
            strides = ", ".join(str(stride) for _, stride in field.dims)
            yield field.at, size, strides, f"`{field.mnemonic}`", field.type.ctype, f"`{field.name}`", "; ".join(marks)

    return table(("offset", "bytes", "stride", "IBM name", "type", "field", "remarks"), rows())


def views(family: str) -> list[list[str]]:
    """The views of one page, dependencies first."""
    from mqstat.sql import sqlfile
    from mqstat.sql.columns import common_columns

    common = common_columns()
    parts: list[list[str]] = []
    for view in sqlfile.views().values():
        if families()[view.id] != family:
            continue
        shared = [name for name in view.columns if name in common]
        parts.append(
            [
                f"## View {view.id}",
                "",
                f"{view.title}: {sentence(view.header['grain'])}",
                "",
                f"Reads {', '.join(map(link, view.needs)) or 'nothing'}.",
            ]
        )
        if view.header.get("note"):
            parts.append([text_block(view.header["note"])])
        if shared:
            parts.append([f"Common columns: {', '.join(f'`{name}`' for name in shared)}."])
        parts.append(view_columns(view, common))
    return parts


def view_columns(view: Any, common: Collection[str]) -> list[str]:
    """The columns of a view that are its own, with their formulas."""
    from mqstat.judge.lineage import formula_of

    return table(
        ("column", "unit", "kind", "meaning", "formula"),
        (
            (f"`{c.name}`", c.unit, c.kind, c.doc, f"`{formula}`" if (formula := formula_of(view.id, c.name)) else "")
            for name, c in view.columns.items()
            if name not in common
        ),
    )


def sql_columns(columns: Iterable[Any]) -> list[str]:
    """The columns of a view or report."""
    return table(("column", "unit", "kind", "meaning"), ((f"`{c.name}`", c.unit, c.kind, c.doc) for c in columns))


def sentence(text: str) -> str:
    """The text with a full stop."""
    return text if text.endswith((".", "?")) else f"{text}."


def text_block(text: str) -> str:
    """Lines of a header joined into paragraphs."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text.strip()))


# ----------------------------------------------------------------------------------------------------------- reports and rules


def reports() -> str:
    """The index of reports, by area, with the question that each answers and its columns."""
    from mqstat.judge.explain import UNSEEN
    from mqstat.sql import sqlfile

    units = sqlfile.reports()
    areas = list(dict.fromkeys(unit.area for unit in units.values()))
    parts: list[list[str]] = [["`mqstat report DUMP --report area/name` prints one report."]]
    for area in areas:
        own = [unit for unit in units.values() if unit.area == area]
        parts.append(
            [
                f"## {area}",
                "",
                *table(("report", "question"), ((f"[{u.id}](#{anchor(u.id)})", u.header["question"]) for u in own)),
            ]
        )
        for unit in own:
            parts.append(
                [
                    f"### {unit.id}",
                    "",
                    sentence(unit.title),
                    "",
                    f"Reads {', '.join(f'`{need}`' for need in unit.needs)}.",
                ]
            )
            opening = [rule for rule in unit.header.get("rules", ()) if rule in sqlfile.rules()]
            if opening:
                parts.append([f"Rules: {', '.join(f'[{rule}](rules.md#{anchor(rule)})' for rule in opening)}."])
            called = [f"DD {name}" for name in unit.header.get("dd", ())]
            called += [f"WSC query {number}" for number in unit.header.get("wsc", ())]
            if called:
                parts.append([f"Known as {', '.join(called)}."])
            further = [name for name in unit.header.get("drill_down", ()) if name in units]
            if further:
                parts.append([f"See also {linked(further)}."])
            if unit.header.get("site_input"):
                parts.append(
                    [
                        f"More precise with these site facts: {', '.join(f'`{fact}`' for fact in unit.header['site_input'])}."
                    ]
                )
            if unit.header.get("unseen"):
                parts.append([UNSEEN])
            if unit.header.get("note"):
                parts.append([text_block(unit.header["note"])])
            parts.append(
                table(
                    ("column", "label", "unit", "meaning"),
                    ((f"`{c.name}`", c.label, c.unit, c.doc) for c in unit.columns.values()),
                )
            )
    return page("Reports", *parts)


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


def pictures() -> str:
    """The pictures of the page: what each shows, its limits, and the report with its figures."""
    from mqstat.assemble.pictures import MOST_SERIES, MOST_STEPS
    from mqstat.sql import sqlfile

    built = sqlfile.reports()
    parts: list[list[str]] = [
        [
            "Pictures in the HTML page of `mqstat report`, one for each queue manager with data. A picture is one file, `reports/pictures/<area>/<name>.sql`.",
            "",
            f"Lines have at most {MOST_STEPS['line']} steps and {MOST_SERIES['line']} series, strips at most {MOST_STEPS['strip']} steps and {MOST_SERIES['strip']} rows: "
            "a step has the worst value of the intervals in it, and the series in breach come first, then those nearest to it. "
            "Limits are those in force for the queue manager; breaches are the intervals in which a rule is in breach.",
        ],
        table(
            ("picture", "question"),
            ((f"[{u.id}](#{anchor(u.id)})", u.header["question"]) for u in sqlfile.pictures().values()),
        ),
    ]
    for unit in sqlfile.pictures().values():
        head = unit.header
        parts.append([f"## {unit.id}", "", sentence(unit.title)])
        lines = [
            f"- Drawn as {'lines' if head['kind'] == 'line' else 'rows of cells'}, in {head['unit']}; the {head['worst']} value is the worst.",
            f"- Reads {', '.join(f'`{need}`' for need in unit.needs)}.",
        ]
        for limit in head.get("limits", ()):
            of = (
                f"`{limit['threshold']}` of [{limit['rule']}](rules.md#{anchor(limit['rule'])})"
                if "rule" in limit
                else f"`{limit['column']}`"
            )
            lines.append(f'- Limit "{limit["text"]}": {of}.')
        marking = [rule for rule in head.get("rules", ()) if rule in sqlfile.rules()]
        if marking:
            lines.append(
                f"- Breaches of {', '.join(f'[{rule}](rules.md#{anchor(rule)})' for rule in marking)} are marked."
            )
        if head["report"] in built:
            lines.append(f"- Figures: [{head['report']}](reports.md#{anchor(head['report'])}).")
        parts.append(lines)
        if head.get("note"):
            parts.append([text_block(head["note"])])
    return page("Pictures", *parts)


def rules() -> str:
    """Every rule under a heading that is its id."""
    from mqstat.base.formatting import with_endings
    from mqstat.judge.model import KINDS, WEIGHTS
    from mqstat.sql import sqlfile

    units = sqlfile.rules()
    built = sqlfile.reports()
    parts: list[list[str]] = [
        [
            "On each queue manager a rule is in one state: *breach* or *clear* (judged), *idle* (there are records, but no activity or no interval that can be judged), "
            "*not collected*, *not in this release*, *needs a site fact*, *switched off* or *broken*. An area, a queue manager and a report show the worst state of their rules; a "
            "queue manager without warnings for which hardly any rule was judged is *partly judged*. ",
            "Findings are ordered by severity, then by weight ("
            + "; ".join(f"{name}: {meaning}" for name, meaning in WEIGHTS.items())
            + "), then by the distance from their limit, and so are the subjects of one finding.",
            "Change limits in the site file, with a reason, and never in the rule. `mqstat explain RULE` prints the same text.",
        ],
        table(
            ("rule", "severity", "weight", "finds"),
            ((f"[{u.id}](#{anchor(u.id)})", u.header["severity"], u.header["weight"], u.title) for u in units.values()),
        ),
    ]
    for unit in units.values():
        head = unit.header
        parts.append(
            [f"## {unit.id}", "", f"**{head['name']}** ({head['severity']}, {head['weight']}): {sentence(unit.title)}"]
        )
        if head.get("note"):
            parts.append([text_block(head["note"])])
        parts.append(["### Evaluation", "", *judging(unit.id, head)])
        limits = head.get("threshold", {})
        if limits:
            parts.append(
                [
                    "### Limits",
                    "",
                    *table(
                        ("name", "default", "unit", "kind", "why"),
                        (
                            (
                                f"`{n}`",
                                t["value"],
                                t["unit"],
                                t["kind"],
                                "; ".join(filter(None, (t["why"], t.get("cite")))),
                            )
                            for n, t in limits.items()
                        ),
                    ),
                ]
            )
        kind = head["source"].get("kind")
        parts.append(["### Source", "", sentence(head["source"]["cite"]) + (f" Kind: {KINDS[kind]}." if kind else "")])
        advice = head["advice"]
        report = advice.get("report", "")
        where = f"[{report}](reports.md#{anchor(report)})" if report in built else ""
        parts.append(
            [
                "### What to do",
                "",
                re.sub(r"\{(\w+)[^}]*\}", r"*\1*", with_endings(advice["remedy"], None)),
                *commands_of(head),
                *(["", f"Report: {where}."] if where else []),
            ]
        )
    return page("Rules", *parts)


def commands_of(head: Mapping[str, Any]) -> Iterator[str]:
    """The commands of a rule with the names of their values, and the formulas of its sizes."""
    from mqstat.judge.mqsc import is_command

    for label, key in (("Look", "look"), ("Do", "do")):
        for text in head.get(key, ()):
            shown = re.sub(r"\{(\w+)[^}]*\}", r"<\1>", text)
            yield ""
            yield f"{label}: `{shown}`" if is_command(text) else f"{label}: {shown}"
    for name, size in head.get("size", {}).items():
        bound = f", at most {size['at_most']}" if "at_most" in size else ""
        yield ""
        yield f"`{name}` = `{size['formula']}`{bound}"


def message_table() -> str:
    """The messages and APARs that `explain` knows."""
    from mqstat.judge.messages import messages
    from mqstat.sql import sqlfile

    def link(name: str) -> str:
        return f"[{name}]({'reports' if name in sqlfile.reports() else 'rules'}.md#{anchor(name)})"

    return page(
        "Messages",
        [
            "What messages and APARs state about a queue manager, and the rules and reports with figures about it. `mqstat explain ID` prints the same."
        ],
        table(
            ("id", "states", "figures", "source"),
            ((id_, each.states, ", ".join(map(link, each.see)), each.source) for id_, each in messages().items()),
        ),
    )


def judging(rule_id: str, head: Any) -> list[str]:
    """Grain, judge, needs, guards and silencing of a rule as a list."""
    from mqstat.judge.model import GUARDS
    from mqstat.judge.model import rules as known_rules

    needs = [f"`{need}`" for need in head.get("needs", ())]
    needs += [" or ".join(f"`{need}`" for need in group) for group in head.get("needs_any", ())]
    lines = [
        f"- In breach if its condition holds in {known_rules()[rule_id].judge}.",
        f"- One finding per {', '.join(f'`{column}`' for column in head['grain'])}.",
        f"- Needs {', '.join(needs)}." if needs else "- Needs no data.",
    ]
    if head.get("guards"):
        lines += [f"- {GUARDS[guard][:1].upper()}{GUARDS[guard][1:]} ({guard})." for guard in head["guards"]]
    if head.get("leaves_out"):
        lines.append(f"- Leaves out {head['leaves_out']}.")
    if head.get("judged_when"):
        lines.append(f"- Not judged unless `{head['judged_when'].replace('$', '')}`.")
    if head.get("min_activity"):
        lines.append(f"- Judged only if `{head['min_activity'].replace('$', '')}`.")
    if head.get("weighted_by"):
        lines.append(
            f"- Intervals are weighted by `{head['weighted_by']}`; a sum of {head['weighted_min']:,} is enough for the full severity."
        )
    for kind in ("culprits", "victims"):
        if head.get(kind):
            lines.append(f"- {kind.capitalize()} are ranked by {', else by '.join(head[kind])}.")
    if head.get("caused_by"):
        lines.append(f"- Explained by {', '.join(f'[{rule}](#{anchor(rule)})' for rule in head['caused_by'])}.")
    if head.get("silenced_by"):
        lines.append(f"- Silenced by {', '.join(f'[{rule}](#{anchor(rule)})' for rule in head['silenced_by'])}.")
    return lines


# ------------------------------------------------------------------------------------------------------------ the command line


def catalogue() -> str:
    """Every view, report, picture and rule on one line, for programs."""
    import csv

    from mqstat.judge.model import rules as known_rules
    from mqstat.sql import sqlfile

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("kind", "area", "id", "title", "columns", "thresholds"))
    for view in sqlfile.views().values():
        writer.writerow(("view", "", view.id, view.title, " ".join(view.columns), ""))
    for report in sqlfile.reports().values():
        writer.writerow(("report", report.area, report.id, report.title, " ".join(report.columns), ""))
    for picture in sqlfile.pictures().values():
        writer.writerow(("picture", picture.area, picture.id, picture.title, "", ""))
    for rule in known_rules().values():
        limits = " ".join(f"{limit.name}={limit.value:g}" for limit in rule.thresholds.values())
        writer.writerow(("rule", rule.area, rule.id, rule.title, "", limits))
    return out.getvalue()


def command_line() -> str:
    """All commands with their arguments and options, as in --help."""
    root, context = cli()
    parts: list[list[str]] = [
        ["```text", root.get_usage(context), "```", "", text_of(root), "", *options(root, context)]
    ]
    for name, command in commands(root):
        inner = type(context)(command, info_name=name, parent=context, terminal_width=WIDTH)
        parts.append(
            [
                f"## {name}",
                "",
                text_of(command),
                "",
                "```text",
                command.get_usage(inner),
                "```",
                "",
                *options(command, inner),
            ]
        )
    return page("Commands", *parts)


def cli() -> tuple[Any, Any]:
    """The command group and a context for it."""
    from typer.main import get_command

    from mqstat.cli.app import app

    root: Any = get_command(app)
    return root, root.make_context("mqstat", ["--help"], resilient_parsing=True, terminal_width=WIDTH)


def commands(root: Any) -> list[tuple[str, Any]]:
    """Names and commands that are not hidden, in the order of --help, each group followed by its subcommands."""
    listed: list[tuple[str, Any]] = []
    for name, command in root.commands.items():
        if not command.hidden:
            listed.append((name, command))
            listed += (
                [(f"{name} {inner}", own) for inner, own in commands(command)] if hasattr(command, "commands") else []
            )
    return listed


def text_of(command: Any) -> str:
    """The help of a command, its paragraphs unwrapped."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", command.help or ""))


def options(command: Any, context: Any) -> list[str]:
    """A table of the arguments and options of one command."""
    rows = [param.get_help_record(context) for param in command.params if not param.hidden and param.name != "help"]
    listed = [(f"`{re.sub(r' <.*>$', '', row[0])}`", row[1].replace("  [", " [")) for row in rows if row]
    return table(("argument or option", "meaning"), listed) if listed else ["No options."]


def formats() -> str:
    """docs/formats.md with the list of formats and the figures that a monitoring system gets filled in."""
    return fill(fill(current(ROOT / "docs" / "formats.md"), "formats", known_formats), "figures", metrics)


def known_formats() -> list[str]:
    """Every format of reports, with what it is from the docstring of its file."""
    from mqstat.render.formats import described, formats

    rows = [
        (f"`{name}`", " ".join(f"`{ending}`" for ending in known.endings), ", ".join(known.commands), described(name))
        for name, known in formats().items()
    ]
    return table(("format", "extension", "commands", "content"), rows)


def metrics() -> list[str]:
    """Every figure of the OpenMetrics format."""
    from mqstat.assemble.measures import MEASURED, UNITS, full_name
    from mqstat.sql import sqlfile

    rows = []
    for measured in MEASURED:
        for column in measured.columns:
            described = sqlfile.views()[measured.view].columns[column]
            unit = UNITS[described.unit][0]
            end = f"_{unit}" if unit else ""
            name = full_name(measured.name, column)
            labels = ", ".join(f"`{label}`" for label in measured.keys.values())
            worst = "lowest" if column in measured.lowest else "highest"
            rows.append((f"`{name}{end}`, `{name}_worst{end}`", labels, worst, f"{described.doc}"))
    return table(("metric", "further labels", "worst is the", "meaning"), rows)


def feeds() -> str:
    """docs/feeds.md with the formats and the metrics filled in."""
    return fill(fill(current(ROOT / "docs" / "feeds.md"), "feeds", feed_formats), "series", series)


def feed_formats() -> list[str]:
    """Every format of values and findings, with what it is from the docstring of its file."""
    from mqstat.render.feeds import described, event_names, formats

    rows = [
        (f"`{name}`", "values and findings" if name in event_names() else "values", described(name))
        for name in formats()
    ]
    return table(("format", "has", "content"), rows)


def series() -> list[str]:
    """Every metric of `mqstat export series`."""
    from mqstat.assemble.series import metrics

    rows = [
        (f"`{metric.name}`", f"`{metric.dotted}`", ", ".join(f"`{label}`" for label in metric.labels[2:]), metric.doc)
        for metric in metrics(1, 1)
    ]
    return table(("metric", "in OpenTelemetry", "labels in addition to `lpar` and `qmgr`", "meaning"), rows)


# ---------------------------------------------------------------------------------------------------------------- the campaign


def campaign() -> list[str]:
    """The parts of docs/campaign.md, which a campaign writes, one level of headings lower."""
    text = current(ROOT / "docs" / "campaign.md")
    parts = text[text.find("\n## ") + 1 :] if "\n## " in text else ""
    lines = [f"#{line}" if line.startswith("##") else line for line in parts.splitlines()]
    return lines or ["No campaign is recorded."]


# ------------------------------------------------------------------------------------------------------------------ the README


def readme() -> str:
    """README.md with its marked part filled in."""
    return fill(current(ROOT / "README.md"), "mqstat report sample.smf", lambda: excerpt(sample_report()))


def fill(text: str, name: str, lines: Callable[[], list[str]]) -> str:
    """Replace the text between `<!-- begin: name -->` and the next `<!-- end -->`."""
    begin, end = f"<!-- begin: {name} -->\n", "<!-- end -->"
    head, marker, rest = text.partition(begin)
    if not marker:
        sys.exit(f"there is no part {name!r} to fill in")
    return head + begin + "\n".join([*lines(), end]) + rest.partition(end)[2]


EXCERPT = 25
"""Lines of the report in README.md, with the fences."""


def excerpt(lines: list[str]) -> list[str]:
    """The head of the report and as many of its first findings as fit."""
    starts = [number for number, line in enumerate(lines[: EXCERPT - 2]) if re.match(r"(CRITICAL|WARNING|NOTE) ", line)]
    return ["```text", *lines[: starts[-1]], "...", "```"]


def sample_report() -> list[str]:
    """The lines that `mqstat report` prints for the bundled sample."""
    return sample_output(["report", "sample.smf"])


def sample_output(words: list[str]) -> list[str]:
    """The lines that a command prints over the bundled sample, which it names sample.smf."""
    from mqstat.cli import run
    from mqstat.fixtures.scenarios import find

    out, err = io.StringIO(), io.StringIO()
    width = os.environ.pop("COLUMNS", None)  # the output of a job does not depend on a terminal
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(out), redirect_stderr(err):
        sample = Path(folder) / "sample.smf"
        sample.write_bytes(find("sample").build())
        code = run([str(sample) if word == "sample.smf" else word for word in words])
    if width is not None:
        os.environ["COLUMNS"] = width
    if code not in (0, 4, 8):
        sys.exit(f"mqstat {words[0]}: return code {code}\n{err.getvalue()}")
    return [line.rstrip() for line in out.getvalue().rstrip().splitlines()]


if __name__ == "__main__":
    sys.exit(main())
