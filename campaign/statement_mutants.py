"""Mutants of the code that produces statements, which the truth checker must detect:
`campaign/test_statement_mutants.py` tries them.

Each mutant replaces one piece of one source file while a process imports it, and the reports of a few scenarios are
compared with the data (tests/truth.py). A mutant that no scenario exposes survives.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Replacement:
    """A wrong version of one file: `old`, which occurs once in it, becomes `new`."""

    name: str
    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Mutant(Replacement):
    """A wrong version of a file that produces statements; `scenarios` are those tried, in this order."""

    scenarios: tuple[str, ...] = ("three_states", "two_zones", "rich_estate", "missing_classes")


MUTANTS = (
    Mutant("idle is called not collected", "mqstat/judge/no_data.py",
           'unknown or {"state": states.IDLE}', 'unknown or {"state": states.NOT_COLLECTED, "missing_classes": ["115.2"]}'),
    Mutant("a section that holds a field is called too short", "mqstat/judge/no_data.py",
           "longest.get(structure, offset + 1) <= offset:", "longest.get(structure, offset + 401) <= offset + 400:", ("three_levels",)),
    Mutant("what the records cannot hold is called idle", "mqstat/judge/no_data.py",
           "unknown = self._unknown(rule, owner, level)", "unknown = None", ("old_release",)),
    Mutant("not collected is called idle", "mqstat/judge/no_data.py",
           '"state": states.NOT_COLLECTED,', '"state": states.IDLE,'),
    Mutant("one queue manager without a class takes it from all (T3)", "mqstat/judge/no_data.py",
           "        collected = self.collected.get(owner, {})\n        too_old",
           "        collected = {c: min(one.get(c, 0) for one in self.collected.values()) for c in self.collected.get(owner, {})}\n        too_old"),
    Mutant("a release is called one too old that is not", "mqstat/judge/no_data.py",
           "old = bool(level and level < level_number(rule.mq_since))", "old = bool(level)", ("three_states", "old_release", "missing_classes")),
    Mutant("the level that was found is another one", "mqstat/judge/no_data.py",
           '"found_mq_level": level_text(level)', '"found_mq_level": level_text(level + 100)', ("old_release", "three_levels")),
    Mutant("rows of a queue manager with any breach are marked (T4)", "mqstat/assemble/tables.py",
           "for key, column in keys.items()\n        ]", "for key, column in keys.items() if key in ('lpar', 'qmgr')\n        ]", ("pool_exhausted",)),
    Mutant("rows that are not in breach are marked", "mqstat/judge/judging.py",
           "WHERE j.verdict GROUP BY ALL", "GROUP BY ALL", ("pool_exhausted",)),
    Mutant("the row after the one in breach is marked", "mqstat/assemble/tables.py",
           "tuple(marks and bool(row[-2]) for row in shown)", "(False, *(marks and bool(row[-2]) for row in shown[:-1]))" , ("pool_exhausted", "rich_estate", "log_write_spikes")),
    Mutant("a long first interval is not judged (T6)", "reports/views/interval_cut.sql",
           "shortest_judged_seconds, suspect_first,\n", "shortest_judged_seconds, suspect_first OR first_in_data AS suspect_first,\n",
           ("restarts_then_long", "pool_exhausted")),
    Mutant("the first clause is printed, whatever broke (T9)", "mqstat/judge/findings.py",
           "combined = rule.alternatives[subject[\"alternative\"] or 0]", "combined = rule.alternatives[0]", ("pool_low", "rich_estate", "long_intervals")),
    Mutant("another subject's figure is printed", "mqstat/assemble/lines.py",
           "shown = finding_text(decided.row, times, many_lpars)", "shown = finding_text(parts[0].rows[-1], times, many_lpars)",
           ("rich_estate", "log_copies_uneven", "missing_classes")),
    Mutant("the best breach leads instead of the worst", "mqstat/judge/counting.py",
           "'order': clause_order, ", "'order': -clause_order, ", ("pool_low", "log_write_spikes", "rich_estate")),
    Mutant("times are an hour late", "mqstat/assemble/table_model.py",
           "bisect.bisect_right(known, (utc, 10**6)) - 1)][1])", "bisect.bisect_right(known, (utc, 10**6)) - 1)][1] + 60)", ("pool_exhausted",)),
    Mutant("times of one system are shown in the clock of another", "mqstat/assemble/table_model.py",
           "return [self.changes[lpar, qmgr]]", "return [next(iter(self.changes.values()))]", ("two_zones",)),
    Mutant("intervals in breach and intervals judged are exchanged", "mqstat/judge/findings.py",
           'intervals_checked=subject["judged"],\n        intervals_breached=subject["breached"]',
           'intervals_checked=subject["breached"],\n        intervals_breached=subject["judged"]', ("pool_exhausted",)),
    Mutant("the last interval in breach is the first", "mqstat/judge/findings.py",
           'last_seen_utc=subject["last_seen"]', 'last_seen_utc=subject["first_seen"]', ("log_write_spikes", "rich_estate")),
    Mutant("the limit is that of another threshold", "mqstat/judge/findings.py",
           "limit_value=_number(limits[combined[0]])", "limit_value=_number(max(thresholds.values(), default=None))", ("pool_exhausted", "pool_low")),
    Mutant("the operator is turned round", "mqstat/judge/findings.py",
           "operator=clause.operator,", 'operator={"<": ">", ">": "<"}.get(clause.operator, clause.operator),', ("pool_exhausted",)),
    Mutant("an area has the best of its states", "mqstat/judge/states.py",
           "return min((state for state in states if state), key=STATUSES.index, default=None)",
           "return max((state for state in states if state), key=STATUSES.index, default=None)", ("three_states",)),
    Mutant("a queue manager with accounting alone is clear (T5)", "mqstat/judge/states.py",
           "*([PARTLY] if hardly else [])", "", ("accounting_only",)),
    Mutant("rules that were idle count as judged", "mqstat/judge/states.py",
           "state, sum(counts[name] for name in JUDGED), len(parts)", "state, sum(counts[name] for name in (*JUDGED, IDLE)), len(parts)", ("three_states",)),
    Mutant("a silenced finding is listed", "mqstat/judge/findings.py",
           '            return finding | {"state": states.REPORTED, "outcome": states.OUTCOMES[states.REPORTED]}', '            finding["silenced_by"] = other',
           ("pool_exhausted",)),
    Mutant("the minimum activity is dropped", "mqstat/judge/judging.py",
           "    if rule.min_activity:\n", "    if False:\n", ("rich_estate", "tiny_tasks", "pool_exhausted")),
    Mutant("short intervals are judged", "mqstat/judge/judging.py",
           "conditions.append(f\"NOT coalesce({known}interval_seconds < {MIN_SECONDS}, false)\")", "pass", ("restarts_then_long", "upgrade")),
    Mutant("a page set grows by the lowest use of each day", "reports/views/page_set_day.sql",
           "max(used_pages)  ", "min(used_pages)  ", ("page_set_trend",)),
    Mutant("the peak of page sets is that of the emptiest", "reports/views/interval_headline.sql",
           "max(used_pct)   ", "min(used_pct)   ", ("page_set_backlog",)),
    Mutant("culprits are ranked from the least", "reports/views/finding_work.sql",
           "ORDER BY work_value DESC, queue_group", "ORDER BY work_value, queue_group", ("page_set_backlog",)),
    Mutant("a critical finding gives the code of a warning", "mqstat/base/return_codes.py",
           '_OF_SEVERITY = {"critical": CRITICAL,', '_OF_SEVERITY = {"critical": WARNING,', ("pool_exhausted",)),
)  # fmt: skip


class _Changed(importlib.abc.MetaPathFinder):
    """Imports one module with changed source."""

    def __init__(self, path: Path, mutant: Mutant) -> None:
        self.path, self.mutant = path, mutant

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:  # fmt: skip
        if name.rpartition(".")[2] != self.path.stem or not name.startswith("mqstat."):
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if spec.origin and Path(spec.origin).resolve() == self.path:
                    spec.loader = _Loader(name, str(self.path), self.mutant)
                return spec
        return None


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the changed source, past any compiled copy."""

    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        return compile(changed(self.mutant), self.path, "exec")


def changed(mutant: Replacement, folder: Path = ROOT) -> str:
    """The text of the file of a mutant, in a copy of the tree, with its change; ValueError when the piece does not
    occur exactly once.
    """
    text = (folder / mutant.file).read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(f"{mutant.file}: the piece of mutant {mutant.name!r} occurs {text.count(mutant.old)} times")
    return text.replace(mutant.old, mutant.new)


def exposed(mutant: Mutant) -> str:
    """The first contradiction that a scenario shows with the mutant in place, empty if there is no contradiction. Runs
    in its own process.
    """
    if mutant.file.endswith(".py"):
        sys.meta_path.insert(0, _Changed(ROOT / mutant.file, mutant))
    else:
        _change_sql(mutant)
    from mqstat.fixtures.scenarios import SCENARIOS
    from mqstat.sql.site import parse_site
    from tests.outputs import make
    from tests.support import file_of

    with tempfile.TemporaryDirectory() as folder:
        for name in mutant.scenarios:
            dump = file_of(SCENARIOS[name].build(), Path(folder), f"{name}.smf")
            lines = make(dump, parse_site(SCENARIOS[name].site, "site.toml")).contradictions
            if lines:
                return f"{name}: {lines[0]}"
    return ""


def _change_sql(mutant: Mutant) -> None:
    """Parse the changed text of an SQL file instead of what the folder holds."""
    from mqstat.sql import sqlfile

    real, text, path = sqlfile.parse, changed(mutant), Path(mutant.file)

    def parse(given: str, kind: str, name: str, *rest: Any, **named: Any) -> sqlfile.SqlFile:
        return real(text if kind == "view" and Path(name).name == path.name else given, kind, name, *rest, **named)

    mock.patch.object(sqlfile, "parse", parse).start()


if __name__ == "__main__":
    print(exposed(MUTANTS[int(sys.argv[1])]))
