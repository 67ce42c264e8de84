"""What decides the state of a rule, an area or a queue manager: one of its findings, or what is missing. Lines and tiles print it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mqstat.render.model import LocalTimes
from mqstat.render.words import figure, plural
from mqstat.rules.model import Rule, rules
from mqstat.rules.sentences import NEEDS_SITE, NOT_IN_RELEASE, clean, why_blind

Row = Mapping[str, Any]
"""A row of view finding."""


@dataclass(frozen=True)
class Standing:
    """The state of some findings, one of STATES, and the row that decides it; `breaches` and `absent` are those in breach and without data."""

    state: str
    row: Row
    breaches: tuple[Row, ...] = ()
    absent: tuple[Row, ...] = ()


def standing(rows: Sequence[Row]) -> Standing | None:
    """How some findings stand together; `rows` are the worst first. None when there are none."""
    if not rows:
        return None
    broken = [row for row in rows if row["outcome"] == "broken"]
    breaches = tuple(row for row in rows if row["outcome"] == "breach")
    judged = [row for row in rows if row["outcome"] == "clear" and row["intervals_checked"]]
    blind = [row for row in rows if row["outcome"] == "no-data"]
    # What waits for a fact of the site file lacks no data.
    absent = tuple(row for row in blind if not row["advice"].startswith(NEEDS_SITE))
    idle = [row for row in rows if row["outcome"] == "clear" and not row["intervals_checked"]]
    if broken:
        return Standing("broken", broken[0], breaches, absent)
    if breaches:
        return Standing(breaches[0]["severity"], breaches[0], breaches, absent)
    if judged:
        return Standing("ok", max(judged, key=closeness), (), absent)
    if absent:
        first = next((row for row in absent if not row["advice"].startswith(NOT_IN_RELEASE)), absent[0])
        late = first["advice"].startswith(NOT_IN_RELEASE)
        return Standing("not-in-release" if late else "not-collected", first, (), absent)
    if idle:
        return Standing("idle", idle[0])
    return Standing("needs-site", blind[0]) if blind else Standing("off", rows[0])


def closeness(row: Row) -> tuple[bool, float]:
    """How near a clear figure is to its limit; the nearest decides what a green line prints, that of a serious rule before a note."""
    rule = rules()[row["rule_id"]]
    observed, limit = row["observed"], row["limit_value"]
    if observed is None or limit is None:
        return False, -1.0
    if rule.worst == "lowest":
        near = limit / observed if observed > 0 else 0.0
    else:
        near = observed / limit if limit > 0 else 0.0
    return rule.severity != "info", near


@dataclass(frozen=True)
class Told:
    """A finding in parts: measured value, limit, place, time, share of the intervals where that tells something, and all of it as a sentence.

    `why` says what keeps a figure beyond its limit from being a breach.
    """

    value: str
    limit: str
    where: str
    when: str
    share: str
    text: str
    why: str = ""


def told(row: Row, rule: Rule, times: LocalTimes, many_lpars: bool, *, placed: bool = True) -> Told:
    """A row of a finding, in breach or clear, as a reader needs it; not `placed` leaves the queue manager out, where it stands above."""
    value = figure(row["observed"], row["limit_unit"])
    limit = figure(row["limit_value"], row["limit_unit"]) if row["limit_value"] is not None else ""
    here = place(row, many_lpars) if placed else ""
    where = " ".join(part for part in (here, clean(row["subject"] or "")) if part)
    when = times.text(row["lpar"], row["qmgr"], row["worst_interval_utc"])
    share = ""
    if row["outcome"] == "breach" and row["worst_interval_utc"]:
        share = f"{row['intervals_breached']} of {row['intervals_checked']}"
    text = f"{rule.measure} {value}" + (f" (limit {limit})" if limit else "") + (f", {where}" if where else "")
    text += (f" at {when}" if when else "") + (f", in {share} intervals" if share else "")
    why = _why_clear(row, rule)
    return Told(value, limit, where, when, share, text + (f"; {why}" if why else ""), why)


def _why_clear(row: Row, rule: Rule) -> str:
    """What keeps a clear figure beyond its limit from being a breach: another finding that tells it, too few intervals, another condition."""
    if row["outcome"] != "clear":
        return ""
    if row["silenced_by"]:
        return f"told by {row['silenced_by']}"
    hits = row["intervals_breached"]
    if hits:
        wanted = {
            "share": f"counts from {rule.judge.number:g} %",
            "consecutive": f"counts from {rule.judge.number:g} in a row",
        }.get(rule.judge.kind, "")
        return f"{hits} of {plural(row['intervals_checked'], 'interval')}" + (f", {wanted}" if wanted else "")
    observed, limit = row["observed"], row["limit_value"]
    if observed is None or limit is None:
        return ""
    beyond = observed < limit if rule.worst == "lowest" else observed > limit
    return "the other conditions of the rule are not met" if beyond else ""


def place(row: Row, many_lpars: bool) -> str:
    """The queue manager of a finding, with its LPAR where there are several; the LPAR where the rule knows no queue manager."""
    lpar, qmgr = clean(row["lpar"] or ""), clean(row["qmgr"] or "")
    return f"{qmgr}/{lpar}" if qmgr and lpar and many_lpars else qmgr


def not_judged(absent: Iterable[Row], qmgrs: int) -> list[str]:
    """What could not be judged beside a state, so that it never looks complete when it is not."""
    rows = list(absent)
    if not rows:
        return []
    ids = sorted({row["rule_id"] for row in rows})
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    return [f"not judged{_on_some(rows, qmgrs)}: {ids[0]}{more}"]


def blind_places(absent: Iterable[Row], qmgrs: int) -> list[str]:
    """The same beside the state of one rule, with the reason: not judged on 1 of 3 queue managers."""
    rows = list(absent)
    return [f"not judged{_on_some(rows, qmgrs)}: {why_blind(rows[0]['advice'])}"] if rows else []


def _on_some(rows: Sequence[Row], qmgrs: int) -> str:
    places = {(row["lpar"], row["qmgr"]) for row in rows if row["qmgr"]}
    return f" on {len(places)} of {plural(qmgrs, 'queue manager')}" if qmgrs > 1 and 0 < len(places) < qmgrs else ""
