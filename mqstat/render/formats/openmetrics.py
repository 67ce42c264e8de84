"""OpenMetrics for Prometheus and compatible systems: findings, states of rules, key figures, collected record classes,
end of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from mqstat.base.version import __version__
from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Figure, Monitored, Report
    from mqstat.render.gauges import Gauges


_PLACE = ("lpar", "qmgr", "subject")
_FIGURE = ("rule", *_PLACE, "unit", "clause", "operator")
OF_FINDING = (
    ("mqstat_finding", "1 for each subject of a finding in breach, the worst first.",
     ("rule", "severity", "weight", *_PLACE, "new"), "", ""),
    ("mqstat_finding_observed", "Worst figure of a finding, in the unit of its label.", _FIGURE, "observed", ""),
    ("mqstat_finding_distance", "Figure of a finding as a multiple of its limit.", _FIGURE, "distance", "ratio"),
    ("mqstat_finding_limit", "Limit of a finding, in the unit of its label.", _FIGURE, "limit_value", ""),
    ("mqstat_finding_intervals_breached", "Intervals in breach.", ("rule", *_PLACE), "intervals_breached", ""),
    ("mqstat_finding_intervals_checked", "Intervals judged.", ("rule", *_PLACE), "intervals_checked", ""),
)  # fmt: skip
"""The metrics of subjects in breach: name, meaning, labels, the column with the value (1 without), unit."""


def render(report: Report, stream: TextIO, options: Options) -> None:
    """Return code and outcomes; of a whole report also collected classes, inputs, states, and the key figures of the
    queue managers.
    """
    from mqstat.render.gauges import Gauges

    gauges = Gauges()
    _state(gauges, report.return_code)
    if report.monitored is not None:
        _extents(gauges, report.monitored)
    if not report.only_findings:
        _sources(gauges, report.sources)
    _outcomes(gauges, report)
    if not report.only_findings:
        _states(gauges, report)
    if report.monitored is not None:
        _figures(gauges, report.monitored.figures)
    gauges.write(stream)


def _state(gauges: Gauges, code: int) -> None:
    gauges.add("mqstat_build_info", "Version of mqstat that wrote this.", {"version": __version__}, 1)
    meaning = (
        "Return code: 0 clear, 4 warnings or some damage, 8 critical findings, 12 input unusable, 16 a rule failed."
    )
    gauges.add("mqstat_return_code", meaning, {}, code)


def _extents(gauges: Gauges, monitored: Monitored) -> None:
    for row in monitored.extents:
        where = _labels(row)
        gauges.add(
            "mqstat_data_first_timestamp", "Start of the first statistics interval.", where, row["first"], "seconds"
        )
        gauges.add(
            "mqstat_data_last_timestamp", "End of the newest statistics interval.", where, row["last"], "seconds"
        )
    for row in monitored.collected:
        where = {**_labels(row), "class": row["record_class"]}
        doc = "Share of the intervals in which the queue manager ran that have the class; 0 = not collected."
        gauges.add("mqstat_class_collected", doc, where, row["collected"], "ratio")


def _sources(gauges: Gauges, sources: Iterable[Mapping[str, Any]]) -> None:
    for row in sources:
        where = {"source": row["source_id"], "name": row["source_name"]}
        gauges.add("mqstat_source_size", "Bytes of the input.", where, row["source_bytes"], "bytes")
        gauges.add("mqstat_source_damaged", "Damaged bytes of the input.", where, row["bytes_damaged"] or 0, "bytes")
        gauges.add("mqstat_source_records_decoded", "Records decoded.", where, row["records_decoded"] or 0)
        gauges.add("mqstat_source_records_damaged", "Records damaged.", where, row["records_damaged"] or 0)


def _labels(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"lpar": row["lpar"], "qmgr": row["qmgr"]}


def _outcomes(gauges: Gauges, report: Report) -> None:
    from mqstat.assemble.history import NO_HISTORY
    from mqstat.judge.model import SEVERITIES
    from mqstat.judge.states import BREACH, STATES

    rows, past = report.outcomes, report.history or NO_HISTORY
    doc = "Findings: rules in breach with this severity, whatever the number of their subjects."
    for severity in SEVERITIES:
        gauges.add("mqstat_findings", doc, {"severity": severity}, report.counts[severity])
    areas = {row["rule_id"]: row["rule_area"] for row in rows}
    counts = dict.fromkeys(((rule_id, name) for rule_id in sorted(areas) for name in STATES), 0)
    for row in rows:
        counts[row["rule_id"], row["state"]] += row.get("represents") or 1
    for (rule_id, state), number in counts.items():
        where = {"rule": rule_id, "area": areas[rule_id], "state": state}
        gauges.add("mqstat_rule_subjects", "Subjects that a rule judged or could not judge, by state.", where, number)
    known = [
        {
            **row,
            "rule": row["rule_id"],
            "unit": row["limit_unit"],
            "new": past.is_new(row["rule_id"], row["lpar"], row["qmgr"], row["severity"]),
            "": 1,
        }
        for row in rows
        if row["state"] == BREACH
    ]
    for name, doc, labels, column, unit in OF_FINDING:
        for values in known:
            gauges.add(name, doc, {label: values[label] for label in labels}, values[column], unit)


def _states(gauges: Gauges, report: Report) -> None:
    """The state of each queue manager and of each area on it: 1 for its state, 0 for all others."""
    from mqstat.judge.states import STATUSES as STATES

    for manager in report.qmgrs:
        where = {"lpar": manager.lpar, "qmgr": manager.qmgr}
        for state in STATES:
            doc = "1 for the state of the queue manager, 0 for the others."
            gauges.add("mqstat_qmgr_state", doc, {**where, "state": state}, int(state == manager.state))
        gauges.add("mqstat_qmgr_rules", "Rules that are about a queue manager.", where, manager.rules)
        gauges.add("mqstat_qmgr_rules_judged", "Rules that were judged on a queue manager.", where, manager.judged)
    by_place = {(tile.area, tile.lpar, tile.qmgr): tile.state for tile in report.tiles}
    # In the order of the rules: tiles are in that of the queue managers.
    keys = ((line.area, part["lpar"], part["qmgr"]) for line in report.rule_lines for part in line.on_qmgrs)
    for area, lpar, qmgr in filter(by_place.__contains__, dict.fromkeys(keys)):
        for state in STATES:
            labels = {"area": area, "lpar": lpar, "qmgr": qmgr, "state": state}
            doc = "1 for the state of the area on the queue manager, 0 for the others."
            gauges.add("mqstat_area_state", doc, labels, int(state == by_place[area, lpar, qmgr]))


def _figures(gauges: Gauges, listed: Sequence[Figure]) -> None:
    for figure in listed:
        doc = figure.doc.rstrip(".")
        gauges.add(figure.name, f"{doc}; newest interval.", figure.labels, figure.newest, figure.unit)
    for figure in listed:
        doc, end = figure.doc.rstrip("."), "lowest" if figure.is_low else "highest"
        gauges.add(f"{figure.name}_worst", f"{doc}; {end} of the period.", figure.labels, figure.worst, figure.unit)


FORMAT = Format(render, endings=(".prom",), commands=("report", "check"), needs=frozenset({"monitored"}), is_utf8=True)
