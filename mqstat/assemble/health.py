"""Assembles a health report: head, coverage, verdict, findings, tables, foot. All figures come from views, reports and
findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mqstat.assemble import measures
from mqstat.assemble.cards import with_details
from mqstat.assemble.catalogue import reports_named
from mqstat.assemble.check import breaches_text, return_code, rules_text
from mqstat.assemble.completeness import CLASSES_QUERY, LOSS_QUERY, completeness_line
from mqstat.assemble.curves import GRID_QUERIES, curves, make_grid
from mqstat.assemble.finding import Finding
from mqstat.assemble.finding_tree import findings_in_order
from mqstat.assemble.head import coverage_lines, head_lines, local_times, period_of, summary_lines
from mqstat.assemble.headroom import REPORT as HEADROOM
from mqstat.assemble.headroom import no_forecast, undeclared, with_headroom
from mqstat.assemble.lines import qmgr_states, rule_lines, tiles, verdict_lines
from mqstat.assemble.model import Report
from mqstat.assemble.page import gather
from mqstat.assemble.pictures import queries as picture_queries
from mqstat.assemble.queue_map import QUERY as MAP_QUERY
from mqstat.assemble.status import deciding_rows, gap_lines
from mqstat.assemble.tables import SCREEN_ROWS, every_report, table, without_rows
from mqstat.assemble.trend import rows_of, trend_lines, trend_needs, trend_tables
from mqstat.base import return_codes
from mqstat.base.areas import AREAS
from mqstat.base.formatting import clean
from mqstat.base.inputs import command
from mqstat.base.selection import Selection
from mqstat.base.version import __version__
from mqstat.judge import states
from mqstat.judge.engine import keep_views, run_rules
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.needs import HEAD_VIEWS, reads_findings
from mqstat.sql.site import Site
from mqstat.sql.syntax import Query
from mqstat.sql.workspace import Workspace

DOUBLED = "DQ005"
"""The rule that detects records that are in the input more than once."""

REPEATED = f"records are in the input more than once ({DOUBLED}); each record is counted once"
"""The note in the head and the banner in this case."""

BELOW_CULPRITS = ("interval_work", "accounting_missed", "buffer_pool", "page_set")
"""The views whose `needs` the views of culprits read: they are computed with the others, those of culprits only if a
finding needs them."""

SECTION_ROWS = 8
"""Rows of a report that the page shows because of a finding."""


def health_report(
    db: Workspace,
    selection: Selection | None = None,
    site: Site | None = None,
    reports: Sequence[str] | None = None,
    damage_limit_pct: float = return_codes.DAMAGE_LIMIT_PCT,
    *,
    page: bool = False,
    monitored: bool = False,
    every_table: bool = False,
    compared: bool = False,
) -> Report:
    """Run the rules and assemble the report; `reports` = only these tables, `damage_limit_pct` in percent of the bytes.

    `page`, `monitored` and `every_table` add content that only some formats show: curves, pictures and all reports of a
    page; key figures for a monitoring system; all reports without reading their rows.

    `compared` = the days before were measured (`mqstat.assemble.usual.add_history`): charts of findings have their
    usual range.

    Only the rules that judge the content of these tables run (`rules_of`); the return code covers them and the inputs.
    UsageError for an unknown report. The basic views of the database are computed once and kept.
    """
    names = reports_named(reports or ())
    only = rules_of(names) if names else None
    site = site or db.site
    below_culprits = [sqlfile.views()[name].needs for name in BELOW_CULPRITS]
    further: list[Query] = [
        *HEAD_VIEWS,
        *(_needs(names) if names else [*trend_needs(), *below_culprits, LOSS_QUERY, CLASSES_QUERY]),
    ]
    if page:
        further += [*GRID_QUERIES, *_needs(sqlfile.reports()), *picture_queries(), MAP_QUERY]
    keep_views(db, only, further)
    qmgrs = db.ask_rows(
        "SELECT lpar, qmgr, qsg, mq_versions, first_written_local, last_written_local, intervals FROM qmgr ORDER BY lpar, qmgr",
    )
    times = local_times(db, qmgrs)
    grid = make_grid(db, times) if page else None
    outcome = run_rules(db, site, only, then=further, grid=grid)
    rows, parts, owners = outcome.rows, outcome.parts, outcome.owners
    breaches = [row for row in rows if row["outcome"] == "breach"]
    sources = db.ask_rows("SELECT * FROM source ORDER BY source_id")
    code = max(return_code(rows, sources, damage_limit_pct), db.input_code)
    lpars = {row["lpar"] for row in qmgrs}
    intervals = {(row["lpar"], row["qmgr"]): row["intervals"] for row in qmgrs}
    judged = qmgr_states(parts, owners)
    period = period_of(db, qmgrs)
    hidden = frozenset(name for name, many in (("lpar", len(lpars) > 1), ("qmgr", len(qmgrs) > 1)) if not many)
    ordered = tuple(findings_in_order(rows, times, sources, owners))
    findings = with_details(db, ordered, times, sources, site, work=not names)
    trend = () if names else tuple(trend_tables(db))
    limits = rows_of(trend, HEADROOM)
    missing, numbers = ("", "") if names else completeness_line(db)
    head = (
        *head_lines(qmgrs, sources, times, selection, period),
        *([("Numbers", numbers)] if numbers else []),
        *([("Note", REPEATED)] if any(finding.rule_id == DOUBLED for finding in findings) else []),
    )
    showing = {} if names else sections(findings)
    chosen = names or list(showing)
    db.keep([*HEAD_VIEWS, *_needs(chosen)])
    coverage = tuple(coverage_lines(db, len(qmgrs)))
    return Report(
        title="MQ health report",
        head=head,
        summary_lines=tuple(summary_lines(head, qmgrs, sources, period, missing)),
        gaps=(*gap_lines(deciding_rows(rows, parts), owners, undeclared(limits), coverage), *no_forecast(limits)),
        coverage=coverage,
        verdicts=tuple(verdict_lines(parts, times, owners)),
        findings=findings,
        tables=tuple(
            shown
            for name in chosen
            for shown in [table(db, name, breaches, SCREEN_ROWS if names else SECTION_ROWS, showing.get(name, ()))]
            if shown.rows or name not in showing
        ),
        all_findings=without_rows(db, "overview/findings"),
        foot=tuple(_foot(site, rows, findings, code, named=bool(names), all_rules=only is None)),
        times=times,
        return_code=code,
        only_tables=bool(names),
        hidden=hidden,
        rule_lines=rule_lines(parts, times, owners, curves(db, grid, parts) if grid else None),
        tiles=tiles(parts, times, owners),
        qmgrs=with_headroom(judged, limits, times),
        first_local=period[0],
        state=states.worst(
            [*(manager.state for manager in judged), *(p.status for p in parts if p.owner not in owners)]
        )
        or states.NOT_COLLECTED,
        trend=trend,
        trend_lines=tuple(trend_lines(trend, times, "lpar" not in hidden, intervals)),
        accepted=tuple(override for override in site.overrides if override.off),
        sources=tuple({name: row[name] for name in sqlfile.views()["source"].columns} for row in sources),
        outcomes=rows,
        page=gather(db, grid, site, times, findings, breaches, sources, trend, compared=compared) if grid else None,
        monitored=measures.monitored(db) if monitored else None,
        every_table=tuple(every_report(db)) if every_table else (),
    )


def rules_of(names: Iterable[str]) -> frozenset[str] | None:
    """The rules that judge the content of these reports, with those that silence them; None = all rules, because a
    report shows findings.

    The rule that detects repeated records is always included: the head mentions them.
    """
    units = [sqlfile.reports()[name] for name in names]
    if any(reads_findings(need) for unit in units for need in unit.needs if need in sqlfile.views()):
        return None
    known = rules()
    chosen = {DOUBLED}
    further = {rule_id for unit in units for rule_id in unit.header.get("rules", ()) if rule_id in known}
    while further:
        chosen |= further
        further = {other for rule_id in further for other in known[rule_id].silenced_by} - chosen
    return frozenset(chosen & known.keys())


def _needs(names: Iterable[str]) -> list[Query]:
    return [sqlfile.reports()[name].needs for name in names]


def sections(findings: Iterable[Finding]) -> dict[str, frozenset[str]]:
    """The reports that the page shows, with the rules whose findings (except notes) name them.

    For each area it is the report that its worst finding names; in the order of the areas.
    """
    by_area: dict[str, str] = {}
    rule_ids: dict[str, set[str]] = {}
    for finding in findings:
        name = finding.row["report"]
        if name and finding.severity != "info":
            by_area.setdefault(name.partition("/")[0], name)
            rule_ids.setdefault(name, set()).add(finding.rule_id)
    in_order = sorted(by_area.values(), key=lambda name: AREAS.index(name.partition("/")[0]))
    return {name: frozenset(rule_ids[name]) for name in in_order}


# --- foot


def _foot(
    site: Site,
    rows: Sequence[Mapping[str, Any]],
    findings: Sequence[Finding],
    code: int,
    *,
    named: bool,
    all_rules: bool,
) -> Iterable[tuple[str, str]]:
    for override in site.ended:
        where = f" {override.where}" if override.where else ""
        yield "Site", clean(f"{override.rule_id}{where}: expired on {override.until}; previous limits apply")
    for window in site.maintenance:
        yield "Site", clean(f"maintenance {window.text}; what breaches only in it is info")
    if site.overrides:
        for override in site.overrides:
            defaults = {name: limit.value for name, limit in rules()[override.rule_id].thresholds.items()}
            where = f" {override.where}" if override.where else ""
            until = f", until {override.until}" if override.until else ""
            yield (
                "Site",
                clean(f"{override.rule_id}{where}: {override.changes_text(defaults)}{until}, {override.reason}"),
            )
        yield "Limits", "all other limits are the defaults; mqstat explain RULE shows them with their sources"
    else:
        yield "Limits", "defaults (change them in a site file; see mqstat explain RULE)"
    if not all_rules:
        own = ", ".join(sorted({row["rule_id"] for row in rows} - {DOUBLED}))
        judged = f"{breaches_text(findings)}; evaluated only the rules for these reports: {own}"
        yield "Rules", f"{judged if own else 'no rule judges these reports'} ({command(['check'])} evaluates all)"
    else:
        yield (
            "Rules",
            f"{rules_text(rules())}: {breaches_text(findings)}; --report overview/findings lists every rule by queue manager and subject",
        )
    if not named:
        yield (
            "Reports",
            "--report NAME shows one, --dd BUFF those of a DD name, mqstat reports lists all: "
            f"{command(['report'], ['--report', 'NAME'])}",
        )
    yield "mqstat", f"version {__version__}, return code {code} ({return_codes.MEANING[code]})"
