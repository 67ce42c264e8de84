"""What was not judged because something is missing: one line for each reason, with its number of rules and the command that lists or closes it.

Classes that the data has only in part, or that a retention dropped, are named too: what was judged about them is about less than the period.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

from mqstat.assemble.head import DROPPED, DROPPED_IN_PART, PART
from mqstat.assemble.status import count_text, missing_classes_of, names_text, on_text
from mqstat.base.formatting import clean, plural, short
from mqstat.base.grouping import grouped_by
from mqstat.base.inputs import command
from mqstat.judge.model import level_number
from mqstat.judge.states import NEEDS_FACT, NOT_COLLECTED, NOT_IN_RELEASE, Place, Row

GAPS = (NOT_COLLECTED, NOT_IN_RELEASE, NEEDS_FACT)
"""The states of rules that lack something. A rule of an area without activity, and one that is switched off, lacks nothing."""

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
    """State and text of each reason; `rows` are those of view finding, `undeclared` the limits of report overview/headroom that the site file lacks,
    `coverage` the lines of `coverage_lines`.
    """
    by_state = _by_state(rows)
    many_lpars = len({lpar for lpar, qmgr in owners if qmgr}) > 1
    for state in GAPS:
        own = by_state.get(state, [])
        if not own and not (state == NEEDS_FACT and undeclared):
            continue
        where = _where(own, owners, many_lpars)
        rules = plural(len({row["rule_id"] for row in own}), "rule") if own else ""
        yield state, clean(_text(state, own, f"{rules}{where}", undeclared))
    yield from few_lines(coverage)


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
                f"; and {plural(more, 'more line')}: --report overview/coverage"
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
    return grouped_by((row for row in rows if row["state"] in GAPS), itemgetter("state"))


def _text(state: str, rows: Sequence[Row], rules: str, undeclared: Sequence[str]) -> str:
    if state == NOT_COLLECTED:
        classes = short(", ".join(missing_classes_of(rows)))
        return f"{rules}{f' (no {classes})' if classes else ''}; --report overview/coverage"
    if state == NOT_IN_RELEASE:
        levels = sorted({row["needs_mq_level"] for row in rows if row["needs_mq_level"]}, key=level_number)
        written = f", which MQ {levels[0]} or later writes" if levels else ""
        return f"{rules}{written}; {command(['rules'])}"
    limits = plural(len(undeclared), "limit") if undeclared else ""
    return f"{' and '.join(part for part in (rules, limits) if part)}; {command(['site', 'init'], selects=False)} lists the facts"
