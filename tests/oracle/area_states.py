"""The state of each area on each queue manager, from the findings: the worst of its rules, and the finding that decides
it (catalogue, states of areas).
"""

from __future__ import annotations

import json
from typing import Any

from mqstat.base.areas import WATCHED
from tests.oracle import Data, Row, view
from tests.oracle.rule_headers import LOWER, SEVERITIES, plural, rules

STATES = (
    "broken", "critical", "warning", "info", "clear in part", "reported by", "clear", "not judged", "idle", "not collected", "not in this release", "needs a site fact", "off",
)  # fmt: skip
"""The states of an area, the most urgent first."""
WEIGHTS = ("loss", "outage", "delay", "waste", "collection")
DECIDING = "rule_id subject observed limit_value limit_unit worst_interval_utc missing_classes collect_command".split()
CALM = ("clear in part", "reported by", "clear")
"""Judged, and no finding."""
NO_DATA = ("not judged", "not collected", "not in this release", "needs a site fact")


def _status(row: Row) -> str:
    return str(row["severity"] if row["state"] == "breach" else row["state"])


def _urgent(row: Row) -> tuple[Any, ...]:
    """Of findings in breach: severity, meaning for the work, distance, share of intervals, names."""
    share = row["breached_pct"]
    names = (row["lpar"] or "", row["qmgr"] or "", row["rule_id"], row["subject"] or "")
    return (
        SEVERITIES.index(row["severity"]),
        WEIGHTS.index(row["weight"]),
        -(row["distance"] or 0),
        1 if share is None else -share,
        *names,
    )


def _watched(row: Row) -> int:
    order = WATCHED[rules()[row["rule_id"]].area]
    return order.index(row["rule_id"]) if row["rule_id"] in order else len(order)


def _close(row: Row) -> tuple[bool, float]:
    """How near a clear figure is to its limit; one beyond its limit is the nearest, one without a limit or of a note
    the farthest.
    """
    serious = rules()[row["rule_id"]].header["severity"] != "info"
    clause = rules()[row["rule_id"]].clauses.get(row["clause"])
    if row["clear_because"]:
        return serious, float(clause is not None and isinstance(clause.main.limit, str))
    value, limit = row["observed"], row["limit_value"]
    if value is None or limit is None or row["operator"] == "=":
        return False, -1.0
    above, below = (limit, value) if row["operator"] in LOWER else (value, limit)
    return serious, above / below if below > 0 else 0.0


def _inside(row: Row) -> Row:
    """Of a figure beyond its limit that is clear by another condition, that condition: its figure is inside its
    limit.
    """
    if row["clear_because"] != "condition":
        return row
    failing = [part for part in json.loads(row["clauses"]) if not part["holds"] and part["observed"] is not None]
    if not failing:
        return row
    part = failing[0]
    return {**row, "observed": part["observed"], "limit_value": part["limit"], "limit_unit": part["unit"]}


def _decided(here: dict[str, list[Row]]) -> tuple[str, Row]:
    """The state of some rules (findings by rule), and the finding that decides it."""
    by_rule = {name: min((_status(row) for row in rows), key=STATES.index) for name, rows in here.items()}
    state = min(by_rule.values(), key=STATES.index)
    if state in CALM and len(here) > 1:
        sure = [
            found
            for name, found in by_rule.items()
            if found in CALM and _watched(here[name][0]) < len(WATCHED[rules()[name].area])
        ]
        others = [found for found in by_rule.values() if found not in CALM]
        state = min(sure or others or [state], key=STATES.index)
    rows = [row for name in here if by_rule[name] == state for row in here[name] if _status(row) == state]
    if state in CALM:
        if len(here) == 1:
            return state, max(rows, key=_close)
        return state, _inside(max(rows, key=lambda row: (row["clear_because"] is None, -_watched(row), *_close(row))))
    return state, min(rows, key=_urgent if state in SEVERITIES else _watched)


def _place(row: Row) -> tuple[Any, ...]:
    """Of equal findings the first by its names decides."""
    names = (row["lpar"], row["qmgr"], row["subject"])
    return (
        row["rule_id"],
        row["subject"] is not None or row["clause"] is not None,
        *((name is None, name or "") for name in names),
    )


@view("area_state", "lpar qmgr rule_area")
def area_state(data: Data) -> list[Row]:
    """A rule without a queue manager in its finding holds for each; an area whose rules are all off by default and lack
    site facts has no state.
    """
    managers = [(row["lpar"], row["qmgr"]) for row in data.view("qmgr")]
    below: dict[tuple[str, Any, Any], dict[str, list[Row]]] = {}
    asked = set()
    for row in sorted(data.raw("finding"), key=_place):
        header = rules()[row["rule_id"]].header
        everywhere = row["lpar"] is None and row["qmgr"] is None and {"lpar", "qmgr"} <= set(header["grain"])
        if row["state"] != "needs a site fact" or header.get("default_on", True):
            asked.add(row["rule_area"])
        for owner in managers if everywhere else [(row["lpar"], row["qmgr"])]:
            below.setdefault((row["rule_area"], *owner), {}).setdefault(row["rule_id"], []).append(row)
    out = []
    for (area, lpar, qmgr), here in below.items():
        if area not in asked:
            continue
        state, row = _decided(here)
        loud = [each["severity"] for rows in here.values() for each in rows if each["state"] == "breach"]
        of_rules = [min((_status(each) for each in rows), key=STATES.index) for rows in here.values()]
        rule = rules()[row["rule_id"]]
        out.append({
            "lpar": lpar, "qmgr": qmgr, "rule_area": area, "area_status": state, "area_rules": len(here),
            "area_rules_judged": sum(found in (*SEVERITIES, *CALM) for found in of_rules), "breaches": sum(severity != "info" for severity in loud),
            "notes": loud.count("info"), "no_data_rules": sum(found in NO_DATA for found in of_rules),
            "measure": plural(rule.clauses[rule.ways[0][0]].given["measure"]), **{name: row[name] for name in DECIDING},
        })  # fmt: skip
    return out
