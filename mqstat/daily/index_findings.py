"""The findings of the last 90 days as the index shows them: bars by area, open findings with their age, and lists by
queue manager and by rule.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mqstat.assemble.history import AGAIN, AGAIN_DAYS, LIMIT_CHANGED, NEW, Memory, OpenFinding, ordinal
from mqstat.base.areas import TITLES
from mqstat.base.card_key import ALL, Owner, anchor_of, card_key, is_estate
from mqstat.base.formatting import clean, figures, listed, natural, plural, qmgr_name
from mqstat.base.grouping import grouped_by
from mqstat.daily.state import State
from mqstat.judge.model import SEVERITIES, rules
from mqstat.sql.site import Override, Site

SHOWN_OPEN = 25
"""Open findings that the index lists; the others are in a fold."""

LISTED_NEWS = 3
"""Findings that the line of a day names."""


@dataclass(frozen=True)
class Bar:
    """One day of an area: `state` is the worst severity in breach, "clear" where no rule is in breach, or empty without
    data. `x` counts days from the first of the bars.
    """

    x: int
    state: str
    label: str


@dataclass(frozen=True)
class AreaBars:
    """An area with its days, and a sentence about them."""

    title: str
    text: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class OpenRow:
    """A finding that is open. `href` leads to its card in the report of its last day in breach, empty without a
    report.
    """

    key: str
    title: str
    state: str
    word: str
    figure: str
    first: dt.date | None
    days: int
    last: dt.date
    href: str


@dataclass(frozen=True)
class AcceptanceRow:
    """What the site file changes in a rule."""

    rule_id: str
    where: str
    what: str
    owner: str
    reason: str
    until: dt.date | None
    is_over: bool


@dataclass(frozen=True)
class Named:
    """A queue manager or a rule, with the findings of the last 90 days: label, days in breach, address, severity."""

    name: str
    title: str
    findings: tuple[tuple[str, str, str, str], ...]


@dataclass(frozen=True)
class Findings:
    """All that the index shows about findings; `first` and `last` are the days at the ends of the bars."""

    first: dt.date
    last: dt.date
    is_known: bool = False
    """Whether the dataset has any history."""
    areas: tuple[AreaBars, ...] = ()
    quiet_areas: tuple[str, ...] = ()
    open: tuple[OpenRow, ...] = ()
    acceptances: tuple[AcceptanceRow, ...] = ()
    by_qmgr: tuple[Named, ...] = ()
    by_rule: tuple[Named, ...] = ()
    news: Mapping[dt.date, str] = field(default_factory=dict)
    ended: Mapping[dt.date, int] = field(default_factory=dict)


def index_findings(memory: Memory, state: State, site: Site, today: dt.date) -> Findings:
    """What the index shows of the history of a dataset on a day; `site` is the whole site file."""
    keys = _Keys(memory, state)
    newest = max(memory.days, default=today)
    first = newest - dt.timedelta(days=AGAIN_DAYS - 1)
    areas = _areas(memory, first, newest)
    hit = {area.title for area in areas}
    judged = {TITLES[rules()[rule_id].area] for rule_id in memory.rules if rule_id in rules()}
    return Findings(
        first,
        newest,
        bool(memory.days),
        areas,
        tuple(title for title in TITLES.values() if title in judged - hit),
        _open(memory, keys),
        tuple(
            _acceptance(override, today)
            for override in sorted((*site.overrides, *site.ended), key=lambda each: (each.rule_id, each.line))
        ),
        *_listed(memory, keys),
        {day: text for day, history in memory.days.items() if (text := keys.news(day))},
        {day: len(history.ended) for day, history in memory.days.items()},
    )


class _Keys:
    """Keys of findings on a day, and where their cards are."""

    def __init__(self, memory: Memory, state: State) -> None:
        self.memory = memory
        self.pages = {day: entry.files["html"] for day, entry in state.days.items() if "html" in entry.files}
        self._of_estate: dict[dt.date, frozenset[str]] = {}

    def estate(self, day: dt.date) -> frozenset[str]:
        """The rules that are in breach on most queue managers on a day."""
        if day not in self._of_estate:
            hits: dict[str, int] = {}
            for rule_id, (_, qmgr) in self.memory.days[day].cards:
                hits[rule_id] = hits.get(rule_id, 0) + (qmgr is not None)
            owners = len(self.memory.owners.get(day, ()))
            self._of_estate[day] = frozenset(rule_id for rule_id, hit in hits.items() if is_estate(hit, owners))
        return self._of_estate[day]

    def key(self, day: dt.date, rule_id: str, owner: Owner) -> str:
        """The key of a finding on a day, as its report has it."""
        return card_key(rule_id, ALL if rule_id in self.estate(day) else owner, self.memory.owners.get(day, ()))

    def href(self, day: dt.date, key: str) -> str:
        """The address of a card; empty if the day has no page."""
        return f"{self.pages[day]}#{anchor_of(key)}" if day in self.pages else ""

    def news(self, day: dt.date) -> str:
        """What is new on a day, as text."""
        words: dict[str, str] = {}
        for word in (NEW, AGAIN, LIMIT_CHANGED):
            for (rule_id, owner), card in self.memory.days[day].cards.items():
                if card.state == word:
                    words.setdefault(self.key(day, rule_id, owner), word)
        parts = []
        for word, findings in grouped_by(words, words.__getitem__).items():
            parts.append(f"{word}: {listed(findings, LISTED_NEWS)}")
        return "; ".join(parts)


def _areas(memory: Memory, first: dt.date, last: dt.date) -> tuple[AreaBars, ...]:
    """The areas with a breach between two days, in their order."""
    worst: dict[str, dict[dt.date, str]] = {}
    known = rules()
    for day, breaches in memory.breaches.items():
        if day < first:
            continue
        for rule_id, severity in breaches.items():
            area = known[rule_id].area if rule_id in known else "overview"
            here = worst.setdefault(area, {})
            here[day] = min(severity, here.get(day, severity), key=SEVERITIES.index)
    with_data = [day for day in memory.days if first <= day <= last]
    made = []
    for area, title in TITLES.items():
        if area in worst:
            bars = [
                Bar((day - first).days, worst[area].get(day, "clear"), f"{day}: {worst[area].get(day, 'no finding')}")
                for day in with_data
            ]
            newest = max(worst[area])
            text = f"in breach on {len(worst[area])} of {plural(len(with_data), 'day')} with data, last on {newest} ({worst[area][newest]})"
            made.append(AreaBars(title, text, tuple(bars)))
    return tuple(made)


def _open(memory: Memory, keys: _Keys) -> tuple[OpenRow, ...]:
    """The open findings, those of the newest days and the worst first; a rule on most queue managers is one row."""
    rows: dict[tuple[dt.date, str], list[OpenFinding]] = grouped_by(
        memory.open, lambda each: (each.last.day, keys.key(each.last.day, each.rule_id, (each.lpar, each.qmgr)))
    )
    made = [_open_row(key, findings, keys) for (_, key), findings in rows.items()]
    return tuple(sorted(made, key=lambda row: (-row.last.toordinal(), SEVERITIES.index(row.state), -row.days, row.key)))


def _open_row(key: str, findings: Sequence[OpenFinding], keys: _Keys) -> OpenRow:
    worst = min(findings, key=lambda each: SEVERITIES.index(each.last.severity or "info"))
    longest = max(findings, key=lambda each: each.history.run_length)
    where = f" on {len(findings)} queue managers" if len(findings) > 1 else ""
    observed, limit = figures(worst.last.observed, worst.last.limit, worst.last.unit)
    figure = f"{observed} (limit {limit})" if worst.last.observed is not None else ""
    subject = "" if len(findings) > 1 else clean(worst.last.subject or "")
    day = worst.last.day
    return OpenRow(
        key,
        f"{_title(worst.rule_id)}{where}",
        worst.last.severity or "info",
        ordinal(longest.history.run_length) + " day"
        if longest.history.run_length > 1
        else longest.history.word or "1st day",
        ", ".join(part for part in (subject, figure) if part),
        longest.history.first_day,
        longest.history.run_length,
        day,
        keys.href(day, key),
    )


def _title(rule_id: str) -> str:
    return rules()[rule_id].title if rule_id in rules() else "this version of mqstat does not have the rule"


def _acceptance(override: Override, today: dt.date) -> AcceptanceRow:
    is_over = override.until is not None and override.until < today
    where = clean(override.where) or "everywhere"
    return AcceptanceRow(
        override.rule_id,
        where,
        override.changes_text(),
        clean(override.owner),
        clean(override.reason),
        override.until,
        is_over,
    )


def _listed(memory: Memory, keys: _Keys) -> tuple[tuple[Named, ...], tuple[Named, ...]]:
    """The findings of the last 90 days by queue manager and by rule."""
    several = len({lpar for owners in memory.owners.values() for lpar, _ in owners}) > 1
    by_qmgr: dict[str, list[tuple[str, str, str, str]]] = {}
    by_rule: dict[str, list[tuple[str, str, str, str]]] = {}
    for past in memory.past:
        owner = (past.lpar, past.qmgr)
        name = qmgr_name(*owner, several) or clean(past.lpar or "") or "inputs"
        href = keys.href(past.last.day, keys.key(past.last.day, past.rule_id, owner))
        days, severity = plural(past.days, "day"), past.last.severity or "info"
        by_qmgr.setdefault(name, []).append((past.rule_id, days, href, severity))
        by_rule.setdefault(past.rule_id, []).append((name, days, href, severity))
    return (
        tuple(Named(name, "", _in_order(by_qmgr[name])) for name in sorted(by_qmgr, key=natural)),
        tuple(Named(rule_id, _title(rule_id), _in_order(by_rule[rule_id])) for rule_id in sorted(by_rule)),
    )


def _in_order(findings: Iterable[tuple[str, str, str, str]]) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(sorted(findings, key=lambda each: natural(each[0])))
