"""Why a rule cannot be judged for a queue manager: a fact of the site, a class or a field is missing, or there was no
activity.

Guard G3: a missing field is no-data, decided per LPAR and queue manager. The state is determined here, as data;
`mqstat.judge.sentences` writes the text.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mqstat.judge import states
from mqstat.judge.lineage import last_offsets, latest_level, layouts_below, written_in, written_since
from mqstat.judge.model import Rule, level_number, level_text
from mqstat.judge.share import classes_of
from mqstat.judge.states import Place
from mqstat.sql import sqlfile
from mqstat.sql.schemas import quoted
from mqstat.sql.site import FACT_OF_COLUMN
from mqstat.sql.workspace import Workspace

COVERAGE_QUERIES = (
    "SELECT lpar, qmgr, highest_mq_level, intervals FROM qmgr ORDER BY lpar, qmgr",
    "SELECT lpar, qmgr, record_class, records, command_to_collect, expected_since, applicable FROM collection",
    "SELECT lpar, qmgr, structure, section_bytes FROM section",
    "SELECT * FROM site_input",
)
"""The queries of this module; it also counts the rows of views that rules name."""

WITH_INTERVALS, FIRST_WITH_INTERVALS = ("115.1", "115.2", "115.201", "115.215", "115.216"), 70100
"""The classes whose records are of statistics intervals (view interval_cut), and the first level that writes their
times."""


@dataclass
class Coverage:
    """The data of each queue manager: levels, classes, site facts, and values of the columns that rules need
    (`view.column`).

    `too_new` has the classes that only a later release writes, with that release; `section_bytes` has the longest
    section of each structure.
    """

    db: Workspace
    needed: frozenset[str]
    levels: dict[Place, int] = field(default_factory=dict)
    without_interval: set[Place] = field(default_factory=set)
    """Queue managers of 7.1 and later with records of which none has a valid interval: nothing is clear there."""
    collected: dict[Place, dict[str, int]] = field(default_factory=dict)
    too_new: dict[Place, dict[str, str]] = field(default_factory=dict)
    section_bytes: dict[Place, dict[str, int]] = field(default_factory=dict)
    commands: dict[tuple[Place, str], str | None] = field(default_factory=dict)
    counted: dict[str, dict[Place, dict[str, int]]] = field(default_factory=dict)

    def look(self) -> None:
        """Read levels and classes."""
        levels, classes, sections, _ = COVERAGE_QUERIES
        for row in self.db.rows(levels):
            self.levels[row["lpar"], row["qmgr"]] = row["highest_mq_level"] or 0
            if row["intervals"] == 0 and (row["highest_mq_level"] or 0) >= FIRST_WITH_INTERVALS:
                self.without_interval.add((row["lpar"], row["qmgr"]))
        for row in self.db.rows(classes):
            owner, name = (row["lpar"], row["qmgr"]), row["record_class"]
            self.collected.setdefault(owner, {})[name] = row["records"] or 0
            self.commands[owner, name] = row["command_to_collect"]
            if row["applicable"] is False:
                self.too_new.setdefault(owner, {})[name] = row["expected_since"]
        self.without_interval = {
            owner for owner in self.without_interval if any(map(self.collected.get(owner, {}).get, WITH_INTERVALS))
        }
        for row in self.db.rows(
            f"SELECT lpar, qmgr, structure, max(section_bytes) AS longest FROM ({sections}) GROUP BY ALL"
        ):
            self.section_bytes.setdefault((row["lpar"], row["qmgr"]), {})[row["structure"]] = row["longest"]

    def unjudged(self, rule: Rule, counts: Iterable[Mapping[str, Any]]) -> dict[Place, dict[str, Any]]:
        """For each LPAR and queue manager without a subject or its data (for rules about inputs, one entry without
        names): `state` and what is missing.

        `counts` = those of each queue manager with subjects (`mqstat.judge.counting`).
        """
        by_owner = {(row["lpar"], row["qmgr"]): row for row in counts}
        owners: Mapping[Place, int] = self.levels if {"lpar", "qmgr"} <= set(rule.grain) else {(None, None): 10**9}
        unjudged = {}
        for owner, level in owners.items():
            row = by_owner.get(owner)
            missing = self.missing(rule, owner, level, row)
            if missing is not None:
                unjudged[owner] = missing
            elif not (row and row["judged"]):
                unknown = self._unknown(rule, owner, level)
                if unknown or not row:
                    unjudged[owner] = unknown or {"state": states.IDLE}
        return unjudged

    def missing(self, rule: Rule, owner: Place, level: int, row: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Columns of view finding with the reason why a rule cannot be judged for a queue manager with these counts,
        None if it can.
        """
        lacking = [column for column in rule.site_facts if not self._present("site_input", owner).get(column)]
        if lacking:
            return {"state": states.NEEDS_FACT, "missing_facts": [FACT_OF_COLUMN[column] for column in lacking]}
        if row and row["rows_judgeable"]:
            return None
        collected = self.collected.get(owner, {})
        too_old = _not_in_release(level, needs_mq_level=rule.mq_since)
        old = bool(level and level < level_number(rule.mq_since))
        empty = []
        for view in rule.needed_views:
            classes = sqlfile.views()[view].classes
            # Counting is expensive: if there are records but no rows to judge, the result does not depend on it.
            if not row and not old and any(collected.get(name, 0) for name in classes):
                continue
            if self._present(view, owner).get(""):
                continue
            if old:
                return {**too_old, "missing_views": [view]}
            if not any(collected.get(name, 0) for name in classes):
                empty.append(view)
        if empty:
            all_classes = [name for view in empty for name in sqlfile.views()[view].classes]
            columns = [name for name in rule.needs if name.partition(".")[0] in empty]
            later = None if all_classes else self._later(level, columns)
            return later or self._not_there(owner, level, empty, all_classes)
        # There are rows, but the SQL could not judge any: fields are missing, or there is nothing to judge (pools of 0
        # buffers).
        names = dict.fromkeys(rule.needed if row else ())
        absent_columns = [name for name in names if self._lacks(name, owner)]
        if old:
            return {**too_old, **({"missing_columns": absent_columns} if absent_columns else {})}
        if not absent_columns:
            return None
        later = self._later(level, absent_columns)
        if later:
            return later
        # A view of several classes has rows if one of them is collected; a column that needs classes other than those
        # of its view names them.
        absent = [c for name in absent_columns for c in classes_of(name) if not collected.get(c, 0)]
        if absent:
            return {**self._not_there(owner, level, [], absent), "missing_columns": absent_columns}
        return self._too_short(owner, level, absent_columns) or {
            "state": states.IDLE,
            "missing_columns": absent_columns,
        }

    def _later(self, level: int, columns: Iterable[str]) -> dict[str, Any] | None:
        """The reason if one of these columns (`view.column`) is only written by a release later than this level;
        otherwise None.
        """
        if not level or level >= latest_level():
            return None  # without the lineage of the columns, which takes time
        for name in columns:
            since = written_since(*name.split(".", 1))
            if since and level < since:
                return _not_in_release(level, needs_mq_level=level_text(since), missing_columns=[name])
        return None

    def _too_short(self, owner: Place, level: int, columns: Iterable[str]) -> dict[str, Any] | None:
        """The reason if no section of a queue manager is long enough for one of these columns without a value: nothing
        is known about it.
        """
        longest = self.section_bytes.get(owner, {})
        for name in columns:
            if all(
                longest.get(layout.name, layout.size) >= layout.size for layout in layouts_below(name.partition(".")[0])
            ):
                continue
            for structure, offset in last_offsets(*name.split(".", 1)):
                if longest.get(structure, offset + 1) <= offset:
                    short = {"short_structure": structure, "short_section_bytes": longest[structure]}
                    return _not_in_release(level, missing_columns=[name], **short)
        return None

    def _unknown(self, rule: Rule, owner: Place, level: int) -> dict[str, Any] | None:
        """The reason if a column that a rule needs has no value because the records cannot contain it; None if there
        was only no activity.

        If a rule needs one of several columns, all of them must be without a value.
        """
        for names in (*((name,) for name in rule.needs), *rule.needs_any):
            reasons = [self._cannot_hold(name, owner, level) for name in names]
            if reasons and all(reasons):
                return reasons[0]
        return None

    def _cannot_hold(self, name: str, owner: Place, level: int) -> dict[str, Any] | None:
        """The reason why the records cannot hold a column (`view.column`) that has no value; None when they can, or it
        has one.
        """
        view, _, column = name.partition(".")
        if self._present(view, owner).get(column):
            return None
        reason = self._later(level, [name]) or self._too_short(owner, level, [name])
        if reason:
            return reason
        # A view of one class may take a column from another: message sizes of SMDS come from queues. Rule cases have
        # rows without records.
        collected = self.collected.get(owner, {})
        below = (f"{kind}.{subtype}" for layout in layouts_below(view) for kind, subtype, _ in layout.routes)
        if not collected or all(collected.get(record_class, 0) for record_class in below):
            return None
        classes = written_in(view, column)
        if classes and not any(collected.get(record_class, 0) for record_class in classes):
            return {**self._not_there(owner, level, [], classes), "missing_columns": [name]}
        return None

    def _not_there(self, owner: Place, level: int, views: Sequence[str], classes: Sequence[str]) -> dict[str, Any]:
        """Why classes are missing: they were not collected, or only a later release writes them."""
        later = self.too_new.get(owner, {})
        if classes and all(name in later for name in classes):
            since = min((later[name] for name in classes), key=level_number)
            return _not_in_release(level, needs_mq_level=since, missing_views=list(views))
        classes = [name for name in classes if name not in later]
        commands = [command for name in classes if (command := self.commands.get((owner, name)))]
        return {
            "state": states.NOT_COLLECTED,
            "missing_classes": list(dict.fromkeys(classes)),
            "missing_views": list(views),
            "collect_command": commands[0] if commands else None,
        }

    def _lacks(self, column: str, owner: Place) -> bool:
        """Whether the view of a column has rows, but no value in this column."""
        view, _, name = column.partition(".")
        counts = self._present(view, owner)
        return bool(counts.get("")) and not counts.get(name)

    def _present(self, view: str, owner: Place) -> Mapping[str, int]:
        """The number of rows (key "") and of values of each column of a view for a queue manager; for all if the rule
        or the view has no queue managers.
        """
        known = self._count(view)
        if owner in known:
            return known[owner]
        if (None, None) in known:
            return known[None, None]
        if owner != (None, None):
            return {}
        total: dict[str, int] = {}
        for counts in known.values():
            for name, count in counts.items():
                total[name] = total.get(name, 0) + count
        return total

    def _count(self, view: str) -> dict[Place, dict[str, int]]:
        """Rows and values of the needed columns by queue manager; counted only if a rule has nothing to judge."""
        if view not in self.counted:
            if view not in self.db.empty:
                self.db.keep([[view]])
            self.counted[view] = self._counts(view)
        return self.counted[view]

    def _counts(self, view: str) -> dict[Place, dict[str, int]]:
        if view in self.db.empty:
            return {}
        columns = sorted(name.partition(".")[2] for name in self.needed if name.startswith(f"{view}."))
        known = sqlfile.views()[view].columns
        owner = ", ".join(key if key in known else f"NULL::VARCHAR AS {key}" for key in ("lpar", "qmgr"))
        counts = ", ".join(["count(*)", *(f"count({quoted(name)})" for name in columns)])
        rows = self.db.execute(f"SELECT {owner}, {counts} FROM {quoted(view)} GROUP BY ALL").fetchall()
        return {(lpar, qmgr): dict(zip(["", *columns], values, strict=True)) for lpar, qmgr, *values in rows}


def _not_in_release(level: int, **more: Any) -> dict[str, Any]:
    """Columns of view finding: records of this level do not have what a rule needs."""
    return {"state": states.NOT_IN_RELEASE, "found_mq_level": level_text(level), **more}
