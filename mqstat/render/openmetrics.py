"""OpenMetrics: figures, findings and the state of the data for a monitoring system.

Only gauges without timestamps, so that readers of the older Prometheus text format (the textfile collector of the node exporter,
the Pushgateway) accept the same file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.openmetrics.exposition import generate_latest

from mqstat.base.formatting import clean, steady
from mqstat.base.grouping import grouped_by
from mqstat.base.version import __version__
from mqstat.report.measures import figures
from mqstat.report.model import Report
from mqstat.rules.model import SEVERITIES, rules
from mqstat.rules.states import BREACH, STATES, STATUSES, Place, areas_asked_for, judged, rule_states, status
from mqstat.sql.database import Database
from mqstat.sql.plans import rows as ask_rows

_INTERVALS = "SELECT lpar, qmgr, epoch(min(interval_start_utc)) AS first, epoch(max(interval_end_utc)) AS last FROM interval_cut GROUP BY lpar, qmgr ORDER BY lpar, qmgr"
_COLLECTED = """
    SELECT lpar, qmgr, record_class,
      CASE coverage_state WHEN 'collected (event driven)' THEN 1 WHEN 'not collected' THEN 0 ELSE coalesce(presence_pct / 100, 1) END AS collected
    FROM collection WHERE coverage_state <> 'not in this release' ORDER BY lpar, qmgr, record_class
"""
_SOURCES = "SELECT source_id, source_name, source_bytes, bytes_damaged, records_decoded, records_damaged FROM source ORDER BY source_id"


class Gauges:
    """Families of gauges by name; of two samples with the same labels the first is kept, because the format allows only one."""

    def __init__(self) -> None:
        self._families: dict[str, GaugeMetricFamily] = {}
        self._seen: set[tuple[str, tuple[str, ...]]] = set()

    def add(self, name: str, doc: str, labels: Mapping[str, Any], value: float | None, unit: str = "") -> None:
        """Add a sample, unless there is no value. Control and direction characters in labels are made visible."""
        if value is None or not math.isfinite(value):
            return
        texts = tuple(clean("" if text is None else str(text)) for text in labels.values())
        full = f"{name}_{unit}" if unit and not name.endswith("_" + unit) else name
        if (full, texts) in self._seen:
            return
        self._seen.add((full, texts))
        # Units other than base units are only part of the name.
        known = unit if unit in ("ratio", "seconds", "bytes") else ""
        family = self._families.setdefault(full, GaugeMetricFamily(full, doc, labels=list(labels), unit=known))
        family.add_metric(texts, float(value) if float(value).is_integer() else steady(value))

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """All families, as a registry gives them."""
        return iter(self._families.values())

    def write(self, stream: TextIO) -> None:
        """Write all families as OpenMetrics text."""
        stream.write(generate_latest(self).decode("utf-8"))


def render_openmetrics(report: Report, stream: TextIO) -> None:
    """Everything: return code, findings and outcomes, collected classes, inputs, and the key figures of the queue managers."""
    gauges = Gauges()
    database = report.all_findings.database
    _state(gauges, report.return_code)
    _data(gauges, database)
    # The same order as in all writers; a silenced breach is clear.
    rows = ask_rows(database, f"SELECT * FROM {database.listed_findings} ORDER BY {_ORDER}")  # noqa: S608 - our own words
    _outcomes(gauges, rows)
    _states(gauges, rows, [(manager.lpar, manager.qmgr) for manager in report.qmgrs])
    _figures(gauges, database)
    gauges.write(stream)


_ORDER = "rule_id, lpar, qmgr, subject, outcome"


def render_findings(rows: Sequence[Mapping[str, Any]], return_code: int, stream: TextIO) -> None:
    """Only findings (rows of view finding) and their return code."""
    gauges = Gauges()
    _state(gauges, return_code)
    _outcomes(gauges, sorted(rows, key=lambda row: [str(row[name] or "") for name in _ORDER.split(", ")]))
    gauges.write(stream)


def _state(gauges: Gauges, code: int) -> None:
    gauges.add("mqstat_build_info", "Version of mqstat that wrote this.", {"version": __version__}, 1)
    meaning = (
        "Return code: 0 clear, 4 warnings or some damage, 8 critical findings, 12 input unusable, 16 a rule failed."
    )
    gauges.add("mqstat_return_code", meaning, {}, code)


def _data(gauges: Gauges, database: Database) -> None:
    for row in ask_rows(database, _INTERVALS):
        where = _labels(row)
        gauges.add(
            "mqstat_data_first_timestamp", "Start of the first statistics interval.", where, row["first"], "seconds"
        )
        gauges.add(
            "mqstat_data_last_timestamp", "End of the newest statistics interval.", where, row["last"], "seconds"
        )
    for row in ask_rows(database, _COLLECTED):
        where = {**_labels(row), "class": row["record_class"]}
        doc = "Share of the statistics intervals that have records of the class; 0 = not collected."
        gauges.add("mqstat_class_collected", doc, where, row["collected"], "ratio")
    for row in ask_rows(database, _SOURCES):
        where = {"source": row["source_id"], "name": row["source_name"]}
        gauges.add("mqstat_source_size", "Bytes of the input.", where, row["source_bytes"], "bytes")
        gauges.add("mqstat_source_damaged", "Damaged bytes of the input.", where, row["bytes_damaged"] or 0, "bytes")
        gauges.add("mqstat_source_records_decoded", "Records decoded.", where, row["records_decoded"] or 0)
        gauges.add("mqstat_source_records_damaged", "Records damaged.", where, row["records_damaged"] or 0)


def _labels(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"lpar": row["lpar"], "qmgr": row["qmgr"]}


def _outcomes(gauges: Gauges, rows: Sequence[Mapping[str, Any]]) -> None:
    breaches = [row for row in rows if row["state"] == BREACH]
    for severity in SEVERITIES:
        number = len({row["rule_id"] for row in breaches if row["severity"] == severity})
        doc = "Findings: rules in breach with this severity, whatever the number of their subjects."
        gauges.add("mqstat_findings", doc, {"severity": severity}, number)
    known = rules()
    counts = dict.fromkeys(
        ((rule_id, name) for rule_id in sorted({row["rule_id"] for row in rows}) for name in STATES), 0
    )
    for row in rows:
        counts[row["rule_id"], row["state"]] += row.get("represents") or 1
    for (rule_id, state), number in counts.items():
        labels = {"rule": rule_id, "area": known[rule_id].area, "state": state}
        gauges.add("mqstat_rule_subjects", "Subjects that a rule judged or could not judge, by state.", labels, number)
    for row in breaches:
        labels = {"rule": row["rule_id"], "severity": row["severity"], **_labels(row), "subject": row["subject"]}
        gauges.add("mqstat_finding", "1 for each subject of a finding in breach.", labels, 1)
    for row in breaches:
        labels = {"rule": row["rule_id"], **_labels(row), "subject": row["subject"], "unit": row["limit_unit"]}
        labels |= {"clause": row["clause"], "operator": row["operator"]}
        gauges.add(
            "mqstat_finding_observed", "Worst figure of a finding, in the unit of its label.", labels, row["observed"]
        )
        gauges.add("mqstat_finding_limit", "Limit of a finding, in the unit of its label.", labels, row["limit_value"])
    for row in breaches:
        labels = {"rule": row["rule_id"], **_labels(row), "subject": row["subject"]}
        gauges.add("mqstat_finding_intervals_breached", "Intervals in breach.", labels, row["intervals_breached"])
        gauges.add("mqstat_finding_intervals_checked", "Intervals judged.", labels, row["intervals_checked"])


def _states(gauges: Gauges, rows: Sequence[Mapping[str, Any]], managers: Sequence[Place]) -> None:
    """The state of each queue manager and of each area on it: 1 for its state, 0 for all others."""
    parts = rule_states(rows, managers)
    by_manager = grouped_by(parts, lambda part: part.owner)
    for manager in managers:
        counted = judged(by_manager.get(manager, []))
        where = {"lpar": manager[0], "qmgr": manager[1]}
        for state in STATUSES:
            doc = "1 for the state of the queue manager, 0 for the others."
            gauges.add("mqstat_qmgr_state", doc, {**where, "state": state}, int(state == counted.state))
        gauges.add("mqstat_qmgr_rules", "Rules that are about a queue manager.", where, counted.rules)
        gauges.add("mqstat_qmgr_rules_judged", "Rules that were judged on a queue manager.", where, counted.judged)
    asked = areas_asked_for(parts)
    for (area, manager), here in grouped_by(parts, lambda part: (part.area, part.owner)).items():
        if area not in asked:
            continue
        decided = status(here)
        for state in STATUSES:
            labels = {"area": area, "lpar": manager[0], "qmgr": manager[1], "state": state}
            doc = "1 for the state of the area on the queue manager, 0 for the others."
            gauges.add("mqstat_area_state", doc, labels, int(decided is not None and state == decided.state))


def _figures(gauges: Gauges, database: Database) -> None:
    listed = list(figures(database))
    for figure in listed:
        doc = figure.doc.rstrip(".")
        gauges.add(figure.name, f"{doc}; newest interval.", figure.labels, figure.newest, figure.unit)
    for figure in listed:
        doc, end = figure.doc.rstrip("."), "lowest" if figure.is_low else "highest"
        gauges.add(f"{figure.name}_worst", f"{doc}; {end} of the period.", figure.labels, figure.worst, figure.unit)
