"""Why a rule cannot be judged for a queue manager: a fact of the site, a class or a field is not there.

Guard G3: a missing field is no-data, decided per LPAR and queue manager. The sentences say what collects what is missing.
"""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted, values are bound or made literals

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mqstat import sqlfile
from mqstat.database import Database, quoted
from mqstat.plans import keep
from mqstat.rules.model import Rule, level_number
from mqstat.rules.sentences import NEEDS_SITE, NOT_IN_RELEASE, not_collected
from mqstat.site import FACT_OF_COLUMN

Place: TypeAlias = tuple[str | None, str | None]
"""An LPAR and a queue manager."""

COVERAGE_QUERIES = (
    "SELECT lpar, qmgr, highest_mq_level FROM qmgr ORDER BY lpar, qmgr",
    "SELECT lpar, qmgr, record_class, records, command_to_collect FROM collection",
    "SELECT * FROM site_input",
)
"""What is read here; views that rules name are counted beside them."""


@dataclass
class Coverage:
    """What the data has for each queue manager: levels, classes, facts of the site, and values of the columns that rules need (`view.column`)."""

    db: Database
    needed: frozenset[str]
    levels: dict[Place, int] = field(default_factory=dict)
    collected: dict[Place, dict[str, int]] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    counted: dict[str, dict[Place, dict[str, int]]] = field(default_factory=dict)

    def look(self) -> None:
        """Read levels and classes."""
        levels, classes, _ = COVERAGE_QUERIES
        self.levels = {(row["lpar"], row["qmgr"]): row["highest_mq_level"] or 0 for row in self.db.rows(levels)}
        for row in self.db.rows(classes):
            self.collected.setdefault((row["lpar"], row["qmgr"]), {})[row["record_class"]] = row["records"] or 0
            self.commands[row["record_class"]] = row["command_to_collect"]

    def unjudged(self, rule: Rule, subjects: Iterable[Mapping[str, Any]]) -> list[tuple[str, Place, str]]:
        """Outcome, place and sentence of each LPAR and queue manager (one without names for rules about inputs) that has no subject or no data."""
        by_qmgr: dict[Place, list[Mapping[str, Any]]] = {}
        for subject in subjects:
            by_qmgr.setdefault((subject["lpar"], subject["qmgr"]), []).append(subject)
        places: Mapping[Place, int] = self.levels if {"lpar", "qmgr"} <= set(rule.grain) else {(None, None): 10**9}
        found = []
        for place, level in places.items():
            rows = by_qmgr.get(place, [])
            missing = self.missing(rule, place, level, rows)
            if missing:
                found.append(("no-data", place, missing))
            elif not rows:
                found.append(("clear", place, "There was nothing to judge."))
        return found

    def missing(self, rule: Rule, place: Place, level: int, rows: Sequence[Mapping[str, Any]]) -> str | None:
        """The sentence that says why a rule cannot be judged for a queue manager, None when it can."""
        lacking = [column for column in rule.site_facts if not self._present("site_input", place).get(column)]
        if lacking:
            return f"{NEEDS_SITE}{', '.join(FACT_OF_COLUMN[column] for column in lacking)}."
        if any(row["rows_judgeable"] for row in rows):
            return None
        collected = self.collected.get(place, {})
        for view in rule.needed_views:
            classes = sqlfile.views()[view].classes
            old = bool(level and level < level_number(rule.mq_since))
            # Counting is dear: without rows to judge and with the records there, nothing depends on it.
            if not rows and not old and any(collected.get(name, 0) for name in classes):
                continue
            if self._present(view, place).get(""):
                continue
            if old:
                return f"{NOT_IN_RELEASE}the data starts with MQ {rule.mq_since}."
            if any(collected.get(name, 0) for name in classes):
                continue
            title = sqlfile.views()[view].title
            what = (
                f"no {' or '.join(classes)} records" if classes else f'the data has nothing for "{title}" (view {view})'
            )
            return not_collected(what, self.commands.get(classes[0]) if classes else None)
        # Rows are there, but the SQL could judge none of them: fields are missing, or there is nothing to judge (pools of 0 buffers).
        if rows:
            gone = [name for name in rule.needs if self._lacks(name, place)]
            gone += [name for group in rule.needs_any for name in group if self._lacks(name, place)]
            if gone:
                names = ", ".join(_described(name) for name in dict.fromkeys(gone))
                return f"Not in these records: {names}. The release does not write it, or its class is not collected."
        return None

    def _lacks(self, column: str, place: Place) -> bool:
        """Whether the view of a column has rows but none with a value in it."""
        view, _, name = column.partition(".")
        counts = self._present(view, place)
        return bool(counts.get("")) and not counts.get(name)

    def _present(self, view: str, place: Place) -> Mapping[str, int]:
        """How many rows ("") and values of each column a view has for a queue manager; for all when the rule or the view knows none."""
        known = self._count(view)
        if place in known:
            return known[place]
        if (None, None) in known:
            return known[None, None]
        if place != (None, None):
            return {}
        total: dict[str, int] = {}
        for counts in known.values():
            for name, count in counts.items():
                total[name] = total.get(name, 0) + count
        return total

    def _count(self, view: str) -> dict[Place, dict[str, int]]:
        """Rows and values of the needed columns by queue manager; counted when a rule asks why it has nothing to judge."""
        if view not in self.counted:
            query, columns = counting(view, self.needed)
            keep(self.db, [query])
            self.counted[view] = {
                (row[0], row[1]): {"": row[2], **dict(zip(columns, row[3:], strict=True))}
                for row in self.db.execute(query).fetchall()
            }
        return self.counted[view]


def counting(view: str, needed: Iterable[str]) -> tuple[str, list[str]]:
    """The query for the rows of a view by queue manager and for the values of its needed columns (`view.column`), and these columns."""
    columns = sorted(name.partition(".")[2] for name in needed if name.startswith(f"{view}."))
    known = sqlfile.views()[view].columns
    place = [key if key in known else "NULL" for key in ("lpar", "qmgr")]
    counts = "".join(f", count({quoted(name)})" for name in columns)
    return f"SELECT {', '.join(place)}, count(*){counts} FROM {quoted(view)} GROUP BY ALL", columns


def _described(name: str) -> str:
    """A column as a person knows it, with its name behind it."""
    view, _, column = name.partition(".")
    doc = sqlfile.views()[view].columns[column].doc.rstrip(".").partition(";")[0].partition(":")[0]
    return f"{doc[:1].lower()}{doc[1:]} ({name})"
