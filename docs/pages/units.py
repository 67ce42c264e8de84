"""The tables of reports, rules, plans, tables and messages with a line for each unit, and the full pages about them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from docs.pages.markdown import BUILT, ROOT, anchor, current, fill, page, sample_output, table

COMMANDS = (
    ("`mqstat explain buffer_pool`", "a view: its columns with unit, meaning and formula; also the area of this name"),
    (
        "`mqstat explain buffer_pool.lowest_free_pct`",
        "a column: its formula down to the fields of the records, how its rows are put together, reports and rules that use it",
    ),
    ("`mqstat explain QPSTCBSL`", "a field by IBM's name: its column, table, first release and the views that read it"),
    (
        "`mqstat explain qpst`",
        "a structure: where it is found, its columns, and each field with offset, bytes, stride, type and codes",
    ),
    ("`mqstat explain decoded.record`", "a decoded table that has the name of a view or column"),
)
"""What prints the description of a table or column."""


def link(unit: Any) -> str:
    """A view, report, picture or rule as a link to its file, which has its header and its SQL."""
    return f"[{unit.id}](../{unit.name})"


def reports() -> str:
    """Every report and picture with the question that it answers."""
    from mqstat.assemble.pictures import MOST_SERIES, MOST_STEPS
    from mqstat.sql import sqlfile

    steps, series = MOST_STEPS, MOST_SERIES
    return page(
        "Reports",
        [
            "`mqstat report DUMP --report area/name` prints one report; `mqstat explain area/name` prints its columns, rules, "
            "site facts and notes, without a dump. Each name leads to its file: a header that describes it, and its SQL.",
        ],
        table(("report", "question"), ((link(unit), unit.header["question"]) for unit in sqlfile.reports().values())),
        [
            "## Pictures",
            "",
            "Pictures in the HTML page of `mqstat report`, one for each queue manager with data. `mqstat explain area/name` "
            "prints the limits that they show and the report with their figures.",
            "",
            f"Lines have at most {steps['line']} steps and {series['line']} series, strips at most {steps['strip']} steps and "
            f"{series['strip']} rows: a step has the worst value of the intervals in it, and the series in breach come first, "
            "then those nearest to it. Limits are those in force for the queue manager; breaches are the intervals in which "
            "a rule is in breach.",
        ],
        table(("picture", "question"), ((link(unit), unit.header["question"]) for unit in sqlfile.pictures().values())),
    )


def rules() -> str:
    """Every rule with its severity and what it finds."""
    from mqstat.judge.model import WEIGHTS
    from mqstat.sql import sqlfile

    weights = "; ".join(f"{name}: {meaning}" for name, meaning in WEIGHTS.items())
    return page(
        "Rules",
        [
            "`mqstat explain RULE` prints what a rule compares, its limits with reason and source, what to do, and its SQL, "
            "without a dump. Each name leads to its file: a header that describes it, and its SQL.",
            "",
            "On each queue manager a rule is in one state: *breach*, *clear*, *clear in part* (record classes that it needs "
            "are missing in a part of the period), *reported by* a stronger rule that is in breach on the same subject, *idle* "
            "(all counters of the area are 0), *not judged* (a condition for its rows does not hold), *not collected*, *not in "
            "this release*, *needs a site fact*, *off* or *broken*. An area, a queue manager and a report show the worst state of their rules; a queue "
            "manager without warnings for which hardly any rule was judged is *partly judged*.",
            "",
            f"Findings are ordered by severity, then by weight ({weights}), then by the distance from their limit, and so are "
            "the subjects of one finding. Change limits in the site file, with a reason, and never in the rule.",
        ],
        table(
            ("rule", "severity", "weight", "finds"),
            (
                (link(unit), unit.header["severity"], unit.header["weight"], unit.title)
                for unit in sqlfile.rules().values()
            ),
        ),
    )


def plans() -> str:
    """docs/plans.md with the output of its examples and every plan with its question."""
    from mqstat.assemble.plan.model import plans as known

    def listed() -> list[str]:
        rows = ((f"[{plan.id}](../reports/plan/{plan.id}.toml)", plan.question) for plan in known().values())
        return table(("plan", "question"), rows)

    text = fill(current(ROOT / "docs" / "plans.md"), "reports/plan", listed)
    for command in re.findall(r"^<!-- begin: mqstat (plan .*) -->$", text, re.MULTILINE):
        text = fill(text, f"mqstat {command}", lambda command=command: output_over_sample(command))  # type: ignore[misc]
    return text


def output_over_sample(command: str) -> list[str]:
    """What a command prints over the bundled sample, as a block; the lines about the plan itself are left out."""
    lines = sample_output(shlex.split(command))
    end = max(number for number, line in enumerate(lines) if line.startswith("Holds for: "))
    return ["```text", f"$ mqstat {command}", *lines[:end], "```"]


def tables() -> str:
    """Every decoded table and view with what its rows are."""
    from mqstat.parsers import LAYOUTS
    from mqstat.parsers.tables import READER_TABLES
    from mqstat.sql import sqlfile

    def decoded() -> Iterator[tuple[str, ...]]:
        for layout in LAYOUTS.values():
            file = f"../parsers/layouts/{layout.name}.py"
            routes = ", ".join(f"{kind}.{subtype} triplet {triplet}" for kind, subtype, triplet in layout.routes)
            yield f"[{layout.name}]({file})", f"{layout.title}.", routes or "header of the record"
            for child in layout.children:
                yield f"[{child.name}]({file})", child.doc, f"array of {layout.name.upper()}"

    return page(
        "Tables and views",
        [
            "Every structure of the records is a table of its own name; an array whose entries are rows is a child table. "
            "Reports and rules read the [views](#views): each derived figure is defined once, there.",
            "",
            "All integers are 64 bits. Times have no zone: names that end in `_utc` are UTC, those that end in `_local` are "
            "local to the LPAR. NULL means that the release does not have the value, or that it was never set; it is never "
            "zero. Child tables omit entries in which all fields are zero.",
            "",
            "`mqstat explain` prints what a table or column is, without a dump:",
            "",
            *table(("command", "prints"), COMMANDS),
        ],
        ["## Structures of the records", "", *table(("table", "content", "found in"), decoded())],
        [
            "## Tables about the records themselves",
            "",
            *table(
                ("table", "rows"),
                ((f"[{name}](../parsers/tables.py)", doc) for name, (doc, _) in READER_TABLES.items()),
            ),
        ],
        [
            "## Views",
            "",
            *table(
                ("view", "content", "rows"),
                ((link(view), view.title, view.header["grain"]) for view in sqlfile.views().values()),
            ),
        ],
    )


def full_pages() -> dict[Path, str]:
    """The pages in build/docs: all that `mqstat explain` prints about reports and pictures, rules, plans, and tables
    and views.
    """
    from mqstat.assemble.plan.model import names
    from mqstat.parsers.tables import tables as decoded
    from mqstat.sql import sqlfile

    kinds: dict[str, Iterable[str]] = {
        "Reports": {**sqlfile.reports(), **sqlfile.pictures()},
        "Rules": sqlfile.rules(),
        "Plans": names(),
        "Tables and views": [*(f"decoded.{name}" for name in decoded()), *sqlfile.views()],
    }
    return {BUILT / f"{title.split()[0].lower()}.md": full_page(title, units) for title, units in kinds.items()}


def full_page(title: str, names: Iterable[str]) -> str:
    """What `mqstat explain` prints about each name, under a heading that is the name."""
    from mqstat.assemble.plan.explained import plan_pages
    from mqstat.judge.explain import explain_any

    listed = [f"- [{name}](#{anchor(name)})" for name in names]
    plans_by_name = plan_pages()
    parts = ([f"## {name}", "", "```text", explain_any(name, plans_by_name).rstrip(), "```"] for name in names)
    return page(title, listed, *parts)
