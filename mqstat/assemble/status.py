"""States as text: why rules were not judged, and on which queue managers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqstat.base.formatting import clean, plural, qmgr_name, short
from mqstat.judge import states
from mqstat.judge.model import level_number
from mqstat.judge.sentences import activity_text, reason_of, short_text, unmet_text
from mqstat.judge.states import Place, Row, RuleState, Status

NAMES = 4
"""Number of queue managers that a sentence names; the others are counted."""


def names_text(owners: Iterable[Place], many_lpars: bool) -> str:
    """Queue managers in a sentence."""
    names = [qmgr_name(lpar, qmgr, many_lpars) for lpar, qmgr in owners if qmgr]
    return ", ".join(names) if len(names) <= NAMES else plural(len(names), "queue manager")


def on_text(owners: Iterable[Place], everywhere: Sequence[Place], many_lpars: bool) -> str:
    """The queue managers as in "on MQ01, MQ02"; empty if it is all of them, or if there is only one."""
    here = list(dict.fromkeys(owners))
    names = names_text(here, many_lpars)
    return f" on {names}" if names and len(everywhere) > 1 and set(everywhere) - set(here) else ""


def missing_classes_of(rows: Iterable[Row]) -> list[str]:
    """Record classes that are not in the data, without duplicates."""
    return list(dict.fromkeys(name for row in rows for name in row["missing_classes"] or ()))


def detail(parts: Iterable[RuleState]) -> str:
    """What is missing, in brackets: classes, levels or facts."""
    parts = list(parts)
    rows = [row for part in parts for row in part.deciding]
    classes = missing_classes_of(rows)
    facts = dict.fromkeys(name for row in rows for name in row["missing_facts"] or ())
    levels = [levels_text(rows)] if any(row["needs_mq_level"] or row["short_structure"] for row in rows) else []
    listed = ", ".join([*classes, *facts, *levels])
    return f" ({short(listed, 60)})" if listed else ""


def levels_text(rows: Sequence[Row]) -> str:
    """The lowest level that writes any of what is missing, and the levels that were found."""
    needed = [row["needs_mq_level"] for row in rows if row["needs_mq_level"]]
    if not needed:
        return "; ".join(dict.fromkeys(short_text(row) for row in rows if row["short_structure"]))
    levels = sorted({row["found_mq_level"] for row in rows if row["found_mq_level"]}, key=level_number)
    return f"written by MQ {min(needed, key=level_number)} and later; this is {' or '.join(levels)}"


def count_text(number: int, state: str) -> str:
    """A number of rules in a state."""
    return f"{number:,} need a site fact" if state == states.NEEDS_FACT and number != 1 else f"{number:,} {state}"


def unjudged_text(status: Status, everywhere: Sequence[Place], many_lpars: bool) -> str:
    """Why nothing was judged: one reason, or the state of each queue manager: idle on MQ01; not collected on MQ02 (115.1)."""
    by_place = status.by_place
    parts = [part for part in status.parts if part.status == by_place[part.owner]]
    if status.state == states.ACTIVE and len(set(by_place.values())) == 1:
        return clean(active_text(status.parts))
    reasons = {reason_of(row) for part in parts for row in part.deciding}
    listed = dict.fromkeys(by_place.values())
    if len(listed) == 1:
        if len(reasons) == 1:
            return clean(reasons.pop())
        if status.state == states.NOT_IN_RELEASE:
            return levels_text([row for part in parts for row in part.deciding])
        missing = missing_classes_of(row for part in parts for row in part.deciding)
        if status.state == states.NOT_COLLECTED and missing:
            return f"no {short(' or '.join(missing) if len(missing) < 3 else ', '.join(missing), 60)} records"
        return {
            states.IDLE: "no activity: all counters of the area are 0",
            states.OFF: "all its rules are off",
        }.get(status.state, f"{status.state}{detail(parts)}")
    texts: list[str] = []
    for state in sorted(listed, key=states.STATUSES.index):
        owners = [owner for owner, state_here in by_place.items() if state_here == state]
        mine = [part for part in parts if part.status == state]
        here = [part for part in status.parts if part.owner in owners]
        why = f": {active_text(here)}" if state == states.ACTIVE else detail(mine)
        texts.append(f"{state}{on_text(owners, everywhere, many_lpars)}{why}")
    return clean("; ".join(texts))


def active_text(parts: Sequence[RuleState]) -> str:
    """Why an active area was not judged: its activity, the conditions of the rule that is watched first, with their figures, and missing site facts.

    `parts` are the states of its rules on the queue managers where it is active; of one rule only its conditions are listed.
    """
    rows = sorted((row for part in parts if part.state == states.ACTIVE for row in part.deciding), key=states.watched)
    if len({part.rule_id for part in parts}) == 1:
        return reason_of(rows[0])
    waiting = dict.fromkeys(fact for part in parts for row in part.deciding for fact in row["missing_facts"] or ())
    conditions = next((text for text in map(unmet_text, rows) if text), "")
    facts = f"waits for site facts ({short(', '.join(waiting), 60)})" if waiting else ""
    return "; ".join(text for text in (activity_text(rows[0]), conditions, facts) if text) or reason_of(rows[0])


def no_data_text(status: Status, everywhere: Sequence[Place], many_lpars: bool) -> list[str]:
    """Where a rule could not be judged although it was elsewhere, and why."""
    absent = status.absent
    if not absent:
        return []
    where = on_text([part.owner for part in absent], everywhere, many_lpars)
    reasons = dict.fromkeys(reason_of(row) for part in absent for row in part.deciding)
    return [clean(f"not judged{where}: {'; '.join(reasons)}")]
