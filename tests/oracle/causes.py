"""Which findings explain others, and whether those that work are culprits or victims (headers: caused_by, culprits,
victims).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tests.oracle import Data, Row
from tests.oracle.formulas import HOUR
from tests.oracle.rule_headers import Rule, rules

if TYPE_CHECKING:
    from tests.oracle.judged import Subject

RELATED = {
    ("pool_id", "page_set_id"): "page_set", ("pool_id", "queue"): "queue_holding", ("page_set_id", "queue"): "queue_holding", ("cf_structure", "queue"): "queue_holding",
    ("queue", "page_set_id"): "queue_statistics", ("queue", "cf_structure"): "queue_statistics",
    ("queue", "channel_name"): "transmission_channel", ("queue_group", "channel_name"): "transmission_channel",
}  # fmt: skip
"""The view that has subjects of two kinds in one row: a page set and its pool, a queue and what it fills, a queue and
where it is, a queue and the channels that send its messages."""
Key = tuple[Any, ...]
"""Rule, LPAR, queue manager and subject."""
Loud = Mapping[Key, "tuple[Subject, Row]"]
"""The subjects in breach that no stronger rule silences."""


def _place(row: Row) -> tuple[Any, Any]:
    return row.get("lpar"), row.get("qmgr")


def _is_timed(rule: Rule) -> bool:
    return rule.header["judge"] != "whole period" and "interval_start_utc" in rule.body


def _where(data: Data, mine: Rule, cause: Rule, worst: Row) -> tuple[set[tuple[Any, Any]], dict[str, set[Any]]]:
    """The queue managers on which the cause may be, and the subjects that it may have, by kind."""
    kinds, others = ([name for name in rule.header["grain"] if name not in ("lpar", "qmgr")] for rule in (mine, cause))
    here = _place(worst)
    places, wanted = {here}, {name: {worst[name]} for name in kinds if name in others}
    for pair in [] if wanted else [(one, two) for one in kinds for two in others if (one, two) in RELATED]:
        rows = data.asked(f"SELECT DISTINCT lpar, qmgr, {', '.join(pair)} FROM {RELATED[pair]}")
        wanted[pair[1]] = {row[pair[1]] for row in rows if _place(row) == here and row[pair[0]] == worst[pair[0]]}
        if pair[0] == "cf_structure":
            groups_of = {_place(row): row["qsg"] for row in data.view("queue_sharing_group")}
            places |= {
                place for place, group in groups_of.items() if group is not None and group == groups_of.get(here)
            }
    return places, wanted


def _explains(data: Data, found: tuple[Subject, Row], other: str, loud: Loud) -> bool:
    """Whether another rule is in breach on the same or a related subject, at most an hour before the first interval in
    breach.
    """
    subject, out = found
    assert subject.worst is not None
    worst, cause, mine = subject.worst.row, rules().get(other), subject.rule
    candidates = [subject_of for key, (subject_of, _) in loud.items() if key[0] == other]
    if cause is None or not candidates:
        return False
    if other not in worst.get("causes", (other,)):
        return False
    places, wanted = _where(data, mine, cause, worst)
    first, last = out["first_seen_utc"], out["last_seen_utc"]
    for each in (hit for candidate in candidates for hit in candidate.hits):
        at = each.row.get("interval_start_utc")
        near = first is None or not _is_timed(cause) or at is None or first - HOUR <= at <= last
        if near and _place(each.row) in places and all(each.row[name] in values for name, values in wanted.items()):
            return True
    return False


def add_causes(data: Data, loud: Loud) -> None:
    """Add the causes of findings in breach, and who is ranked: of a finding that only something slow explains, those
    that work are its victims.
    """
    for found in loud.values():
        subject, out = found
        header = subject.rule.header
        causes = tuple(other for other in header.get("caused_by", ()) if _explains(data, found, other, loud))
        named = {name: tuple(header[name]) if name in header else None for name in ("culprits", "victims")}
        out |= {"caused_by": causes or None, **named}

    def is_slow(rule_id: str, place: tuple[Any, Any]) -> bool:
        header = rules()[rule_id].header
        if "culprits" not in header:
            return "victims" in header
        findings = [out for key, (_, out) in loud.items() if key[0] == rule_id and key[1:3] == place]
        return bool(findings) and all(map(waits, findings))

    def waits(out: Row) -> bool:
        causes = out["caused_by"] or ()
        return bool(causes) and all(is_slow(other, _place(out)) for other in causes)

    waiting = [
        (subject.rule.header, out)
        for subject, out in loud.values()
        if subject.rule.header.get("culprits") and waits(out)
    ]
    for header, out in waiting:
        out |= {"culprits": None, "victims": tuple(header.get("victims") or header["culprits"])}
