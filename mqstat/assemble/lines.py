"""Lines of rules, areas and queue managers, and a tile per area and queue manager: their states, and the figure that
decides each.

The rules have judged already; this module selects what to show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from mqstat.assemble.conditions import FindingText, deciding, finding_text
from mqstat.assemble.page_model import Curve, QmgrState, RuleLine, Tile, Verdict
from mqstat.assemble.status import count_text, no_data_text, unjudged_text
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.areas import AREAS, TITLES
from mqstat.base.formatting import plural
from mqstat.base.grouping import grouped_by
from mqstat.judge import states
from mqstat.judge.model import SEVERITIES, Rule, rules
from mqstat.judge.states import Place, RuleState, Status, areas_asked_for, judged, status


def many_lpars_in(managers: Iterable[Place]) -> bool:
    """Whether queue managers must be named with their LPAR."""
    return len({lpar for lpar, qmgr in managers if qmgr}) > 1


def rule_lines(
    parts: Sequence[RuleState],
    times: LocalTimes,
    owners: Sequence[Place],
    curves: Mapping[str, Curve] | None = None,
) -> tuple[RuleLine, ...]:
    """A line for every rule in the order of areas and ids, including clear ones; `parts` are the states of the rules on
    each queue manager of `places`.
    """
    by_rule: dict[str, list[RuleState]] = {}
    for part in parts:
        by_rule.setdefault(part.rule_id, []).append(part)
    in_order = sorted(rules().values(), key=lambda rule: (AREAS.index(rule.area), rule.id))
    return tuple(_line(rule, by_rule.get(rule.id, []), times, owners, (curves or {}).get(rule.id)) for rule in in_order)


def _line(
    rule: Rule, parts: Sequence[RuleState], times: LocalTimes, owners: Sequence[Place], curve: Curve | None
) -> RuleLine:
    decided = status(parts)
    if decided is None:  # no queue manager in the data
        text = "there are no queue manager records in the data"
        return RuleLine(rule.id, rule.area, rule.title, states.NOT_COLLECTED, text, measure=rule.measure)
    many_lpars = many_lpars_in(owners)
    unjudged = [row for part in parts for row in part.deciding if part.state in states.UNJUDGED]
    shown, text = FindingText("", rule.measure), unjudged_text(decided, owners, many_lpars)
    if decided.state in SHOWN:
        shown = finding_text(decided.row, times, many_lpars)
        text = "; ".join([shown.text, *_more(decided), *no_data_text(decided, owners, many_lpars)])
    return RuleLine(
        rule.id, rule.area, rule.title, decided.state, text,
        shown.measure, shown.value, shown.limit, shown.where, shown.when, shown.share or shown.why,
        breached_subjects=len(decided.breaches),
        command=next((row["collect_command"] for row in unjudged if row["collect_command"]), ""),
        fact=", ".join(dict.fromkeys(fact for row in unjudged for fact in row["missing_facts"] or ())),
        states=tuple(parts),
        on_qmgrs=tuple(map(_on_qmgr, parts)),
        curve=curve,
        deciding=deciding(decided.row) if shown.text else None,
    )  # fmt: skip


MISSING = (
    "missing_classes", "missing_views", "missing_columns", "missing_facts", "needs_mq_level", "found_mq_level", "short_structure",
    "short_section_bytes", "collect_command", "off_reason", "error",
)  # fmt: skip
"""Columns of view finding with the reason why a rule was not judged."""


def _on_qmgr(part: RuleState) -> dict[str, Any]:
    """The state of a rule on a queue manager as data: subjects and intervals judged and in breach, and what is
    missing.
    """
    judged_rows = [row for row in part.rows if row["state"] in states.JUDGED]
    return {
        "lpar": part.lpar,
        "qmgr": part.qmgr,
        "state": part.state,
        "severity": part.severity,
        "subjects": states.number_of(judged_rows),
        "subjects_in_breach": len(part.breaches),
        "intervals_checked": sum(row.get("represents_intervals") or row["intervals_checked"] for row in part.rows),
        "intervals_breached": sum(row["intervals_breached"] for row in part.rows),
        **{name: part.deciding[0][name] for name in MISSING},
    }


# --- tiles and queue managers


def tiles(parts: Sequence[RuleState], times: LocalTimes, owners: Sequence[Place]) -> tuple[Tile, ...]:
    """A tile for every requested area and every queue manager; a tile without a queue manager if rules judge inputs or
    whole systems.
    """
    many_lpars = many_lpars_in(owners)
    sorted_in: dict[tuple[str, Place], list[RuleState]] = {}
    asked = areas_asked_for(parts)
    for part in parts:
        if part.area in asked:
            sorted_in.setdefault((part.area, part.owner), []).append(part)
    numbers = {owner: number for number, owner in enumerate(owners)}

    def order(key: tuple[str, Place]) -> tuple[int, int, str, str]:
        area, owner = key
        return AREAS.index(area), numbers.get(owner, len(numbers)), owner[0] or "", owner[1] or ""

    return tuple(
        _tile(area, owner, sorted_in[area, owner], times, many_lpars) for area, owner in sorted(sorted_in, key=order)
    )


def _tile(area: str, owner: Place, parts: Sequence[RuleState], times: LocalTimes, many_lpars: bool) -> Tile:
    decided, shown = _area(parts, times, [owner], many_lpars, placed=False)
    more = f"; {len(decided.breaches) - 1} more" if len(decided.breaches) > 1 else ""
    count = sum(part.state in states.JUDGED for part in parts)
    return Tile(
        area, owner[0], owner[1], decided.state, shown.text + more, decided.row["rule_id"], count, len(parts),
        deciding(decided.row) if decided.state in SHOWN else None,
    )  # fmt: skip


def verdict_lines(parts: Sequence[RuleState], times: LocalTimes, owners: Sequence[Place]) -> Iterable[Verdict]:
    """A line for each requested area, including those without findings; `parts` are the states of the rules on each of
    `owners`.
    """
    asked = areas_asked_for(parts)
    return (
        _verdict(area, [part for part in parts if part.area == area], times, owners) for area in AREAS if area in asked
    )


def _verdict(area: str, parts: Sequence[RuleState], times: LocalTimes, owners: Sequence[Place]) -> Verdict:
    decided, shown = _area(parts, times, owners, many_lpars_in(owners))
    more = _more(decided)
    judged_rules = len({part.rule_id for part in parts if part.state in states.JUDGED})
    return Verdict(
        TITLES[area], decided.state, "; ".join([shown.text, *more]), area, decided.row["rule_id"],
        judged_rules, len({part.rule_id for part in parts}),
        shown.measure, shown.value, shown.limit, shown.where, shown.when, shown.share,
        "; ".join([*([shown.why] if shown.why else []), *more]),
        deciding(decided.row) if decided.state in SHOWN else None,
    )  # fmt: skip


SHOWN = (*SEVERITIES, *states.CALM)
"""States that a figure decides."""


def _area(
    parts: Sequence[RuleState], times: LocalTimes, owners: Sequence[Place], many_lpars: bool, *, placed: bool = True
) -> tuple[Status, FindingText]:
    """The state of an area on queue managers, and the figure that decides it, or why it is not judged."""
    decided = status(parts)
    if decided is None:
        raise RuntimeError("an area needs rules")
    if decided.state in SHOWN:
        return decided, finding_text(decided.row, times, many_lpars, placed=placed)
    if decided.state == states.BROKEN:
        return decided, FindingText(f"rule {decided.row['rule_id']} failed: this area is not completely judged")
    return decided, FindingText(unjudged_text(decided, owners, many_lpars))


def _more(decided: Status) -> list[str]:
    """How many other rules are in breach, or other subjects of the only one."""
    rule_ids = [row["rule_id"] for row in decided.breaches]
    others = len(set(rule_ids)) - 1
    if others > 0:
        return [f"{plural(others, 'more rule')} in breach"]
    return [plural(len(rule_ids) - 1, "more subject")] if len(rule_ids) > 1 else []


def qmgr_states(parts: Sequence[RuleState], owners: Sequence[Place]) -> tuple[QmgrState, ...]:
    """The state of every queue manager, with how much of it was judged."""
    made = []
    by_owner = grouped_by(parts, attrgetter("lpar", "qmgr"))
    for owner in owners:
        mine = by_owner.get(owner, [])
        counted = judged(mine)
        texts = [f"{counted.judged} of {plural(counted.rules, 'rule')} judged"]
        shown = [state for state in (states.BROKEN, states.PART, *states.UNJUDGED) if state in counted.counts]
        texts += [count_text(counted.counts[state], state) for state in shown]
        made.append(QmgrState(*owner, counted.state, counted.judged, counted.rules, counted.counts, "; ".join(texts)))
    return tuple(made)
