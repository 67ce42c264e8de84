"""The history of findings, from table finding_day of a dataset: what is new, for how many days a finding has been open,
what came back, what is gone.

A finding here is one rule on one queue manager (an LPAR, or the inputs), whatever its subjects; one that moved to
another LPAR is the same. Only days that were over when they were judged decide anything. A day without data, and one on
which the rule was idle or not judged, neither ends a run of days in breach nor counts in it. Where the limits
changed (`limits` of the table), a finding that appears or ends is "limit changed", because nothing shows that it would
have been new or gone. A rule that the site switched off (an acceptance) ends a run in the same way. A day on which the
rule was clear in part does not end a run, nor one on which it was reported by another rule, which counts as one in
breach.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, cast

import duckdb
import pyarrow as pa

from mqstat.base.card_key import ALL, Owner
from mqstat.base.formatting import plural
from mqstat.base.grouping import grouped_by
from mqstat.judge.model import SEVERITIES
from mqstat.judge.states import BREACH, CLEAR, NEEDS_FACT, OFF, REPORTED

if TYPE_CHECKING:
    from mqstat.dataset.place import Home
    from mqstat.dataset.store import AnyOpened

NEW, RUNNING, AGAIN, GONE, LIMIT_CHANGED = "new", "running", "again", "gone", "limit changed"

AGAIN_DAYS = 90
"""Up to this many days after its last day in breach, a finding that was clear since then is "again" and not "new"."""

UNKNOWN_IF_NEW = "unknown"
"""What programs get instead of `true` or `false` where nothing shows whether a finding is new."""

LONGEST = 400
"""Days before the last one that are read; a longer run counts as having begun with them."""


@dataclass(frozen=True, slots=True)
class DayState:
    """A rule on a queue manager on one day: its state, and the worst subject in breach or, in another state, the
    deciding figure.

    `subjects` counts the subjects in breach, `intervals` those in breach of the worst one; `limits` is the checksum of
    what it was judged by.
    """

    day: dt.date
    state: str
    severity: str | None = None
    subject: str | None = None
    observed: float | None = None
    limit: float | None = None
    unit: str | None = None
    intervals: int = 0
    subjects: int = 0
    limits: str = ""
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class CardHistory:
    """The history of a finding as a day shows it.

    `word` is "new", "3rd day in a row", "again after 7 days", "limit changed", or empty if nothing is known. `state` is
    the same as one of NEW, RUNNING, AGAIN, LIMIT_CHANGED. `first_day` began the run, `run_length` counts its days in
    breach. `yesterday` and `same_day_last_week` are None without data on that day. `before` is the last day in breach
    of the same run before this one.
    """

    word: str = ""
    state: str = ""
    first_day: dt.date | None = None
    run_length: int = 0
    yesterday: DayState | None = None
    same_day_last_week: DayState | None = None
    before: DayState | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """A finding that was in breach when it was last judged and is not any more. `state` is GONE, or LIMIT_CHANGED if it
    is judged by other limits now or switched off.
    """

    rule_id: str
    lpar: str | None
    qmgr: str | None
    state: str
    first_day: dt.date
    run_length: int
    last: DayState


UNKNOWN = CardHistory()
"""The history of a finding about which nothing is known."""


@dataclass(frozen=True)
class History:
    """The history of the findings of one day: `day` as a day of the data, the cards in breach on it, and the findings
    that `ended` (gone, or limit changed).
    """

    day: dt.date
    cards: Mapping[tuple[str, Owner], CardHistory] = field(default_factory=dict)
    ended: tuple[Gone, ...] = ()

    def of(self, rule_id: str, lpar: str | None, qmgr: str | None) -> CardHistory:
        """The history of a finding; with LPAR and name of `ALL`, that of the rule on all queue managers that it has in
        breach.
        """
        card = self.cards.get((rule_id, (lpar, qmgr)))
        return card or (self._of_estate(rule_id) if (lpar, qmgr) == ALL else UNKNOWN)

    def is_new(self, rule_id: str, lpar: str | None, qmgr: str | None, severity: str) -> str:
        """Whether a subject in breach is new compared with the last day on which its finding was judged: `true`,
        `false` or UNKNOWN_IF_NEW.

        It is new if the finding was not in breach then, or only with lower severities. It is not known without earlier
        days, on a day that is not over, and where the limits changed.
        """
        card = self.of(rule_id, lpar, qmgr)
        if card.state == RUNNING and card.before is not None:
            before = card.before.severity
            return "true" if before in SEVERITIES and _rank(severity) < _rank(before) else "false"
        return "true" if card.state in (NEW, AGAIN) else UNKNOWN_IF_NEW

    def _of_estate(self, rule_id: str) -> CardHistory:
        """The words of the queue managers in breach, each with their number if there are several words, and the longest
        run.
        """
        own = [card for (rule, _), card in self.cards.items() if rule == rule_id]
        counts: dict[str, int] = {}
        for card in own:
            counts[card.word] = counts.get(card.word, 0) + 1
        if not own or "" in counts:
            return UNKNOWN
        in_order = sorted(counts, key=lambda word: (-counts[word], word))
        longest = max(own, key=lambda card: card.run_length)
        state = next(card.state for card in own if card.word == in_order[0])
        word = ", ".join(f"{word} on {counts[word]}" for word in in_order) if len(counts) > 1 else in_order[0]
        return CardHistory(word, state, longest.first_day, longest.run_length)

    @property
    def checksum(self) -> str:
        """A checksum of all that it has: a page that shows it is up to date as long as this stays the same."""
        cards = sorted(self.cards.items(), key=lambda item: (item[0][0], item[0][1][0] or "", item[0][1][1] or ""))
        content = [
            [[*key, dataclasses.asdict(card)] for key, card in cards],
            [dataclasses.asdict(each) for each in self.ended],
        ]
        return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()[:32]


NO_HISTORY = History(dt.date.min)
"""The history of data that is not a day of a dataset with one."""


@dataclass(frozen=True, slots=True)
class OpenFinding:
    """A finding that was in breach on `last.day`, when it was last judged: `history` is that of this day, `breached`
    the days in breach within AGAIN_DAYS of the newest day.
    """

    rule_id: str
    lpar: str | None
    qmgr: str | None
    history: CardHistory
    last: DayState
    breached: int


@dataclass(frozen=True, slots=True)
class PastFinding:
    """A rule on a queue manager that was in breach within AGAIN_DAYS of the newest day: its days in breach then, and
    the newest of them.
    """

    rule_id: str
    lpar: str | None
    qmgr: str | None
    days: int
    last: DayState


@dataclass(frozen=True)
class Memory:
    """All that a dataset has in table finding_day, at most LONGEST days: the history of each day, its queue managers,
    the worst severity of each rule in breach, and all rules.
    """

    days: Mapping[dt.date, History] = field(default_factory=dict)
    open: tuple[OpenFinding, ...] = ()
    past: tuple[PastFinding, ...] = ()
    owners: Mapping[dt.date, tuple[Owner, ...]] = field(default_factory=dict)
    breaches: Mapping[dt.date, Mapping[str, str]] = field(default_factory=dict)
    rules: frozenset[str] = frozenset()


def _rank(severity: str) -> int:
    """The place of a severity, the worst first; unknown ones come last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def history(dataset: Home | AnyOpened, day: dt.date) -> History:
    """The history of the findings of a day that is in table finding_day, as that table has it now; empty without such a
    table.
    """
    return memory(dataset, day).days.get(day) or History(day)


def memory(dataset: Home | AnyOpened, last: dt.date | None = None) -> Memory:
    """What table finding_day of a dataset has up to `last`; empty if the folder is not a dataset yet."""
    from mqstat.dataset import finding_day, store
    from mqstat.dataset.snapshot import is_dataset

    if isinstance(dataset, Path) and not is_dataset(dataset):
        return Memory()
    opened = store.open_dataset(dataset)
    if not isinstance(opened.folder, Path):  # mqstat daily writes it, in folders only
        return Memory()
    files = finding_day.files_of(cast("store.Opened", opened))
    newest = max((day for days in files.values() for day in days if last is None or day <= last), default=None)
    if newest is None:
        return Memory()
    oldest = newest - dt.timedelta(days=LONGEST)
    pairs = [(str(path), day) for path, days in files.items() for day in days if oldest <= day <= newest]
    return _memory(pairs)


_KNOWN = "CREATE TEMP VIEW known AS FROM files SEMI JOIN chosen ON filename = file AND date = day WHERE place = 0"
"""The worst row of each rule on each queue manager and day."""

_SEVERAL = """
    SELECT DISTINCT qmgr FROM (
      SELECT qmgr FROM known WHERE qmgr IS NOT NULL GROUP BY date, qmgr
      HAVING count(DISTINCT coalesce(lpar, '')) > 1 AND NOT bool_or(rule_id = 'CV015' AND state = 'breach' AND coalesce(subject = 'LPAR', false))
    )
"""
"""The names of queue managers that are on several LPARs on one day, and did not move there (CV015); any other that
changes its LPAR is still the same queue manager."""

_RULES = "SELECT rule_id, min(date) FROM known GROUP BY rule_id"

_DAYS = "SELECT date, bool_and(is_complete) FROM known GROUP BY date ORDER BY date"

_BREACHED = """
    CREATE TEMP TABLE hit AS SELECT DISTINCT rule_id, lpar, qmgr FROM known WHERE state = 'breach';
    CREATE TEMP TABLE followed AS
      SELECT *, CASE WHEN qmgr IS NULL OR qmgr IN (FROM several) THEN lpar END AS place_of
      FROM known
      WHERE EXISTS (FROM hit WHERE hit.rule_id = known.rule_id AND hit.lpar IS NOT DISTINCT FROM known.lpar AND hit.qmgr IS NOT DISTINCT FROM known.qmgr)
        OR ((rule_id, qmgr) IN (SELECT (rule_id, qmgr) FROM hit WHERE qmgr IS NOT NULL) AND qmgr NOT IN (FROM several));
    SELECT rule_id, place_of, lpars, qmgr, date, state, severity, subject, observed, limit_value, limit_unit, coalesce(intervals_breached, 0),
      coalesce(subjects, 0), limits, is_complete
    FROM (
      -- On the day of a move a rule has a row for each LPAR: the worst is that of the day.
      SELECT *, list_sort(list(lpar) OVER (PARTITION BY rule_id, place_of, qmgr, date, state)) AS lpars
      FROM followed
      QUALIFY row_number() OVER (
        PARTITION BY rule_id, place_of, qmgr, date
        ORDER BY list_position(['breach', 'reported by', 'clear in part', 'clear'], state) NULLS LAST, list_position(['critical', 'warning', 'info'], severity), lpar
      ) = 1
    )
    WINDOW of_finding AS (PARTITION BY rule_id, place_of, qmgr ORDER BY date)
    QUALIFY state = 'breach'
      OR count(*) FILTER (state = 'breach') OVER (of_finding RANGE BETWEEN CURRENT ROW AND INTERVAL 7 DAYS FOLLOWING) > 0
      OR (state, limits, is_complete) IS DISTINCT FROM lag((state, limits, is_complete)) OVER of_finding
      OR (state, limits, is_complete) IS DISTINCT FROM lead((state, limits, is_complete)) OVER of_finding
    ORDER BY rule_id, place_of, qmgr, date
"""
"""The days of all findings that were ever in breach, without those that decide nothing: of a row of equal days outside
the week before a breach the first and the last are enough."""

_OWNERS = "SELECT DISTINCT date, lpar, qmgr FROM known WHERE qmgr IS NOT NULL ORDER BY date, lpar, qmgr"

_WORST = "SELECT date, rule_id, list(DISTINCT severity) FROM known WHERE state = 'breach' GROUP BY date, rule_id ORDER BY date, rule_id"


def _memory(pairs: Sequence[tuple[str, dt.date]]) -> Memory:
    """The content of days, each with the file that it is read from."""
    chosen = pa.table({"file": [path for path, _ in pairs], "day": pa.array([day for _, day in pairs], pa.date32())})
    with duckdb.connect(":memory:") as connection:
        connection.register("chosen", chosen)
        connection.execute("SET enable_progress_bar = false")
        connection.read_parquet(sorted({path for path, _ in pairs}), filename=True).create_view("files")
        connection.execute(_KNOWN)
        connection.execute(f"CREATE TEMP TABLE several AS {_SEVERAL}")
        begun = dict(connection.execute(_RULES).fetchall())
        days = dict(connection.execute(_DAYS).fetchall())
        rows = connection.execute(_BREACHED).fetchall()
        owners = grouped_by(connection.execute(_OWNERS).fetchall(), itemgetter(0))
        worst = grouped_by(connection.execute(_WORST).fetchall(), itemgetter(0))
    cards: dict[dt.date, dict[tuple[str, Owner], CardHistory]] = {day: {} for day in days}
    ended: dict[dt.date, list[Gone]] = {day: [] for day in days}
    first = min((day for day, is_complete in days.items() if is_complete), default=None)
    since = max(days, default=dt.date.max) - dt.timedelta(days=AGAIN_DAYS)
    still: list[OpenFinding] = []
    past: list[PastFinding] = []
    for (rule_id, _, qmgr), own in groupby(rows, key=lambda row: (row[0], row[1], row[3])):
        of_card = list(own)
        lpars = {row[4]: row[2] for row in of_card}
        states = [DayState(*row[4:]) for row in of_card]
        breached = [state for state in states if state.state == BREACH and state.is_complete and state.day > since]
        last: tuple[DayState, CardHistory] | None = None
        by_day = {state.day: state for state in states}
        for day, shown in followed(states, begun[rule_id], first):
            if isinstance(shown, CardHistory):
                cards[day] |= {(rule_id, (lpar, qmgr)): shown for lpar in lpars[day]}
                last = (by_day[day], shown) if by_day[day].is_complete else last
            else:
                ended[day].append(Gone(rule_id, lpars[day][-1], qmgr, *shown))
                last = None
        if breached:
            past.append(PastFinding(rule_id, lpars[breached[-1].day][-1], qmgr, len(breached), breached[-1]))
        if last and last[0].day > since:
            still.append(OpenFinding(rule_id, lpars[last[0].day][-1], qmgr, last[1], last[0], len(breached)))
    return Memory(
        {day: History(day, cards[day], tuple(ended[day])) for day in days},
        tuple(still),
        tuple(past),
        {day: tuple((lpar, qmgr) for _, lpar, qmgr in here) for day, here in owners.items()},
        {
            day: {rule: min(severities, key=SEVERITIES.index) for _, rule, severities in here}
            for day, here in worst.items()
        },
        frozenset(begun),
    )


def followed(
    states: Iterable[DayState], rule_since: dt.date, first: dt.date | None
) -> Iterator[tuple[dt.date, CardHistory | tuple[str, dt.date, int, DayState]]]:
    """For the days of one finding, in order: its history on each day in breach, and on the day on which a run ends the
    last four columns of `Gone`.

    `rule_since` is the first day with any row of the rule, `first` the first day of the history that is complete.
    """
    run: list[DayState] = []  # the first and the last day of the run that is open
    length, ended, gap = 0, None, None
    limits: str | None = None  # by which it was last found not to be in breach, or switched off
    known: dict[dt.date, DayState] = {}
    for state in states:
        day = state.day
        known[day] = state
        before = known.get(day - dt.timedelta(days=1)), known.get(day - dt.timedelta(days=7))
        if not state.is_complete:
            if state.state == BREACH:
                yield day, CardHistory("", "", None, 0, *before)
            continue
        if state.state == BREACH:
            last = run[1] if run else None
            if run:
                run, length, word, kind = [run[0], state], length + 1, f"{ordinal(length + 1)} day in a row", RUNNING
            else:
                gap = (day - ended).days if ended is not None and (day - ended).days <= AGAIN_DAYS else None
                run, length = [state, state], 1
                if first is None or day <= first:
                    word, kind = "", ""
                elif (limits is not None and limits != state.limits) or (limits is None and rule_since == day):
                    word, kind = LIMIT_CHANGED, LIMIT_CHANGED
                elif gap is not None:
                    word, kind = f"again after {plural(gap, 'day')}", AGAIN
                else:
                    word, kind = NEW, NEW
            yield day, CardHistory(word, kind, run[0].day, length, *before, last)
        elif state.state == REPORTED:  # in breach, without a finding of its own
            run, length = [run[0] if run else state, run[1] if run else state], length + 1 if run else 1
        elif state.state in (CLEAR, OFF, NEEDS_FACT):
            if run and run[1].state == BREACH:
                is_gone = state.state == CLEAR and state.limits == run[1].limits
                yield day, (GONE if is_gone else LIMIT_CHANGED, run[0].day, length, run[1])
            if run:
                ended, run = run[1].day, []
            limits = state.limits


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st, ..."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
