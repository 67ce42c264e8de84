"""The pages of reports, pictures, rules and messages, and the catalogue of all units."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

from docs.pages.markdown import anchor, linked, page, sentence, table, text_block


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
    if plan := head.get("do_of_plan"):
        yield ""
        yield f"Do: what [plan {plan}](plans.md#{anchor(plan)}) answers"
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
