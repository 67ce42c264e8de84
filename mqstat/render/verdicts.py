"""One line per area: its state, and the figure that decides it, green ones too. Rules have judged; this picks what a reader sees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mqstat.render.model import LocalTimes, Verdict
from mqstat.render.words import area_title, figure
from mqstat.rules.engine import NEEDS_SITE, clean
from mqstat.rules.model import AREAS, Rule, rules

_STATES = {"critical": "CRITICAL", "warning": "WARNING", "info": "note"}


def verdict_lines(
    rows: Sequence[Mapping[str, Any]], times: LocalTimes, qmgrs: Sequence[Mapping[str, Any]]
) -> Iterable[Verdict]:
    """The verdicts of all areas that have rules; `rows` are those of view finding, the worst first."""
    lpars = len({row["lpar"] for row in qmgrs})
    for area in AREAS:
        mine = [row for row in rows if row["rule_area"] == area]
        if mine:
            yield _verdict(area, mine, times, lpars > 1, len(qmgrs))


def _verdict(area: str, rows: list[Mapping[str, Any]], times: LocalTimes, many_lpars: bool, qmgrs: int) -> Verdict:
    known = rules()
    title = area_title(area)
    broken = [row for row in rows if row["outcome"] == "broken"]
    breaches = [row for row in rows if row["outcome"] == "breach"]
    judged = [row for row in rows if row["outcome"] == "clear" and row["intervals_checked"]]
    # What waits for a fact of the site file lacks no data; the foot names those facts.
    absent = [row for row in rows if row["outcome"] == "no-data" and not str(row["advice"]).startswith(NEEDS_SITE)]
    idle = [row for row in rows if row["outcome"] == "clear" and not row["intervals_checked"]]
    if broken:
        return Verdict(title, "BROKEN", f"rule {broken[0]['rule_id']} failed: this area is not judged completely")
    if breaches:
        worst = breaches[0]
        more = [f"{len(breaches) - 1} more"] if len(breaches) > 1 else []
        return _decided(
            title,
            _STATES[worst["severity"]],
            worst,
            known[worst["rule_id"]],
            times,
            many_lpars,
            [*more, *_missing(absent, qmgrs)],
        )
    if judged:
        nearest = max(judged, key=lambda row: _closeness(row, known[row["rule_id"]]))
        return _decided(title, "ok", nearest, known[nearest["rule_id"]], times, many_lpars, _missing(absent, qmgrs))
    if absent:
        first = next((row for row in absent if not row["advice"].startswith("Not in this release")), absent[0])
        state = "not in release" if first["advice"].startswith("Not in this release") else "not collected"
        return Verdict(title, state, _reason(first["advice"]))
    if idle:
        return Verdict(
            title, "nothing to judge", "the records are there, with no activity or no interval that can be judged"
        )
    return Verdict(title, "off", "all rules of this area are switched off or wait for facts of the site file")


def _reason(advice: str) -> str:
    text = advice.removeprefix("Not collected: ").removeprefix("Not in this release: ").rstrip(".")
    return text[0].lower() + text[1:] if text else text


def _missing(absent: Sequence[Mapping[str, Any]], qmgrs: int) -> list[str]:
    """What could not be judged beside a verdict, so that it never looks complete when it is not."""
    if not absent:
        return []
    places = sorted({clean(f"{row['qmgr']}") for row in absent if row["qmgr"]})
    ids = sorted({row["rule_id"] for row in absent})
    where = f" on {len(places)} of {qmgrs} queue managers" if qmgrs > 1 and places and len(places) < qmgrs else ""
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    return [f"not judged{where}: {ids[0]}{more}"]


def _closeness(row: Mapping[str, Any], rule: Rule) -> tuple[bool, float]:
    """How near a clear figure is to its limit; the nearest decides what the green line prints, that of a serious rule before a note."""
    observed, limit = row["observed"], row["limit_value"]
    if observed is None or limit is None:
        return False, -1.0
    if rule.worst == "lowest":
        near = limit / observed if observed > 0 else 0.0
    else:
        near = observed / limit if limit > 0 else 0.0
    return rule.severity != "info", near


def _decided(
    title: str, state: str, row: Mapping[str, Any], rule: Rule, times: LocalTimes, many_lpars: bool, remarks: list[str]
) -> Verdict:
    value, limit = figure(row["observed"], row["limit_unit"]), ""
    if row["limit_value"] is not None:
        limit = figure(row["limit_value"], row["limit_unit"])
    place = clean(row["qmgr"] or "") + (f"/{clean(row['lpar'])}" if many_lpars and row["lpar"] and row["qmgr"] else "")
    where = " ".join(part for part in (place, clean(row["subject"] or "")) if part)
    moment = times.text(row["lpar"], row["qmgr"], row["worst_interval_utc"])
    share = ""
    if state != "ok" and row["worst_interval_utc"]:
        share = f"{row['intervals_breached']} of {row['intervals_checked']}"
    text = (
        f"{rule.measure} {value}"
        + (f" (limit {limit})" if limit else "")
        + f", {where}"
        + (f" at {moment}" if moment else "")
    )
    text += f", in {share} intervals" if share else ""
    return Verdict(
        title, state, "; ".join([text, *remarks]), rule.measure, value, limit, where, moment, share, "; ".join(remarks)
    )
