"""What a finding shows beyond its sentence: when, who, its chart, and how to trace and accept it. One model for every
format.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from msgspec import structs

from mqstat.assemble.conditions import row_condition, row_phrase, share_text
from mqstat.assemble.curves import Key, key_of, limit_shown, steps_of, usual_bands
from mqstat.assemble.finding import Finding, accept_lines
from mqstat.assemble.history import CardHistory, DayState
from mqstat.assemble.page_model import CardChart, Grid
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.formatting import clean, compared_unit, figure, number_text, plural
from mqstat.base.grouping import grouped_by
from mqstat.base.inputs import UNKNOWN, command, completed, source_command
from mqstat.judge.commands import do_of, look_of
from mqstat.judge.model import rules
from mqstat.judge.states import BREACH, BROKEN
from mqstat.sql.site import Override, Site
from mqstat.sql.workspace import Workspace

WORK = """
    SELECT rule_id, lpar, qmgr, subject, work_role, work_measure, work_missing, work_remark, work_rank, base_name, opened_as, application, channel_name, work_others, work_share_pct
    FROM finding_work ORDER BY rule_id, lpar, qmgr, subject, work_role, work_rank
"""
"""The work that explains findings, and the work that waited."""

LEAST_SHARE = 1.0
"""Work of a smaller share, in percent, is not named."""

BARS = 12
"""Subjects in the chart of a finding that has no intervals; the worst come first."""


def with_details(
    db: Workspace,
    findings: Sequence[Finding],
    times: LocalTimes,
    sources: Sequence[Mapping[str, Any]],
    site: Site,
    *,
    work: bool,
) -> tuple[Finding, ...]:
    """The findings with what their cards show; `site` has the exceptions that ended; `work` = with the work of
    finding_work.
    """
    shown = [finding for finding in findings if finding.severity != BROKEN]
    asks = work and any(_names_work(finding.rule_id) for finding in shown if finding.severity != "info")
    by_finding = grouped_by(db.ask_rows(WORK), key_of) if asks else {}
    names = {row["source_id"]: clean(row["source_name"] or "") for row in sources}
    planned = _advice_of_plans(db, shown, site)
    return tuple(
        finding
        if finding.severity == BROKEN
        else structs.replace(
            finding,
            when=when_text(finding, times),
            who=tuple(who_lines(by_finding.get(key_of(finding.row), ()))),
            trace=trace_command(finding.row, names),
            accept=accept_lines(finding),
            expired=tuple(expired_texts(finding, site.ended)),
            look=tuple(map(completed, look_of(finding.row))),
            do=do_of(finding.row, planned.get(key_of(finding.row), ())),
            plan=plan_commands(finding.row, names),
        )
        for finding in findings
    )


def _names_work(rule_id: str) -> bool:
    rule = rules()[rule_id]
    return rule.culprits is not None or rule.victims is not None


def when_text(finding: Finding, times: LocalTimes, *, share: bool = True) -> str:
    """When the worst subject was in breach: first to last moment, with `share` how often, and the worst; empty for a
    rule that judges the whole period.
    """
    row = finding.row
    if row["worst_interval_utc"] is None:
        return ""
    here = (row["lpar"], row["qmgr"])
    worst = times.text(*here, row["worst_interval_utc"])
    often = share_text(row) if share else ""
    if row["intervals_breached"] <= 1:
        return f"{worst}{f' ({often})' if often else ''}"
    first, last = times.text(*here, row["first_seen_utc"]), times.text(*here, row["last_seen_utc"])
    return f"{first} to {last}{f' ({often})' if often else ''}, worst {worst}"


def expired_texts(finding: Finding, ended: Iterable[Override]) -> Iterable[str]:
    """The exceptions of the site file for the worst subject that have ended, with their end and reason."""
    row = finding.row
    for override in ended:
        if override.rule_id == finding.rule_id and override.holds(row["lpar"], row["qmgr"], row["subject"]):
            yield clean(f"accepted until {override.until}: {override.reason}")


def earlier_text(history: CardHistory) -> str:
    """The figure of yesterday and of the same day of the last week, with its state; empty without data on those
    days.
    """
    days = (("yesterday", history.yesterday), ("same day last week", history.same_day_last_week))
    return "; ".join(f"{name} {_on_day(state)}" for name, state in days if state is not None)


def _on_day(state: DayState) -> str:
    if state.observed is None:
        return state.state
    return f"{figure(state.observed, state.unit or '')} ({state.severity if state.state == BREACH else state.state})"


def who_lines(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """The work that explains a finding, a line for each role: the first three with their shares, and the rest; or why
    no work is shown.
    """
    for role, own in grouped_by(rows, itemgetter("work_role")).items():
        lead = "" if role == "culprit" else "waited: "
        ranked = [row for row in own if row["work_rank"] is not None]
        if not ranked:
            yield clean(f"{'who waited is ' if lead else ''}not shown: {own[0]['work_missing']}")
            continue
        named = [
            f"{_worker(row)} {number_text(row['work_share_pct'], 3)} %"
            for row in ranked
            if row is ranked[0] or row["work_share_pct"] >= LEAST_SHARE
        ]
        remark = f"; {ranked[0]['work_remark']}" if ranked[0]["work_remark"] else ""
        yield clean(f"{lead}{', '.join(named)} of {ranked[0]['work_measure']}{remark}")


def _worker(row: Mapping[str, Any]) -> str:
    if row["work_others"]:
        return plural(row["work_others"], "other")
    parts = [str(row["application"] or row["channel_name"] or ""), str(row["base_name"] or "")]
    opened = f" (opened as {row['opened_as']})" if row["opened_as"] else ""
    return (" -> ".join(part for part in parts if part) or "unknown") + opened


def trace_command(row: Mapping[str, Any], names: Mapping[int, str]) -> str:
    """The command that shows the record with the worst value; empty if the finding is not about one record."""
    if row["evidence_offset"] is None:
        return ""
    number = row["evidence_source_id"]
    return source_command(["trace"], names.get(number), number, [f"@{row['evidence_offset']}"])


def plan_commands(row: Mapping[str, Any], names: Mapping[int, str]) -> tuple[str, ...]:
    """The commands that compute the sizes which the finding is about, from the data that it is of."""
    qmgr = ["--qmgr", row["qmgr"]] if row["qmgr"] else []
    return tuple(
        command(["plan", name], qmgr, names.get(row["evidence_source_id"]) or UNKNOWN)
        for name in rules()[row["rule_id"]].plans
    )


def _advice_of_plans(db: Workspace, findings: Sequence[Finding], site: Site) -> dict[Key, tuple[str, ...]]:
    """What the plans of findings in breach advise about them, of rules that leave it to a plan: the card and the plan
    state one size.
    """
    by_plan: dict[str, list[Mapping[str, Any]]] = {}
    for row in (finding.row for finding in findings):
        name = rules()[row["rule_id"]].do_of_plan
        if row["figures"] and name:
            by_plan.setdefault(name, []).append(row)
    made: dict[Key, tuple[str, ...]] = {}
    for name, own in by_plan.items():
        from mqstat.assemble.plan.answer import advice  # the files of plans are read only if a finding needs one
        from mqstat.assemble.plan.model import plan_of

        plan = plan_of(name)
        if failed := db.keep([[*plan.needs, *plan.setting_views]]):
            made |= {key_of(row): (f"No size: {next(iter(failed.values()))}.",) for row in own}
            continue
        advised = advice(plan, db, site)
        for row in own:
            owner = (row["lpar"], row["qmgr"])
            made[key_of(row)] = advised.get((*owner, None if plan.subject == "qmgr" else row["subject"]), ())
    return made


# --- charts


def charts(
    db: Workspace, findings: Sequence[Finding], grid: Grid, times: LocalTimes, *, compared: bool
) -> dict[str, CardChart]:
    """The chart of each finding by its key; `compared` = `mqstat.assemble.usual.add_history` has measured the days
    before, so it has the usual range.
    """
    shown = [finding for finding in findings if finding.severity != BROKEN]
    series = _series(db, shown, grid) if grid.starts else {}
    bands = usual_bands(db, grid, times, series) if compared else {}
    made = {}
    for finding in shown:
        chart = series.get(key_of(finding.row)) or bars(finding)
        low, high = bands.get(key_of(finding.row), ((), ()))
        made[finding.key] = _in_seconds(replace(chart, low=low, high=high))
    return made


def _in_seconds(chart: CardChart) -> CardChart:
    """A chart in the unit of the sentence, which has less than a million microseconds."""
    known = (value for part in (chart.values, chart.limits, chart.low, chart.high) for value in part)
    size, unit = compared_unit(max((abs(value) for value in known if value is not None), default=0.0), chart.unit)
    if unit == chart.unit:
        return chart

    def scaled(part: tuple[float | None, ...]) -> tuple[float | None, ...]:
        return tuple(value and value / size for value in part)

    values, limits, low, high = map(scaled, (chart.values, chart.limits, chart.low, chart.high))
    return replace(chart, unit=unit, values=values, limits=limits, low=low, high=high)


def _series(db: Workspace, findings: Sequence[Finding], grid: Grid) -> dict[Key, CardChart]:
    """The figure of each finding's rule through the period, on its worst subject; only those with two values or a
    breach.
    """
    if not findings:
        return {}
    by_key = steps_of(db, (key_of(finding.row) for finding in findings))
    charts: dict[Key, CardChart] = {}
    for finding in findings:
        own = by_key.get(key_of(finding.row), [])
        values: list[float | None] = [None] * len(grid.starts)
        limits: list[float | None] = [None] * len(grid.starts)
        for step, observed, limit, _ in own:
            values[step], limits[step] = observed, limit_shown(finding.row, limit)
        breached = frozenset(step for step, _, _, many in own if many)
        if sum(value is not None for value in values) > 1:
            clause = rules()[finding.rule_id].clause(None)
            charts[key_of(finding.row)] = CardChart(
                "series", clause.measure, clause.unit, tuple(values), tuple(limits), breached, finding.location
            )
    return charts


def bars(finding: Finding) -> CardChart:
    """The subjects of a finding against the limit, the worst first; the format is `rows` if they have no figures."""
    rule = rules()[finding.rule_id]
    known = [
        at for at in finding.subjects if at.row["observed"] is not None and rule.clause(at.row["clause"]).has_limit
    ]
    clause = rule.clause(finding.row["clause"])
    shown = [at for at in known if at.row["clause"] == finding.row["clause"]][:BARS]
    return CardChart(
        "subjects" if shown else "rows",
        clause.measure,
        clause.unit,
        tuple(at.row["observed"] for at in shown),
        tuple(at.row["limit_value"] for at in shown),
        frozenset(range(len(shown))),
        finding.location,
        tuple(at.location for at in shown) or tuple(at.location for at in finding.subjects[:BARS]),
        tuple(figure(at.row["observed"], clause.unit) for at in shown)
        or tuple(row_phrase(at.row) for at in finding.subjects[:BARS]),
    )


def figure_line(finding: Finding) -> str:
    """The deciding figure with its limit, such as `synchronous writes 1,139, limit 0`."""
    measure, observed, limit = row_condition(finding.row)
    return f"{measure} {observed}{f', limit {limit.partition(chr(32))[2]}' if limit else ''}".strip()
