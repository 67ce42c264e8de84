"""States as text: why rules were not judged, on which queue managers, and a line for each reason with its number of
rules.

Classes that the data has only in part, or that a retention dropped, have lines too: what was judged about them is about
less than the period.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

from mqstat.assemble.head import DROPPED, DROPPED_IN_PART, PART
from mqstat.base.formatting import clean, plural, qmgr_name, short
from mqstat.base.grouping import grouped_by
from mqstat.base.inputs import command, report_command
from mqstat.judge import states
from mqstat.judge.model import level_number
from mqstat.judge.sentences import activity_text, reason_of, short_text, unmet_text
from mqstat.judge.states import NEEDS_FACT, NOT_COLLECTED, NOT_IN_RELEASE, Place, Row, RuleState, Status

STATE_OF = {0: states.CLEAR, 4: states.WARNING, 8: states.CRITICAL, 12: states.BROKEN, 16: states.BROKEN}
"""The state of each return code."""

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
    """The levels that write what is missing, and those that were found."""
    needed = [row["needs_mq_level"] for row in rows if row["needs_mq_level"]]
    if not needed:
        return "; ".join(dict.fromkeys(short_text(row) for row in rows if row["short_structure"]))
    levels = sorted({row["found_mq_level"] for row in rows if row["found_mq_level"]}, key=level_number)
    lowest, highest = min(needed, key=level_number), max(needed, key=level_number)
    rest = f", all of it by {highest}" if highest != lowest else ""
    return f"written by MQ {lowest} and later{rest}; this is {' or '.join(levels)}"


def count_text(number: int, state: str) -> str:
    """A number of rules in a state."""
    return f"{number:,} need a site fact" if state == states.NEEDS_FACT and number != 1 else f"{number:,} {state}"


def unjudged_text(status: Status, everywhere: Sequence[Place], many_lpars: bool) -> str:
    """Why nothing was judged: one reason, or the state of each queue manager: idle on MQ01; not collected on MQ02
    (115.1).
    """
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
    """Why an active area was not judged: its activity, the conditions of the rule that is watched first, with their
    figures, and missing site facts.

    `parts` are the states of its rules on the queue managers where it is active; of one rule only its conditions are
    listed.
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


# --- what was not judged because something is missing

GAPS = (NOT_COLLECTED, NOT_IN_RELEASE, NEEDS_FACT)
"""The states of rules that lack something. A rule of an area without activity, and one that is switched off, lacks
nothing."""

COVERAGE = (PART, DROPPED, DROPPED_IN_PART)
"""The states of record classes that no rule lacks because of them alone."""

COVERAGE_LINES = 2
"""Lines of one state of record classes; the others are counted."""


def gap_lines(
    rows: Iterable[Row],
    owners: Sequence[Place],
    undeclared: Sequence[str] = (),
    coverage: Sequence[tuple[str, str]] = (),
) -> Iterable[tuple[str, str]]:
    """State and text of each reason; `rows` are those of view finding, `undeclared` the limits of report
    overview/headroom that the site file lacks, `coverage` the lines of `coverage_lines`.
    """
    by_state = _by_state(rows)
    names = [qmgr for _, qmgr in owners if qmgr]
    namesakes = len(set(names)) < len(names)
    for state in GAPS:
        own = by_state.get(state, [])
        if not own and not (state == NEEDS_FACT and undeclared):
            continue
        where = _where(own, owners, namesakes)
        rules = plural(len({row["rule_id"] for row in own}), "rule") if own else ""
        yield state, clean(_text(state, own, f"{rules}{where}", undeclared))
    yield from few_lines(coverage)


def deciding_rows(rows: Iterable[Row], parts: Iterable[RuleState]) -> list[Row]:
    """The rows that have the state of their rule on their queue manager, so that each rule is counted there in one
    state.
    """
    known = {(part.rule_id, part.owner): part.state for part in parts}
    return [
        row for row in rows if known.get((row["rule_id"], (row["lpar"], row["qmgr"])), row["state"]) == row["state"]
    ]


def _where(rows: Sequence[Row], owners: Sequence[Place], many_lpars: bool) -> str:
    """The queue managers of rows; "on at least one of" them if they do not lack the same rules."""
    by_owner = grouped_by(rows, itemgetter("lpar", "qmgr"))
    named = [owner for owner in by_owner if owner[1]]
    if len({frozenset(row["rule_id"] for row in by_owner[owner]) for owner in named}) < 2:
        return on_text(by_owner, owners, many_lpars)
    return f" on at least one of {names_text(named, many_lpars)}"


def few_lines(coverage: Sequence[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Of the lines about record classes that are there in part the first of each state, and how many more there are."""
    for state in COVERAGE:
        texts = [text for own_state, text in coverage if own_state == state]
        more = len(texts) - COVERAGE_LINES
        for number, text in enumerate(texts[:COVERAGE_LINES], 1):
            rest = (
                f"; and {plural(more, 'more line')}: {report_command('overview/coverage')}"
                if number == COVERAGE_LINES and more > 0
                else ""
            )
            yield state, f"{text}{rest}"


def gap_counts(rows: Sequence[Row]) -> str:
    """The number of rules by reason in one line; empty if nothing is missing."""
    by_state = _by_state(rows)
    counts = [
        count_text(len({row["rule_id"] for row in by_state[state]}), state) for state in GAPS if state in by_state
    ]
    several = len({(row["lpar"], row["qmgr"]) for row in rows if row["qmgr"]}) > 1
    where = " on at least one queue manager" if several else ""
    return f"rules not judged{where}: {', '.join(counts)}; {command(['rules'])}" if counts else ""


def _by_state(rows: Iterable[Row]) -> dict[str, list[Row]]:
    return grouped_by([row for row in rows if row["state"] in GAPS], itemgetter("state"))


def _text(state: str, rows: Sequence[Row], rules: str, undeclared: Sequence[str]) -> str:
    if state == NOT_COLLECTED:
        classes = short(", ".join(missing_classes_of(rows)))
        return f"{rules}{f' (no {classes})' if classes else ''}; {report_command('overview/coverage')}"
    if state == NOT_IN_RELEASE:
        levels = sorted({row["needs_mq_level"] for row in rows if row["needs_mq_level"]}, key=level_number)
        later = f" to {levels[-1]}" if len(levels) > 1 else ""
        written = f" (need fields of MQ {levels[0]}{later} or later)" if levels else ""
        return f"{rules}{written}; {command(['rules'])}"
    limits = plural(len(undeclared), "limit") if undeclared else ""
    return f"{' and '.join(part for part in (rules, limits) if part)}; {command(['site', 'init'], selects=False)}"
